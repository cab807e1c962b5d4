package file

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/core/fuzzy"
	"hermes/core/text"
)

// target is a text that hunks are fitted to. All are fitted to the text as it is, none to what another
// one made of it, so that they cannot build on a wrong place.
type target struct {
	text  string
	lines []textLine
	eol   string // line break of added lines where no neighbour tells

	same, trimmed map[string][]int // where each line stands, as it is and without white space around it
}

// textLine is one line: text[start:end] without its break, which ends at next.
type textLine struct{ start, end, next int }

// edit replaces text[start:end].
type edit struct {
	start, end int
	with       string
	hunk       int
}

// applyHunks fits every hunk to content and returns the new content. notes say what was not exact. On
// failure the error tells of every hunk that does not fit.
func applyHunks(content string, hunks []hunk) (out string, notes []string, err error) {
	t := newTarget(content)
	closed := t.text == content
	var edits []edit
	var faults []string
	for i, h := range hunks {
		e, note, err := t.fit(h)
		if err != nil {
			faults = append(faults, fmt.Sprintf("the hunk at line %d of the patch: %s", h.line, err))
			continue
		}
		if note != "" {
			notes = append(notes, fmt.Sprintf("the hunk at line %d %s", h.line, note))
		}
		for j := range e {
			e[j].hunk = i
		}
		edits = append(edits, e...)
	}
	if len(faults) > 0 {
		return "", nil, errors.New(strings.Join(faults, "\n"))
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	if err := t.overlap(edits, hunks); err != nil {
		return "", nil, err
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(t.text[at:e.start] + e.with)
		at = e.end
	}
	b.WriteString(t.text[at:])
	out = b.String()
	if !closed { // the file has no final line break and gets none
		out = strings.TrimSuffix(strings.TrimSuffix(out, "\n"), "\r")
	}
	return out, notes, nil
}

// newTarget takes content apart; a missing final line break is added for the time of the work.
func newTarget(content string) *target {
	t := &target{text: content, eol: "\n"}
	if n := strings.Count(content, "\n"); n > 0 && 2*strings.Count(content, "\r\n") > n {
		t.eol = "\r\n"
	}
	if content != "" && !strings.HasSuffix(content, "\n") {
		t.text += t.eol
	}
	for at := 0; at < len(t.text); {
		next := at + strings.IndexByte(t.text[at:], '\n') + 1
		end := next - 1
		if end > at && t.text[end-1] == '\r' {
			end--
		}
		t.lines = append(t.lines, textLine{at, end, next})
		at = next
	}
	return t
}

func (t *target) line(i int) string { return t.text[t.lines[i].start:t.lines[i].end] }

// overlap refuses hunks that change the same place.
func (t *target) overlap(edits []edit, hunks []hunk) error {
	for i := 1; i < len(edits); i++ {
		a, b := edits[i-1], edits[i]
		if a.hunk == b.hunk {
			continue
		}
		if b.start < a.end || (a.start == b.start && a.end == b.end) {
			return fmt.Errorf("the hunks at lines %d and %d of the patch change the same place; make one hunk of them", hunks[a.hunk].line, hunks[b.hunk].line)
		}
	}
	return nil
}

// fit finds where h belongs.
func (t *target) fit(h hunk) (edits []edit, note string, err error) {
	from, sure, err := t.anchor(h)
	if err != nil {
		return nil, "", err
	}
	var want []string
	for _, l := range h.lines {
		if l.op != '+' {
			want = append(want, l.text)
		}
	}
	if len(want) == 0 {
		return t.insertion(h, from, sure)
	}
	note = ""
	for _, trim := range []bool{false, true} {
		hits := t.standing(want, from, h.eof, trim)
		switch {
		case len(hits) == 1, len(hits) > 1 && sure:
			return t.edits(h, hits[0]), note, nil
		case len(hits) > 1:
			return nil, "", t.ambiguous(hits)
		}
		note = "was not found exactly but by " + fuzzy.LineTrimmed
	}
	return t.tolerant(h, from)
}

// anchor finds the line the hunk's "@@" lines name. sure says that there is only one such place, so that
// the first fit behind it is meant.
func (t *target) anchor(h hunk) (from int, sure bool, err error) {
	sure = len(h.anchors) > 0
	for _, a := range h.anchors {
		at := t.named(a, from)
		if len(at) == 0 {
			if h.soft {
				return 0, false, nil
			}
			return 0, false, fmt.Errorf("no line %q as its @@ says", text.FirstLine(a, 80))
		}
		sure = sure && len(at) == 1
		from = at[0]
	}
	return from, sure && !h.soft, nil
}

// named lists the lines from on that are a, or else contain it.
func (t *target) named(a string, from int) (at []int) {
	var within []int
	for i := from; i < len(t.lines); i++ {
		switch l := strings.TrimSpace(t.line(i)); {
		case l == a:
			at = append(at, i)
		case strings.Contains(l, a):
			within = append(within, i)
		}
	}
	if len(at) > 0 {
		return at
	}
	return within
}

// insertion places a hunk without context.
func (t *target) insertion(h hunk, from int, sure bool) ([]edit, string, error) {
	at := 0
	switch {
	case len(t.lines) == 0:
	case h.eof:
		at = len(t.text)
	case sure:
		at = t.lines[from].next
	default:
		return nil, "", errors.New("it only adds lines and does not say where; give a line of context, or an @@ line that stands in one place only")
	}
	return []edit{{at, at, strings.ReplaceAll(h.text('-'), "\n", t.eol), 0}}, "", nil
}

// index is where each line stands, under its text or its text without white space around it.
func (t *target) index(trim bool) map[string][]int {
	if t.same == nil {
		t.same, t.trimmed = map[string][]int{}, map[string][]int{}
		for i := range t.lines {
			l := t.line(i)
			t.same[l] = append(t.same[l], i)
			l = strings.TrimSpace(l)
			t.trimmed[l] = append(t.trimmed[l], i)
		}
	}
	if trim {
		return t.trimmed
	}
	return t.same
}

// standing lists where the wanted lines stand, with trim without looking at the white space around them.
// Blank lines alone tell of no place.
func (t *target) standing(want []string, from int, eof, trim bool) (hits []int) {
	key := func(s string) string { return s }
	if trim {
		key = strings.TrimSpace
	}
	index, pivot := t.index(trim), 0 // the rarest line decides where to look
	for i, w := range want {
		if len(index[key(w)]) < len(index[key(want[pivot])]) {
			pivot = i
		}
	}
	if strings.TrimSpace(strings.Join(want, "")) == "" {
		return nil
	}
	for _, at := range index[key(want[pivot])] {
		i := at - pivot
		if i < from || i+len(want) > len(t.lines) || eof && i+len(want) != len(t.lines) {
			continue
		}
		fits := true
		for j, w := range want {
			if fits = key(t.line(i+j)) == key(w); !fits {
				break
			}
		}
		if fits {
			hits = append(hits, i)
		}
	}
	return hits
}

// edits are the changes of h at line i, where its lines stand: context lines are not touched, and new
// ones take over the indentation that the file has where the hunk's nearest line has another.
func (t *target) edits(h hunk, i int) []edit {
	var out []edit
	open := false
	sent, has := h.firstIndent(), ""
	for n := i; n < len(t.lines); n++ { // the line that firstIndent speaks of
		if strings.TrimSpace(t.line(n)) != "" {
			has = indent(t.line(n))
			break
		}
	}
	for _, l := range h.lines {
		if l.op != '+' {
			if strings.TrimSpace(l.text) != "" {
				sent, has = indent(l.text), indent(t.line(i))
			}
			if i++; l.op == ' ' {
				open = false
				continue
			}
		}
		if !open {
			at := len(t.text)
			if l.op == '-' {
				at = t.lines[i-1].start
			} else if i < len(t.lines) {
				at = t.lines[i].start
			}
			out, open = append(out, edit{start: at, end: at}), true
		}
		e := &out[len(out)-1]
		if l.op == '-' {
			e.end = t.lines[i-1].next
			continue
		}
		with := l.text
		if rest, ok := strings.CutPrefix(with, sent); ok && sent != has && strings.TrimSpace(with) != "" {
			with = has + rest
		}
		e.with += with + t.breakNear(i)
	}
	return out
}

// firstIndent is the indentation of the first line that must stand in the file and has text.
func (h hunk) firstIndent() string {
	for _, l := range h.lines {
		if l.op != '+' && strings.TrimSpace(l.text) != "" {
			return indent(l.text)
		}
	}
	return ""
}

func indent(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }

// breakNear is the line break used around line i.
func (t *target) breakNear(i int) string {
	if i >= len(t.lines) {
		i = len(t.lines) - 1
	}
	if i < 0 {
		return t.eol
	}
	return t.text[t.lines[i].end:t.lines[i].next]
}

// tolerant looks for the hunk with core/fuzzy.
func (t *target) tolerant(h hunk, from int) ([]edit, string, error) {
	off := 0
	if from > 0 {
		off = t.lines[from].start
	}
	in, old := t.text[off:], h.text('+')
	r, err := fuzzy.Replace(in, old, h.text('-'), false)
	if err != nil {
		return nil, "", err
	}
	if r.Exact && !startsLine(in, old) {
		return nil, "", errors.New("its first line is only the end of a line of the file; give whole lines")
	}
	reg := r.Regions[0]
	e := edit{start: off + reg.Start, end: off + reg.End, with: r.Content[reg.Start : len(r.Content)-(len(in)-reg.End)]}
	return []edit{e}, "was not found exactly but by " + tolerance(r), nil
}

// tolerance names how a passage was found.
func tolerance(r fuzzy.Result) string {
	if r.Exact {
		return "ignoring indentation"
	}
	if r.Loose {
		return r.Strategy + ", where not every line is the same: check the change"
	}
	return r.Strategy
}

// startsLine reports whether old stands in s with nothing but white space before it on its line.
func startsLine(s, old string) bool {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	i := strings.Index(s, old)
	return i >= 0 && strings.TrimSpace(s[strings.LastIndexByte(s[:i], '\n')+1:i]) == ""
}

// ambiguous lists the places.
func (t *target) ambiguous(hits []int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "it fits in %d places; add an @@ line or more context:", len(hits))
	for i, h := range hits {
		if i == 5 {
			b.WriteString("\n ...")
			break
		}
		fmt.Fprintf(&b, "\n%4d| %s", h+1, text.FirstLine(t.line(h), 80))
	}
	return errors.New(b.String())
}

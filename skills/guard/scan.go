package guard

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"hermes/core/text"
	"hermes/core/threat"
)

// looker gathers the findings of one file.
type looker struct {
	set    *ruleset
	about  *about
	file   string
	plain  string // what the file says as it stands, lower case
	out    []Finding
	seen   map[place2]int // where in out a finding is
	budget int
}

type place2 struct {
	id   string
	line int
}

// look scans one file: as it stands, with variables and split strings put together, and in every layer
// that is encoded in it.
func (s *Scanner) look(ctx context.Context, a *about, f *file) ([]Finding, error) {
	c := contentOf(f)
	l := looker{set: s.rules(), about: a, file: f.name, out: c.notes, seen: map[place2]int{}, budget: 4<<20 + 6*len(c.text)}
	folded := threat.Fold(c.text)
	l.plain = lower(folded)
	l.steering(c.text)
	l.mixed(c.text, folded)
	segs := segments(f.name, folded)
	l.rules(segs, "", "")
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	derived := derive(segs)
	l.rules(derived, "", "")
	l.layers(candidates(folded), 0)
	for _, d := range derived {
		if d.how == "split" && len(d.text) >= 16 {
			l.layers(d.text, d.line)
		}
	}
	return l.out, ctx.Err()
}

// maxHits is how many matches of one rule are weighed in one text: those beyond tell nothing new.
const maxHits = 200

// add keeps the heaviest finding of an id and line.
func (l *looker) add(f Finding) {
	f.File = l.file
	at := place2{f.ID, f.Line}
	if i, ok := l.seen[at]; ok {
		if f.Severity.weight() > l.out[i].Severity.weight() {
			l.out[i] = f
		}
		return
	}
	l.seen[at] = len(l.out)
	l.out = append(l.out, f)
}

// rules runs the tables over segs. Of a decoded layer decoded is the text and kind its encoding.
func (l *looker) rules(segs []*seg, decoded, layer string) {
	m := matcher{set: l.set, about: l.about, budget: l.budget}
	weighed := map[string]int{}
	m.found = func(h *hit) {
		if weighed[h.id]++; weighed[h.id] > maxHits {
			return
		}
		sev, ok := h.weigh()
		if !ok {
			return
		}
		f := Finding{ID: h.id, Category: h.category, Severity: sev, Line: h.seg.lineAt(h.at), Why: h.why, Decoded: decoded}
		t := h.seg.text
		f.Excerpt = show(t[h.at:min(len(t), max(h.end, h.at+100))])
		if from := h.seg.from; from != nil {
			f.Excerpt, f.Decoded = show(from.text), show(t[h.at:min(len(t), max(h.end, h.at+100))])
		}
		if hidden := layer != "" || h.seg.from != nil && !l.said(h); hidden && sev.weight() >= Medium.weight() && !h.seg.warned {
			f.Severity = most(sev, High)
		}
		l.add(f)
	}
	m.run(segs)
	l.budget = m.budget
	if m.budget < 0 {
		l.add(Finding{ID: "scan_flood", Category: "obfuscation", Severity: High, Line: max(1, m.flooded), Why: "so many beginnings of attacks that not all could be looked at"})
	}
}

// said reports whether the file says openly what the rule looks for.
func (l *looker) said(h *hit) bool {
	for _, hint := range h.hints {
		if strings.Contains(l.plain, hint) && strings.Contains(lower(h.match()), strings.TrimSpace(hint)) {
			return true
		}
	}
	return false
}

// steering takes what package threat sees: text that steers agents and characters nobody sees.
func (l *looker) steering(raw string) {
	lines := strings.Split(raw, "\n")
	for _, f := range scanBlocks(lines) {
		switch f.ID {
		case "exfil_curl", "exfil_wget", "read_secrets":
			continue // our own rules know where a key goes
		}
		sev, why := steers(f)
		category := "injection"
		if hiddenID(f.ID) {
			category = "obfuscation"
			sev, why = invisible(f, lines[min(f.Line, len(lines))-1])
		} else if f.Decoded == "" {
			sev = taught(f, lines[min(f.Line, len(lines))-1], sev)
		}
		l.add(Finding{ID: f.ID, Category: category, Severity: sev, Line: f.Line, Excerpt: show(f.Excerpt), Decoded: show(f.Decoded), Why: why})
	}
}

// blockSize is about how many bytes are given to package threat at once: on short texts its patterns are
// several times faster a byte.
const blockSize = 1200

// scanBlocks scans lines in blocks. Each begins with the last lines of the one before it, so that what
// goes over the border is seen.
func scanBlocks(lines []string) []threat.Finding {
	var out []threat.Finding
	for from := 0; from < len(lines); {
		to, size := from, 0
		for to < len(lines) && size < blockSize {
			size += len(lines[to]) + 1
			to++
		}
		for _, f := range threat.Scan(strings.Join(lines[from:to], "\n"), threat.Context) {
			f.Line += from
			out = append(out, f)
		}
		if to == len(lines) {
			break
		}
		from = max(to-4, from+1)
	}
	return out
}

// taught lowers a finding that is quoted in a text about attacks.
func taught(f threat.Finding, line string, sev Severity) Severity {
	first, _, _ := strings.Cut(f.Excerpt, " ")
	at := strings.Index(threat.Fold(line), first)
	if at < 0 {
		return sev
	}
	h := hit{rule: &rule{severity: sev, category: "injection"}, seg: &seg{text: threat.Fold(line)}, at: at, end: at + len(first)}
	if h.quotedExample() {
		return atMostMedium(sev)
	}
	return sev
}

func hiddenID(id string) bool {
	return id == "hidden_tag_text" || id == "variation_selector_data" || strings.HasPrefix(id, "invisible_unicode_")
}

// invisible weighs characters that are not seen: inside a word they break it up for scanners.
func invisible(f threat.Finding, line string) (Severity, string) {
	if f.ID == "hidden_tag_text" || f.ID == "variation_selector_data" {
		return High, "text that people do not see and models read"
	}
	var point rune
	if _, err := fmt.Sscanf(f.ID, "invisible_unicode_U+%X", &point); err != nil {
		return High, "characters that people do not see"
	}
	switch {
	case point >= 0x202A && point <= 0x202E, point >= 0x2066 && point <= 0x2069:
		return High, "turns the direction of writing, so that people see another text"
	}
	rs := []rune(line)
	for i, r := range rs {
		if r == point && i > 0 && i+1 < len(rs) && latin(rs[i-1]) && latin(rs[i+1]) {
			return High, "an invisible character inside a word"
		}
	}
	return Medium, "an invisible character"
}

func latin(r rune) bool { return r < 0x250 && unicode.IsLetter(r) }

// mixed reports words that mix Latin with look-alike letters of other scripts.
func (l *looker) mixed(raw, folded string) {
	if raw == folded {
		return
	}
	for n, line := range strings.Split(raw, "\n") {
		for _, w := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if lookalike(w) {
				l.add(Finding{ID: "mixed_script_word", Category: "obfuscation", Severity: High, Line: n + 1, Excerpt: show(w), Decoded: show(threat.Fold(w)), Why: "a word with look-alike letters of another alphabet"})
			}
		}
	}
}

// lookalike: three Latin letters or more, and Cyrillic or Armenian ones among them; Greek ones, which stand beside
// Latin letters in formulas, only inside of the word.
func lookalike(w string) bool {
	rs := []rune(w)
	plain, foreign := 0, 0
	for i, r := range rs {
		switch {
		case r < 0x80:
			plain++
		case unicode.In(r, unicode.Cyrillic, unicode.Armenian):
			foreign++
		case unicode.Is(unicode.Greek, r) && i > 0 && i+1 < len(rs) && rs[i-1] < 0x80 && rs[i+1] < 0x80:
			foreign++
		}
	}
	return plain >= 3 && foreign > 0 && foreign <= plain && threat.Fold(w) != w
}

var command = text.NewPattern(`(?i)\b(?:curl|wget)\s+(?:-|["'$]?https?:|["']?\$)|\b(?:nc|ncat)\s+(?:-|\S+\s+\d)|\b(?:ba|z|da)?sh\s+(?:-\w|["'./$<])|\bpowershell\s+-|\bchmod\s+[+0-7]|\bsudo\s+\w|/bin/(?:ba|z|da)?sh\b|\bos\.(?:system|popen|environ)\b|\bsubprocess\b|\bchild_process\b|\b(?:eval|exec)\s*\(|\bimport\s+(?:os|socket|subprocess|urllib|requests)\b|\brequire\(["']|\brm\s+-\w*[rf]|\biex\b|\bInvoke-\w+|/dev/tcp/|<script\b`)

// layers looks into what is encoded in text. line places it when text is itself derived.
func (l *looker) layers(encoded string, line int) {
	for _, x := range threat.Layers(encoded) {
		at := x.Line
		if line > 0 {
			at = line
		}
		shown := show(x.Text)
		plain := threat.Fold(x.Text)
		dense := !strings.HasPrefix(x.Kind, "percent") && !strings.HasPrefix(x.Kind, "entity")
		if dense && command.Regexp().MatchString(plain) {
			l.add(Finding{ID: "encoded_command", Category: "obfuscation", Severity: High, Line: at, Excerpt: show(x.Source), Decoded: shown, Why: "a command or program hidden in " + x.Kind})
		}
		for _, f := range threat.Scan(x.Text, threat.Context) {
			if sev, why := steers(f); sev.weight() > Low.weight() && !hiddenID(f.ID) && f.ID != "exfil_curl" && f.ID != "exfil_wget" && f.ID != "read_secrets" {
				l.add(Finding{ID: f.ID, Category: "injection", Severity: most(sev, High), Line: at, Excerpt: show(x.Source), Decoded: shown, Why: why + ", hidden in " + x.Kind})
			}
		}
		layer := ""
		if dense {
			layer = x.Kind
		}
		segs := append(segments("layer.sh", plain), segments("layer.txt", plain)...)
		segs = append(segs, derive(segs)...)
		for _, s := range segs {
			s.line, s.marks, s.from = at, nil, nil
		}
		l.rules(segs, shown, layer)
	}
}

// candidates keeps the lines that may hold something encoded and empties the others: decoding looks at
// every byte several times.
func candidates(text string) string {
	var b strings.Builder
	b.Grow(len(text) / 2)
	tail := false
	for line := range strings.SplitSeq(text, "\n") {
		keep := candidate(line)
		if keep || tail {
			b.WriteString(line)
		}
		tail = keep
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// candidate reports whether a line holds escapes, many digits, or a run of letters longer than a word.
func candidate(line string) bool {
	run, digits := 0, 0
	for i := range len(line) {
		switch c := line[i]; {
		case c == '\\' || c == '%' || c == '&':
			return true
		case c >= '0' && c <= '9':
			digits++
			run++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '/' || c == '_' || c == '-':
			run++
		default:
			run = 0
			continue
		}
		if run >= 16 || digits >= 10 {
			return true
		}
	}
	return false
}

// show makes foreign text fit for one line of a report: printable, at most 120 characters.
func show(s string) string {
	if s == "" {
		return ""
	}
	return text.Cut(text.OneLine(text.Visible(strings.ToValidUTF8(s, "�"))), 120)
}

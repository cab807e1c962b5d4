package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// Diff is the unified difference of subject's files between the state after change from and the state
// after change to. "" as to is now; "" as from is before the first change.
func (l *Ledger) Diff(subject, from, to string) (string, error) {
	old := map[string]string{}
	if from != "" {
		v, err := l.Version(subject, from)
		if err != nil {
			return "", err
		}
		old = v
	}
	now, err := l.Version(subject, to)
	if err != nil {
		return "", err
	}
	return l.diff(old, now)
}

// DiffEntry is the unified difference that one change made. Moves are named.
func (l *Ledger) DiffEntry(e Entry) (string, error) {
	var b strings.Builder
	for _, f := range e.Files {
		if f.Op == OpMove {
			fmt.Fprintf(&b, "moved %s to %s\n", f.From, f.Path)
			continue
		}
		d, err := l.diff(map[string]string{f.Path: f.Before}, map[string]string{f.Path: f.After})
		if err != nil {
			return "", err
		}
		b.WriteString(d)
	}
	return b.String(), nil
}

func (l *Ledger) diff(old, now map[string]string) (string, error) {
	names := map[string]bool{}
	for n := range old {
		names[n] = true
	}
	for n := range now {
		names[n] = true
	}
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if old[n] == now[n] {
			continue
		}
		before, err := l.text(old[n])
		if err != nil {
			return "", err
		}
		after, err := l.text(now[n])
		if err != nil {
			return "", err
		}
		if !utf8.ValidString(before) || !utf8.ValidString(after) {
			fmt.Fprintf(&b, "binary file %s differs\n", n)
			continue
		}
		b.WriteString(unified(n, before, after))
	}
	return b.String(), nil
}

// unified is the difference of one file. A line break that is missing at the end is no difference of the last
// line, unless it is the only one: memory never has one, and what was appended there is all that is new.
func unified(name, before, after string) string {
	if old, now := ended(before), ended(after); old != now {
		before, after = old, now
	}
	return udiff.Unified("a/"+name, "b/"+name, before, after)
}

// ended is text with a line break at its end.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// text is a kept version, "" for none.
func (l *Ledger) text(hash string) (string, error) {
	if hash == "" {
		return "", nil
	}
	data, err := l.Blob(hash)
	return string(data), err
}

// BlameLine is a line of a file and the change that wrote it; ID is "" for text older than the journal
// or than what is kept.
type BlameLine struct {
	Text  string `json:"text"`
	ID    string `json:"id,omitempty"`
	Entry *Entry `json:"change,omitempty"`
}

// Blame tells for each line of path, as it is after its last change, which change wrote it. Moves are
// followed back.
func (l *Ledger) Blame(path string) ([]BlameLine, error) {
	all, err := l.Log(Filter{})
	if err != nil {
		return nil, err
	}
	name := l.name(path)
	type step struct {
		e             Entry
		before, after string
	}
	var steps []step // newest first
	for i := range all {
		for _, f := range slices.Backward(all[i].Files) {
			switch {
			case f.Op == OpMove && (name == f.Path || strings.HasPrefix(name, f.Path+"/")):
				name = f.From + strings.TrimPrefix(name, f.Path)
			case f.Op != OpMove && f.Path == name:
				steps = append(steps, step{all[i], f.Before, f.After})
			}
		}
	}
	var lines []BlameLine
	text := ""
	for i, s := range slices.Backward(steps) {
		if i == len(steps)-1 {
			if before, err := l.text(s.before); err == nil {
				text, lines = before, plain(before)
			}
		}
		next, err := l.text(s.after)
		if err != nil {
			continue // pruned: its lines fall to the next kept version
		}
		lines = carry(lines, text, next, &s.e)
		text = next
	}
	return lines, nil
}

func plain(text string) []BlameLine {
	var out []BlameLine
	for ln := range strings.Lines(text) {
		out = append(out, BlameLine{Text: strings.TrimSuffix(ln, "\n")})
	}
	return out
}

// carry gives the lines of next: those that text had keep their change, the others are e's.
func carry(lines []BlameLine, text, next string, e *Entry) []BlameLine {
	d, err := udiff.ToUnifiedDiff("", "", text, udiff.Lines(text, next), 1<<30)
	if err != nil || len(d.Hunks) == 0 {
		if text == next {
			return lines
		}
		return nil
	}
	var out []BlameLine
	at := 0
	for _, h := range d.Hunks {
		for _, ln := range h.Lines {
			switch ln.Kind {
			case udiff.Equal:
				out = append(out, lines[at])
				at++
			case udiff.Delete:
				at++
			case udiff.Insert:
				out = append(out, BlameLine{Text: strings.TrimSuffix(ln.Content, "\n"), ID: e.ID, Entry: e})
			}
		}
	}
	return out
}

// Merge3 applies the change from base to theirs to ours, line by line. ok is false when both changed
// the same lines.
func Merge3(base, ours, theirs string) (merged string, ok bool) {
	edits, ok := udiff.Merge(udiff.Lines(base, ours), udiff.Lines(base, theirs))
	if !ok {
		return "", false
	}
	merged, err := udiff.Apply(base, edits)
	return merged, err == nil
}

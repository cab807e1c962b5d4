package fuzzy

import (
	"fmt"
	"strings"
)

// Region is a replaced passage, in bytes of the content before the edit.
type Region struct {
	Start, End int
	Line       int // 1-based line of Start
}

// Result is a finished replacement.
type Result struct {
	Content  string
	Count    int
	Strategy string
	// Exact is false when the passage was found by tolerance; the caller must say so.
	Exact bool
	// Loose is true when a line of the passage differed from what was asked for.
	Loose   bool
	Regions []Region
}

// Kind is why nothing was replaced.
type Kind int

// The kinds of failure.
const (
	EmptyOld  Kind = iota // nothing to look for
	Identical             // old and new are the same
	NotFound
	Ambiguous // more than one place and not all were asked for
	Refused   // a match that would have damaged the text
)

// Error says why nothing was replaced, in words a model can act on. The content is unchanged.
type Error struct {
	Kind Kind
	Msg  string
}

// Error returns the message.
func (e *Error) Error() string { return e.Msg }

// Replace finds old in content and puts new in its place. Without all it must stand there exactly once.
// Errors are *Error.
func Replace(content, old, new string, all bool) (Result, error) {
	old, new = crlf.Replace(old), crlf.Replace(new)
	switch {
	case strings.TrimSpace(old) == "":
		return Result{}, &Error{EmptyOld, "the text to replace is empty or only white space; quote the passage"}
	case old == new:
		return Result{}, &Error{Identical, "old and new text are the same; nothing to do"}
	}
	v := lineView(content)
	p := &problem{view: v.text, old: old, new: new}
	for _, s := range searches() {
		hits := s.find(p)
		if len(hits) == 0 {
			continue
		}
		if len(hits) > 1 && !all {
			return Result{}, ambiguous(p, hits)
		}
		return p.apply(content, v, s.name, hits)
	}
	msg := "the text to replace was not found"
	if AlreadyApplied(content, old, new) {
		msg = "the text to replace is not there, but the new text is: this edit seems to be applied already"
		return Result{}, &Error{NotFound, msg}
	}
	return Result{}, &Error{NotFound, msg + nearest(p)}
}

var crlf = strings.NewReplacer("\r\n", "\n") //nolint:gochecknoglobals // a constant

// appliedLength is how long a new text must be before its presence says anything.
const appliedLength = 8

// AlreadyApplied tells whether content looks as if the edit was made before: new stands in it, old does not.
func AlreadyApplied(content, old, new string) bool {
	c := crlf.Replace(content)
	old, new = crlf.Replace(old), crlf.Replace(new)
	return len([]rune(strings.TrimSpace(new))) >= appliedLength && strings.Contains(c, new) && !strings.Contains(c, old)
}

// ambiguous lists the places, so that the next attempt can quote more.
func ambiguous(p *problem, hits []hit) *Error {
	var b strings.Builder
	fmt.Fprintf(&b, "the text to replace stands in %d places; quote more of its surroundings, or replace all:", len(hits))
	for i, h := range hits {
		if i == 5 {
			fmt.Fprintf(&b, "\n… and %d more", len(hits)-i)
			break
		}
		fmt.Fprintf(&b, "\n%4d| %s", lineOf(p.view, h.start), snippet(lineAt(p.view, h.start)))
	}
	return &Error{Ambiguous, b.String()}
}

func lineOf(s string, at int) int { return 1 + strings.Count(s[:at], "\n") }

func lineAt(s string, at int) string {
	start := strings.LastIndexByte(s[:at], '\n') + 1
	line, _, _ := strings.Cut(s[start:], "\n")
	return line
}

func snippet(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:77]) + "..."
	}
	return s
}

// apply builds the new content from the hits, which are in order and do not overlap.
func (p *problem) apply(content string, v mapped, strategy string, hits []hit) (Result, error) {
	r := Result{Count: len(hits), Strategy: strategy, Exact: strategy == Exact}
	var b strings.Builder
	at := 0
	for _, h := range hits {
		region := p.view[h.start:h.end]
		with := p.new
		if !r.Exact {
			if why := p.damage(region); why != "" {
				return Result{}, &Error{Refused, why}
			}
			if h.lines {
				with = carry(region, p.old, with)
			} else {
				with = keepTypography(region, p.old, with)
			}
		}
		r.Loose = r.Loose || h.loose
		// What region and replacement share at their ends keeps its bytes, line ends included.
		from, to, with := shrink(p.view, h.span, with)
		start, end := v.start(from), v.end(to)
		if from == to {
			end = start
		}
		b.WriteString(content[at:start])
		b.WriteString(withEnds(with, content, start, end))
		r.Regions = append(r.Regions, Region{start, end, lineOf(content, start)})
		at = end
	}
	b.WriteString(content[at:])
	r.Content = b.String()
	return r, nil
}

// shrink drops whole lines that region and replacement have in common at both ends.
func shrink(view string, s span, with string) (from, to int, rest string) {
	from, to = s.start, s.end
	for {
		i := strings.IndexByte(with, '\n') + 1
		if i == 0 || i > to-from || view[from:from+i] != with[:i] {
			break
		}
		from, with = from+i, with[i:]
	}
	for {
		i := strings.LastIndexByte(with, '\n')
		if i < 0 || len(with)-i > to-from || view[to-(len(with)-i):to] != with[i:] {
			break
		}
		to, with = to-(len(with)-i), with[:i]
	}
	return from, to, with
}

// withEnds writes the replacement with the line ends of where it goes: those of the passage itself, else
// of the line it stands in, else of the file.
func withEnds(with, content string, start, end int) string {
	if !strings.Contains(with, "\n") || !strings.Contains(content, "\r\n") {
		return with
	}
	for _, near := range []string{content[start:end], after(content, end), content} {
		n := strings.Count(near, "\n")
		if n == 0 {
			continue
		}
		if 2*strings.Count(near, "\r\n") > n {
			return strings.ReplaceAll(with, "\n", "\r\n")
		}
		return with
	}
	return with
}

// after is content from at to the end of that line, its line break included.
func after(content string, at int) string {
	if i := strings.IndexByte(content[at:], '\n'); i >= 0 {
		return content[at : at+i+1]
	}
	return ""
}

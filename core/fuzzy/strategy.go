package fuzzy

import (
	"strings"
)

// hit is a passage that a strategy found, in the bytes of the line view.
type hit struct {
	span

	// lines says that the hit covers whole lines, so that indentation can be carried over.
	lines bool
	// loose says that not all of the passage fitted: the result must say so.
	loose bool
}

// search is one strategy at work: it returns all its hits, leftmost first, never overlapping.
type search struct {
	name string
	find func(p *problem) []hit
}

// problem is one call of Replace, with what the strategies share.
type problem struct {
	view string // the content as lines ending in "\n"
	old  string
	new  string

	spans  []span   // the lines of view, made on first use
	folded []string // the lines under fold, made on first use
}

func (p *problem) lines() []span {
	if p.spans == nil {
		p.spans = lineSpans(p.view)
	}
	return p.spans
}

func (p *problem) lineText(i int) string { return p.view[p.lines()[i].start:p.lines()[i].end] }

func (p *problem) foldedLine(i int) string {
	if p.folded == nil {
		p.folded = make([]string, len(p.lines()))
		for i := range p.folded {
			p.folded[i] = fold(p.lineText(i))
		}
	}
	return p.folded[i]
}

// Strategy names, as published. The order is the order of trial.
const (
	Exact                = "exact"
	LineTrimmed          = "line_trimmed"
	WhitespaceNormalized = "whitespace_normalized"
	IndentationFlexible  = "indentation_flexible"
	EscapeNormalized     = "escape_normalized"
	TrimmedBoundary      = "trimmed_boundary"
	UnicodeNormalized    = "unicode_normalized"
	BlockAnchor          = "block_anchor"
	ContextAware         = "context_aware"
)

func searches() []search {
	trim := func(s string, _, _ int) string { return strings.TrimSpace(s) }
	return []search{
		{Exact, func(p *problem) []hit { return indexAll(p.view, p.old) }},
		{LineTrimmed, func(p *problem) []hit { return p.byLines(trim) }},
		{WhitespaceNormalized, (*problem).byBlanks},
		{IndentationFlexible, func(p *problem) []hit {
			return p.byLines(func(s string, _, _ int) string { return strings.TrimLeft(s, " \t") })
		}},
		{EscapeNormalized, (*problem).byEscapes},
		{TrimmedBoundary, func(p *problem) []hit {
			return p.byLines(func(s string, i, n int) string {
				if i == 0 || i == n-1 {
					return strings.TrimSpace(s)
				}
				return s
			})
		}},
		{UnicodeNormalized, (*problem).byASCII},
		{BlockAnchor, (*problem).byAnchors},
		{ContextAware, (*problem).byContext},
	}
}

// indexAll finds the non-overlapping places of sub in s.
func indexAll(s, sub string) []hit {
	var out []hit
	for at := 0; ; {
		i := strings.Index(s[at:], sub)
		if i < 0 || sub == "" {
			return out
		}
		out = append(out, hit{span: span{at + i, at + i + len(sub)}})
		at += i + len(sub)
	}
}

// patternLines are the lines of old; blank ones at its ends say nothing about where it stands and are
// kept, since they are part of what is to be replaced.
func patternLines(old string) []string {
	spans := lineSpans(old)
	out := make([]string, len(spans))
	for i, s := range spans {
		out[i] = old[s.start:s.end]
	}
	return out
}

// byLines compares whole lines under a key.
func (p *problem) byLines(key func(line string, i, n int) string) []hit {
	want := patternLines(p.old)
	if len(want) == 0 || len(want) > len(p.lines()) {
		return nil
	}
	keys := make([]string, len(want))
	for i, l := range want {
		keys[i] = key(l, i, len(want))
	}
	return p.windows(len(want), func(at int) (ok, loose bool) {
		for i := range keys {
			if key(p.lineText(at+i), i, len(keys)) != keys[i] {
				return false, false
			}
		}
		return true, false
	})
}

// windows asks fits for every run of n lines, leftmost first, and jumps over what was taken.
func (p *problem) windows(n int, fits func(at int) (ok, loose bool)) []hit {
	var out []hit
	for at := 0; at+n <= len(p.lines()); {
		ok, loose := fits(at)
		if !ok {
			at++
			continue
		}
		end := p.lines()[at+n-1].end
		if strings.HasSuffix(p.old, "\n") && end < len(p.view) {
			end++ // old names the line break, too
		}
		out = append(out, hit{span{p.lines()[at].start, end}, true, loose})
		at += n
	}
	return out
}

// byBlanks lets runs of spaces and tabs differ in length. The hit ends where its last character does.
func (p *problem) byBlanks() []hit {
	// Every word stands in both forms, so a word that is missing ends the search before it begins.
	for _, w := range strings.Fields(p.old) {
		if !strings.Contains(p.view, w) {
			return nil
		}
	}
	v := blankView(p.view)
	return v.hits(blankView(p.old).text)
}

// hits finds sub in a mapped text and gives the places in its source.
func (m mapped) hits(sub string) []hit {
	var out []hit
	for _, h := range indexAll(m.text, sub) {
		h.span = span{m.start(h.start), m.end(h.end)}
		if len(out) == 0 || out[len(out)-1].end <= h.start {
			out = append(out, h)
		}
	}
	return out
}

// byEscapes reads the two-character escapes for line break, tab and carriage return as the characters
// they stand for; the replacement is read the same way.
func (p *problem) byEscapes() []hit {
	old := unescape(p.old)
	if old == p.old {
		return nil
	}
	q := &problem{view: p.view, spans: p.lines(), old: old}
	out := indexAll(p.view, old)
	if len(out) == 0 {
		out = q.byLines(func(s string, _, _ int) string { return strings.TrimSpace(s) })
	}
	if len(out) > 0 {
		p.old, p.new = old, unescape(p.new)
	}
	return out
}

func unescape(s string) string {
	return strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(s)
}

// byASCII compares under the map of typographic characters: first anywhere, then by trimmed lines.
func (p *problem) byASCII() []hit {
	old := ascii(p.old)
	if old == p.old && isASCII(p.view) {
		return nil
	}
	v := asciiView(p.view)
	if out := v.hits(old); len(out) > 0 {
		return out
	}
	return p.byLines(func(s string, _, _ int) string { return strings.TrimSpace(ascii(s)) })
}

// fold is how lines are compared where only white space and quotes may differ.
func fold(s string) string {
	s = ascii(s)
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\r':
		case '\'', '`':
			out = append(out, '"')
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

// byAnchors needs first and last line equal; between them lines may differ in white space and quotes.
func (p *problem) byAnchors() []hit {
	want := patternLines(p.old)
	if len(want) < 2 {
		return nil
	}
	n := len(want)
	edge := func(s string) string { return strings.TrimSpace(ascii(s)) }
	first, last := edge(want[0]), edge(want[n-1])
	return p.windows(n, func(at int) (bool, bool) {
		if edge(p.lineText(at)) != first || edge(p.lineText(at+n-1)) != last {
			return false, false
		}
		for i := 1; i < n-1; i++ {
			if p.foldedLine(at+i) != fold(want[i]) {
				return false, false
			}
		}
		return true, false
	})
}

// The second signal that lets a block through although a line of it differs: it is long, it is the only
// such block, few lines differ, and those hold the same numbers and nearly the same text.
const (
	contextLines = 5    // shortest block
	contextShare = 5    // at most one line in so many may differ
	contextRatio = 0.85 // similarity of a line that differs
)

// byContext is the last resort: every line fits or nearly fits. More than one candidate is none.
func (p *problem) byContext() []hit {
	want := patternLines(p.old)
	if len(want) < contextLines {
		return nil
	}
	keys := make([]string, len(want))
	for i, l := range want {
		keys[i] = fold(l)
	}
	hits := p.windows(len(want), func(at int) (bool, bool) {
		off := 0
		for i := range keys {
			got := p.foldedLine(at + i)
			if got == keys[i] {
				continue
			}
			off++
			if off*contextShare > len(keys) || keys[i] == "" || got == "" ||
				digits(got) != digits(keys[i]) || similarity(got, keys[i]) < contextRatio {
				return false, false
			}
		}
		return true, true
	})
	if len(hits) != 1 {
		return nil
	}
	return hits
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

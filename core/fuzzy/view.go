package fuzzy

import (
	"strings"
	"unicode/utf8"
)

// mapped is a text derived from another, with the way back: byte i of text comes from bytes
// [start(i), end(i)) of the source. The zero maps mean that both are the same.
type mapped struct {
	text   string
	starts []int
	ends   []int
}

func (m mapped) start(i int) int {
	if m.starts == nil {
		return i
	}
	if i == len(m.text) {
		if i == 0 {
			return 0
		}
		return m.ends[i-1]
	}
	return m.starts[i]
}

// end is where the source of text[:i] ends.
func (m mapped) end(i int) int {
	if m.starts == nil || i == 0 {
		return m.start(i)
	}
	return m.ends[i-1]
}

// builder makes a mapped text piece by piece.
type builder struct {
	b      strings.Builder
	starts []int
	ends   []int
}

// add appends s, all of which stands for source[from:to).
func (b *builder) add(s string, from, to int) {
	b.b.WriteString(s)
	for range len(s) {
		b.starts = append(b.starts, from)
		b.ends = append(b.ends, to)
	}
}

func (b *builder) done() mapped { return mapped{text: b.b.String(), starts: b.starts, ends: b.ends} }

const bom = "\ufeff"

// lineView is content with "\r\n" as "\n" and without a leading BOM.
func lineView(content string) mapped {
	if !strings.Contains(content, "\r\n") && !strings.HasPrefix(content, bom) {
		return mapped{text: content}
	}
	var b builder
	i := 0
	if strings.HasPrefix(content, bom) {
		i = len(bom)
	}
	for i < len(content) {
		if content[i] == '\r' && i+1 < len(content) && content[i+1] == '\n' {
			b.add("\n", i, i+2)
			i += 2
			continue
		}
		b.add(content[i:i+1], i, i+1)
		i++
	}
	return b.done()
}

// blankView folds every run of spaces and tabs to one space.
func blankView(s string) mapped {
	var b builder
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && (s[j] == ' ' || s[j] == '\t') {
			j++
		}
		if j > i {
			b.add(" ", i, j)
			i = j
			continue
		}
		b.add(s[i:i+1], i, i+1)
		i++
	}
	return b.done()
}

// asciiView maps typographic characters to the ones people type.
func asciiView(s string) mapped {
	var b builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if a, ok := asciiOf(r); ok {
			b.add(a, i, i+n)
		} else {
			b.add(s[i:i+n], i, i+n) // a rune's bytes stand for it whole, so that a cut never splits it
		}
		i += n
	}
	return b.done()
}

func asciiOf(r rune) (string, bool) {
	switch {
	case r == '\u201c' || r == '\u201d':
		return `"`, true
	case r == '\u2018' || r == '\u2019':
		return "'", true
	case r == '\u2014':
		return "--", true
	case r == '\u2013' || r == '\u2212':
		return "-", true
	case r == '\u2026':
		return "...", true
	case r == '\u00a0' || r >= '\u2000' && r <= '\u200a' || r == '\u202f' || r == '\u205f' || r == '\u3000':
		return " ", true
	}
	return "", false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func ascii(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if a, ok := asciiOf(r); ok {
			b.WriteString(a)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// span is a half-open range of bytes.
type span struct{ start, end int }

// lineSpans are the lines of s without their line breaks; a text that ends in one has no empty last line.
func lineSpans(s string) []span {
	var out []span
	for at := 0; at < len(s); {
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			out = append(out, span{at, len(s)})
			break
		}
		out = append(out, span{at, at + n})
		at += n + 1
	}
	return out
}

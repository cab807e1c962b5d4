package threat

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"hermes/core/text"
)

// hidden reports what was found while looking at raw characters.
type hidden struct {
	id      string
	line    int
	points  []rune
	decoded string // text spelled in the tag block
}

// plain is a text as patterns see it: one line out for every line in.
type plain struct {
	text   string
	hidden []hidden
}

// normalise folds a text to the form patterns match: NFKC, look-alike letters of other scripts
// mapped to Latin, invisible characters dropped (and reported). Line breaks are kept, so that the
// line of a match in the result is its line in the source.
func normalise(s string) plain {
	var p plain
	var b strings.Builder
	b.Grow(len(s))
	rs := []rune(strings.TrimPrefix(s, "\ufeff"))
	line := 1
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		switch {
		case r == '\n':
			line++
			b.WriteByte('\n')
		case isTag(r):
			n := tagRun(rs[i:])
			if !flagSequence(rs, i, n) {
				p.report(hidden{id: "hidden_tag_text", line: line, points: rs[i : i+1], decoded: tagText(rs[i : i+n])})
			}
			i += n - 1
		case isInvisible(r):
			if !legitimate(rs, i) {
				p.report(hidden{id: fmt.Sprintf("invisible_unicode_U+%04X", r), line: line, points: rs[i : i+1]})
			}
		case isVariation(r):
			if n := variationRun(rs[i:]); n > 4 {
				p.report(hidden{id: "variation_selector_data", line: line, points: rs[i : i+1]})
				i += n - 1
			}
		default:
			b.WriteRune(fold(r))
		}
	}
	p.text = norm.NFKC.String(b.String())
	return p
}

// report keeps one finding a kind and line.
func (p *plain) report(h hidden) {
	for _, o := range p.hidden {
		if o.id == h.id && o.line == h.line {
			return
		}
	}
	p.hidden = append(p.hidden, h)
}

// Invisible counts the characters of s that nobody sees and no writing needs; joiners where a script or an emoji
// needs them are none.
func Invisible(s string) int {
	n, rs := 0, []rune(s)
	for i := 0; i < len(rs); i++ {
		run := 1
		switch r := rs[i]; {
		case isTag(r):
			if run = tagRun(rs[i:]); !flagSequence(rs, i, run) {
				n += run
			}
		case isInvisible(r) && !legitimate(rs, i):
			n++
		case isVariation(r):
			if run = variationRun(rs[i:]); run > 4 {
				n += run
			}
		}
		i += run - 1
	}
	return n
}

func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

func tagRun(rs []rune) int {
	n := 0
	for n < len(rs) && isTag(rs[n]) {
		n++
	}
	return n
}

func tagText(rs []rune) string {
	var b strings.Builder
	for _, r := range rs {
		if r >= 0xE0020 && r < 0xE007F {
			b.WriteRune(r - 0xE0000)
		}
	}
	return b.String()
}

// flagSequence recognises the flags of regions: a black flag, a few tag letters, the end tag.
func flagSequence(rs []rune, i, n int) bool {
	return i > 0 && rs[i-1] == 0x1F3F4 && n >= 4 && n <= 8 && rs[i+n-1] == 0xE007F
}

func isInvisible(r rune) bool {
	switch {
	case r >= 0x200B && r <= 0x200D, r == 0x2060, r >= 0x2061 && r <= 0x2064, r == 0xFEFF, r == 0x00AD, r == 0x180E,
		r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return true
	}
	return false
}

// legitimate tells the uses of joiners that ordinary writing needs: U+200D inside an emoji, U+200C
// and U+200D between letters of scripts that join, a soft hyphen in plain prose is not among them
// when it stands inside a Latin word, because that is how key words are broken up.
func legitimate(rs []rune, i int) bool {
	if rs[i] != 0x200C && rs[i] != 0x200D || i == 0 || i+1 >= len(rs) {
		return false
	}
	return text.Joins(rs[i-1]) && text.Joins(rs[i+1])
}

func isVariation(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF }

func variationRun(rs []rune) int {
	n := 0
	for n < len(rs) && isVariation(rs[n]) {
		n++
	}
	return n
}

// fold maps letters that look like Latin ones. Text that is really Cyrillic or Greek stays harmless:
// folded, it spells no English key word.
func fold(r rune) rune {
	if r < 0x0370 || r > 0x0556 {
		return r
	}
	const (
		from = "аеорсухіјѕһԁԛԝвкмнтАВЕКМНОРСТУХІЈЅαοερνικτυΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոս"
		to   = "aeopcyxijshdqwbkmhtABEKMHOPCTYXIJSaoepviktuABEZHIKMNOPTYXonu"
	)
	i := 0
	for _, f := range from {
		if f == r {
			return rune(to[i])
		}
		i++
	}
	return r
}

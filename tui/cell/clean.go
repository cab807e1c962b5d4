package cell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"hermes/core/text"
)

// maxMarks is how many combining runes a character keeps; piles beyond it only break the geometry.
const maxMarks = 6

// Clean makes text from outside safe to draw: control characters and escape sequences of every kind
// are removed as text.Neutralise describes (of a line overwritten with CR its last state stays, tabs
// become spaces), and characters whose width terminals disagree about (joined and toned emoji,
// variation selectors) are drawn as their first part. Clean text contains no byte below 0x20 but LF,
// no C1 control, and is equally wide however a terminal counts.
func Clean(s string) string {
	if isCleanASCII(s) {
		return s
	}
	return redraw(text.Neutralise(s))
}

// Line cleans s and puts it on one line: line breaks become a single space.
func Line(s string) string {
	s = Clean(s)
	if strings.IndexByte(s, '\n') < 0 {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// Visible shows s with every character that would not be seen written out, for dialogs where a person
// must judge exactly what is there. Line breaks stay line breaks.
func Visible(s string) string { return redraw(text.Visible(s)) }

// Readable is Visible for facts and notes: joiners that emoji and scripts need stay.
func Readable(s string) string { return redraw(text.Readable(s)) }

func isCleanASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 0x20 && c != '\n') || c >= 0x7f {
			return false
		}
	}
	return true
}

// escapeLen returns the length of the sequence at the ESC that s starts with.
func escapeLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch c := s[1]; {
	case c == '[':
		return 2 + csiLen(s[2:])
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		return 2 + stringLen(s[2:])
	case c >= 0x20 && c <= 0x2f: // intermediates, then a final byte
		i := 1
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x30 && s[i] < 0x7f {
			i++
		}
		return i
	case c >= 0x30 && c < 0x7f:
		return 2
	}
	return 1
}

func csiLen(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] < 0x7f {
		i++
	}
	return i
}

func stringLen(s string) int {
	for i := range len(s) {
		switch s[i] {
		case 0x07:
			return i + 1
		case '\n':
			return i
		case 0x1b:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return i
		case 0xc2: // U+009C, the C1 terminator
			if i+1 < len(s) && s[i+1] == 0x9c {
				return i + 2
			}
		}
	}
	return len(s)
}

// redraw replaces characters that break the geometry of a frame.
func redraw(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	Clusters(s, func(c string, w int) bool {
		if c == "\n" {
			b.WriteByte('\n')
			return true
		}
		d, _ := Draw(c, w)
		b.WriteString(d)
		return true
	})
	return b.String()
}

// Draw returns how the grapheme cluster c of width w is drawn: itself, or a part of it that every
// terminal draws equally wide. Controls come out as "�".
func Draw(c string, w int) (string, int) {
	if len(c) == 1 && c[0] >= 0x20 && c[0] < 0x7f {
		return c, w
	}
	r, n := utf8.DecodeRuneInString(c)
	if unicode.IsControl(r) || invisible(r) {
		return "�", 1
	}
	if w == 0 {
		if disputed(c) || !unicode.Is(unicode.M, r) {
			return "�", 1
		}
		return "◌" + firstRunes(c, maxMarks), 1 // a combining mark without a letter needs a carrier
	}
	if n == len(c) {
		return c, w
	}
	if disputed(c) {
		d := string(r)
		if disputed(d) { // it starts with a joiner or a selector
			return "�", 1
		}
		return d, max(ansi.StringWidth(d), 1)
	}
	if utf8.RuneCountInString(c) > maxMarks+1 {
		c = firstRunes(c, maxMarks+1)
		return c, ansi.StringWidth(c)
	}
	return c, w
}

func firstRunes(s string, n int) string {
	cut := 0
	for range n {
		_, m := utf8.DecodeRuneInString(s[cut:])
		cut += m
	}
	return s[:cut]
}

// disputed tells clusters that some terminals draw as one character and others as several.
func disputed(c string) bool {
	for _, r := range c {
		if r == 0x200d || (r >= 0xfe00 && r <= 0xfe0f) || (r >= 0x1f3fb && r <= 0x1f3ff) || r == 0x20e3 || (r >= 0xe0020 && r <= 0xe007f) {
			return true
		}
	}
	return false
}

// invisible tells format characters that change how others are shown: bidi controls, zero-width
// spaces, the byte order mark, tags and line separators.
func invisible(r rune) bool {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return true
	case r == 0x200b, r == 0x2060, r == 0xfeff, r == 0x2028, r == 0x2029, r == 0x180e:
		return true
	}
	return r != 0x200c && r != 0x200d && unicode.Is(unicode.Cf, r) // joiners are told by their cluster
}

// OnlyStyles removes every escape sequence but colours and attributes (CSI … m), and every control
// character but LF, from text that our own renderers made. It is the last door before the terminal:
// whatever slipped through a renderer stops here.
func OnlyStyles(s string) string {
	if !needsFilter(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1b:
			l := escapeLen(s[i:])
			if isSGR(s[i : i+l]) {
				b.WriteString(s[i : i+l])
			}
			i += l
			continue
		case r == '\n':
			b.WriteByte('\n')
		case r == utf8.RuneError && n == 1:
			b.WriteString("�")
		case r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0) || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069):
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isSGR(seq string) bool {
	if len(seq) < 3 || seq[1] != '[' || seq[len(seq)-1] != 'm' {
		return false
	}
	for _, c := range seq[2 : len(seq)-1] {
		if (c < '0' || c > '9') && c != ';' && c != ':' {
			return false
		}
	}
	return true
}

// needsFilter is a fast check that s holds nothing OnlyStyles would remove.
func needsFilter(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0x1b:
			j := i + 1
			if j >= len(s) || s[j] != '[' {
				return true
			}
			for j++; j < len(s) && (s[j] == ';' || s[j] == ':' || (s[j] >= '0' && s[j] <= '9')); j++ {
			}
			if j >= len(s) || s[j] != 'm' {
				return true
			}
			i = j
		case c < 0x20 && c != '\n', c == 0x7f:
			return true
		case c == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0:
			return true
		case c == 0xe2 && i+2 < len(s) && (s[i+1] == 0x80 || s[i+1] == 0x81):
			return true // may be a bidi control; the slow path decides
		}
	}
	return !utf8.ValidString(s)
}

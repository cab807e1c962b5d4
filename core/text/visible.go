package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible shows every control character instead of obeying or dropping it: ESC becomes ␛, other C0
// characters their control pictures, and C1, bidirectional and other invisible steering characters
// ⟨U+202E⟩; bytes that are no UTF-8 become ⟨0xFF⟩. "\n" stays. It is meant for approval dialogs, where
// a person must see exactly what would run.
func Visible(s string) string { return visible(s, false) }

// Readable is Visible for what people wrote to be read: joiners that writing needs stay as they are, inside an
// emoji and between letters of scripts that join. Where a difference of one character matters use Visible.
func Readable(s string) string { return visible(s, true) }

func visible(s string, joined bool) string {
	if clean(s) && !strings.ContainsFunc(s, unseen) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && w == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[i])
		case r == '\n':
			b.WriteByte('\n')
		case r < ' ':
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		case joined && (r == zwj || r == zwnj) && joinedAt(s, i, w):
			b.WriteRune(r)
		case (r >= 0x80 && r < 0xa0) || hidden(r) || unseen(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
		i += w
	}
	return b.String()
}

// joinedAt tells whether the joiner at i, of w bytes, stands between two characters that it belongs between.
func joinedAt(s string, i, w int) bool {
	prev, before := utf8.DecodeLastRuneInString(s[:i])
	next, after := utf8.DecodeRuneInString(s[i+w:])
	return before > 0 && after > 0 && Joins(prev) && Joins(next)
}

// Joins tells characters that ordinary writing puts joiners between: the parts of emoji, and letters of scripts
// that join.
func Joins(r rune) bool {
	return r > 0x2190 && unicode.Is(unicode.So, r) || r == 0xFE0F || r >= 0x1F3FB && r <= 0x1F3FF ||
		unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Telugu,
			unicode.Malayalam, unicode.Kannada, unicode.Gujarati, unicode.Gurmukhi, unicode.Sinhala, unicode.Syriac)
}

// unseen are characters harmless on the screen but able to hide a difference from a reader.
func unseen(r rune) bool {
	switch r {
	case 0x00ad, 0x200b, zwnj, zwj, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x180e, 0x115f, 0x1160, 0x3164, 0xffa0:
		return true
	}
	return false
}

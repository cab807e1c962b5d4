package text

import (
	"strings"
	"unicode"
)

// Words are the distinct tokens of s, for comparing texts: words of letters and digits in lower case,
// pairs of neighbours in scripts that are written without spaces.
func Words(s string) map[string]bool {
	out := map[string]bool{}
	var word []rune
	var last rune
	flush := func() {
		if len(word) > 0 {
			out[string(word)] = true
		}
		word = word[:0]
	}
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			flush()
			if last != 0 {
				out[string([]rune{last, r})] = true
			}
			last = r
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word = append(word, r)
		default:
			flush()
		}
		last = 0
	}
	flush()
	return out
}

// Dice is how much two sets of words have in common, 0 to 1. Sets of fewer than three words are too small
// to judge and give 0.
func Dice(a, b map[string]bool) float64 {
	if len(a) < 3 || len(b) < 3 {
		return 0
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

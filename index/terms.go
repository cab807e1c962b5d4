package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// termLimit is the longest term that is kept, in bytes; of what is longer (a hash, a data URL) the head is
// kept, and the transcript decides.
const termLimit = 64

// Fold is the form in which texts and queries are compared: compatibility forms, case and the marks of
// Latin, Greek and Cyrillic letters do not matter. Line breaks stay.
func Fold(s string) string {
	ascii := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	base := rune(0)
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.Mn, r) && unicode.In(base, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			continue
		}
		if !unicode.Is(unicode.Mn, r) {
			base = r
		}
		if r == 'ß' || r == 'ẞ' {
			b.WriteString("ss")
			continue
		}
		b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
	}
	return norm.NFC.String(b.String())
}

// cjk tells the scripts that are written without blanks between words.
func cjk(r rune) bool {
	return r > 0x10ff && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) || r == 'ー' || r == '々'
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiWord(byte(r))
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)) && !cjk(r)
}

// Searchable is a text as it is compared: folded, with the parts of names like fooBar or 64MB behind it.
func Searchable(s string) string { return Fold(parted(s)) }

// terms calls add for every term of a text: each word and the parts of names; each CJK character and each
// pair of neighbours. Punctuation separates.
func terms(s string, add func(string)) {
	runs(Searchable(s), func(run string, cjk bool) {
		switch {
		case cjk:
			for _, r := range run {
				add(string(r))
			}
			cjkPairs(run, add)
		default:
			add(clip(run))
		}
	})
}

// clip is the term of a run: the head of one that is too long.
func clip(run string) string {
	if len(run) <= termLimit {
		return run
	}
	n := termLimit
	for !utf8.RuneStart(run[n]) {
		n--
	}
	return run[:n]
}

// runs calls add for every run of letters and digits and for every run of CJK characters of a folded text.
func runs(s string, add func(run string, cjk bool)) {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		han := cjk(r)
		if !han && !wordRune(r) {
			i += n
			continue
		}
		j := i + n
		for j < len(s) {
			r, n := utf8.DecodeRuneInString(s[j:])
			if han && !cjk(r) || !han && !wordRune(r) {
				break
			}
			j += n
		}
		add(s[i:j], han)
		i = j
	}
}

// cjkPairs calls add for each two neighbours of a run.
func cjkPairs(run string, add func(string)) {
	prev := 0
	for i, r := range run {
		if i > 0 {
			add(run[prev : i+utf8.RuneLen(r)])
		}
		prev = i
	}
}

// partLimit is the longest name that is taken apart; beyond it stand hashes and keys.
const partLimit = 40

// parted appends the parts of names in camel case or with digits, so that they are found one by one while
// the text keeps its whole words.
func parted(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		if !asciiWord(s[i]) {
			i++
			continue
		}
		j := i + 1
		for j < len(s) && asciiWord(s[j]) {
			j++
		}
		if j-i <= partLimit && hasParts(s[i:j]) {
			if out.Len() == 0 {
				out.Grow(2*len(s) + 1)
				out.WriteString(s)
				out.WriteByte('\n')
			}
			parts(s[i:j], &out)
		}
		i = j
	}
	if out.Len() == 0 {
		return s
	}
	return out.String()
}

func asciiWord(b byte) bool { return upper(b) || lower(b) || digit(b) }
func upper(b byte) bool     { return b >= 'A' && b <= 'Z' }
func lower(b byte) bool     { return b >= 'a' && b <= 'z' }
func digit(b byte) bool     { return b >= '0' && b <= '9' }

// border tells whether a part of a name begins at i.
func border(w string, i int) bool {
	return upper(w[i]) && (lower(w[i-1]) || i+1 < len(w) && upper(w[i-1]) && lower(w[i+1])) || digit(w[i]) != digit(w[i-1])
}

func hasParts(w string) bool {
	for i := 1; i < len(w); i++ {
		if border(w, i) {
			return true
		}
	}
	return false
}

// parts writes the parts of a name: fooBarHTTPServer2 is foo, Bar, HTTP, Server, 2.
func parts(w string, out *strings.Builder) {
	start := 0
	for i := 1; i < len(w); i++ {
		if border(w, i) {
			out.WriteString(w[start:i])
			out.WriteByte(' ')
			start = i
		}
	}
	out.WriteString(w[start:])
	out.WriteByte('\n')
}

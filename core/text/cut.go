package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "..."

// Len returns the number of code points in s.
func Len(s string) int { return utf8.RuneCountInString(s) }

// Cut returns s when it has at most n code points, else its start with "..." as the last three of at
// most n code points. Below n = 4 there is no room for the dots and only the start is kept. A base
// character and its combining marks stay together, so the result may be a little shorter.
func Cut(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if len(s) <= n || Len(s) <= n {
		return s
	}
	if n <= len(ellipsis) {
		return s[:headEnd(s, n)]
	}
	return s[:headEnd(s, n-len(ellipsis))] + ellipsis
}

// HeadTail returns s when it has at most limit code points. Otherwise it keeps the start and the end
// around a line that says how many code points were left out, in at most limit code points, and
// returns that number as well. Below limit = 80, where the line would eat what it explains, only
// the start is kept.
func HeadTail(s string, limit int) (out string, cut int) {
	if limit < 0 {
		limit = 0
	}
	total := len(s)
	if total <= limit {
		return s, 0
	}
	if total = Len(s); total <= limit {
		return s, 0
	}
	if limit < 80 {
		head := s[:headEnd(s, limit)]
		return head, total - Len(head)
	}
	room := limit - Len(Gap(total)) // the real number has at most as many digits
	head := s[:headEnd(s, room-room/2)]
	tail := s[tailStart(s, room/2):]
	cut = total - Len(head) - Len(tail)
	return head + Gap(cut) + tail, cut
}

// Gap is the line that stands for n code points left out.
func Gap(n int) string { return "\n[... " + Thousands(n) + " characters left out ...]\n" }

// Plural is the one word for a single thing and the other for any other number of them.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Count says how many things there are: "1 entry", "2,200 entries".
func Count(n int, one, many string) string { return Thousands(n) + " " + Plural(n, one, many) }

// Thousands writes n with commas between groups of three digits.
func Thousands[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// headEnd returns the largest byte offset such that s[:offset] has at most n code points and the cut
// does not tear a character from its marks.
func headEnd(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	for back := i; back > 0; {
		if !torn(s, back) {
			return back
		}
		_, w := utf8.DecodeLastRuneInString(s[:back])
		back -= w
	}
	return i // one endless cluster: keep the limit
}

// tailStart is the mirror of headEnd: the smallest offset such that s[offset:] has at most n.
func tailStart(s string, n int) int {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, w := utf8.DecodeLastRuneInString(s[:i])
		i -= w
	}
	for fwd := i; fwd < len(s); {
		if !torn(s, fwd) {
			return fwd
		}
		_, w := utf8.DecodeRuneInString(s[fwd:])
		fwd += w
	}
	return i
}

const (
	zwj           = '\u200d'
	zwnj          = '\u200c'
	maxJoinedLook = 32 // regional indicators counted back from a cut
)

// torn reports whether a cut at byte offset i would separate what is seen as one character: marks,
// variation selectors, skin tones, joined emoji, flag halves, CR LF. It approximates grapheme
// clusters well enough for limits; exact widths are the screen's business.
func torn(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(s[i:])
	prev, _ := utf8.DecodeLastRuneInString(s[:i])
	switch {
	case next == zwj || prev == zwj:
		return true
	case prev == '\r' && next == '\n':
		return true
	case unicode.In(next, unicode.Mn, unicode.Me, unicode.Mc):
		return true
	case next >= 0x1F3FB && next <= 0x1F3FF: // skin tones
		return true
	case flagHalf(prev) && flagHalf(next):
		n := 0
		for j := i; j > 0 && n < maxJoinedLook; n++ {
			r, w := utf8.DecodeLastRuneInString(s[:j])
			if !flagHalf(r) {
				break
			}
			j -= w
		}
		return n%2 == 1
	}
	return false
}

func flagHalf(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// CleanUTF8 replaces every run of invalid bytes by one U+FFFD.
func CleanUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// OneLine folds s to a single line: line breaks, tabs and runs of white space become one space,
// control sequences are removed, and the ends are trimmed.
func OneLine(s string) string { return strings.Join(strings.Fields(Neutralise(s)), " ") }

// FirstLine returns the first line of s that has visible text, folded with OneLine and cut to n.
func FirstLine(s string, n int) string {
	for line := range strings.Lines(s) {
		if line = OneLine(line); line != "" {
			return Cut(line, n)
		}
	}
	return ""
}

// Title makes a session title from what a person typed: its first line, without Markdown marks and
// closing punctuation, at most n code points.
func Title(s string, n int) string {
	for line := range strings.Lines(s) {
		line = strings.Trim(OneLine(line), " #>*_`-=~\"'")
		line = strings.TrimRight(line, " .:;,")
		if line != "" {
			return Cut(line, n)
		}
	}
	return ""
}

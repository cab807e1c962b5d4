package index

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes/core/text"
)

// excerptLength is about how long an excerpt is, in code points; contextLines stand around the hit.
const (
	excerptLength = 300
	contextLines  = 2
	marksLimit    = 50
)

func itoa(n int) string { return strconv.Itoa(n) }

func firstLine(s string) string { return text.Title(s, 60) }

// excerpt cuts the best place out of a text and says where the words of the query stand in it.
func excerpt(body string, q Query) (string, [][2]int) {
	lines := strings.Split(body, "\n")
	if q.root == nil {
		return cutAround(strings.Join(lines[:min(len(lines), 1+contextLines)], "\n"), 0), nil
	}
	ws := words(q.root)
	best, most := 0, 0
	for i, l := range lines {
		n := 0
		folded := Searchable(l)
		for _, w := range ws {
			if w.fits(folded) {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	from, to := max(0, best-contextLines), min(len(lines), best+contextLines+1)
	at := 0
	if marks := marksIn(lines[best], ws); len(marks) > 0 {
		at = marks[0][0]
	}
	for _, l := range lines[from:best] {
		at += len(l) + 1
	}
	out := cutAround(strings.Join(lines[from:to], "\n"), at)
	return out, marksIn(out, ws)
}

// cutAround keeps about excerptLength code points around byte at.
func cutAround(s string, at int) string {
	rs := []rune(s)
	if len(rs) <= excerptLength {
		return strings.TrimSpace(s)
	}
	mid := utf8.RuneCountInString(s[:min(at, len(s))])
	from := max(0, mid-excerptLength/3)
	to := min(len(rs), from+excerptLength)
	out := strings.TrimSpace(string(rs[from:to]))
	if from > 0 {
		out = "…" + out
	}
	if to < len(rs) {
		out += "…"
	}
	return out
}

// marksIn finds the words of a query in a text as it is shown.
func marksIn(s string, ws []wordNode) [][2]int {
	var folded strings.Builder
	var at []int // byte of s that each byte of folded comes from
	folded.Grow(len(s))
	for i, r := range s {
		if r < utf8.RuneSelf {
			folded.WriteByte(byte(unicode.ToLower(r)))
			at = append(at, i)
			continue
		}
		f := Fold(string(r))
		folded.WriteString(f)
		for range len(f) {
			at = append(at, i)
		}
	}
	at = append(at, len(s))
	var out [][2]int
	f := folded.String()
	mark := func(start, end int) {
		a, b := at[start], len(s)
		if end < len(at)-1 {
			b = at[end]
		}
		if b > a {
			out = append(out, [2]int{a, b})
		}
	}
	for _, w := range ws {
		from, n := 0, 0
		for len(out) < marksLimit {
			start, end, ok := w.find(f[from:])
			if !ok {
				break
			}
			mark(from+start, from+end)
			from += max(end, start+1)
			n++
		}
		if i := strings.Index(f, w.text); n == 0 && i >= 0 && w.text != "" {
			mark(i, i+len(w.text)) // a part of a name
		}
	}
	return merge(out)
}

// merge orders marks and joins those that overlap.
func merge(m [][2]int) [][2]int {
	for i := 1; i < len(m); i++ {
		for j := i; j > 0 && m[j][0] < m[j-1][0]; j-- {
			m[j], m[j-1] = m[j-1], m[j]
		}
	}
	var out [][2]int
	for _, r := range m {
		if n := len(out); n > 0 && r[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], r[1])
			continue
		}
		out = append(out, r)
	}
	return out
}

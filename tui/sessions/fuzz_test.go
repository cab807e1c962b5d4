package sessions

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hermes/tui/report"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

// FuzzHit draws excerpts with marks that may lie: every line fits and is valid text.
func FuzzHit(f *testing.F) {
	for _, seed := range []struct {
		text       string
		from, to   int
		word       string
		wide, high int
	}{
		{"周末去杭州看西湖", 18, 24, "西湖", 20, 5},
		{"İstanbul ıı", 0, 2, "i\u0307", 9, 3},
		{"e\u0301\u0301 \x1b[2Jx", 1, 3, "E", 4, 2},
		{"👩\u200d👩\u200d👧 family", 4, 7, "👩", 12, 4},
		{"\xff\xfe broken", 0, 1, "\xff", 7, 2},
		{"Kelvin K and ß ẞ", 7, 10, "ẞ", 30, 3},
	} {
		f.Add(seed.text, seed.from, seed.to, seed.word, seed.wide, seed.high)
	}
	st := theme.New(theme.Plain)
	f.Fuzz(func(t *testing.T, text string, from, to int, word string, w, h int) {
		w, h = 1+abs(w)%200, 1+abs(h)%40
		hit := Hit{Message: "m1", Role: "user", Excerpt: text, Marks: [][2]int{{from, to}, {to, from}, {0, len(text)}}}
		line := hit.Line(st, w)
		tuitest.Fits(t, line, w, 1)
		lines := around(st, hit.within([]report.PreviewLine{{Who: "you", Text: text}, {Who: word, Text: text + word, Here: true}}), append(hit.words(), word), w, h)
		if len(lines) > h {
			t.Errorf("%d lines, want %d", len(lines), h)
		}
		for _, l := range lines {
			if !utf8.ValidString(l) {
				t.Errorf("%q is not valid", l)
			}
		}
		if w >= 4 {
			tuitest.Fits(t, strings.Join(lines, "\n"), w, h)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

package chat

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNeedle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, query string
		want        int
	}{
		{"look at the Tower", "tower", 12},
		{"look at the Tower", "TOWER", 12},
		{"look", "looks", -1},
		{"", "x", -1},
		{"x", "", -1},
		{"東京タワー 北", "京タ", 3},
		{"ÄRGER ärger", "ärger", 0},
		{"aab aaab", "aaab", 4},
		{"q", "q", 0},
		{"the zebra", "a zebra", -1},
		{"\xff\xfe zebra", "zebra", 3},
		{"straße", "STRASSE", -1},
		{"über Über", "ÜBER", 0},
		{"xe", "ex", -1},
	} {
		if got := newNeedle(tc.query).index(tc.text); got != tc.want {
			t.Errorf("%q in %q: %d, want %d", tc.query, tc.text, got, tc.want)
		}
	}
}

// What it finds is what a plain search over lower-case text finds, where cases do not change lengths.
func FuzzNeedle(f *testing.F) {
	f.Add("Look at the TOWER", "the t")
	f.Add("東京 tower 東京", "東京 t")
	f.Add("aaaaab", "aab")
	f.Fuzz(func(t *testing.T, text, query string) {
		low, q := strings.ToLower(text), strings.ToLower(query)
		if !utf8.ValidString(text) || !utf8.ValidString(query) || len(low) != len(text) || q == "" {
			return
		}
		for i, r := range text { // characters whose case is not one to one
			if s := strings.ToLower(string(r)); len(s) != utf8.RuneLen(r) || !strings.HasPrefix(low[i:], s) {
				return
			}
		}
		if want, got := strings.Index(low, q), newNeedle(query).index(text); want != got && strings.ToUpper(q) != q && strings.ToLower(strings.ToUpper(q)) == q {
			t.Fatalf("%q in %q: %d, want %d", query, text, got, want)
		}
	})
}

//go:build !windows

package tui

import "testing"

func TestUnfinished(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "abc 東": false, "\x1b": false, "a\x1b": false, "\x1bb": false, "\x1bOA": false, "\x1b[A": false, "\x1b[1;5Cx": false,
		"\x1b[": true, "ab\x1b[20": true, "\x1b[200~text": false, "\x1b[200~text\x1b[201": true, "\x1b[?62;": true, "\x1b[<0;12;": true,
		"\x1b]11;rgb:1e1e/1e": true, "\x1b]11;rgb:1e/1e/1e\a": false, "\x1b]11;rgb:1e/1e/1e\x1b": true, "\x1b]11;rgb:1e/1e/1e\x1b\\": false,
		"\x1bP>|term": true, "\x1bP>|term\x1b\\": false, "\x1bP": false, "\x1b[12東": false,
	} {
		if got := unfinished([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

package gauges_test

import (
	"fmt"
	"strings"
	"testing"

	"hermes/tui/gauges"
)

// BenchmarkKeyToFrame moves the selection and draws, with 200 entries in sight of a large screen.
func BenchmarkKeyToFrame(b *testing.B) {
	s := sheets()
	for i := range 200 {
		s[0].Entries = append(s[0].Entries, gauges.Entry{ID: fmt.Sprint(i), Text: strings.Repeat("東京 tower ", 20), Chars: 180})
	}
	p := newPane(200, 60, s)
	p.Focus()
	for b.Loop() {
		p.Select(1)
		_ = p.View()
	}
}

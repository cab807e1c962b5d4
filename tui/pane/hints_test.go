package pane

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes/tui/keys"
	"hermes/tui/theme"
)

// As many keys as fit, in their order, and always the one that leads out.
func TestHints(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Dark)
	hints := keys.Hints("e", "edit", "j k", "move", "Esc", "close")
	for _, tc := range []struct {
		w    int
		want string
	}{
		{80, "e edit · j k move · Esc close"},
		{29, "e edit · j k move · Esc close"},
		{28, "e edit · Esc close"},
		{18, "e edit · Esc close"},
		{17, "Esc close"},
		{5, "Esc …"},
		{0, ""},
	} {
		if got := strings.TrimRight(ansi.Strip(Hints(st, hints, tc.w)), " "); got != tc.want {
			t.Errorf("%d cells: %q, want %q", tc.w, got, tc.want)
		}
	}
	if got := Hints(st, nil, 80); got != "" {
		t.Errorf("no hints: %q", got)
	}
}

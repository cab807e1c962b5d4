// Package viewer is the overlay that shows long text: the full output of a call, the help. It scrolls
// and nothing else. It must not know where the text comes from. Start at View.
package viewer

import (
	"fmt"

	"hermes/tui/cell"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// View is a scrolling box.
type View struct {
	title string
	draw  func(st *theme.Styles, w int) []string
	wide  int // the most cells the text wants
	hint  string

	top   int
	page  int
	total int
}

// New returns a box titled title; draw returns the whole text in lines of at most w cells, want is the
// width beyond which a wider box helps nobody.
func New(title string, want int, draw func(st *theme.Styles, w int) []string) *View {
	return &View{title: title, draw: draw, wide: want}
}

// Hint names a key that does something here besides scrolling: "y", "copies".
func (v *View) Hint(key, word string) *View {
	v.hint = key + " " + word + " · "
	return v
}

// Key scrolls; it returns false for keys that mean nothing here.
func (v *View) Key(name string) bool {
	switch name {
	case "down", "j":
		v.top++
	case "up", "k":
		v.top--
	case "pgdown", "space", "ctrl+f":
		v.top += v.page
	case "pgup", "ctrl+b":
		v.top -= v.page
	case "ctrl+d":
		v.top += v.page / 2
	case "ctrl+u":
		v.top -= v.page / 2
	case "g", "home":
		v.top = 0
	case "G", "end":
		v.top = v.total
	default:
		return false
	}
	v.top = max(min(v.top, v.total-v.page), 0)
	return true
}

// Draw draws the box for a screen of w by h cells.
func (v *View) Draw(st *theme.Styles, w, h int) []string {
	bw := min(w, v.wide+4)
	inner := max(bw-4, 1)
	lines := v.draw(st, inner)
	bh := min(len(lines)+2, h)
	v.page, v.total = max(bh-2, 0), len(lines)
	v.top = max(min(v.top, v.total-v.page), 0)
	badge := v.hint + "Esc closes"
	if v.total > v.page {
		badge = fmt.Sprintf("%d–%d of %d · %s", v.top+1, v.top+v.page, v.total, badge)
	}
	shown := lines[v.top : v.top+v.page]
	body := make([]string, len(shown))
	for i, l := range shown {
		body[i] = " " + cell.Fit(l, inner) + " "
	}
	return pane.Frame(st, pane.Label{Title: v.title, Badge: badge, Focused: true}, body, bw, bh)
}

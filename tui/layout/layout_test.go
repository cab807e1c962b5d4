package layout_test

import (
	"fmt"
	"strings"
	"testing"

	"hermes/tui/layout"
	"hermes/tui/tuitest"
)

var (
	two  = []layout.Pane{layout.Chat, layout.Tools}
	five = []layout.Pane{layout.Chat, layout.Tools, layout.Skills, layout.Memory, layout.Reviews}
)

// draw paints the rectangles: pane numbers in bodies, # on borders, t for tabs, s for the status.
func draw(r layout.Result, w, h int) string {
	grid := make([][]byte, h)
	for y := range grid {
		grid[y] = []byte(strings.Repeat(".", w))
	}
	fill := func(rc layout.Rect, c byte) {
		for y := rc.Y; y < rc.Y+rc.H; y++ {
			for x := rc.X; x < rc.X+rc.W; x++ {
				grid[y][x] = c // panics when a rectangle leaves the screen
			}
		}
	}
	for _, b := range r.Boxes {
		fill(b.Rect, '#')
		for _, s := range b.Sections {
			fill(s.Body, byte('0'+int(s.Pane)))
		}
	}
	for _, s := range r.Strips {
		fill(s.Body, byte('0'+int(s.Pane)))
	}
	fill(r.Tabs, 't')
	fill(r.Status, 's')
	lines := make([]string, h)
	for y := range grid {
		lines[y] = string(grid[y])
	}
	return strings.Join(lines, "\n")
}

func TestCompute_drawn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		in   layout.Input
		kind layout.Kind
	}{
		{"side-120x40", layout.Input{W: 120, H: 40, Panes: two}, layout.Side},
		{"side-120x24-five", layout.Input{W: 120, H: 24, Panes: five}, layout.Side},
		{"side-200x50-five-wider", layout.Input{W: 200, H: 50, Panes: five, SideDelta: 20}, layout.Side},
		{"block-100x50", layout.Input{W: 100, H: 50, Panes: two}, layout.Stack},
		{"block-100x50-five", layout.Input{W: 100, H: 50, Panes: five}, layout.Stack},
		{"block-88x32-five", layout.Input{W: 88, H: 32, Panes: five}, layout.Stack},
		{"strip-80x24", layout.Input{W: 80, H: 24, Panes: two}, layout.Strip},
		{"strip-90x30-five", layout.Input{W: 90, H: 30, Panes: five}, layout.Strip},
		{"strip-80x24-tools-focused", layout.Input{W: 80, H: 24, Panes: two, Focus: layout.Tools}, layout.Zoomed},
		{"strip-130x20-five", layout.Input{W: 130, H: 20, Panes: five}, layout.Strip},
		{"single-59x20-tools", layout.Input{W: 59, H: 20, Panes: two, Focus: layout.Tools}, layout.Single},
		{"single-40x12", layout.Input{W: 40, H: 12, Panes: two, Focus: layout.Chat}, layout.Single},
		{"zoom-120x40-tools", layout.Input{W: 120, H: 40, Panes: two, Focus: layout.Tools, Zoom: true}, layout.Zoomed},
		{"chat-alone-120x30", layout.Input{W: 120, H: 30, Panes: two[:1]}, layout.Side},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := layout.Compute(tc.in)
			if r.Kind != tc.kind {
				t.Errorf("kind %s, want %s", r.Kind, tc.kind)
			}
			tuitest.Golden(t, tc.name, draw(r, tc.in.W, tc.in.H))
		})
	}
}

// Every cell of every size belongs to exactly one rectangle, and no body is empty from 40x12 up.
func TestCompute_sweep(t *testing.T) {
	t.Parallel()
	for _, panes := range [][]layout.Pane{two[:1], two, five} {
		for w := 0; w <= 210; w += 3 {
			for h := range 62 {
				in := layout.Input{W: w, H: h, Panes: panes, Focus: layout.Chat, SideDelta: w%50 - 25}
				r := layout.Compute(in)
				if w < layout.MinWidth || h < layout.MinHeight {
					if r.Kind != layout.Tiny || len(r.Boxes) > 0 {
						t.Fatalf("%dx%d is not tiny", w, h)
					}
					continue
				}
				if drawn := draw(r, w, h); strings.Contains(drawn, ".") {
					t.Fatalf("%dx%d, %d panes: free cells\n%s", w, h, len(panes), drawn)
				}
				for _, b := range r.Boxes {
					for _, s := range b.Sections {
						if s.Body.W < 20 || s.Body.H < 1 || s.Body.H < 2 && (r.Kind == layout.Side || r.Kind == layout.Stack) { // no pane starves
							t.Fatalf("%dx%d: pane %d has %s", w, h, s.Pane, fmt.Sprint(s.Body))
						}
					}
				}
			}
		}
	}
}

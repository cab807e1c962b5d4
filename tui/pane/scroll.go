package pane

import (
	"fmt"
	"slices"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

// Scroll is a window of Page lines on a text of Length lines; At is its first line, counted from 0. Page and
// Length are those of the last drawing.
type Scroll struct{ At, Page, Length int }

// By moves the window by n lines, within the text.
func (s *Scroll) By(n int) { s.At = max(min(s.At+n, s.Length-s.Page), 0) }

// Key moves the window; step is how many lines one line key goes. It returns false for keys that scroll nothing.
func (s *Scroll) Key(name string, step int) bool {
	switch name {
	case "j", "down":
		s.By(step)
	case "k", "up":
		s.By(-step)
	case "pgdown", "space", "ctrl+f":
		s.By(s.Page - 1)
	case "pgup", "ctrl+b":
		s.By(1 - s.Page)
	case "ctrl+d":
		s.By(s.Page / 2)
	case "ctrl+u":
		s.By(-s.Page / 2)
	case "g", "home":
		s.At = 0
	case "G", "end":
		s.By(s.Length)
	default:
		return false
	}
	return true
}

// Window is what of lines is seen in h lines of w cells. When more follows, the last line says how much, and the
// key that goes there.
func (s *Scroll) Window(st *theme.Styles, lines []string, w, h int, key string) []string {
	s.Page, s.Length = h, len(lines)
	s.By(0)
	lines = lines[s.At:]
	if len(lines) > h && h > 0 {
		lines = slices.Clone(lines[:h])
		lines[h-1] = st.Faint.Render(cell.Truncate(fmt.Sprintf("… %d more lines (%s)", s.Length-s.At-h+1, key), w))
	}
	return lines
}

// BesideGap is how many cells Beside needs between its columns.
const BesideGap = 3

// Beside sets two columns of h lines next to each other, a line between them.
func Beside(st *theme.Styles, left, right []string, lw, rw, h int) []string {
	bar := " " + st.Border.Render("│") + " "
	l, r := cell.Block(left, lw, h), cell.Block(right, rw, h)
	out := make([]string, h)
	for i := range out {
		out[i] = l[i] + bar + r[i]
	}
	return out
}

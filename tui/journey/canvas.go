package journey

import (
	"strings"

	"charm.land/lipgloss/v2"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

// canvas is a field of cells: lines of braille dots, two across and four down a cell, and text over them.
type canvas struct {
	w, h int
	dots []uint8
	hot  []bool // a line that matters goes through
	text []string
	look []*lipgloss.Style
}

// covered stands in the second cell of a wide character.
const covered = "\x00"

func newCanvas(w, h int) *canvas {
	n := w * h
	return &canvas{w: w, h: h, dots: make([]uint8, n), hot: make([]bool, n), text: make([]string, n), look: make([]*lipgloss.Style, n)}
}

// bits are the dots of a braille character, by column and row.
var bits = [2][4]uint8{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}} //nolint:gochecknoglobals // a constant

// line draws from cell (x1, y1) to (x2, y2); a thin one leaves gaps.
func (c *canvas) line(x1, y1, x2, y2 int, thin, hot bool) {
	x, y, tx, ty := 2*x1, 4*y1+1, 2*x2, 4*y2+1
	dx, dy := abs(tx-x), -abs(ty-y)
	sx, sy := sign(tx-x), sign(ty-y)
	for i, err := 0, dx+dy; ; i++ {
		if !thin || i%4 < 2 {
			c.dot(x, y, hot)
		}
		if x == tx && y == ty {
			return
		}
		e := 2 * err
		if e >= dy {
			err += dy
			x += sx
		}
		if e <= dx {
			err += dx
			y += sy
		}
	}
}

func (c *canvas) dot(x, y int, hot bool) {
	if x < 0 || y < 0 || x >= 2*c.w || y >= 4*c.h {
		return
	}
	at := y/4*c.w + x/2
	c.dots[at] |= bits[x%2][y%4]
	c.hot[at] = c.hot[at] || hot
}

// free tells whether w cells from (x, y) on are within the field and without text.
func (c *canvas) free(x, y, w int) bool {
	if x < 0 || y < 0 || y >= c.h || x+w > c.w {
		return false
	}
	for i := range w {
		if c.text[y*c.w+x+i] != "" {
			return false
		}
	}
	return true
}

// put writes s over what is there, as far as it fits.
func (c *canvas) put(x, y int, s string, look *lipgloss.Style) {
	if y < 0 || y >= c.h {
		return
	}
	cell.Clusters(s, func(g string, w int) bool {
		g, w = cell.Draw(g, w)
		if w <= 0 {
			return true
		}
		if x < 0 || x+w > c.w {
			return false
		}
		at := y*c.w + x
		c.text[at], c.look[at] = g, look
		if w == 2 {
			c.text[at+1], c.look[at+1] = covered, look
		}
		x += w
		return true
	})
}

// lines are the rows of the field; neighbours of one look share their escape sequences.
func (c *canvas) lines(st *theme.Styles) []string {
	out := make([]string, c.h)
	for y := range c.h {
		var row, run strings.Builder
		var look *lipgloss.Style
		flush := func() {
			switch {
			case run.Len() == 0:
			case look == nil:
				row.WriteString(run.String())
			default:
				row.WriteString(look.Render(run.String()))
			}
			run.Reset()
		}
		for x := range c.w {
			at := y*c.w + x
			s, l := c.text[at], c.look[at]
			switch {
			case s == covered:
				continue
			case s != "":
			case c.dots[at] == 0:
				s = " "
			default:
				s, l = string(rune(0x2800+int(c.dots[at]))), &st.Faint
				if c.hot[at] {
					l = &st.Accent
				}
			}
			if l != look {
				flush()
				look = l
			}
			run.WriteString(s)
		}
		flush()
		out[y] = row.String()
	}
	return out
}

func abs(n int) int { return max(n, -n) }

func sign(n int) int { return max(min(n, 1), -1) }

// Package cell measures, cuts, wraps and cleans text in terminal cells. It is the one place where
// the screen decides how wide something is and the one sanitiser that everything from outside
// (models, tools, files, session titles) passes before it is drawn.
//
// It must not know colours, panes or messages. Start with Clean and Line in clean.go (what may reach
// the terminal), then Fit below (every line of every view goes through it) and Wrap in wrap.go.
package cell

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis ends text that was cut.
const Ellipsis = "…"

// Width returns the cells s takes, escape sequences not counted.
func Width(s string) int {
	n := 0
	for len(s) > 0 {
		if s[0] == 0x1b {
			s = s[escapeLen(s):]
			continue
		}
		c, w := cluster(s)
		n += w
		s = s[len(c):]
	}
	return n
}

// Truncate cuts s to at most w cells and marks the cut with an ellipsis. Styles in s survive.
func Truncate(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if Width(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, Ellipsis)
}

// TruncateLeft cuts s from the left to at most w cells, with an ellipsis in front.
func TruncateLeft(s string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(s)
	if n <= w {
		return s
	}
	out := ansi.TruncateLeft(s, n-w+1, Ellipsis)
	for Width(out) > w { // a wide character straddled the cut
		n++
		out = ansi.TruncateLeft(s, n-w+1, Ellipsis)
	}
	return out
}

// Fit returns s as exactly w cells: cut with an ellipsis or padded with spaces.
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(s)
	if n > w {
		s = ansi.Truncate(s, w, Ellipsis)
		n = Width(s)
	}
	if n == w {
		return s
	}
	return s + Spaces(w-n)
}

// Sides puts left and right at the two ends of exactly w cells. When both do not fit, left is cut
// first, down to minLeft cells; then right goes.
func Sides(left, right string, w, minLeft int) string {
	lw, rw := Width(left), Width(right)
	if rw > 0 && min(lw, minLeft)+1+rw > w {
		return Fit(left, w)
	}
	if rw == 0 {
		return Fit(left, w)
	}
	return Fit(left, w-rw-1) + " " + right
}

// Block returns lines as exactly h lines of exactly w cells.
func Block(lines []string, w, h int) []string {
	out := make([]string, max(h, 0))
	for i := range out {
		if i < len(lines) {
			out[i] = Fit(lines[i], w)
		} else {
			out[i] = Spaces(w)
		}
	}
	return out
}

// Spaces returns n spaces; none when n is not positive.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// Repeat returns s n times; nothing when n is not positive.
func Repeat(s string, n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(s, n)
}

// Overlay draws box over base with its upper left corner at column x, line y. Both are lines; base
// lines are w cells wide and stay so. Parts of box outside base are dropped.
func Overlay(base, box []string, x, y, w int) []string {
	x = max(x, 0)
	for i, line := range box {
		at := y + i
		if at < 0 || at >= len(base) || x >= w {
			continue
		}
		line = Truncate(line, w-x)
		lw := Width(line)
		left := ansi.Truncate(base[at], x, "")
		left += Spaces(x - Width(left))
		right := ""
		if rest := w - x - lw; rest > 0 {
			right = ansi.TruncateLeft(base[at], x+lw, "")
			if rw := Width(right); rw < rest { // a wide character straddled the edge
				right = Spaces(rest-rw) + right
			} else if rw > rest {
				right = " " + ansi.TruncateLeft(base[at], x+lw+1, "")
			}
		}
		base[at] = left + line + right
	}
	return base
}

func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// cluster returns the first grapheme cluster of s and its width.
func cluster(s string) (string, int) {
	if c := s[0]; c >= 0x20 && c < 0x7f && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return s[:1], 1
	}
	return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
}

// Clusters calls yield for every grapheme cluster of s with its width in cells, until it returns false.
func Clusters(s string, yield func(c string, w int) bool) {
	for len(s) > 0 {
		c, w := cluster(s)
		if !yield(c, w) {
			return
		}
		s = s[len(c):]
	}
}

package pane

import (
	"charm.land/lipgloss/v2"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

// Label is what stands in a border line.
type Label struct {
	Title   string
	Badge   string
	Focused bool
}

// Top draws the upper border of a box of w cells with its label: ╭ Title ─────── badge ╮.
func Top(st *theme.Styles, l Label, w int) string { return rule(st, l, w, "╭", "╮") }

// Middle draws a separator line inside a box: ├ Title ─────── badge ┤.
func Middle(st *theme.Styles, l Label, w int) string { return rule(st, l, w, "├", "┤") }

// Bottom draws the lower border of a box of w cells.
func Bottom(st *theme.Styles, focused bool, w int) string {
	if w < 2 {
		return cell.Spaces(w)
	}
	return border(st, focused).Render("╰" + cell.Repeat("─", w-2) + "╯")
}

// Bar returns the side border of a box, for Side.
func Bar(st *theme.Styles, focused bool) string { return border(st, focused).Render("│") }

// Side puts bar at both ends of line, which is w-2 cells wide already.
func Side(bar, line string, w int) string {
	if w < 2 {
		return cell.Spaces(w)
	}
	return bar + line + bar
}

// Frame draws body (h-2 lines are used) into a box of exactly w by h cells.
func Frame(st *theme.Styles, l Label, body []string, w, h int) []string {
	if w < 2 || h < 2 {
		return cell.Block(nil, w, h)
	}
	out := make([]string, 0, h)
	out = append(out, Top(st, l, w))
	bar := Bar(st, l.Focused)
	for _, line := range cell.Block(body, w-2, h-2) {
		out = append(out, Side(bar, line, w))
	}
	return append(out, Bottom(st, l.Focused, w))
}

func border(st *theme.Styles, focused bool) lipgloss.Style {
	if focused {
		return st.BorderFocus
	}
	return st.Border
}

// rule draws a border line with a title at the left and a badge at the right; the title is cut
// before the badge goes.
func rule(st *theme.Styles, l Label, w int, left, right string) string {
	if w < 2 {
		return cell.Spaces(w)
	}
	b, tstyle := border(st, l.Focused), st.Title
	if l.Focused {
		tstyle = st.TitleFocus
	}
	room := w - 2
	title, badge := cell.Line(l.Title), cell.Line(l.Badge)
	if title == "" || room < 6 {
		return b.Render(left + cell.Repeat("─", room) + right)
	}
	if badge != "" && cell.Width(badge)+min(cell.Width(title), 12)+6 > room {
		badge = ""
	}
	max := room - 3
	if badge != "" {
		max -= cell.Width(badge) + 2
	}
	title = cell.Truncate(title, max)
	fill := room - cell.Width(title) - 2
	tail := ""
	if badge != "" {
		fill -= cell.Width(badge) + 2
		tail = " " + st.Title.Render(badge) + " "
	}
	return b.Render(left+" ") + tstyle.Render(title) + b.Render(" "+cell.Repeat("─", fill)) + tail + b.Render(right)
}

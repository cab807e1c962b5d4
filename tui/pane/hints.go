package pane

import (
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/theme"
)

// Hints draws as many keys with their words as fit into w cells, in their order. The last one, which leads out,
// is always among them.
func Hints(st *theme.Styles, hints []keys.Hint, w int) string {
	if len(hints) == 0 {
		return ""
	}
	draw := func(h keys.Hint) string { return st.Key.Render(h.Key) + " " + st.Muted.Render(h.Word) }
	last := draw(hints[len(hints)-1])
	room := w - cell.Width(last)
	line := ""
	for _, h := range hints[:len(hints)-1] {
		part := draw(h) + st.Faint.Render(" · ")
		if room -= cell.Width(part); room < 0 {
			break
		}
		line += part
	}
	return cell.Truncate(line+last, w)
}

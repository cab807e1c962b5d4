package browser

import (
	"fmt"
	"strings"

	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

const (
	besideWidth = 96 // from here on list and detail stand side by side
	listMin     = 34
	gutter      = pane.BesideGap
	minCategory = 6 // cells of a category that are worth showing
	maxNote     = 4 // lines of what came of the last action
)

// Draw draws the view for a screen of w by h cells, with the cursor (cx negative when nothing is typed).
func (v *View) Draw(st *theme.Styles, w, h int) (box []string, cx, cy int) {
	inner := max(w-4, 1)
	head, hx := v.head(st, inner)
	foot := v.foot(st, inner)
	room := max(h-3-len(foot), 1)
	var body []string
	cx, cy = -1, 0
	v.clicked, v.shown = 2, 0
	switch {
	case v.short != nil:
		var fx, fy int
		body, fx, fy = v.short.lines(st, inner)
		if over := fy - room + 1; over > 0 {
			body, fy = body[over:], fy-over
		}
		cx, cy = fx+2, fy+2
	case v.whole && v.selected() != nil:
		body = v.right(st, inner, room)
	case inner >= besideWidth:
		body = v.beside(st, inner, room)
	default:
		body = v.stacked(st, inner, room)
	}
	lines := append([]string{head}, cell.Block(body, inner, room)...)
	lines = append(lines, foot...)
	for i, l := range lines {
		lines[i] = " " + cell.Fit(l, inner) + " "
	}
	if hx >= 0 && v.short == nil {
		cx, cy = min(hx+2, w-2), 1
	}
	return pane.Frame(st, pane.Label{Title: "Skills", Badge: v.badge(), Focused: true}, lines, w, h), cx, cy
}

// badge counts.
func (v *View) badge() string {
	if !v.loaded {
		return ""
	}
	shown, hidden, warned := 0, 0, 0
	for i := range v.sheet.Checked {
		c := &v.sheet.Checked[i]
		if c.Visible {
			shown++
		} else {
			hidden++
		}
		if warns(c) {
			warned++
		}
	}
	parts := []string{fmt.Sprintf("%d in the prompt", shown)}
	if hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d hidden", hidden))
	}
	if warned > 0 {
		parts = append(parts, fmt.Sprintf("%d ⚠", warned))
	}
	if n := len(v.sheet.Archived); n > 0 {
		parts = append(parts, fmt.Sprintf("%d archived", n))
	}
	return strings.Join(parts, " · ")
}

// head is the filter.
func (v *View) head(st *theme.Styles, w int) (line string, cx int) {
	if v.typing {
		text, x := v.filter.View(max(w-2, 1))
		return st.Accent.Render("/") + " " + text, x + 2
	}
	if f := v.filter.Text(); f != "" {
		return st.Muted.Render("/ ") + st.Text.Render(cell.Line(f)) + st.Faint.Render(fmt.Sprintf("  %d of %d · Esc shows all", len(v.rows), len(v.all))), -1
	}
	return st.Faint.Render("/ filters by name, category, description or state"), -1
}

func (v *View) beside(st *theme.Styles, w, h int) []string {
	lw := min(max(w*2/5, listMin), 64)
	dw := w - lw - gutter
	left, right := v.list(st, lw, h), v.right(st, dw, h)
	return pane.Beside(st, left, right, lw, dw, h)
}

func (v *View) stacked(st *theme.Styles, w, h int) []string {
	lh := min(max(min(len(v.rows), h*2/5), 3), max(h-2, 1))
	out := cell.Block(v.list(st, w, lh), w, lh)
	out = append(out, st.Border.Render(cell.Repeat("─", w)))
	return append(out, v.right(st, w, max(h-lh-1, 0))...)
}

// list draws the lines around the selection.
func (v *View) list(st *theme.Styles, w, h int) []string {
	switch {
	case v.err != "":
		return cell.Wrap(st.Bad.Render("⚠ "+cell.Line(v.err)), w, "")
	case !v.loaded:
		return []string{st.Faint.Render("Reading the skills …")}
	case len(v.rows) == 0 && v.filter.Text() != "":
		return []string{st.Muted.Render("No skill fits.")}
	case len(v.rows) == 0:
		var out []string
		for _, l := range cell.Wrap("No skills yet. hermes writes one after a hard task; skills you put into the skills folder of the home appear here, too.", w, "") {
			out = append(out, st.Muted.Render(l))
		}
		return out
	}
	v.top = min(v.top, v.sel)
	v.top = max(v.top, v.sel-h+1)
	v.top = max(min(v.top, len(v.rows)-h), 0)
	var out []string
	for i := v.top; i < len(v.rows) && len(out) < h; i++ {
		out = append(out, v.line(st, &v.rows[i], i == v.sel, w))
	}
	v.shown = len(out)
	return out
}

// line draws a skill: sign, name, and at the right its states and its category.
func (v *View) line(st *theme.Styles, r *row, selected bool, w int) string {
	mark, sign, name := "  ", "  ", st.Text
	if selected {
		mark = st.Accent.Render("▌") + " "
	}
	switch {
	case r.archived != nil:
		name = st.Faint
	case warns(r.checked):
		sign = st.Warn.Render("⚠ ")
	}
	if r.checked != nil && !r.checked.Visible {
		name = st.Muted
	}
	if selected {
		name = st.Bold
	}
	states := strings.Join(r.states(), " · ")
	category := cell.Line(r.entry().Category)
	if r.archived != nil {
		category = ""
	}
	room := max(w-4, 0)
	right := cell.Truncate(states, room/2)
	// The end of a long category says most; it goes before the name is cut.
	left := min(room-1-min(cell.Width(cell.Line(r.name())), room*3/5)-cell.Width(right), room*2/5)
	if right != "" {
		left -= 3
		if category = cell.TruncateLeft(category, left); category != "" && left >= minCategory {
			right = category + " · " + right
		}
	} else if left >= min(minCategory, cell.Width(category)) {
		right = cell.TruncateLeft(category, left)
	}
	return mark + sign + name.Render(cell.Fit(cell.Line(r.name()), max(room-cell.Width(right)-1, 0))) + " " + st.Muted.Render(right)
}

// foot is the note and the keys that do something here.
func (v *View) foot(st *theme.Styles, w int) []string {
	out := []string{""}
	if said := cell.Wrap(cell.Line(v.note), w, "  "); v.note != "" && len(said) > 0 {
		if len(said) > maxNote { // what can be done about it stands at its end
			said = append(said[:maxNote-1:maxNote-1], cell.TruncateLeft(strings.Join(said[maxNote-1:], " "), w))
		}
		out = out[:0]
		for _, l := range said {
			out = append(out, st.Warn.Render(l))
		}
	}
	return append(out, pane.Hints(st, v.hints(), w))
}

func (v *View) hints() []keys.Hint {
	switch r := v.selected(); {
	case v.short != nil:
		return keys.Hints("Enter", "write it", "Esc", "leave it")
	case v.typing:
		return keys.Hints("Enter", "keep", "Esc", "all")
	case r == nil:
		return keys.Hints("/", "filter", "Esc", "close")
	case r.archived != nil:
		return keys.Hints("u", "restore", "Tab", "history", "/", "filter", "Esc", "close")
	case v.tab == historyTab:
		return keys.Hints("n", "older", "N", "newer", "R", "roll back", "Tab", "index", "Enter", "whole", "y", "copy", "o", "session", "Esc", "close")
	case v.tab == indexTab:
		return keys.Hints("Tab", "skill", "Enter", "whole", "y", "copy", "Esc", "close")
	default:
		pin := "pin"
		if r.checked.Origin.Pinned {
			pin = "unpin"
		}
		out := keys.Hints("e", "edit", "p", pin, "d", "archive", "Tab", "history", "Enter", "whole", "/", "filter", "m", "index", "y", "copy", "Esc", "close")
		if r.checked.Cut() {
			out = append(keys.Hints("s", "shorten"), out...)
		}
		return out
	}
}

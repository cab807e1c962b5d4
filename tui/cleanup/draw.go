package cleanup

import (
	"fmt"

	"charm.land/lipgloss/v2"

	"hermes/core/memory"
	"hermes/core/text"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

const (
	// besideFrom is the inner width from which the stores stand beside each other.
	besideFrom = 104
	gap        = 3 // cells between them
	// minList is how many lines of the list stay while something else wants room.
	minList = 4
)

// Draw draws the view into exactly w by h cells. cx and cy are the cursor; cx is negative when no text is
// being written.
func (v *View) Draw(st *theme.Styles, w, h int) (box []string, cx, cy int) {
	inner, room := max(w-4, 1), max(h-2, 0)
	v.beside = inner >= besideFrom && len(v.sheets) == 2
	body, cx, cy := v.body(st, inner, room)
	for i := range body {
		body[i] = " " + cell.Fit(body[i], inner) + " "
	}
	badge := ""
	if n := v.changes().total(); n > 0 {
		badge = text.Count(n, "change", "changes") + " not written"
	}
	box = pane.Frame(st, pane.Label{Title: "Memory clean-up", Badge: badge, Focused: true}, body, w, h)
	if cx >= 0 {
		cx, cy = min(cx+2, w-1), cy+1
		if cy >= h-1 {
			cx = -1
		}
	}
	return box, cx, cy
}

// body is everything inside the frame: gauges and lists, the panel below them, what is to be said, the keys.
func (v *View) body(st *theme.Styles, w, h int) (out []string, cx, cy int) {
	foot := v.foot(st, w, h)
	switch {
	case !v.loaded:
		say := "reading the memory …"
		if v.err != "" {
			say = ""
		}
		return append(cell.Block([]string{st.Faint.Render(say)}, w, max(h-len(foot), 0)), foot...), -1, 0
	case len(v.sheets) == 0:
		return append(cell.Block([]string{st.Muted.Render("Memory is off: hermes config set memory.memory_enabled true")}, w, max(h-len(foot), 0)), foot...), -1, 0
	}
	room := h - len(foot)
	heads := len(v.sheets)
	if v.beside {
		heads = 1
	}
	panel := v.panelHeight(room-heads, w)
	v.rows = max(room-heads-panel, 0)
	preview := v.preview()
	if v.beside {
		out = v.columns(st, preview, w)
	} else {
		for s := range v.sheets {
			out = append(out, v.gauge(st, preview, s, w, true))
		}
		out = append(out, v.stacked(st, w)...)
	}
	cx = -1
	if panel > 0 {
		lines, x, y := v.panel(st, w, panel)
		cx, cy = x, y+len(out)
		out = append(out, lines...)
	}
	if len(out) > room {
		out = out[:max(room, 0)]
	}
	if cy >= len(out) {
		cx = -1
	}
	return append(out, foot...), cx, cy
}

// panelHeight is what the part below the lists gets of h lines.
func (v *View) panelHeight(h, w int) int {
	want := 6
	switch {
	case v.mode == editing:
		v.edit.ed.SetSize(max(w, 1), 1000)
		want = min(max(v.edit.ed.Rows()+2, 6), max(h/2, 6))
	case v.mode == confirming:
		want = min(v.changes().total()+4, max(h*2/3, 6))
	case h >= 20:
		want = min(h/3, 14)
	}
	least := minList
	if v.mode == editing { // what is being written must be seen
		least = 1
	}
	return max(min(want, h-least), 0)
}

// columns draws both stores beside each other, each under its gauge.
func (v *View) columns(st *theme.Styles, preview draft, w int) []string {
	left := (w - gap) / 2
	v.split = left + gap
	widths := []int{left, w - gap - left}
	var out []string
	bar := st.Faint.Render(" │ ")
	parts := make([][]string, 2)
	for s := range v.sheets {
		v.top[s] = window(v.top[s], v.sel[s], len(v.cur[s]), v.rows)
		parts[s] = []string{v.gauge(st, preview, s, widths[s], false)}
		for i := v.top[s]; i < len(v.cur[s]) && i < v.top[s]+v.rows; i++ {
			parts[s] = append(parts[s], v.row(st, s, i, widths[s]))
		}
		if len(v.cur[s]) == 0 {
			parts[s] = append(parts[s], st.Faint.Render("   no entries · a adds one"))
		}
		parts[s] = cell.Block(parts[s], widths[s], v.rows+1)
	}
	for i := range v.rows + 1 {
		out = append(out, parts[0][i]+bar+parts[1][i])
	}
	return out
}

// stacked draws both stores below each other in one list.
func (v *View) stacked(st *theme.Styles, w int) []string {
	type ref struct{ s, i int }
	var all []ref
	at := 0
	for s := range v.cur {
		for i := range v.cur[s] {
			if s == v.store && i == v.sel[s] {
				at = len(all)
			}
			all = append(all, ref{s, i})
		}
	}
	v.scroll = window(v.scroll, at, len(all), v.rows)
	var out []string
	for n := v.scroll; n < len(all) && n < v.scroll+v.rows; n++ {
		out = append(out, v.row(st, all[n].s, all[n].i, w))
	}
	if len(all) == 0 {
		out = append(out, st.Faint.Render("   no entries · a adds one"))
	}
	return cell.Block(out, w, v.rows)
}

// window is the first line shown of n, so that line at is among h.
func window(top, at, n, h int) int {
	top = max(min(top, at), at-h+1)
	return max(min(top, n-h), 0)
}

// gauge draws how full store s is, and how full it would be. Where both stand one below the other their bars are
// equally long.
func (v *View) gauge(st *theme.Styles, preview draft, s, w int, both bool) string {
	sheet := v.sheets[s]
	next := preview.used(s)
	name := st.Muted.Render(cell.Fit(v.name(s), 6))
	if s == v.store || !v.beside {
		name = st.Bold.Render(cell.Fit(v.name(s), 6))
	}
	if sheet.Unreadable != "" {
		return cell.Truncate(name+" "+st.Bad.Render("⚠ "+cell.Line(sheet.Unreadable)), w)
	}
	tail, room := v.gaugeTail(st, preview, s, w)
	if both {
		for other := range v.sheets {
			if _, r := v.gaugeTail(st, preview, other, w); v.sheets[other].Unreadable == "" {
				room = min(room, r)
			}
		}
		room = min(room, 40)
	}
	style, _ := level(st, next, sheet.Limit)
	return cell.Truncate(name+" "+v.bar(st, style, sheet, next, max(room, 0))+tail, w)
}

// gaugeTail is what stands behind the bar of store s, and the cells it leaves for the bar.
func (v *View) gaugeTail(st *theme.Styles, preview draft, s, w int) (tail string, room int) {
	sheet := v.sheets[s]
	next := preview.used(s)
	figures, share := text.Thousands(sheet.Used)+"/"+text.Thousands(sheet.Limit), fmt.Sprintf("%d%%", percent(sheet.Used, sheet.Limit))
	if next != sheet.Used {
		figures = text.Thousands(sheet.Used) + " → " + text.Thousands(next) + "/" + text.Thousands(sheet.Limit)
		if p := percent(next, sheet.Limit); p != percent(sheet.Used, sheet.Limit) {
			share += fmt.Sprintf(" → %d%%", p)
		}
	}
	style, sign := level(st, next, sheet.Limit)
	tail = " " + st.Text.Render(figures) + " " + style.Render(share+sign)
	if over := next - sheet.Limit; over > 0 {
		tail += st.Bad.Render(" over by " + text.Thousands(over))
	}
	if w-cell.Width(tail)-7 < 4 {
		tail = " " + st.Text.Render(text.Thousands(next)+"/"+text.Thousands(sheet.Limit)) + " " + style.Render(fmt.Sprintf("%d%%%s", percent(next, sheet.Limit), sign))
	}
	count := " " + st.Faint.Render(text.Count(len(v.cur[s]), "entry", "entries"))
	if sheet.Problem != "" {
		count = " " + st.Warn.Render("⚠ "+cell.Line(sheet.Problem))
	}
	room = w - 7 - cell.Width(tail)
	if room-cell.Width(count) >= 12 {
		tail += count
		room -= cell.Width(count)
	}
	return tail, room
}

// bar draws what stays, what the draft frees or adds, and what is free.
func (v *View) bar(st *theme.Styles, style lipgloss.Style, sheet memory.Sheet, next, w int) string {
	cells := func(n int) int {
		if sheet.Limit <= 0 || n <= 0 {
			return 0
		}
		return max(min(n*w/sheet.Limit, w), 1)
	}
	now, then := cells(sheet.Used), cells(next)
	stays, freed, more := min(now, then), max(now-then, 0), max(then-now, 0)
	if w == 0 {
		return ""
	}
	return style.Render(cell.Repeat("█", stays)) + style.Render(cell.Repeat("▓", more)) + st.Faint.Render(cell.Repeat("▒", freed)) +
		st.Faint.Render(cell.Repeat("░", w-stays-freed-more))
}

func percent(used, limit int) int {
	if limit <= 0 {
		return 100
	}
	return used * 100 / limit
}

// level is the colour step of a store, with a sign for those who see no colour.
func level(st *theme.Styles, used, limit int) (lipgloss.Style, string) {
	switch p := percent(used, limit); {
	case p >= 90:
		return st.Bad, "!!"
	case p >= 70:
		return st.Warn, "!"
	}
	return st.Good, ""
}

func (v *View) name(s int) string {
	if v.sheets[s].Target == memory.User {
		return "USER"
	}
	return "MEMORY"
}

// title names an entry: "MEMORY, entry 3".
func (v *View) title(s, i int) string { return fmt.Sprintf("%s, entry %d", v.name(s), i+1) }

// foot is what is to be said and the keys, at the bottom.
func (v *View) foot(st *theme.Styles, w, h int) []string {
	var out []string
	switch {
	case v.mode == leaving:
		out = append(out, st.Warn.Render(cell.Truncate(text.Count(v.changes().total(), "change is", "changes are")+" not written. Leave?", w)))
	case v.mode == busy && !v.done:
		out = append(out, st.Busy.Render("writing …"))
	case v.mode == editing && v.edit.armed:
		out = append(out, st.Warn.Render(cell.Truncate("Esc again drops it · Enter keeps it", w)))
	case v.mode == editing && v.edit.err != "":
		out = append(out, wrapped(st.Bad, "✗ "+v.edit.err, w, 3)...)
	case v.err != "":
		out = append(out, wrapped(st.Bad, "✗ "+v.err, w, 3)...)
	case v.note != "":
		out = append(out, wrapped(st.Accent, v.note, w, 2)...)
	}
	lines := 3
	switch {
	case h < 16:
		lines = 1
	case h < 20:
		lines = 2
	}
	return append(out, hintLines(st, v.hints(), w, lines)...)
}

func wrapped(style lipgloss.Style, words string, w, most int) []string {
	lines := cell.Wrap(cell.Line(words), w, "  ")
	if len(lines) > most {
		lines = append(lines[:most-1:most-1], cell.Truncate(lines[most-1]+cell.Ellipsis+cell.Spaces(w), w))
	}
	for i := range lines {
		lines[i] = style.Render(lines[i])
	}
	return lines
}

// hintLines sets keys with their words into at most n lines of w cells. What does not fit is left out, but never
// the last one, which leads out.
func hintLines(st *theme.Styles, hints []keys.Hint, w, n int) []string {
	var out []string
	for len(hints) > 0 && len(out) < n-1 {
		used, fit := 0, 0
		for _, h := range hints {
			size := cell.Width(h.Key) + 1 + cell.Width(h.Word)
			if fit > 0 {
				size += 3
			}
			if used+size > w && fit > 0 {
				break
			}
			used, fit = used+size, fit+1
		}
		out, hints = append(out, pane.Hints(st, hints[:fit], w)), hints[fit:]
	}
	if len(hints) > 0 {
		out = append(out, pane.Hints(st, hints, w))
	}
	return out
}

package sessions

import (
	"fmt"
	"time"

	"hermes/tui/cell"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// View draws the picker for a screen of w by h cells. cx and cy are the cursor within the box; cx is
// negative when no text is being typed.
func (p *Picker) View(st *theme.Styles, w, h int) (box []string, cx, cy int) {
	wide := 110
	if p.previews != nil {
		wide = 160
	}
	bw := min(w, wide)
	inner := max(bw-4, 1)
	listW, below := inner, 0
	switch {
	case p.previews == nil:
	case bw >= besideFrom:
		listW = inner * 55 / 100
	case h >= belowFrom:
		below = belowLines + 1
	}
	foot := p.foot(st, inner)
	rows := max(min(len(p.shown), 20), 3)
	if listW < inner {
		rows = max(rows, 14) // room to read
	}
	bh := min(rows+2+len(foot)+2+below, h)
	room := max(bh-4-len(foot)-below, 1)
	p.top = max(min(p.top, p.sel), p.sel-room+1)
	p.top = max(min(p.top, len(p.shown)-room), 0)

	head, cx := p.head(st, listW)
	lines := []string{head, ""}
	switch {
	case !p.loaded:
		lines = append(lines, st.Muted.Render("loading…"))
	case len(p.shown) == 0:
		lines = append(lines, st.Muted.Render("no sessions match"))
	}
	for i := p.top; i < len(p.shown) && i < p.top+room; i++ {
		lines = append(lines, p.row(st, p.shown[i], i == p.sel, listW))
	}
	lines = cell.Block(lines, listW, max(bh-2-len(foot)-below, 0))
	if listW < inner {
		lines = p.beside(st, lines, listW, inner)
	}
	if below > 0 {
		lines = append(lines, st.Faint.Render(cell.Repeat("─", inner)))
		lines = append(lines, p.previewLines(st, inner, below-1)...)
	}
	lines = append(lines, foot...)
	for i := range lines {
		lines[i] = " " + cell.Fit(lines[i], inner) + " "
	}
	badge := fmt.Sprintf("%d of %d", len(p.shown), len(p.rows))
	if len(p.shown) == len(p.rows) {
		badge = fmt.Sprint(len(p.rows))
	}
	box = pane.Frame(st, pane.Label{Title: "Sessions", Badge: badge, Focused: true}, lines, bw, bh)
	if cx >= 0 {
		cx += 2
	}
	return box, cx, 1
}

// head is the filter, or the field a session is being renamed in.
func (p *Picker) head(st *theme.Styles, w int) (string, int) {
	switch p.mode {
	case renaming:
		line, x := p.name.View(w - 9)
		return st.Accent.Render("new name") + " " + line, x + 9
	case filtering:
		line, x := p.filter.View(w - 2)
		return st.Accent.Render("/") + " " + line, x + 2
	default:
		if f := p.filter.Text(); f != "" {
			return st.Muted.Render("/ " + cell.Line(f)), -1
		}
		return st.Faint.Render("/ filters"), -1
	}
}

func (p *Picker) row(st *theme.Styles, r Row, selected bool, w int) string {
	mark := "  "
	switch {
	case r.ID == p.current:
		mark = "● "
	case r.Open:
		mark = "○ "
	}
	title := cell.Line(r.Title)
	if title == "" {
		title = "untitled"
	}
	right := fmt.Sprintf("%5d msg %8s", r.Messages, Ago(p.now().Sub(r.Updated)))
	if w > 70 {
		right = cell.Fit(cell.Line(r.Model), 24) + right
	}
	if selected {
		return st.Selected.Render(cell.Sides("› "+mark+title, right, w, 20))
	}
	return cell.Sides("  "+st.Accent.Render(mark)+st.Text.Render(title), st.Muted.Render(right), w, 20)
}

// foot explains the keys, or asks before deleting, or tells what went wrong.
func (p *Picker) foot(st *theme.Styles, w int) []string {
	switch {
	case p.mode == deleting && p.selected() != nil:
		title := cell.Truncate(cell.Line(p.selected().Title), max(w-44, 10))
		return []string{"", st.Warn.Render(cell.Truncate(fmt.Sprintf("Delete %q and its files? y deletes, any other key keeps", title), w))}
	case p.err != "":
		return []string{"", st.Bad.Render(cell.Truncate("✗ "+cell.Line(p.err), w))}
	case p.mode == renaming || p.mode == filtering:
		return []string{"", st.Faint.Render(cell.Truncate("Enter accepts · Esc cancels", w))}
	}
	keys := "Enter resume · n new · r rename · f fork · e export · d delete · Esc close"
	if w < cell.Width(keys) {
		keys = "Enter · n new · r name · f fork · d del"
	}
	return []string{"", st.Faint.Render(cell.Truncate(keys, w))}
}

// Ago writes a past distance for people: "now", "5m", "3h", "2d", "8w".
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	case d < 14*24*time.Hour:
		return fmt.Sprintf("%dd ago", int(d.Hours())/24)
	default:
		return fmt.Sprintf("%dw ago", int(d.Hours())/(24*7))
	}
}

package sessions

import (
	"fmt"
	"time"

	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

const (
	// besideFrom is the inner width from which the preview stands beside the list.
	besideFrom = 100
	// belowFrom is the height of the screen from which it stands below.
	belowFrom = 18
	minList   = 5
)

// View draws the view in w by h cells. cx and cy are the cursor within the box; cx is negative when no
// text is being typed.
func (p *Picker) View(st *theme.Styles, w, h int) (box []string, cx, cy int) {
	inner := max(w-4, 1)
	foot := p.foot(st, inner)
	room := max(h-2-len(foot), 0)
	listW, below := inner, 0
	switch {
	case inner >= besideFrom:
		listW = inner * 54 / 100
	case h >= belowFrom:
		below = min(max(room/3, 6), max(room-minList-2, 0))
	}
	head, cx := p.head(st, inner)
	news := p.news(st, inner)
	p.page = max(room-1-len(news)-below, 0)
	p.first = 2 + len(news)
	p.top = max(min(p.top, p.sel), p.sel-p.page+1)
	p.top = max(min(p.top, len(p.lines)-p.page), 0)

	list := cell.Block(p.list(st, listW), listW, p.page)
	if listW < inner {
		right := p.previewLines(st, inner-listW-3, len(list))
		for i := range list {
			list[i] = cell.Fit(list[i], listW) + st.Faint.Render(" │ ") + right[i]
		}
	}
	lines := append(append([]string{head}, news...), list...)
	if below > 0 {
		lines = append(lines, st.Faint.Render(cell.Repeat("─", inner)))
		lines = append(lines, p.previewLines(st, inner, below-1)...)
	}
	lines = append(cell.Block(lines, inner, room), foot...)
	for i := range lines {
		lines[i] = " " + cell.Fit(lines[i], inner) + " "
	}
	box = pane.Frame(st, pane.Label{Title: "Sessions", Badge: p.badge(), Focused: true}, lines, w, h)
	if cx >= 0 {
		cx += 2
	}
	if cx >= w || h < 3 {
		cx = -1
	}
	return box, cx, 1
}

// badge counts what is shown and what is not.
func (p *Picker) badge() string {
	out := fmt.Sprint(p.shown)
	if all := len(p.rows); p.Query() != "" && all > 0 {
		out = fmt.Sprintf("%d of %d", p.shown, all)
	}
	if p.hidden > 0 {
		many := ""
		if p.hidden > 1 {
			many = "s"
		}
		out += fmt.Sprintf(" · %d sub-agent%s hidden", p.hidden, many)
	}
	return out
}

// head is what is looked for, or the field a session is being renamed in.
func (p *Picker) head(st *theme.Styles, w int) (string, int) {
	switch p.mode {
	case renaming:
		text, x := p.name.View(max(w-9, 1))
		return st.Accent.Render("new name") + " " + text, x + 9
	case filtering:
		text, x := p.filter.View(max(w-2, 1))
		return st.Accent.Render("/") + " " + text, x + 2
	case browsing, deleting:
	}
	if f := p.Query(); f != "" {
		return st.Muted.Render("/ ") + st.Text.Render(cell.Line(f)), -1
	}
	if p.searches {
		return st.Faint.Render("/ searches everything ever said: words, \"a phrase\", role:user since:7d"), -1
	}
	return st.Faint.Render("/ filters"), -1
}

// news is what there is to say about the search.
func (p *Picker) news(st *theme.Styles, w int) []string {
	say := func(s string) string { return cell.Truncate(s, w) }
	switch {
	case p.Query() == "" || !p.searches:
		return []string{""}
	case p.failed != "":
		return []string{st.Bad.Render(say("✗ the search failed: " + cell.Line(p.failed)))}
	case p.found == nil || p.found.Query != p.Query():
		return []string{st.Muted.Render("searching …")}
	}
	text := fmt.Sprintf("%d messages match", p.found.Total)
	switch p.found.Total {
	case 0:
		text = "no message matches"
	case 1:
		text = "1 message matches"
	}
	out := []string{st.Muted.Render(say(text))}
	if p.found.Limited != "" {
		out[0] = cell.Truncate(st.Muted.Render(text)+st.Warn.Render(" · "+cell.Line(p.found.Limited)), w)
	}
	for _, n := range p.found.Notes {
		out = append(out, st.Warn.Render(say("! "+cell.Line(n))))
	}
	return out[:min(len(out), 3)]
}

// list draws the lines that fit the page.
func (p *Picker) list(st *theme.Styles, w int) []string {
	switch {
	case !p.loaded && len(p.lines) == 0:
		return []string{st.Muted.Render("loading…")}
	case len(p.lines) == 0 && p.hidden > 0:
		return []string{st.Muted.Render(cell.Truncate("only sub-agents' sessions match · a shows them", w))}
	case len(p.lines) == 0 && p.Query() == "":
		return []string{st.Muted.Render("no sessions yet")}
	case len(p.lines) == 0 && p.searches && p.found == nil && p.failed == "":
		return nil // the search may still find some
	case len(p.lines) == 0:
		return []string{st.Muted.Render("no sessions match")}
	}
	var out []string
	for i := p.top; i < len(p.lines) && i < p.top+p.page; i++ {
		if l := p.lines[i]; l.hit != nil {
			out = append(out, p.hitLine(st, *l.hit, i == p.sel, w))
		} else {
			out = append(out, p.row(st, l.row, i == p.sel, w))
		}
	}
	return out
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
	right := fmt.Sprintf(" %4d msg %8s", r.Messages, Ago(p.now().Sub(r.Updated)))
	if w >= 58 {
		right = fmt.Sprintf("%6s", size(r.Bytes)) + right
		if p.priced {
			right = fmt.Sprintf("%7s ", dollars(r)) + right
		}
	}
	if w >= 100 {
		right = cell.Fit(cell.Line(r.Model), 24) + " " + right
	}
	if selected {
		return st.Selected.Render(cell.Sides("› "+mark+title, right, w, 20))
	}
	return cell.Sides("  "+st.Accent.Render(mark)+st.Text.Render(title), st.Muted.Render(right), w, 20)
}

// hitLine draws a hit below its session.
func (p *Picker) hitLine(st *theme.Styles, h Hit, selected bool, w int) string {
	who := cell.Fit(cell.Line(h.Who()), 8)
	lead, style := "      ", st.Faint
	if selected {
		lead, style = "›     ", st.Accent
	}
	age := fmt.Sprintf(" %8s", Ago(p.now().Sub(h.Time)))
	room := w - cell.Width(lead) - 9 - cell.Width(age)
	if w < 50 {
		age, room = "", w-cell.Width(lead)-9
	}
	return style.Render(lead) + style.Render(who) + " " + cell.Fit(h.Line(st, max(room, 0)), max(room, 0)) + st.Faint.Render(age)
}

func dollars(r Row) string {
	if !r.Cost.Known || r.Cost.USD == 0 {
		return ""
	}
	if r.Cost.USD < 0.01 {
		return fmt.Sprintf("$%.4f", r.Cost.USD)
	}
	return fmt.Sprintf("$%.2f", r.Cost.USD)
}

// size writes bytes for people: "820 B", "12 KB", "3.4 MB".
func size(n int64) string {
	switch {
	case n <= 0:
		return ""
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	case n < 10_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}

// foot explains the keys, or asks before deleting, or tells what went wrong.
func (p *Picker) foot(st *theme.Styles, w int) []string {
	switch {
	case p.mode == deleting && p.selected() != nil:
		title := cell.Truncate(cell.Line(p.selected().row.Title), max(w-44, 10))
		return []string{st.Warn.Render(cell.Truncate(fmt.Sprintf("Delete %q and its files? y deletes, any other key keeps", title), w))}
	case p.err != "":
		return []string{st.Bad.Render(cell.Truncate("✗ "+cell.Line(p.err), w))}
	case p.mode == renaming:
		return []string{pane.Hints(st, keys.Hints("Enter", "accepts", "Esc", "cancels"), w)}
	case p.mode == filtering:
		return []string{pane.Hints(st, keys.Hints("Enter ↓", "to the list", "Esc", "cancels"), w)}
	}
	tasks := "show sub-agents"
	if p.tasks {
		tasks = "hide sub-agents"
	}
	hints := keys.Hints("Enter", "resume", "o", "read", "f", "fork")
	if l := p.selected(); l != nil && l.hit != nil {
		hints = keys.Hints("Enter", "open", "c", "resume", "f", "fork from here")
	}
	hints = append(hints, keys.Hints("/", "search", "r", "rename", "e", "export", "d", "delete", "n", "new", "a", tasks, "Esc", "close")...)
	return []string{pane.Hints(st, hints, w)}
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

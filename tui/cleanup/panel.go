package cleanup

import (
	"fmt"
	"strings"

	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/core/text"
	"hermes/tui/cell"
	"hermes/tui/theme"
)

// panel draws the part below the lists in exactly h lines: the editor, what would be written, or the
// selected entry.
func (v *View) panel(st *theme.Styles, w, h int) (out []string, cx, cy int) {
	switch v.mode {
	case editing:
		return v.editPanel(st, w, h)
	case confirming, busy:
		return cell.Block(v.confirmPanel(st, w, h), w, h), -1, 0
	default:
		return cell.Block(v.detail(st, w, h), w, h), -1, 0
	}
}

// rule is the line above the panel.
func rule(st *theme.Styles, title, right string, w int) string {
	left := "── " + title + " "
	room := w - cell.Width(left)
	if right != "" && cell.Width(right)+4 < room {
		fill := room - cell.Width(right) - 4
		return st.Faint.Render("── ") + st.Accent.Render(title) + st.Faint.Render(" "+cell.Repeat("─", fill)) + " " + st.Muted.Render(right) + st.Faint.Render(" ──")
	}
	return cell.Truncate(st.Faint.Render("── ")+st.Accent.Render(title)+st.Faint.Render(" "+cell.Repeat("─", room)), w)
}

func (v *View) editPanel(st *theme.Styles, w, h int) ([]string, int, int) {
	v.edit.ed.SetSize(max(w, 1), max(h-1, 1))
	lines, x, y := v.edit.ed.View(func(s string) string { return st.Chip.Render(s) })
	for i := range lines {
		lines[i] = st.Text.Render(lines[i])
	}
	n := text.Len(memory.Normalise(v.edit.ed.Text()))
	size := text.Count(n, "character", "characters")
	if was := text.Len(memory.Normalise(v.edit.orig)); was != n && was > 0 {
		size = text.Thousands(was) + " → " + size
	}
	out := append([]string{rule(st, v.edit.title, size, w)}, lines...)
	return cell.Block(out, w, h), x, y + 1
}

// confirmPanel lists what would be written.
func (v *View) confirmPanel(st *theme.Styles, w, h int) []string {
	out := []string{rule(st, "write this as one change?", "", w)}
	var lines []string
	for s := range v.cur {
		for i, it := range v.cur[s] {
			if it.gone && len(it.from) == 0 {
				continue
			}
			c := v.became(s, it)
			if c == same {
				continue
			}
			word := c.word()
			switch c {
			case moved:
				word = "moved to"
			case merged:
				word = fmt.Sprintf("%d merged", len(it.from))
			default:
			}
			what := fmt.Sprintf("%s %-8s  %-6s %3d  ", c.sign(), word, v.name(s), i+1)
			style := st.Accent
			if c == deleted {
				style = st.Bad
			}
			lines = append(lines, cell.Truncate(style.Render(what)+st.Text.Render(strings.ReplaceAll(cell.Readable(it.text), "\n", " ")), w))
		}
		if v.reordered(s) {
			lines = append(lines, st.Accent.Render(ordered.sign()+" reordered "+v.name(s)))
		}
	}
	for _, sheet := range v.sheets {
		if sheet.Inexact {
			lines = append(lines, st.Warn.Render(cell.Truncate("⚠ "+sheet.Target.File()+" holds more than its entries: a copy of it is kept", w)))
		}
	}
	if room := h - 1; len(lines) > room && room > 0 {
		more := len(lines) - room + 1
		lines = append(lines[:room-1:room-1], st.Muted.Render(fmt.Sprintf("… and %d more", more)))
	}
	return append(out, lines...)
}

// detail draws the selected entry: cost, origin, remarks, text.
func (v *View) detail(st *theme.Styles, w, h int) []string {
	it := v.selected()
	if it == nil && v.closed(v.store) != "" {
		out := []string{rule(st, v.name(v.store)+" cannot be read", "", w)}
		for _, l := range cell.Wrap("repair "+cell.Line(v.sheets[v.store].Path)+": it must be UTF-8 text that you may read. Until then it is left alone.", w, "") {
			out = append(out, st.Muted.Render(l))
		}
		return out
	}
	if it == nil {
		return []string{rule(st, v.name(v.store)+" is empty", "", w)}
	}
	c := v.became(v.store, *it)
	title := v.title(v.store, v.sel[v.store])
	if c != same {
		title += " · " + c.word()
	}
	out := []string{rule(st, title, "", w), st.Muted.Render(cell.Truncate(v.price(*it), w))}
	most := 1
	if h >= roomyPanel {
		most = 2
	}
	out = append(out, v.originLines(st, *it, w, most)...)
	room := h - len(out)
	flags := v.flags(*it)
	for i, f := range flags {
		if i > 0 && room-i < 3 {
			out[len(out)-1] = cell.Truncate(out[len(out)-1]+st.Warn.Render(fmt.Sprintf(" (+%d more: v)", len(flags)-i)), w)
			break
		}
		out = append(out, st.Warn.Render(cell.Truncate("⚠ "+v.flagLine(*it, f), w)))
	}
	lines := cell.Wrap(cell.Readable(it.text), w, "")
	if room = max(h-len(out), 0); len(lines) > room && room > 0 {
		left := len(lines) - room
		lines = lines[:room]
		lines[room-1] = cell.Truncate(lines[room-1], max(w-18, 0)) + st.Faint.Render(fmt.Sprintf(" … +%s · v", text.Count(left, "line", "lines")))
	}
	for _, l := range lines {
		out = append(out, st.Text.Render(l))
	}
	return out
}

// flagLine is one remark as a sentence.
func (v *View) flagLine(it item, f memory.Flag) string {
	line := f.Message
	if f.Code == memory.FlagNear {
		line = "near-duplicate of entry " + v.number(v.store, ref{it.from[0].store, f.Of}) + ": " + f.Message
	}
	if f.Code == memory.FlagBlocked {
		line = "kept out of prompts: " + line
	}
	if f.Decoded != "" {
		line += " → " + f.Decoded
	}
	return cell.Line(line)
}

// price is what an item costs: in its store, and over all requests that carried it.
func (v *View) price(it item) string {
	n := text.Len(it.text)
	out := text.Count(n, "character", "characters")
	if limit := v.sheets[v.store].Limit; limit > 0 {
		share := fmt.Sprint(n * 100 / limit)
		if n > 0 && n*100 < limit {
			share = "<1"
		}
		out += " · " + share + "% of the store"
	}
	if !it.kept {
		return out + " · not sent yet"
	}
	times, ok := v.back.Requests[it.from[0].id]
	switch {
	case v.back.Requests == nil:
		return out
	case v.blocked(it):
		return out + " · never sent: it is blocked"
	case !ok || times == 0:
		return out + " · not sent yet"
	}
	return out + fmt.Sprintf(" × %s = %s sent", text.Count(times, "request", "requests"), text.Thousands(n*times))
}

// roomyPanel is the height from which the origin may take a second line.
const roomyPanel = 6

// originLines say who saved it, when and in which session.
func (v *View) originLines(st *theme.Styles, it item, w, most int) []string {
	o := v.origin(it)
	if o == nil {
		if !it.kept {
			return []string{st.Faint.Render(cell.Truncate("new in this draft", w))}
		}
		return []string{st.Faint.Render(cell.Truncate("origin unknown: the ledger does not know this entry", w))}
	}
	by := "saved by " + string(o.Actor)
	if o.Actor == ledger.Outside {
		by = "written outside hermes"
	}
	parts := []string{by, o.Time.In(v.now().Location()).Format("2006-01-02 15:04")}
	if o.SessionID != "" {
		session := "session " + o.SessionID
		if t := cell.Line(v.back.Titles[o.SessionID]); t != "" {
			session = "“" + cell.Truncate(t, 40) + "”"
		}
		parts = append(parts, session+" (Enter)")
	}
	if o.Reason != "" && !says(it.text, o.Reason) {
		parts = append(parts, text.OneLine(o.Reason))
	}
	return wrapped(st.Muted, strings.Join(parts, " · "), w, most)
}

package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
)

// whichAfter is how long the leader waits before the keys that may follow are listed.
const whichAfter = 600 * time.Millisecond

// whichLeast is the least width of a column when the keys would not fit otherwise.
const whichLeast = 22

// whichMsg asks to list the keys after the leader, if it still waits.
type whichMsg struct{ id int }

// lead starts waiting for the key after Ctrl+X.
func (m *Model) lead() tea.Cmd {
	m.note.prefix, m.note.which = true, false
	m.note.leads++
	id := m.note.leads
	return tea.Tick(whichAfter, func(time.Time) tea.Msg { return whichMsg{id: id} })
}

// drawWhich lists the keys after the leader in columns at the foot of the screen.
func (m *Model) drawWhich(lines []string) {
	var entries []string
	for _, b := range m.table.In(keys.Prefix) {
		if len(b.Keys) > 0 {
			entries = append(entries, m.whichEntry(b))
		}
	}
	w := m.scr.w
	inner, most := w-3, max(m.scr.h-4, 1)
	cols := max(inner/(keys.ShortWidth+4), 1)
	for cols*most < len(entries) && inner/(cols+1) >= whichLeast {
		cols++
	}
	if room := cols * most; len(entries) > room {
		left := len(entries) - room + 1
		entries = append(entries[:room-1], m.st.Faint.Render(fmt.Sprintf("… %d more: ? lists all", left)))
	}
	width := inner / cols
	rows := (len(entries) + cols - 1) / cols
	body := make([]string, rows)
	for i, e := range entries {
		body[i%rows] += cell.Fit(cell.Truncate(e, width-1), width)
	}
	for i := range body {
		body[i] = " " + body[i]
	}
	box := pane.Frame(m.st, pane.Label{Title: "Ctrl+X …", Badge: "Esc cancels", Focused: true}, body, w, rows+2)
	cell.Overlay(lines, box, 0, m.scr.h-1-len(box), w)
}

// whichEntry is a key with what it does; what cannot be done right now stands in brackets.
func (m *Model) whichEntry(b keys.Binding) string {
	key := cell.Fit(keys.Name(b.Keys[0]), 2)
	if a, ok := m.action(b.Target()); ok && a.why != nil && a.why(m) != "" {
		return m.st.Faint.Render(key + " (" + b.Brief() + ")")
	}
	return m.st.Key.Render(key) + " " + m.st.Text.Render(b.Brief())
}

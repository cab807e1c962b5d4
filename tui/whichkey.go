package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
)

// whichAfter is how long the leader waits before the keys that may follow are listed.
const whichAfter = 600 * time.Millisecond

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
			entries = append(entries, m.st.Key.Render(cell.Fit(keys.Name(b.Keys[0]), 2))+" "+m.st.Text.Render(b.Help))
		}
	}
	w := m.scr.w
	inner := w - 4
	cols := max(inner/38, 1)
	width := inner / cols
	rows := min((len(entries)+cols-1)/cols, m.scr.h-4)
	body := make([]string, rows)
	for i, e := range entries {
		if r := i % max(rows, 1); rows > 0 && i/rows < cols {
			body[r] += cell.Fit(e, width-1) + " "
		}
	}
	for i := range body {
		body[i] = " " + body[i]
	}
	box := pane.Frame(m.st, pane.Label{Title: "Ctrl+X …", Badge: "Esc cancels", Focused: true}, body, w, rows+2)
	cell.Overlay(lines, box, 0, m.scr.h-1-len(box), w)
}

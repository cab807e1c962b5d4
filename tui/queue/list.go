// Package queue is the box over the messages that wait for the running turn: edit one, remove it, move
// it. It must not know who sends them. Start at List.
package queue

import (
	"fmt"

	"hermes/tui/cell"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// Outcome says what a key led to.
type Outcome int

// The outcomes of a key.
const (
	None    Outcome = iota
	Closed          // close the box
	Changed         // Messages differ from what was given
	Edit            // the message Take returned goes into the composer; Messages lack it
)

// List is the box. Create it with New.
type List struct {
	messages []string
	sel      int
	taken    string
}

// New returns the box over messages, the last one selected.
func New(messages []string) *List {
	l := &List{}
	l.Set(messages)
	l.sel = max(len(messages)-1, 0)
	return l
}

// Set replaces the messages: one was sent meanwhile.
func (l *List) Set(messages []string) {
	l.messages = append([]string(nil), messages...)
	l.sel = min(l.sel, max(len(messages)-1, 0))
}

// Messages returns what waits now, in order.
func (l *List) Messages() []string { return append([]string(nil), l.messages...) }

// Taken returns the message that is to be edited.
func (l *List) Taken() string { return l.taken }

// Key handles a keystroke.
func (l *List) Key(name string) Outcome {
	last := max(len(l.messages)-1, 0)
	switch name {
	case "esc", "q":
		return Closed
	case "j", "down":
		l.sel = min(l.sel+1, last)
	case "k", "up":
		l.sel = max(l.sel-1, 0)
	case "g", "home":
		l.sel = 0
	case "G", "end":
		l.sel = last
	case "J", "shift+down":
		return l.move(1)
	case "K", "shift+up":
		return l.move(-1)
	case "d", "delete":
		if _, ok := l.take(); ok {
			return Changed
		}
	case "enter", "e":
		if text, ok := l.take(); ok {
			l.taken = text
			return Edit
		}
	}
	return None
}

func (l *List) move(by int) Outcome {
	to := l.sel + by
	if to < 0 || to >= len(l.messages) {
		return None
	}
	l.messages[l.sel], l.messages[to] = l.messages[to], l.messages[l.sel]
	l.sel = to
	return Changed
}

func (l *List) take() (string, bool) {
	if l.sel >= len(l.messages) {
		return "", false
	}
	text := l.messages[l.sel]
	l.messages = append(l.messages[:l.sel:l.sel], l.messages[l.sel+1:]...)
	l.sel = min(l.sel, max(len(l.messages)-1, 0))
	return text, true
}

// View draws the box for a screen of w by h cells.
func (l *List) View(st *theme.Styles, w, h int) []string {
	bw := min(w, 90)
	inner := max(bw-4, 1)
	rows := max(min(len(l.messages), 12), 2)
	bh := min(rows+5, h)
	room := max(bh-5, 1)
	lines := []string{""}
	if len(l.messages) == 0 {
		lines = append(lines, st.Muted.Render(cell.Truncate("nothing is waiting", inner)))
	}
	top := max(min(l.sel-room/2, len(l.messages)-room), 0)
	for i := top; i < len(l.messages) && i < top+room; i++ {
		text := fmt.Sprintf("%2d  %s", i+1, cell.Line(l.messages[i]))
		if i == l.sel {
			lines = append(lines, st.Selected.Render(cell.Fit("› "+cell.Truncate(text, inner-2), inner)))
		} else {
			lines = append(lines, "  "+st.Text.Render(cell.Truncate(text, inner-2)))
		}
	}
	foot := "Enter edit · d remove · J K move · Esc close"
	lines = append(cell.Block(lines, inner, max(bh-4, 0)), "", st.Faint.Render(cell.Truncate(foot, inner)))
	for i := range lines {
		lines[i] = " " + cell.Fit(lines[i], inner) + " "
	}
	return pane.Frame(st, pane.Label{Title: "Waiting messages", Badge: fmt.Sprint(len(l.messages)), Focused: true}, lines, bw, bh)
}

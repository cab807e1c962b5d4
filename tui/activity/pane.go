// Package activity is the tools pane: the task list of the agent on top, then one line a call (and one
// a sub-agent below its call), newest at the bottom, with a selection.
//
// It must not know ports or other panes; it reads the call log the root feeds. Start at Pane.
package activity

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

var _ pane.Pane = (*Pane)(nil)

// toolColumn is the room for the names of tools in a list that is wide enough.
const toolColumn = 12

// Pane lists the calls of the open session. Create it with New.
type Pane struct {
	st      *theme.Styles
	log     *card.Log
	now     func() time.Time
	w, h    int
	focused bool
	tick    int
	todos   []core.TodoItem

	sel    int
	top    int
	follow bool // the selection stays on the newest call
}

// New returns the pane over log.
func New(st *theme.Styles, log *card.Log, now func() time.Time) *Pane {
	return &Pane{st: st, log: log, now: now, follow: true}
}

// SetTheme redraws in st.
func (p *Pane) SetTheme(st *theme.Styles) { p.st = st }

// Reset shows another session's log.
func (p *Pane) Reset(log *card.Log) { p.log, p.todos, p.sel, p.top, p.follow = log, nil, 0, 0, true }

// SetTick turns the spinners.
func (p *Pane) SetTick(n int) { p.tick = n }

// SetSize sets the cells of the body.
func (p *Pane) SetSize(w, h int) { p.w, p.h = max(w, 0), max(h, 0) }

// Focus gives the pane the keys.
func (p *Pane) Focus() { p.focused = true }

// Blur takes them away.
func (p *Pane) Blur() { p.focused = false }

// Update takes no keys of its own: all are bound by the root.
func (p *Pane) Update(tea.Msg) tea.Cmd { return nil }

// Title names the pane.
func (p *Pane) Title() string { return "Tools" }

// Badge counts: "12 calls · 2 ✗".
func (p *Pane) Badge() string {
	n := len(p.log.Calls())
	if n == 0 {
		return p.todoBadge()
	}
	s := fmt.Sprintf("%d calls", n)
	if n == 1 {
		s = "1 call"
	}
	if f := p.log.Failed(); f > 0 {
		s += fmt.Sprintf(" · %d ✗", f)
	}
	if t := p.todoBadge(); t != "" {
		s = t + " · " + s
	}
	return s
}

// Summary is the pane in one line: the counts and the newest call.
func (p *Pane) Summary(w int) string {
	calls := p.log.Calls()
	if len(calls) == 0 {
		return cell.Fit(p.st.Faint.Render("no calls yet"), w)
	}
	c := calls[len(calls)-1]
	for i := len(calls) - 1; i >= 0 && p.log.Active() > 0; i-- { // what runs tells more than what ended
		if !calls[i].Done() {
			c = calls[i]
			break
		}
	}
	badge := p.Badge()
	head := p.st.Muted.Render(badge+" ") + p.st.Faint.Render("│ ")
	room := w - cell.Width(badge) - 3
	if room < 16 {
		return cell.Fit(p.st.Muted.Render(badge), w)
	}
	return cell.Fit(head+c.Header(p.st, p.tick, p.now(), room, 0), w)
}

// ShortHelp lists the keys that matter.
func (p *Pane) ShortHelp() []keys.Hint {
	return []keys.Hint{{Key: "j k", Word: "move"}, {Key: "Enter", Word: "output"}, {Key: "y", Word: "copy"}, {Key: "q", Word: "back"}}
}

// View draws the task list and the visible calls.
func (p *Pane) View() string {
	out := p.todoLines()
	rows := p.log.Rows()
	if len(rows) == 0 {
		return strings.Join(append(out, p.st.Faint.Render(cell.Truncate(" Calls of the agent show up here.", p.w))), "\n")
	}
	p.settle()
	column := 0
	if p.w >= 40 {
		column = toolColumn
	}
	h := p.listHeight()
	for i := p.top; i < len(rows) && i < p.top+h; i++ {
		mark := " "
		if p.focused && i == p.sel {
			mark = p.st.Accent.Render("▌")
		}
		if t := rows[i].Task; t != nil {
			out = append(out, mark+" "+t.Header(p.st, p.tick, p.now(), max(p.w-3, 0)))
			continue
		}
		out = append(out, mark+rows[i].Call.Header(p.st, p.tick, p.now(), max(p.w-2, 0), column))
	}
	return strings.Join(out, "\n")
}

// listHeight is what the task list leaves.
func (p *Pane) listHeight() int { return max(p.h-len(p.todoLines()), 0) }

// settle keeps selection and scroll position within the list.
func (p *Pane) settle() {
	n, h := len(p.log.Rows()), p.listHeight()
	if p.follow || p.sel >= n {
		p.sel = max(n-1, 0)
	}
	if h <= 0 {
		return
	}
	p.top = min(p.top, p.sel)
	p.top = max(p.top, p.sel-h+1)
	p.top = max(min(p.top, n-h), 0)
}

// Select moves the selection by n lines.
func (p *Pane) Select(n int) {
	p.settle()
	last := len(p.log.Rows()) - 1
	p.sel = min(max(p.sel+n, 0), max(last, 0))
	p.follow = p.sel == last
}

// Click selects the line y of the body and tells whether there is one.
func (p *Pane) Click(y int) bool {
	p.settle()
	i := p.top + y - len(p.todoLines())
	if y < len(p.todoLines()) || i >= len(p.log.Rows()) {
		return false
	}
	p.sel = i
	p.follow = i == len(p.log.Rows())-1
	return true
}

// Page is how many lines a page key moves.
func (p *Pane) Page() int { return max(p.listHeight()-1, 1) }

// Selected returns the call and, on its line, the sub-agent of the selection; nil when there is none.
func (p *Pane) Selected() (*card.Call, *card.Task) {
	p.settle()
	rows := p.log.Rows()
	if len(rows) == 0 {
		return nil, nil
	}
	return rows[p.sel].Call, rows[p.sel].Task
}

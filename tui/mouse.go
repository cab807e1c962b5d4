package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/tui/cell"
	"hermes/tui/layout"
)

// wheelLines is how far a notch of the wheel scrolls.
const wheelLines = 3

// selection is text marked by dragging inside one pane. Positions are cells of the screen.
type selection struct {
	body           layout.Rect
	x1, y1, x2, y2 int
	dragging       bool
	moved          bool
	text           string // what was marked, taken when the button was released
	held           bool   // the chat followed its end until the button was pressed
}

// clicker is a layer that fills the screen and selects what is clicked.
type clicker interface {
	click(m *Model, x, y int) tea.Cmd
}

// stageMouse: wheel, clicks and dragging, when the person lets hermes have the mouse.
func (m *Model) stageMouse(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return m.wheel(msg), true
	case tea.MouseClickMsg:
		return m.click(msg), true
	case tea.MouseMotionMsg:
		m.drag(msg.X, msg.Y)
		return nil, true
	case tea.MouseReleaseMsg:
		return m.release(msg.X, msg.Y), true
	}
	return nil, false
}

// wheel scrolls what lies under the pointer; over an overlay it moves its list or text.
func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	by := wheelLines
	key := tea.KeyPressMsg{Code: tea.KeyDown}
	switch msg.Button {
	case tea.MouseWheelUp:
		by, key.Code = -wheelLines, tea.KeyUp
	case tea.MouseWheelDown:
	default:
		return nil
	}
	m.sel = selection{}
	if m.covered() {
		var cmds []tea.Cmd
		for range wheelLines {
			if cmd, ok := m.stageLayer(key); ok {
				cmds = append(cmds, cmd)
			}
		}
		return tea.Batch(cmds...)
	}
	switch p, _ := m.under(msg.X, msg.Y); p {
	case layout.Chat:
		m.chat.Scroll(by)
	case layout.Tools:
		m.tools.Select(by)
	case layout.Skills:
		m.skills.Select(by)
	case layout.Memory:
		m.memory.Select(by)
	case layout.Reviews:
		m.reviews.Select(by)
	default:
	}
	return nil
}

// under returns the pane at a cell and its body; 0 when there is none.
func (m *Model) under(x, y int) (layout.Pane, layout.Rect) {
	for _, b := range m.scr.lay.Boxes {
		for _, s := range b.Sections {
			if s.Body.Contains(x, y) {
				return s.Pane, s.Body
			}
		}
	}
	for _, s := range m.scr.lay.Strips {
		if s.Body.Contains(x, y) {
			return s.Pane, layout.Rect{}
		}
	}
	return 0, layout.Rect{}
}

// click focuses the pane under the pointer and selects what is there; dragging may follow.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	m.unmark()
	if msg.Button != tea.MouseLeft {
		return nil
	}
	if m.covered() {
		if n := len(m.layers); n > 0 {
			if l, ok := m.layers[n-1].(clicker); ok {
				return l.click(m, msg.X, msg.Y)
			}
		}
		return nil
	}
	if m.scr.lay.Tabs.Contains(msg.X, msg.Y) {
		if p := m.tabAt(msg.X); p != 0 {
			m.focusPane(p)
		}
		return nil
	}
	p, body := m.under(msg.X, msg.Y)
	if p == 0 {
		return nil
	}
	m.sel = selection{body: body, x1: msg.X, y1: msg.Y, x2: msg.X, y2: msg.Y, dragging: body.W > 0}
	if p == layout.Memory && body.H > 0 { // first: with the focus its lines may move
		if hit := m.memory.Click(msg.Y - body.Y); !hit && m.scr.focus == p && whyNoCleanup(m) == "" {
			m.sel = selection{}
			return m.openCleanup() // a click on the gauges of the focused pane
		}
	}
	if p != m.scr.focus {
		m.focusPane(p)
	}
	switch p {
	case layout.Chat:
		if i, ok := m.chat.ItemAt(msg.Y - body.Y); ok {
			m.chat.Read(true)
			m.chat.Pick(i)
		} else {
			m.chat.Read(false)
		}
	case layout.Tools:
		m.tools.Click(msg.Y - body.Y)
	case layout.Skills:
		m.skills.Click(msg.Y - body.Y)
	case layout.Reviews:
		m.reviews.Click(msg.Y - body.Y)
	default:
	}
	if p == layout.Chat {
		m.sel.held = m.chat.Hold() // what streams must not pull the words from under the pointer
	}
	return nil
}

// unmark ends the selection; a chat that was held for it follows its end again.
func (m *Model) unmark() {
	if m.sel.held {
		m.chat.Follow()
	}
	m.sel = selection{}
}

func (m *Model) drag(x, y int) {
	if !m.sel.dragging {
		return
	}
	b := m.sel.body
	m.sel.x2 = min(max(x, b.X), b.X+b.W-1)
	m.sel.y2 = min(max(y, b.Y), b.Y+b.H-1)
	m.sel.moved = m.sel.moved || m.sel.x2 != m.sel.x1 || m.sel.y2 != m.sel.y1
}

func (m *Model) release(x, y int) tea.Cmd {
	if !m.sel.dragging {
		return nil
	}
	m.drag(x, y)
	m.sel.dragging = false
	if !m.sel.moved {
		m.unmark()
		return nil
	}
	m.sel.text = m.selected()
	return m.toast(core.LevelInfo, "Ctrl+C copies the selection")
}

// spans calls f with every line of the selection: the cells from x to end of screen line y.
func (s *selection) spans(f func(y, x, end int)) {
	y1, x1, y2, x2 := s.y1, s.x1, s.y2, s.x2
	if y2 < y1 || (y2 == y1 && x2 < x1) {
		y1, x1, y2, x2 = y2, x2, y1, x1
	}
	for y := y1; y <= y2; y++ {
		from, to := s.body.X, s.body.X+s.body.W
		if y == y1 {
			from = x1
		}
		if y == y2 {
			to = min(x2+1, to)
		}
		if from < to {
			f(y, from, to)
		}
	}
}

// selected returns the marked text without the space around it.
func (m *Model) selected() string {
	lines := m.body()
	var out []string
	m.sel.spans(func(y, x, end int) {
		if y < len(lines) {
			text := ansi.Cut(ansi.Strip(lines[y]), x, end)
			if rest, ok := strings.CutPrefix(text, "▌"); ok { // the mark of a selected entry is no text
				text = " " + rest
			}
			out = append(out, strings.TrimRight(text, " "))
		}
	})
	margin := -1 // lines but the first start at the pane's edge
	for _, l := range out[min(1, len(out)):] {
		if n := len(l) - len(strings.TrimLeft(l, " ")); l != "" && (margin < 0 || n < margin) {
			margin = n
		}
	}
	for i := 1; i < len(out) && margin > 0; i++ {
		if out[i] != "" {
			out[i] = out[i][margin:]
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// drawSelection marks the selected cells.
func (m *Model) drawSelection(lines []string) {
	if !m.sel.moved {
		return
	}
	m.sel.spans(func(y, x, end int) {
		if y >= len(lines) {
			return
		}
		text := ansi.Cut(ansi.Strip(lines[y]), x, end)
		if n := cell.Width(text); n > 0 {
			cell.Overlay(lines, []string{m.st.Selected.Render(text)}, x, y, m.scr.w)
		}
	})
}

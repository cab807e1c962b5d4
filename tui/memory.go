package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/gauges"
	"hermes/tui/layout"
	"hermes/tui/viewer"
)

// Memory reads the memory stores for their pane.
type Memory interface {
	// Sheets returns the stores that are on, in the order they are shown. Texts are raw. The root asks
	// when a workspace opens and after each core.MemoryChanged, one call at a time.
	Sheets(ctx context.Context) ([]gauges.Sheet, error)
}

// memoryMsg carries the stores, or why they could not be read.
type memoryMsg struct {
	gen    int
	sheets []gauges.Sheet
	err    error
}

// memoryRead is what is known about the read of the stores that is under way.
type memoryRead struct {
	active bool
	stale  bool // something changed since it began
}

// memoryCmd reads the stores. While a read is under way another follows it, so that an older answer
// never replaces a newer one and a burst of changes costs two reads.
func (m *Model) memoryCmd() tea.Cmd {
	port, gen, ctx := m.ws.Memory, m.ws.gen, m.ws.ctx
	switch {
	case port == nil:
		return nil
	case m.ws.memory.active:
		m.ws.memory.stale = true
		return nil
	}
	m.ws.memory = memoryRead{active: true}
	return func() tea.Msg {
		sheets, err := port.Sheets(ctx)
		return memoryMsg{gen: gen, sheets: sheets, err: err}
	}
}

func (m *Model) memoryCame(msg memoryMsg) tea.Cmd {
	if msg.gen != m.ws.gen {
		return nil
	}
	again := m.ws.memory.stale
	m.ws.memory = memoryRead{}
	if msg.err != nil {
		m.opt.Log.Warn("reading memory failed", "err", msg.err)
		m.memory.SetError(msg.err.Error())
	} else {
		m.memory.SetSheets(msg.sheets)
	}
	if again {
		return m.memoryCmd()
	}
	return nil
}

// showEntry opens the selected memory entry with its origin.
func (m *Model) showEntry() tea.Cmd {
	d, ok := m.memory.Selected()
	if !ok {
		return nil
	}
	m.showText(d.Text, viewer.New(d.Title, 76, d.Lines))
	return nil
}

// copyEntry copies the selected memory entry.
func (m *Model) copyEntry() tea.Cmd {
	if d, ok := m.memory.Selected(); ok {
		return m.copyCmd(d.Text)
	}
	return nil
}

// rows is a standing pane with a selection.
type rows interface {
	Select(n int)
	Page() int
}

// list is the list pane that has the keys.
func (m *Model) list() rows {
	switch m.scr.focus {
	case layout.Skills:
		return m.skills
	case layout.Memory:
		return m.memory
	case layout.Reviews:
		return m.reviews
	default:
		return m.tools
	}
}

func whyNoMemory(m *Model) string {
	if m.ws.Memory == nil {
		return notHere
	}
	return ""
}

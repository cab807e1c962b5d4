package tui

import (
	"fmt"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/layout"
)

const (
	// layoutsAfter is how long after the last change of the layout it is stored.
	layoutsAfter = 500 * time.Millisecond
	// maxLayouts bounds how many sizes are remembered.
	maxLayouts = 60
)

// remembered are the layouts the person made, by size of the terminal.
type remembered struct {
	states map[string]LayoutState
	saving int // counts changes, so that only the last one is stored
}

type (
	layoutsMsg struct {
		states map[string]LayoutState
		err    error
	}
	layoutsDueMsg struct{ change int }
)

func (m *Model) layoutsLoadCmd() tea.Cmd {
	port, ctx := m.opt.Layouts, m.ctx
	if port == nil {
		return nil
	}
	return func() tea.Msg {
		states, err := port.Load(ctx)
		return layoutsMsg{states: states, err: err}
	}
}

func (m *Model) layoutsCame(msg layoutsMsg) {
	if msg.err != nil {
		m.opt.Log.Warn("load layouts", "err", msg.err)
		return
	}
	states := maps.Clone(msg.states)
	if states == nil {
		states = map[string]LayoutState{}
	}
	maps.Copy(states, m.layouts.states) // what was done meanwhile counts more
	m.layouts.states = states
	m.recall()
	m.place()
}

func (m *Model) sizeKey() string { return fmt.Sprintf("%dx%d", m.scr.w, m.scr.h) }

// recall takes over what is remembered for the present size; unknown sizes keep what is.
func (m *Model) recall() {
	s, ok := m.layouts.states[m.sizeKey()]
	if !ok {
		return
	}
	m.scr.side, m.scr.zoom = s.Side, s.Zoom
	if p := layout.Pane(s.Focus); s.Zoom && p > layout.Chat && m.pane(p) != nil && m.onboard == nil {
		m.focusPane(p)
	}
}

// remember stores the layout of this size a moment later; the default one is forgotten instead.
func (m *Model) remember() tea.Cmd {
	if m.layouts.states == nil {
		m.layouts.states = map[string]LayoutState{}
	}
	s := LayoutState{Side: m.scr.side, Zoom: m.scr.zoom}
	if s.Zoom {
		s.Focus = int(m.scr.focus)
	}
	if s == (LayoutState{}) {
		delete(m.layouts.states, m.sizeKey())
	} else {
		for key := range m.layouts.states {
			if len(m.layouts.states) < maxLayouts {
				break
			}
			delete(m.layouts.states, key)
		}
		m.layouts.states[m.sizeKey()] = s
	}
	if m.opt.Layouts == nil {
		return nil
	}
	m.layouts.saving++
	change := m.layouts.saving
	return tea.Tick(layoutsAfter, func(time.Time) tea.Msg { return layoutsDueMsg{change: change} })
}

func (m *Model) layoutsSaveCmd(msg layoutsDueMsg) tea.Cmd {
	if msg.change != m.layouts.saving {
		return nil
	}
	port, ctx, states := m.opt.Layouts, m.ctx, maps.Clone(m.layouts.states)
	return func() tea.Msg {
		if err := port.Save(ctx, states); err != nil {
			return doneMsg{err: err}
		}
		return nil
	}
}

// resetLayout forgets what the person did to the layout of this size.
func (m *Model) resetLayout() tea.Cmd {
	m.scr.side, m.scr.zoom = 0, false
	m.place()
	return tea.Batch(m.remember(), m.toast(core.LevelInfo, "layout reset"))
}

package tui

import (
	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/layout"
	"hermes/tui/pane"
)

// pane returns the standing pane p, nil when it does not exist (yet).
func (m *Model) pane(p layout.Pane) pane.Pane {
	switch p {
	case layout.Chat:
		return m.chat
	case layout.Tools:
		return m.tools
	case layout.Skills:
		if m.ws.Skills != nil {
			return m.skills
		}
	case layout.Memory:
		if m.ws.Memory != nil {
			return m.memory
		}
	case layout.Reviews:
		if m.ws.Reviews != nil {
			return m.reviews
		}
	default:
	}
	return nil
}

// focusPane gives p the keys.
func (m *Model) focusPane(p layout.Pane) {
	for _, other := range m.panes() {
		m.pane(other).Blur()
	}
	m.scr.focus = p
	m.pane(p).Focus()
	m.place()
}

func (m *Model) focusComposer() {
	m.focusPane(layout.Chat)
	m.chat.Read(false)
}

// gotoPane focuses p; when it has the focus already it is zoomed, or back.
func (m *Model) gotoPane(p layout.Pane) tea.Cmd {
	if m.scr.focus == p {
		m.scr.zoom = !m.scr.zoom
		m.place()
		return m.remember()
	}
	m.focusPane(p)
	return m.arrived(p)
}

// arrived reads what may have changed behind the back of a pane that gets the keys.
func (m *Model) arrived(p layout.Pane) tea.Cmd {
	switch p {
	case layout.Skills:
		return m.skillsCmd()
	case layout.Memory:
		return m.memoryCmd()
	case layout.Reviews:
		return m.reviewsCmd()
	default:
		return nil
	}
}

// cycle moves the focus on: composer, transcript, then the other panes.
func (m *Model) cycle(by int) tea.Cmd {
	panes := m.panes()
	stops := len(panes) + 1 // the chat has two
	at := 0
	switch {
	case m.scr.focus == layout.Chat && m.chat.Reading():
		at = 1
	case m.scr.focus != layout.Chat:
		for i, p := range panes {
			if p == m.scr.focus {
				at = i + 1
			}
		}
	}
	at = ((at+by)%stops + stops) % stops
	switch at {
	case 0:
		m.focusComposer()
	case 1:
		m.focusPane(layout.Chat)
		m.chat.Read(true)
		if !m.chat.Reading() { // nothing to read yet
			return m.cycleFrom(at, by)
		}
	default:
		m.focusPane(panes[at-1])
		return m.arrived(panes[at-1])
	}
	return nil
}

// cycleFrom skips the empty transcript.
func (m *Model) cycleFrom(at, by int) tea.Cmd {
	if by > 0 && len(m.panes()) > 1 {
		m.focusPane(m.panes()[at])
	} else {
		m.focusComposer()
	}
	return nil
}

// place computes the layout and hands every visible pane its size.
func (m *Model) place() {
	m.scr.lay = layout.Compute(layout.Input{
		W: m.scr.w, H: m.scr.h, Panes: m.panes(), Focus: m.scr.focus, Zoom: m.scr.zoom, SideDelta: m.scr.side,
	})
	for _, p := range m.panes() {
		if r, ok := m.scr.lay.Body(p); ok {
			m.pane(p).SetSize(r.W, r.H)
		}
	}
}

// widen changes the side column by n cells, the block below the chat by half as many lines, within what fits.
func (m *Model) widen(n int) tea.Cmd {
	before, _ := m.scr.lay.Body(layout.Chat)
	if k := m.scr.lay.Kind; k != layout.Side && k != layout.Stack {
		return m.toast(core.LevelInfo, "this layout has nothing to resize")
	}
	m.scr.side += n
	m.place()
	if after, _ := m.scr.lay.Body(layout.Chat); after == before { // at the limit, or nothing to move: do not count on
		m.scr.side -= n
		m.place()
		return nil
	}
	return m.remember()
}

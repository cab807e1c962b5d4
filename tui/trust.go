package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
)

// Truster remembers that the person trusts the working folder.
type Truster interface {
	// Trust stores the working folder among the trusted ones and returns it as shown.
	Trust(ctx context.Context) (folder string, err error)
}

// trustMsg says how that went.
type trustMsg struct {
	gen    int
	folder string
	err    error
}

func whyNoTrust(m *Model) string {
	if m.ws.Truster == nil {
		return "the folder is trusted"
	}
	return ""
}

func (m *Model) trustCmd() tea.Cmd {
	port, gen, ctx := m.ws.Truster, m.ws.gen, m.ws.ctx
	return func() tea.Msg {
		folder, err := port.Trust(ctx)
		return trustMsg{gen: gen, folder: folder, err: err}
	}
}

func (m *Model) trustCame(msg trustMsg) tea.Cmd {
	switch {
	case msg.gen != m.ws.gen:
		return nil
	case msg.err != nil:
		return m.fail(msg.err)
	}
	m.ws.Truster = nil
	return m.toast(core.LevelInfo, "trusted: "+msg.folder)
}

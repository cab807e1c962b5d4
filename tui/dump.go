package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// dumpCmd writes the screen as it is, as plain text.
func (m *Model) dumpCmd() tea.Cmd {
	lines, _ := m.frame()
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	text := strings.Join(lines, "\n") + "\n"
	port, ctx := m.opt.Dumps, m.ctx
	return func() tea.Msg {
		path, err := port.Dump(ctx, text)
		return doneMsg{text: "screen in " + path + " · read it before sharing", err: err}
	}
}

func whyNoDump(m *Model) string {
	if m.opt.Dumps == nil {
		return notHere
	}
	return ""
}

// programStatus tells terminals that show it how the program stands; nil when they do not.
func (m *Model) programStatus() *tea.ProgramStatus {
	if !m.scr.reports {
		return nil
	}
	s := &tea.ProgramStatus{App: "hermes", State: tea.ProgramStateIdle, Title: ansi.Strip(m.ws.Info.Title)}
	switch {
	case m.asks.layer != nil:
		s.State, s.Kind = tea.ProgramStateBlocked, tea.ProgramStatusKindPermission
	case m.quests.layer != nil:
		s.State, s.Kind = tea.ProgramStateBlocked, tea.ProgramStatusKindQuestion
	case m.run.active || m.run.compacts:
		s.State = tea.ProgramStateWorking
	case m.run.failed:
		s.State = tea.ProgramStateError
	case m.scr.away && m.run.ended:
		s.State = tea.ProgramStateDone
	}
	return s
}

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// previewAfter is how long the selection rests before a session is read for its preview.
const previewAfter = 80 * time.Millisecond

type (
	// previewDueMsg asks to read session id, if it is still selected.
	previewDueMsg struct {
		layer *sessionsLayer
		id    string
	}
	previewMsg struct {
		layer *sessionsLayer
		id    string
		lines []PreviewLine
		err   error
	}
)

// preview reads the selected session a moment after it was selected.
func (l *sessionsLayer) preview(m *Model) tea.Cmd {
	id := l.picker.Selected()
	if m.ws.Previews == nil || id == "" || l.picker.Previewed(id) {
		return nil
	}
	return tea.Tick(previewAfter, func(time.Time) tea.Msg { return previewDueMsg{layer: l, id: id} })
}

func (m *Model) previewDue(msg previewDueMsg) tea.Cmd {
	if msg.layer.picker.Selected() != msg.id || msg.layer.picker.Previewed(msg.id) || m.ws.Previews == nil {
		return nil
	}
	port, ctx := m.ws.Previews, m.ws.ctx
	return func() tea.Msg {
		lines, err := port.Preview(ctx, msg.id)
		return previewMsg{layer: msg.layer, id: msg.id, lines: lines, err: err}
	}
}

func (m *Model) previewCame(msg previewMsg) {
	if msg.err != nil {
		msg.lines = []PreviewLine{{Who: "it cannot be read", Text: msg.err.Error()}}
	}
	msg.layer.picker.SetPreview(msg.id, msg.lines)
}

package app

import (
	"context"
	"strings"

	"hermes/core"
	"hermes/core/session"
	"hermes/core/text"
	"hermes/index"
	"hermes/tui"
	"hermes/tui/sessions"
)

// finder searches all sessions for the screen.
type finder struct{ a *App }

// The most that is shown of a search: sessions, and hits in each.
const (
	foundSessions = 30
	foundHits     = 5
)

// Find searches for a query.
func (f finder) Find(ctx context.Context, query string) (tui.Found, error) {
	r, err := f.a.SearchSessions(ctx, query, index.Options{Limit: foundSessions, PerHit: foundHits})
	if err != nil {
		return tui.Found{}, err
	}
	out := tui.Found{Query: query, Total: r.Total, Limited: r.Limited, Notes: r.Notes, Partial: r.Building}
	for _, g := range r.Sessions {
		group := sessions.Group{ID: g.SessionID, Title: g.Title, Started: g.Started}
		for _, h := range g.Hits {
			group.Hits = append(group.Hits, sessions.Hit{
				Message: h.MessageID, Role: h.Role, Tool: h.Tool, Time: h.Time, Excerpt: h.Excerpt, Marks: h.Marks,
			})
		}
		out.Groups = append(out.Groups, group)
	}
	return out, nil
}

// Transcript reads a stored session.
func (h shelf) Transcript(_ context.Context, id string) (tui.Transcript, error) {
	t, err := h.a.Sessions.Read(id)
	if err != nil {
		return tui.Transcript{}, err
	}
	return tui.Transcript{ID: id, Title: t.Title(), Records: t.Records}, nil
}

// Around returns the messages around one of a stored session, also when they were compacted away or undone.
func (h shelf) Around(_ context.Context, id, message string) ([]tui.PreviewLine, error) {
	t, err := h.a.Sessions.Read(id)
	if err != nil {
		return nil, err
	}
	msgs, at := AllMessages(t), 0
	for i, m := range msgs {
		if m.ID == message {
			at = i
		}
	}
	var out []tui.PreviewLine
	for i := max(0, at-3); i < min(len(msgs), at+4); i++ {
		if line, ok := previewLine(msgs[i]); ok {
			line.Here = i == at
			out = append(out, line)
		}
	}
	return out, nil
}

// AllMessages are the messages of a transcript as they were said, whatever became of them since.
func AllMessages(t *session.Transcript) []core.Message {
	var out []core.Message
	for _, r := range t.Records {
		if r.Type == core.RecordMessage && r.Message != nil {
			out = append(out, *r.Message)
		}
	}
	return out
}

// previewLine is a message in a few lines; false when it says nothing.
func previewLine(m core.Message) (tui.PreviewLine, bool) {
	line := tui.PreviewLine{Who: "you", Text: text.Cut(m.Display(), 2_000)}
	switch m.Role {
	case core.RoleAssistant:
		line.Who = "hermes"
	case core.RoleTool:
		line.Who, line.Text = m.ToolName, text.Cut(m.Content, 2_000)
	default:
	}
	if strings.TrimSpace(line.Text) == "" && len(m.ToolCalls) > 0 {
		c := m.ToolCalls[0]
		line.Text = c.Name + " " + text.Cut(text.OneLine(c.Arguments), 300)
	}
	return line, strings.TrimSpace(line.Text) != ""
}

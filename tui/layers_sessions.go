package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/index"
	"hermes/tui/cell"
	"hermes/tui/sessions"
	"hermes/tui/theme"
)

const (
	// previewAfter is how long the selection rests before a session is read for its preview.
	previewAfter = 80 * time.Millisecond
	// searchAfter is how long the typing rests before it is searched for.
	searchAfter = 120 * time.Millisecond
	// searchAgain is when a search is repeated that the unfinished index could not serve.
	searchAgain = 3 * time.Second
)

// sessionsLayer is the view over stored sessions.
type sessionsLayer struct {
	picker *sessions.Picker
	asked  string             // the query that is, or was last, searched for
	cancel context.CancelFunc // gives that search up
}

func (l *sessionsLayer) setError(text string) { l.picker.SetError(text) }

func (m *Model) showSessions() tea.Cmd {
	l := &sessionsLayer{picker: sessions.New(m.ws.Info.SessionID, m.opt.Now), cancel: func() {}}
	if m.ws.Previews != nil {
		l.picker.ShowPreviews()
	}
	if m.ws.Finder != nil {
		l.picker.Searches()
	}
	m.push(l)
	return m.listCmd()
}

// pickSession is the list at the start of the program.
func (m *Model) pickSession() tea.Cmd {
	if m.ws.Sessions == nil {
		return m.toast(core.LevelWarn, "sessions: "+notHere)
	}
	return m.showSessions()
}

func (m *Model) listed(msg listedMsg) tea.Cmd {
	for _, l := range m.layers {
		if s, ok := l.(*sessionsLayer); ok {
			if msg.err != nil {
				return m.fail(msg.err)
			}
			s.picker.SetRows(msg.rows)
			return s.preview(m)
		}
	}
	return nil
}

func (l *sessionsLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.picker.View(m.st, w, h)
}

// click selects a line; a click on the selected one is Enter.
func (l *sessionsLayer) click(m *Model, _, y int) tea.Cmd {
	if again := l.picker.Click(y); again {
		return l.update(m, tea.KeyPressMsg{Code: tea.KeyEnter})
	}
	return l.preview(m)
}

func (l *sessionsLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	a := l.picker.Update(msg)
	if a.Do == sessions.Nothing {
		return tea.Batch(l.search(m), l.preview(m))
	}
	again := func(m *Model) tea.Cmd { return m.listCmd() }
	switch a.Do {
	case sessions.Close:
		l.cancel()
		m.pop(l)
	case sessions.Resume:
		if a.ID == m.ws.Info.SessionID {
			m.pop(l)
			return nil
		}
		return m.switchSession(func(ctx context.Context, o Opener) (Workspace, error) { return o.Open(ctx, a.ID) })
	case sessions.Start:
		return m.switchSession(func(ctx context.Context, o Opener) (Workspace, error) { return o.New(ctx) })
	case sessions.Fork:
		return m.switchSession(func(ctx context.Context, o Opener) (Workspace, error) { return o.Fork(ctx, a.ID, a.Message) })
	case sessions.Read:
		return m.readSession(place{session: a.ID, message: a.Message, words: a.Words})
	case sessions.Rename:
		return m.doCmd("renamed", again, func(ctx context.Context) error { return m.ws.Sessions.Rename(ctx, a.ID, a.Title) })
	case sessions.Delete:
		return m.doCmd("deleted", again, func(ctx context.Context) error { return m.ws.Sessions.Delete(ctx, a.ID) })
	case sessions.Export:
		return m.exportCmd(a.ID, "md", false)
	case sessions.Nothing:
	}
	return nil
}

// queryHelp says what a search may hold.
func queryHelp(st *theme.Styles, w int) []string {
	var out []string
	for line := range strings.SplitSeq(index.Help, "\n") {
		for _, l := range cell.Wrap("  "+line, w, "  ") {
			out = append(out, st.Text.Render(l))
		}
	}
	return out
}

// search looks for what was typed, a moment after the last key; an older search is given up at once.
func (l *sessionsLayer) search(m *Model) tea.Cmd {
	query := l.picker.Query()
	if m.ws.Finder == nil || query == l.asked {
		return nil
	}
	l.cancel()
	l.cancel, l.asked = func() {}, query
	if query == "" {
		return nil
	}
	return l.searchLater(m, query, searchAfter)
}

func (l *sessionsLayer) searchLater(m *Model, query string, after time.Duration) tea.Cmd {
	gen := m.ws.gen
	return tea.Tick(after, func(time.Time) tea.Msg {
		return cameMsg{gen: gen, take: func(m *Model) tea.Cmd { return l.searchCmd(m, query) }}
	})
}

// searchCmd searches, unless the query has changed since or the view is closed.
func (l *sessionsLayer) searchCmd(m *Model, query string) tea.Cmd {
	if l.asked != query || l.picker.Query() != query || !slices.Contains(m.layers, layer(l)) {
		return nil
	}
	port := m.ws.Finder
	own, cancel := context.WithCancel(m.ws.ctx)
	l.cancel = cancel
	find := func(context.Context) (Found, error) {
		defer cancel()
		return port.Find(own, query)
	}
	return bring(m, find, func(m *Model, found Found, err error) tea.Cmd {
		switch {
		case errors.Is(err, context.Canceled):
			return nil
		case err != nil:
			l.picker.SetFound(query, found, err.Error())
		default:
			l.picker.SetFound(query, found, "")
			if found.Partial {
				return tea.Batch(l.preview(m), l.searchLater(m, query, searchAgain))
			}
		}
		return l.preview(m)
	})
}

// preview reads the selected place a moment after it was selected.
func (l *sessionsLayer) preview(m *Model) tea.Cmd {
	id, message := l.picker.Selected()
	if m.ws.Previews == nil || id == "" || l.picker.Previewed(id, message) || message != "" && m.ws.Transcripts == nil {
		return nil
	}
	gen := m.ws.gen
	return tea.Tick(previewAfter, func(time.Time) tea.Msg {
		return cameMsg{gen: gen, take: func(m *Model) tea.Cmd { return l.previewCmd(m, id, message) }}
	})
}

// previewCmd reads a place, if it is still the selected one.
func (l *sessionsLayer) previewCmd(m *Model, id, message string) tea.Cmd {
	if nowID, nowMessage := l.picker.Selected(); nowID != id || nowMessage != message || l.picker.Previewed(id, message) {
		return nil
	}
	ends, places := m.ws.Previews, m.ws.Transcripts
	read := func(ctx context.Context) ([]PreviewLine, error) {
		if message == "" {
			return ends.Preview(ctx, id)
		}
		return places.Around(ctx, id, message)
	}
	return bring(m, read, func(_ *Model, lines []PreviewLine, err error) tea.Cmd {
		if err != nil {
			lines = []PreviewLine{{Who: "it cannot be read", Text: err.Error()}}
		}
		l.picker.SetPreview(id, message, lines)
		return nil
	})
}

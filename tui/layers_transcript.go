package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/chat"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// place is where a stored session is opened.
type place struct {
	session string
	message string // "" for the end
	run     string // … or where this run saved text
	text    string
	words   string // what is marked; "" for nothing
}

// transcriptLayer shows a stored session, read only.
type transcriptLayer struct {
	at    place
	title string
	err   string
	log   *card.Log
	chat  *chat.Pane    // nil until it was read
	st    *theme.Styles // what it was last drawn with
}

// readOrigin opens the session that saved a memory entry, at the call that did.
func (m *Model) readOrigin(session, run, text string) tea.Cmd {
	return m.readSession(place{session: session, run: run, text: text})
}

// readSession opens a stored session read only.
func (m *Model) readSession(at place) tea.Cmd {
	if m.ws.Transcripts == nil {
		return m.toast(core.LevelWarn, "read a session: "+notHere)
	}
	l := &transcriptLayer{at: at}
	m.push(l)
	port := m.ws.Transcripts
	read := func(ctx context.Context) (Transcript, error) { return port.Transcript(ctx, at.session) }
	return bring(m, read, l.came)
}

func (l *transcriptLayer) came(m *Model, t Transcript, err error) tea.Cmd {
	if err != nil {
		l.err = err.Error()
		if hint := core.HintOf(err); hint != "" {
			l.err += " → " + hint
		}
		return nil
	}
	l.title = t.Title
	l.log = card.NewLog()
	l.chat, l.st = chat.New(m.st, l.log, m.opt.Now), m.st
	l.chat.Replay(t.Records)
	l.chat.SetReadOnly()
	l.chat.Focus()
	l.chat.SetSize(max(m.scr.w-2, 1), max(m.scr.h-4, 1))
	if message, call := l.at.in(t.Records); message != "" || call != "" {
		l.chat.Goto(message, call)
	}
	if l.at.words == "" {
		return nil
	}
	l.chat.SearchFor(l.at.words)
	return l.searchCmd(m)
}

// in finds the place in the records: a message, or the call whose card it is.
func (p place) in(records []core.Record) (message, call string) {
	for _, r := range records {
		msg := r.Message
		if msg == nil || r.Type != core.RecordMessage {
			continue
		}
		switch {
		case p.message != "":
			if msg.ID != p.message {
				continue
			}
			if msg.Role == core.RoleTool {
				return "", msg.ToolCallID
			}
			if msg.Content == "" && len(msg.ToolCalls) > 0 {
				return "", msg.ToolCalls[0].ID
			}
			return msg.ID, ""
		case p.run != "" && r.RunID == p.run:
			if message == "" {
				message = msg.ID // at least where the turn began
			}
			for _, c := range msg.ToolCalls {
				if c.Name == "memory" && (call == "" || strings.Contains(c.Arguments, head(p.text))) {
					call = c.ID
				}
			}
		}
	}
	return message, call
}

// head is the beginning of a text, as it stands in the arguments of a call.
func head(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, `"`)
	return line
}

func (l *transcriptLayer) searchCmd(m *Model) tea.Cmd {
	corpus := l.chat.Corpus()
	l.chat.Supersede()
	own, cancel := context.WithCancel(m.ws.ctx)
	l.chat.OnSupersede(cancel)
	find := func(context.Context) (chat.Matches, error) {
		defer cancel()
		return corpus.Find(own), nil
	}
	return bring(m, find, func(_ *Model, found chat.Matches, _ error) tea.Cmd { l.chat.Found(found); return nil })
}

func (l *transcriptLayer) close(m *Model) {
	if l.chat != nil {
		l.chat.Supersede()
	}
	m.pop(l)
}

func (l *transcriptLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	name := ""
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name = keyName(key)
	}
	switch {
	case l.chat != nil && l.chat.Searching():
		if l.chat.SearchKey(name, msg) {
			return l.searchCmd(m)
		}
		return nil
	case name == "esc" && l.chat != nil && l.chat.EndSearch():
		return nil
	case name == "esc" || name == "q":
		l.close(m)
		return nil
	case l.chat == nil || name == "":
		return nil
	}
	if l.move(name) {
		return nil
	}
	return l.act(m, name)
}

// move handles the keys that only move or fold.
func (l *transcriptLayer) move(name string) bool {
	c := l.chat
	switch name {
	case "j", "down":
		c.Select(1)
	case "k", "up":
		c.Select(-1)
	case "g", "home":
		c.Select(-1 << 30)
		c.Top()
	case "G", "end":
		c.Select(1 << 30)
		c.Follow()
	case "ctrl+d":
		c.Scroll(c.Page() / 2)
	case "ctrl+u":
		c.Scroll(-c.Page() / 2)
	case "pgdown":
		c.Scroll(c.Page())
	case "pgup":
		c.Scroll(-c.Page())
	case "enter", "space":
		c.Toggle()
	case "z":
		c.Fold()
	case "Z":
		c.FoldOld()
	case "/":
		c.StartSearch()
	case "n":
		c.FindNext(1)
	case "N":
		c.FindNext(-1)
	default:
		return false
	}
	return true
}

// act handles the keys that do something.
func (l *transcriptLayer) act(m *Model, name string) tea.Cmd {
	id := l.at.session
	switch name {
	case "y":
		if text, ok := l.chat.Copy(); ok {
			return m.copyCmd(text)
		}
	case "v":
		return m.showCall(l.chat.SelectedCall())
	case "r":
		if id == m.ws.Info.SessionID {
			return m.toast(core.LevelInfo, "this session is the open one")
		}
		return m.switchSession(func(ctx context.Context, o Opener) (Workspace, error) { return o.Open(ctx, id) })
	case "f":
		message := l.chat.NearestMessage()
		if message == "" {
			return m.toast(core.LevelWarn, "fork: select a message first")
		}
		return m.switchSession(func(ctx context.Context, o Opener) (Workspace, error) { return o.Fork(ctx, id, message) })
	}
	return nil
}

func (l *transcriptLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	title := cell.Line(l.title)
	if title == "" {
		title = l.at.session
	}
	foot := pane.Hints(m.st, keys.Hints("j k", "move", "Enter", "open", "/", "search", "f", "fork here", "r", "resume", "y", "copy", "n N", "matches", "Esc", "back"), max(w-4, 0))
	body := []string{m.st.Faint.Render(" reading …")}
	cx = -1
	switch {
	case l.err != "":
		body = nil
		for _, line := range cell.Wrap("✗ "+cell.Line(l.err), max(w-4, 1), "  ") {
			body = append(body, " "+m.st.Bad.Render(line))
		}
	case l.chat != nil:
		if l.st != m.st {
			l.st = m.st
			l.chat.SetTheme(m.st)
		}
		l.chat.SetSize(max(w-2, 0), max(h-3, 0))
		body = strings.Split(l.chat.View(), "\n")
		if x, y, ok := l.chat.Cursor(); ok {
			cx, cy = x+1, y+1
		}
	}
	body = append(cell.Block(body, max(w-2, 0), max(h-3, 0)), " "+foot)
	return pane.Frame(m.st, pane.Label{Title: title, Badge: "read only", Focused: true}, body, w, h), cx, cy
}

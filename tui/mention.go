package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/match"
)

const (
	// filesFresh is how long a list of files is good enough; a mention typed later loads it anew.
	filesFresh = 10 * time.Second
	// maxMatches is how many files a mention offers.
	maxMatches = 50
)

// files is the list that mentions choose from. It is loaded by a command when a mention begins.
type files struct {
	names   []string
	at      time.Time // when it was loaded
	loading bool
}

// filesMsg carries the list of files.
type filesMsg struct {
	gen   int
	names []string
	err   error
}

// mentionText returns what stands between @ and the cursor; ok is false outside of a mention. A name
// with blanks is written @"name".
func mentionText(token string) (query string, ok bool) {
	if !strings.HasPrefix(token, "@") {
		return "", false
	}
	return strings.TrimPrefix(token[1:], `"`), true
}

// mention offers the files that fit the mention at the cursor.
func (m *Model) mention() tea.Cmd {
	m.slash.files = nil
	token := m.chat.Composer().Token()
	query, ok := mentionText(token)
	if !ok || m.ws.Files == nil || token == m.slash.dismissed {
		return nil
	}
	m.slash.dismissed = ""
	for _, i := range match.Rank(query, m.files.names, maxMatches) {
		m.slash.files = append(m.slash.files, m.files.names[i])
	}
	m.slash.sel = min(m.slash.sel, max(m.slash.len()-1, 0))
	if m.files.loading || (!m.files.at.IsZero() && m.opt.Now().Sub(m.files.at) < filesFresh) {
		return nil
	}
	m.files.loading = true
	port, gen, ctx := m.ws.Files, m.ws.gen, m.ws.ctx
	return func() tea.Msg {
		names, err := port.List(ctx)
		return filesMsg{gen: gen, names: names, err: err}
	}
}

func (m *Model) filesCame(msg filesMsg) tea.Cmd {
	if msg.gen != m.ws.gen {
		return nil
	}
	m.files.loading, m.files.at = false, m.opt.Now()
	if msg.err != nil {
		return m.fail(msg.err)
	}
	m.files.names = msg.names
	if !m.chat.Reading() {
		return m.complete()
	}
	return nil
}

// mentionKey handles keys of the open list of files. Enter sends when the name stands there already.
func (m *Model) mentionKey(name string) (tea.Cmd, bool) {
	if name != "tab" && name != "enter" {
		return nil, false
	}
	ed := m.chat.Composer()
	pick := m.slash.files[m.slash.sel]
	query, _ := mentionText(ed.Token())
	if name == "enter" && query == pick {
		m.slash = completion{}
		return nil, false
	}
	text := "@" + pick
	if strings.ContainsAny(pick, " \t") {
		text = `@"` + pick + `"`
	}
	if strings.HasSuffix(pick, "/") { // a folder: go on inside
		ed.ReplaceToken(text)
		m.slash = completion{}
		return tea.Batch(m.complete(), m.draftLater()), true
	}
	ed.ReplaceToken(text + " ")
	m.slash = completion{}
	return m.draftLater(), true
}

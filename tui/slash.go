package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
)

// completion is the list of slash commands offered while one is being typed.
type completion struct {
	items     []keys.Binding
	sel       int
	dismissed string // the text for which Esc closed the list
}

// maxOffered is how many commands the list shows at once.
const maxOffered = 8

func (c *completion) open() bool { return len(c.items) > 0 }

// parseSlash splits "/name args"; ok is false for text that is no command: a path, several lines.
func parseSlash(text string) (name, args string, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "/") || strings.Contains(text, "\n") {
		return "", "", false
	}
	name, args, _ = strings.Cut(text, " ")
	if len(name) < 2 || strings.Contains(name[1:], "/") {
		return "", "", false
	}
	return name, strings.TrimSpace(args), true
}

// complete offers the commands that start with what stands in the composer.
func (m *Model) complete() {
	text := m.chat.Composer().Text()
	if !strings.HasPrefix(text, "/") || strings.ContainsAny(text, " \n") || text == m.slash.dismissed || len(text) > 40 {
		m.slash.items = nil
		return
	}
	m.slash.dismissed = ""
	m.slash.items = m.table.Complete(text)
	m.slash.sel = min(m.slash.sel, max(len(m.slash.items)-1, 0))
}

// slashKey handles keys of the open list.
func (m *Model) slashKey(name string) (tea.Cmd, bool) {
	if !m.slash.open() {
		return nil, false
	}
	n := len(m.slash.items)
	switch name {
	case "down", "ctrl+n":
		m.slash.sel = (m.slash.sel + 1) % n
	case "up", "ctrl+p":
		m.slash.sel = (m.slash.sel + n - 1) % n
	case "tab":
		text := m.slash.items[m.slash.sel].Slash
		if m.slash.items[m.slash.sel].Args != "" {
			text += " "
		}
		m.chat.Composer().SetText(text)
		m.slash = completion{dismissed: text}
	case "enter":
		b := m.slash.items[m.slash.sel]
		return m.slashCommand(b.Slash, "", b.Slash), true
	default:
		return nil, false
	}
	return nil, true
}

// slashCommand runs a command and clears the composer; an unknown one stays there.
func (m *Model) slashCommand(name, args, typed string) tea.Cmd {
	b, ok := m.table.Command(name)
	if !ok {
		return m.toast(core.LevelWarn, cell.Line(name)+" is not a command · /help lists them")
	}
	a, _ := m.action(b.ID)
	m.slash = completion{}
	m.chat.Composer().AddHistory(typed)
	m.chat.Composer().Reset()
	return tea.Batch(m.do(a, args), m.draftLater())
}

// slashBox draws the list for a pane of w cells.
func (m *Model) slashBox(w int) []string {
	n := min(len(m.slash.items), maxOffered)
	top := max(min(m.slash.sel-n/2, len(m.slash.items)-n), 0)
	bw := min(w, 76)
	var body []string
	for i := top; i < top+n; i++ {
		b := m.slash.items[i]
		name := cell.Fit(strings.TrimSpace(b.Slash+" "+b.Args), min(24, bw/2))
		note := b.Help
		if a, ok := m.action(b.ID); ok && a.why != nil {
			if why := a.why(m); why != "" {
				note = "— " + why
			}
		}
		if i == m.slash.sel {
			body = append(body, m.st.Selected.Render(cell.Fit(" "+name+" "+note, bw-2)))
		} else {
			body = append(body, cell.Fit(" "+m.st.Accent.Render(name)+" "+m.st.Muted.Render(note), bw-2))
		}
	}
	return pane.Frame(m.st, pane.Label{Title: "Commands", Badge: "Tab completes", Focused: true}, body, bw, n+2)
}

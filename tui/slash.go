package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
)

// completion is the list offered above the composer: the commands that fit what is being typed, or
// the files that fit a mention.
type completion struct {
	items     []keys.Binding // commands, and the skills that can be invoked
	files     []string
	sel       int
	dismissed string // the text for which Esc closed the list
}

// maxOffered is how many lines the list shows at once.
const maxOffered = 8

func (c *completion) open() bool { return c.len() > 0 }

func (c *completion) len() int { return max(len(c.items), len(c.files)) }

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

// complete offers what fits: commands that start with what stands in the composer, or files for the
// mention at the cursor. The command it returns loads the list of files.
func (m *Model) complete() tea.Cmd {
	text := m.chat.Composer().Text()
	m.slash.items = nil
	if !strings.HasPrefix(text, "/") || strings.ContainsAny(text, " \n") || text == m.slash.dismissed || len(text) > 80 {
		return m.mention()
	}
	m.slash.dismissed, m.slash.files = "", nil
	m.slash.items = append(m.table.Complete(text), m.skillCommands(text)...)
	m.slash.sel = min(m.slash.sel, max(m.slash.len()-1, 0))
	return nil
}

// slashKey handles keys of the open list.
func (m *Model) slashKey(name string) (tea.Cmd, bool) {
	if !m.slash.open() {
		return nil, false
	}
	n := m.slash.len()
	switch name {
	case "down", "ctrl+n":
		m.slash.sel = (m.slash.sel + 1) % n
		return nil, true
	case "up", "ctrl+p":
		m.slash.sel = (m.slash.sel + n - 1) % n
		return nil, true
	}
	if len(m.slash.files) > 0 {
		return m.mentionKey(name)
	}
	switch name {
	case "tab":
		text := m.slash.items[m.slash.sel].Slash
		if m.slash.items[m.slash.sel].Args != "" {
			text += " "
		}
		m.chat.Composer().SetText(text)
		m.slash = completion{dismissed: text}
	case "enter":
		b := m.slash.items[m.slash.sel]
		if b.ID == skillItem {
			return m.pickSkill(b), true
		}
		return m.slashCommand(b.Slash, "", b.Slash), true
	default:
		return nil, false
	}
	return nil, true
}

// slashCommand runs a command and clears the composer; an unknown one stays there.
func (m *Model) slashCommand(name, args, typed string) tea.Cmd {
	b, ok := m.table.Command(name)
	if !ok && m.isSkill(name) {
		return m.sendText(typed)
	}
	if !ok {
		why := "is not a command · /help lists them"
		if cmd := strings.ToLower(strings.TrimPrefix(name, "/")); len(m.skillsAt(cmd)) > 0 {
			why = "— " + m.whyNoSkill(cmd, m.skillsAt(cmd))
		}
		return m.toast(core.LevelWarn, cell.Line(name)+" "+why)
	}
	a, _ := m.action(b.ID)
	m.slash = completion{}
	m.chat.Composer().AddHistory(typed)
	m.chat.Composer().Reset()
	return tea.Batch(m.do(a, args), m.draftLater())
}

// slashBox draws the list for a pane of w cells.
func (m *Model) slashBox(w int) []string {
	n := min(m.slash.len(), maxOffered)
	top := max(min(m.slash.sel-n/2, m.slash.len()-n), 0)
	bw := min(w, 76)
	var body []string
	for i := top; i < top+n; i++ {
		name, note := m.offered(i, bw)
		if i == m.slash.sel {
			body = append(body, m.st.Selected.Render(cell.Fit(" "+name+" "+note, bw-2)))
		} else {
			body = append(body, cell.Fit(" "+m.st.Accent.Render(name)+" "+m.st.Muted.Render(note), bw-2))
		}
	}
	title, badge := "Commands", "Tab completes · Enter runs"
	if len(m.slash.files) > 0 {
		title, badge = "Files", "Tab or Enter inserts"
	}
	return pane.Frame(m.st, pane.Label{Title: title, Badge: badge, Focused: true}, body, bw, n+2)
}

// offered returns line i of the list: the name, and what it does or why it cannot be used now.
func (m *Model) offered(i, bw int) (name, note string) {
	if len(m.slash.files) > 0 {
		return cell.TruncateLeft(cell.Line(m.slash.files[i]), bw-4), ""
	}
	b := m.slash.items[i]
	name = cell.Fit(strings.TrimSpace(b.Slash+" "+b.Args), min(22, bw/2))
	note = b.Help
	if a, ok := m.action(b.ID); ok && a.why != nil {
		if why := a.why(m); why != "" {
			note = "— " + why
		}
	}
	return name, note
}

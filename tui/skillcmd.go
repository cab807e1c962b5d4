package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/skills"
	"hermes/tui/cell"
	"hermes/tui/keys"
)

// skillItem is the id of the lines of the completion list that are skills.
const skillItem = "skill"

// invocable are the skills that can be invoked, by their commands, in the order of the library.
func (m *Model) invocable() (names []string, by map[string][]*skills.Checked) {
	by = map[string][]*skills.Checked{}
	for i := range m.ws.skills.sheet.Pane.Checked {
		c := &m.ws.skills.sheet.Pane.Checked[i]
		name := skills.Command(c.Entry)
		if name == "" || unusable(c) {
			continue
		}
		if by[name] == nil {
			names = append(names, name)
		}
		by[name] = append(by[name], c)
	}
	return names, by
}

// unusable tells a skill that is switched off or for another system.
func unusable(c *skills.Checked) bool {
	for _, code := range c.HiddenBy {
		if code == skills.CodeHiddenDisabled || code == skills.CodeHiddenPlatform {
			return true
		}
	}
	return false
}

// skillCommands offers the skills whose command begins with what was typed. One whose command is taken by
// hermes is offered with the reason why it cannot be invoked.
func (m *Model) skillCommands(typed string) []keys.Binding {
	names, by := m.invocable()
	var out []keys.Binding
	for _, name := range names {
		if !strings.HasPrefix("/"+name, strings.ToLower(typed)) {
			continue
		}
		b := keys.Binding{ID: skillItem, Slash: "/" + name, Args: "[text]", Help: cell.Line(by[name][0].Description)}
		if why := m.whyNoSkill(name, by[name]); why != "" {
			b.Help, b.Note = "— "+why, true
		}
		out = append(out, b)
	}
	return out
}

// whyNoSkill says why the skills that answer to a command cannot be invoked by it.
func (m *Model) whyNoSkill(name string, list []*skills.Checked) string {
	_, taken := m.table.Command("/" + name)
	switch {
	case taken:
		return "the skill " + cell.Line(list[0].Qualified()) + " shares the name of this command; ask for it in words"
	case len(list) > 1:
		return fmt.Sprintf("%d skills are called so; ask for one in words", len(list))
	}
	return ""
}

// skillsAt are the skills that answer to a command, without its slash.
func (m *Model) skillsAt(name string) []*skills.Checked {
	_, by := m.invocable()
	return by[name]
}

// isSkill tells whether a skill can be invoked by this command.
func (m *Model) isSkill(slash string) bool {
	name := strings.ToLower(strings.TrimPrefix(slash, "/"))
	list := m.skillsAt(name)
	return len(list) > 0 && m.whyNoSkill(name, list) == ""
}

// pickSkill puts the command of a skill into the composer, where its text is typed.
func (m *Model) pickSkill(b keys.Binding) tea.Cmd {
	if b.Note {
		return m.toast(core.LevelWarn, b.Slash+" "+b.Help)
	}
	text := b.Slash + " "
	m.chat.Composer().SetText(text)
	m.slash = completion{dismissed: text}
	return m.draftLater()
}

// howInvoked says of each skill by which command it is invoked, or why it is not.
func (m *Model) howInvoked() map[string]string {
	out := map[string]string{}
	names, by := m.invocable()
	for _, name := range names {
		why := m.whyNoSkill(name, by[name])
		for _, c := range by[name] {
			if out[c.Path] = "/" + name + " invokes it"; why != "" {
				out[c.Path] = "/" + name + " does not invoke it: " + why
			}
		}
	}
	return out
}

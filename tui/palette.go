package tui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/keys"
	"hermes/tui/picker"
)

// paletteLayer finds any action by a part of what it does.
type paletteLayer struct{ picker *picker.Picker }

// showPalette lists what can be done, by what it does; what cannot be done now stands last, with why.
func (m *Model) showPalette() tea.Cmd {
	var can, keysOnly, cannot []picker.Item
	for _, b := range m.table {
		a, ok := m.action(b.ID)
		if !ok || b.Note || b.Scope != keys.Prefix && b.Scope != keys.Composer && b.ID != "app.redraw" && b.ID != "app.suspend" ||
			slices.Contains([]string{"composer.next", "composer.prev", "app.palette"}, b.ID) {
			continue
		}
		item := picker.Item{ID: b.ID, Label: capital(b.Help), Note: strings.TrimSpace(b.Slash + "  " + b.Label())}
		if a.why != nil {
			if why := a.why(m); why != "" {
				item.Note, item.Find, item.Off = why, item.Note, true
				cannot = append(cannot, item)
				continue
			}
		}
		if b.Slash == "" { // what has a name is what people look for
			keysOnly = append(keysOnly, item)
			continue
		}
		can = append(can, item)
	}
	can = append(can, keysOnly...)
	l := &paletteLayer{picker: picker.New("What do you want to do?", "Enter does it · Esc closes")}
	l.picker.SetItems(append(can, cannot...), "")
	m.push(l)
	return nil
}

func (l *paletteLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.picker.View(m.st, w, h)
}

func (l *paletteLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	outcome, item := l.picker.Update(msg)
	if outcome == picker.None {
		return nil
	}
	m.pop(l)
	a, ok := m.action(item.ID)
	switch {
	case outcome == picker.Closed || !ok:
		return nil
	case a.Args != "" && !strings.HasPrefix(a.Args, "[") && m.uncover(): // it needs words: let the person type them
		m.focusComposer()
		if !m.chat.Composer().Empty() {
			return m.toast(core.LevelInfo, "send or clear the draft, then type "+a.Slash+" "+a.Args)
		}
		m.chat.Composer().SetText(a.Slash + " ")
		return nil
	}
	return m.reach(a, "")
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// CheckKeys says why texts cannot be configured as the keys of action id; nil when they can.
func CheckKeys(id string, texts []string) error { return table(bindings()).Check(id, texts) }

// table is what every key does before a person configured any.
func table(actions []action) keys.Table {
	var t keys.Table
	for _, a := range actions {
		t = append(t, a.Binding)
	}
	return t
}

// applyKeys gives actions the keys the person configured and tells what could not be done.
func (m *Model) applyKeys() {
	table, problems := m.table.Override(m.opt.Keys)
	m.table = table
	for _, p := range problems {
		n := core.Notice{Level: core.LevelWarn, Text: "config.yaml: " + p}
		if key, _, ok := strings.Cut(p, ":"); ok {
			n.Remedy = "hermes config unset " + key + " takes it out"
		}
		m.chat.AddNotice(n)
	}
}

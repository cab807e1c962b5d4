package tui

import (
	"strings"

	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/theme"
)

// helpWidth is the width beyond which the key tables gain nothing.
const helpWidth = 100

// helpPart is a part of the help.
type helpPart struct {
	scope keys.Scope
	title string
}

// heads are the parts of the help in their order.
func heads() []helpPart {
	return []helpPart{
		{keys.Anywhere, "Anywhere"},
		{keys.Prefix, "After Ctrl+X, or as a command"},
		{keys.Composer, "Composer"},
		{keys.Transcript, "Transcript (Tab from an empty composer)"},
		{keys.List, "Lists"},
		{keys.Dialog, "Approval"},
		{keys.Views, "Any view that fills the screen"},
		{keys.Boxes, "Pickers, questions and texts that lie on top"},
		{keys.Cleanup, "Memory clean-up"},
		{keys.Stored, "Sessions"},
		{keys.Reading, "A stored transcript"},
		{keys.Library, "Skills"},
		{keys.Desk, "Reviews"},
		{keys.Journey, "Journey"},
		{keys.Figures, "Insights"},
		{keys.Tending, "Curator"},
	}
}

// drawHelp lists the bindings by scope, with why one is unavailable right now.
func drawHelp(m *Model, st *theme.Styles, w int) []string {
	var out []string
	if v := m.opt.Version; v != "" {
		out = append(out, st.Faint.Render(cell.Truncate("hermes "+cell.Line(v), w)), "")
	}
	for _, h := range heads() {
		out = append(out, st.TitleFocus.Render(cell.Truncate(h.title, w)))
		for _, b := range m.table.In(h.scope) {
			out = append(out, m.helpLine(st, b, w)...)
		}
		out = append(out, "")
	}
	return append(out, m.helpNames(st, w)...)
}

// helpNames lists what the settings call the actions whose keys can be changed.
func (m *Model) helpNames(st *theme.Styles, w int) []string {
	out := []string{st.TitleFocus.Render(cell.Truncate("Other keys: the names of the actions for config.yaml", w))}
	for _, line := range cell.Wrap("hermes config set keys.pane.next 'ctrl+x w' gives an action another key; [] takes its keys away.", max(w-2, 1), "") {
		out = append(out, "  "+st.Text.Render(line))
	}
	kw := min(31, max(w/3, 12))
	for _, b := range m.table {
		if !b.Movable() || b.Of != "" {
			continue
		}
		out = append(out, "  "+st.Key.Render(cell.Fit(b.ID, kw))+" "+st.Text.Render(cell.Truncate(b.Help, max(w-kw-3, 1))))
	}
	return out
}

// helpLine is a binding: its keys, and beside them what it does, on as many lines as that takes.
func (m *Model) helpLine(st *theme.Styles, b keys.Binding, w int) []string {
	names := make([]string, 0, 3)
	for _, k := range b.Keys {
		names = append(names, keys.Name(k))
	}
	left := strings.Join(names, " ")
	if b.Slash != "" {
		first := ""
		if len(names) > 0 {
			first = names[0]
		}
		left = cell.Fit(first, 3) + strings.TrimSpace(b.Slash+" "+b.Args)
	}
	help := b.Help
	if a, ok := m.action(b.Target()); ok && a.why != nil {
		if why := a.why(m); why != "" {
			help += " — " + why
		}
	}
	kw := min(31, max(w/3, 12))
	var out []string
	if cell.Width(left) > kw { // what does not fit beside stands above
		out, left = append(out, "  "+st.Key.Render(cell.Truncate(left, max(w-2, 1)))), ""
	}
	for _, line := range cell.Wrap(help, max(w-kw-3, 1), "") {
		out = append(out, "  "+st.Key.Render(cell.Fit(left, kw))+" "+st.Text.Render(line))
		left = ""
	}
	return out
}

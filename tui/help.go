package tui

import (
	"strings"

	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/theme"
)

// drawHelp lists the bindings by scope, with why one is unavailable right now.
func drawHelp(m *Model, st *theme.Styles, w int) []string {
	var out []string
	if v := m.opt.Version; v != "" {
		out = append(out, st.Faint.Render(cell.Truncate("hermes "+cell.Line(v), w)), "")
	}
	heads := []struct {
		scope keys.Scope
		title string
	}{
		{keys.Anywhere, "Anywhere"},
		{keys.Prefix, "After Ctrl+X, or as a command"},
		{keys.Composer, "Composer"},
		{keys.Transcript, "Transcript (Tab from an empty composer)"},
		{keys.List, "Lists"},
		{keys.Dialog, "Approval"},
		{keys.Cleanup, "Memory clean-up"},
		{keys.Stored, "Sessions"},
		{keys.Library, "Skills"},
		{keys.Journey, "Journey"},
		{keys.Figures, "Insights"},
		{keys.Tending, "Curator"},
	}
	for _, h := range heads {
		out = append(out, st.TitleFocus.Render(cell.Truncate(h.title, w)))
		for _, b := range m.table.In(h.scope) {
			out = append(out, m.helpLine(st, b, w))
		}
		out = append(out, "")
	}
	return out[:len(out)-1]
}

func (m *Model) helpLine(st *theme.Styles, b keys.Binding, w int) string {
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
	kw := min(30, max(w/3, 12))
	return "  " + st.Key.Render(cell.Fit(left, kw)) + " " + st.Text.Render(cell.Truncate(help, max(w-kw-3, 1)))
}

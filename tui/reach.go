package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/theme"
	"hermes/tui/viewer"
)

// helped is a view with keys of its own: ? lists them, unless the view takes letters as text right now.
type helped interface {
	scope() keys.Scope
	typing() bool
}

func (l *browserLayer) scope() keys.Scope    { return keys.Library }
func (l *browserLayer) typing() bool         { return l.view.Typing() }
func (l *cleanupLayer) scope() keys.Scope    { return keys.Cleanup }
func (l *cleanupLayer) typing() bool         { return l.view.Typing() }
func (l *journeyLayer) scope() keys.Scope    { return keys.Journey }
func (l *journeyLayer) typing() bool         { return l.view.Typing() }
func (l *figuresLayer) scope() keys.Scope    { return keys.Figures }
func (l *figuresLayer) typing() bool         { return false }
func (l *curatorLayer) scope() keys.Scope    { return keys.Tending }
func (l *curatorLayer) typing() bool         { return false }
func (l *reviewsLayer) scope() keys.Scope    { return keys.Desk }
func (l *reviewsLayer) typing() bool         { return false }
func (l *sessionsLayer) scope() keys.Scope   { return keys.Stored }
func (l *sessionsLayer) typing() bool        { return l.picker.Typing() }
func (l *transcriptLayer) scope() keys.Scope { return keys.Reading }
func (l *transcriptLayer) typing() bool      { return l.chat != nil && l.chat.Searching() }

// top is the layer that has the keys, nil when the panes have them.
func (m *Model) top() layer {
	if len(m.layers) == 0 {
		return nil
	}
	return m.layers[len(m.layers)-1]
}

// leads tells whether the leader is heard: everywhere but in dialogs, which want their answer first.
func (m *Model) leads() bool { return m.onboard == nil && passes(m.top()) }

// passes tells whether the leader goes through l: not where an answer is wanted, or where text would be lost.
func passes(l layer) bool {
	switch l := l.(type) {
	case *approvalLayer, *questionLayer, *promptLayer, *undoLayer:
		return false
	case *cleanupLayer:
		return !l.view.Typing()
	case *browserLayer:
		return !l.view.Editing()
	case *journeyLayer:
		return !l.view.Asking()
	case *sessionsLayer:
		return !l.picker.Editing()
	}
	return true
}

// helping opens the keys of the view on top when name asks for them.
func (m *Model) helping(name string) bool {
	v, ok := m.top().(helped)
	if !ok || name != "?" || v.typing() {
		return false
	}
	m.showKeys(v.scope())
	return true
}

// showKeys lists the keys of a view. What a query may hold belongs to them where one searches.
func (m *Model) showKeys(scope keys.Scope) {
	m.push(&textLayer{view: viewer.New(capital(string(scope)), helpWidth, func(st *theme.Styles, w int) []string {
		var out []string
		for _, b := range append(m.table.In(scope), m.table.In(keys.Views)...) {
			out = append(out, m.helpLine(st, b, w)...)
		}
		if scope == keys.Stored {
			out = append(out, "", st.TitleFocus.Render(cell.Truncate("What a search may hold", w)))
			out = append(out, queryHelp(st, w)...)
		}
		return out
	})})
}

// reach runs an action from wherever the person is. What shows itself in the panes, or is a view of its own,
// closes the views that lie over them; changes that are not written keep theirs open.
func (m *Model) reach(a action, args string) tea.Cmd {
	if a.stays || a.why != nil && a.why(m) != "" {
		return m.do(a, args)
	}
	if !m.uncover() {
		return m.toast(core.LevelWarn, "memory has changes that are not written · w writes them, Esc leaves")
	}
	return m.do(a, args)
}

// uncover closes the views over the panes, unless one holds changes that would be lost.
func (m *Model) uncover() bool {
	if m.tidying() {
		return false
	}
	for _, l := range slices.Clone(m.layers) {
		switch l := l.(type) {
		case *sessionsLayer:
			l.cancel()
			m.pop(l)
		case *transcriptLayer:
			l.close(m)
		default:
			if passes(l) {
				m.pop(l)
			}
		}
	}
	return true
}

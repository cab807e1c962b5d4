// Package pane holds the contract of a standing pane and the frame drawn around it.
//
// It must not know any pane. Start at Pane; Frame in frame.go draws boxes with titles.
package pane

import (
	tea "charm.land/bubbletea/v2"

	"hermes/tui/keys"
)

// Pane is a part of the screen that draws itself into a rectangle. Panes are pointer types that are
// complete when constructed; the root hands data down by method, never by message.
type Pane interface {
	Drawer
	Focuser
	Helper
}

// Drawer draws into exactly the size it was given.
type Drawer interface {
	// SetSize sets the cells of the body; both may be 0.
	SetSize(w, h int)
	// View returns at most h lines of at most w cells, joined by line breaks. It does no I/O and
	// changes nothing but caches.
	View() string
	// Title and Badge label the border: a name at the left, figures at the right. Both are clean.
	Title() string
	Badge() string
	// Summary is the pane in one line of at most w cells, for the strip layout.
	Summary(w int) string
}

// Focuser receives keys while focused.
type Focuser interface {
	Focus()
	Blur()
	// Update handles a key or paste; it does no I/O, the returned command does.
	Update(msg tea.Msg) tea.Cmd
}

// Helper explains its keys.
type Helper interface {
	// ShortHelp lists two or three keys for the status bar, as they apply right now.
	ShortHelp() []keys.Hint
}

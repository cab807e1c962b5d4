package tui

import "context"

// The ports to the desktop and to what the screen remembers about itself. All of them may be absent.

// LinkOpener opens a link or a file outside of the terminal.
type LinkOpener interface {
	// Open hands target (an http, https, mailto or file URL, or an absolute path or one relative to
	// the working folder) to the desktop. It never runs a program named by target.
	Open(ctx context.Context, target string) error
}

// LayoutState is what is remembered of the screen at one terminal size.
type LayoutState struct {
	Side  int  `json:"side,omitempty"`  // cells added to the side column's or block's usual size
	Zoom  bool `json:"zoom,omitempty"`  // the focused pane fills the screen
	Focus int  `json:"focus,omitempty"` // number of the focused pane; 0 is the composer
}

// Layouts keeps the layouts of the sizes the terminal had (ui/state.json).
type Layouts interface {
	// Load returns the states by "WIDTHxHEIGHT".
	Load(ctx context.Context) (map[string]LayoutState, error)
	// Save replaces them.
	Save(ctx context.Context, states map[string]LayoutState) error
}

// Dumps writes the screen as plain text, for bug reports.
type Dumps interface {
	// Dump stores text and returns the path of the file, as shown.
	Dump(ctx context.Context, text string) (path string, err error)
}

package tui

import (
	"log/slog"
	"time"
)

// Options is what New needs. The zero value of every field but Workspace or Setup is usable.
type Options struct {
	// Workspace is the session to open with. When its Conversation is nil, the onboarding screen
	// is shown and Setup is required.
	Workspace Workspace
	Setup     Setup
	// SetupNotice is shown on top of the onboarding screen: why it appears ("no model is
	// configured", "config.yaml:12: …"). May be empty.
	SetupNotice string
	Clipboard   Clipboard
	Version     string // shown in the help
	// Theme is "auto" (asks the terminal), "dark", "light" or "plain". "" is "auto".
	Theme string
	// NoColor draws without colour whatever the theme; cmd sets it from NO_COLOR.
	NoColor bool
	// Draft prefills the composer of the first workspace.
	Draft string
	// Log receives what must not reach the terminal (panics, failed background writes). Nil discards.
	Log *slog.Logger
	// Now is the clock; nil is time.Now. Tests fix it.
	Now func() time.Time
}

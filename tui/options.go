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
	LinkOpener  LinkOpener
	Layouts     Layouts
	Dumps       Dumps
	Version     string // shown in the help
	// Theme is "auto" (asks the terminal), "dark", "light", "contrast", "16" (the terminal's own
	// sixteen colours) or "plain". "" is "auto"; an unknown name is "auto" with a notice.
	Theme string
	// PickSession opens the session picker at the start (hermes --resume without an id).
	PickSession bool
	// Keys replaces the keys of actions (keys.<action> of config.yaml): action ids to keystrokes as
	// the help writes them ("Ctrl+X g" or "ctrl+x g" is a key after the prefix). An empty list takes
	// the keys away. What cannot be done is reported as a notice and the defaults stay.
	Keys map[string][]string
	// Mouse takes the mouse from the terminal: wheel, click to focus, drag to select.
	Mouse bool
	// NoKeyboardProtocol stops asking the terminal for unambiguous keys (display.keyboard_protocol off).
	NoKeyboardProtocol bool
	// InScreen says that GNU screen may stand between the program and the terminal ($STY): it swallows
	// OSC 52 unless that is wrapped, and holds Esc back while a program has the mouse.
	InScreen bool
	// NoBell keeps quiet when a run ends or asks while the terminal is unfocused
	// (display.notifications off).
	NoBell bool
	// Learned says how much is told of finished reviews (display.memory_notifications): "off", "on" (also "")
	// or "verbose".
	Learned string
	// BusyMode says what Enter does while a run is active, for the hint: "queue" (also ""), "steer"
	// or "interrupt".
	BusyMode string
	// Editor is the command line of the person's editor ($VISUAL, $EDITOR); "" tries the usual ones.
	Editor string
	// NoColor draws without colour whatever the theme; cmd sets it from NO_COLOR.
	NoColor bool
	// Draft prefills the composer of the first workspace.
	Draft string
	// Log receives what must not reach the terminal (panics, failed background writes). Nil discards.
	Log *slog.Logger
	// Now is the clock; nil is time.Now. Tests fix it.
	Now func() time.Time
}

// Package tui is the full-screen workspace: the root model that routes messages, the focus, the
// overlays and every effect. Panes draw, the root decides.
//
// It must not know how a model is reached, how a session is stored or where the home is: all of that
// comes in through the small ports of ports.go, which cmd/hermes implements. No I/O happens in
// Update or View; commands (commands.go) do it and answer with messages.
//
// Start reading at ports.go (what the screen needs), model.go (what it holds), then update.go
// (the five stages a message passes).
package tui

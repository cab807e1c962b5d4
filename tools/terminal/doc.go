// Package terminal is the terminal tool: it runs one shell command at a time in a fresh,
// non-interactive shell and judges commands before they run.
//
// It knows processes and shells, no screens and no models. Start with terminal.go (the tool), then
// guard.go (which commands run, ask or are refused), run.go (one execution) and capture.go (output).
package terminal

// Package terminal is the terminal toolset: it runs shell commands in fresh, non-interactive shells, in
// the foreground or as background jobs, and judges commands before they run.
//
// It knows processes and shells, no screens and no models. Start with terminal.go (the tool), then
// guard.go (which commands run, ask or are refused: hardline.go is the floor, danger.go, git.go, system.go
// and code.go what asks, fetch.go what is made and run at once, unwrap.go what hides behind wrappers,
// feed.go what is typed into jobs), run.go (one execution), jobs.go and process.go (the background),
// touch.go (what is copied for undo) and capture.go (output).
package terminal

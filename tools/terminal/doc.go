// Package terminal is the terminal toolset: it runs shell commands in fresh, non-interactive shells, in
// the foreground or as background jobs, and judges commands before they run.
//
// It knows processes and shells, no screens and no models. Start with terminal.go (the tool), then
// guard.go (which commands run, ask or are refused) and walk.go (the way through one), run.go (one execution), jobs.go and process.go (the background),
// touch.go (what is copied for undo) and capture.go (output).
//
// The guard in parts: words.go and scopes.go know what words and variables stand for, temp.go what is
// harmless of that. unwrap.go, launch.go and runners.go find the program that does the work and commands
// in arguments; lookalike.go and own.go programs under false names. hardline.go is the floor. danger.go,
// git.go, gitconfig.go, system.go and verbs.txt are what asks by program; paths.go, copies.go, outputs.go
// and patches.go by what is written; secrets.go and pipes.go by what is read and where it goes; code.go,
// interpreters.go, editors.go and projects.go by code of other languages; fetch.go and follow.go by what the
// command itself made; feed.go what is typed into jobs.
package terminal

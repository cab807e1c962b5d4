// Package home owns the HERMES_HOME folder: where everything lives, and the few safe ways to touch
// a file — atomic whole-file writes that keep links and modes, appends, and locks between processes.
//
// It must not know what the files mean; every format has its own owner. Nothing here creates the
// folder before [Home.Open] is called. Start with home.go (paths), then write.go (WriteFile),
// resolve.go (which file a path really is) and lock.go.
package home

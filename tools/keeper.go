package tools

import "hermes/core"

// Keeper takes copies of files before a call changes them, so that a turn can be undone. It is safe for
// concurrent use.
type Keeper interface {
	// Keep copies what stands at the paths of edits now and notes what the call is about to do; it
	// returns before anything is changed. settle is called when the call is done and is never nil. An
	// error means that at least one file cannot be brought back; the call may go on and should say so.
	Keep(run core.ToolRun, edits []core.FileEdit) (settle func() error, err error)
}

package agent

import "errors"

// Causes of refused calls; callers branch on the code of the *core.Error around them.
var (
	errBlank   = errors.New("the message is empty")
	errClosed  = errors.New("the session is closed")
	errIdle    = errors.New("no run is under way")
	errRunning = errors.New("a run is under way")
)

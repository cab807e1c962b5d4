// Package report draws what the open session can tell about itself: what fills the context window,
// what an undo would do, which approval rules are stored, how a stored session ended.
//
// It must not know ports, layers or keys; it turns values into lines. Start at ContextUse.Lines.
package report

import "time"

// ContextUse is what the next request consists of. Sizes are tokens, estimated unless the server said.
type ContextUse struct {
	Window   int // of the model; 0 when unknown
	Used     int // of the next request
	Compacts int // the size at which compaction starts by itself; 0 when it does not
	Sections []Section
}

// Section is one part of a request.
type Section struct {
	Name   string // "system prompt", "tools", "skills index", "messages"
	Tokens int
	Note   string // "24 tools"; may be empty
}

// The ways an undo treats a file, in UndoFile.Action.
const (
	Restored  = "restored"  // it has (will have) its former content again
	Recreated = "recreated" // it was deleted and comes back
	Removed   = "removed"   // it was created and goes
	Unchanged = "unchanged" // it is as it was before the turn already
	Kept      = "kept"      // it is left as it is; Reason says why
)

// Undo is what undoing the last turn does or did.
type Undo struct {
	Message  string // id of the person's message that opened the turn; the chat drops it and all after it
	Text     string // what the person had said; it goes back into the composer
	Messages int    // how many messages leave the conversation
	Files    []UndoFile
	Notes    []string // what cannot be undone: commands that ran, servers that were asked
}

// UndoFile is one file the turn changed.
type UndoFile struct {
	Path   string // as shown
	Action string // one of the constants above; others are shown as they are
	Reason string // why it is kept
	Note   string // what else is worth knowing
}

// Rule is a stored approval rule.
type Rule struct {
	ID    string // what Revoke takes
	Text  string // as the approval dialog showed it
	Added time.Time
	Note  string // where it holds or comes from; may be empty
}

// PreviewLine is one message of a stored session.
type PreviewLine struct {
	Who  string // "you", "hermes" or a tool's name
	Text string // its beginning is enough
	Here bool   // the message that was looked for
}

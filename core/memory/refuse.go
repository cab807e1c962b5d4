package memory

import (
	"hermes/core"
)

// RefusedCode says why a change was refused.
type RefusedCode string

// The reasons. Nothing was written in any of these cases.
const (
	RefusedEmpty      RefusedCode = "empty"      // no text
	RefusedSeparator  RefusedCode = "separator"  // a line of the text is the separator
	RefusedFlagged    RefusedCode = "flagged"    // the text tries to steer the agent
	RefusedSecret     RefusedCode = "secret"     // the text holds a key, or the mark of a removed one
	RefusedOverflow   RefusedCode = "overflow"   // it would not fit
	RefusedNoMatch    RefusedCode = "no_match"   // no entry holds old_text
	RefusedNoOld      RefusedCode = "no_old"     // it was not said which entry
	RefusedAmbiguous  RefusedCode = "ambiguous"  // several different entries hold it
	RefusedStale      RefusedCode = "stale"      // the entry meant is not there any more
	RefusedTarget     RefusedCode = "target"     // unknown store
	RefusedDisabled   RefusedCode = "disabled"   // switched off
	RefusedUnreadable RefusedCode = "unreadable" // the file is not UTF-8, or may not be read
	RefusedFreeForm   RefusedCode = "free_form"  // the file holds text that is no list of entries
	RefusedAction     RefusedCode = "action"     // unknown or missing action
	RefusedBatch      RefusedCode = "batch"      // no operations, or they would empty the store
)

// RefusedError says why nothing was changed and what to do. As an error it speaks to a person.
type RefusedError struct {
	Code    RefusedCode
	Target  Target
	Message string   // for the model: it names the fields of the tool
	Plain   string   // the same for a person; "" when Message suits both
	Hint    string   // the remedy for a person; "" when Message says it
	Op      int      // 1-based operation of a batch; 0 for a single change
	Used    int      // code points now, with overflow and no match
	Limit   int      // the same
	Entries []string // all current entries, poisoned ones as placeholders, with overflow and no match
	Matches []string // previews of at most 80 characters, when ambiguous
	Backup  string   // copy of the file, when one was made
	Pattern string   // id of the threat pattern
	Decoded string   // what hidden or encoded text says
	Err     error    // the cause, if any
}

// Error tells a person.
func (r *RefusedError) Error() string {
	if r.Plain != "" {
		return r.Plain
	}
	return r.Message
}

// Unwrap gives the class of failure for commands.
func (r *RefusedError) Unwrap() error {
	var code core.Code
	switch r.Code {
	case RefusedNoMatch, RefusedStale:
		code = core.CodeNotFound
	case RefusedOverflow:
		code = core.CodeFull
	case RefusedFlagged, RefusedSecret, RefusedDisabled, RefusedFreeForm:
		code = core.CodeDenied
	case RefusedUnreadable:
		code = core.CodeConfig
	default:
		code = core.CodeUsage
	}
	return &core.Error{Code: code, Op: "change " + r.Target.File(), Err: r.Err, Hint: r.Hint}
}

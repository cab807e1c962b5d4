package tui

import (
	"context"

	"hermes/core"
	"hermes/tui/report"
)

// The ports about the open session beyond the conversation itself. All of them may be absent.

// Questions takes the person's answers to QuestionAsked events.
type Questions interface {
	// Answer answers question id. An id that is no longer waiting is an error with CodeNotFound.
	Answer(id string, a core.Answer) error
}

// Steerer hands words to the running turn instead of queueing them.
type Steerer interface {
	// Steer gives text to the running turn; a Steered event follows when it got there. An error
	// means that nothing was accepted.
	Steer(ctx context.Context, text string) error
}

// Compactor replaces older parts of the conversation by a summary.
type Compactor interface {
	// Compact blocks until it is done; a Compacted event follows before it returns. Focus says what
	// the summary must keep above all; "" leaves that to the model.
	Compact(ctx context.Context, focus string) error
}

// Contexts says what fills the context window.
type Contexts interface {
	// Context measures the next request of the open session.
	Context(ctx context.Context) (ContextUse, error)
}

// Undoer takes the last turn back: its changes to files and its messages.
type Undoer interface {
	// Preview says what Undo would do. A CodeNotFound error says that there is no turn to undo.
	Preview(ctx context.Context) (UndoReport, error)
	// Undo does it and says what it did. It refuses (CodeBusy) while a run is active.
	Undo(ctx context.Context) (UndoReport, error)
}

// Rules lists and revokes the stored "always" rules of approvals.
type Rules interface {
	// List returns the rules in the order they were stored.
	List(ctx context.Context) ([]Rule, error)
	// Revoke removes the rule with the given id.
	Revoke(ctx context.Context, id string) error
}

// Previews shows the end of a stored session without opening it.
type Previews interface {
	// Preview returns the last messages of session id, oldest first; a dozen is enough.
	Preview(ctx context.Context, id string) ([]PreviewLine, error)
}

// Files lists what can be mentioned with @.
type Files interface {
	// List returns the files and folders below the working folder, relative, with slashes, folders
	// with one at the end; what .gitignore excludes is left out. Some 20,000 entries are enough.
	List(ctx context.Context) ([]string, error)
}

// Shell runs a line the person typed behind "!".
type Shell interface {
	// Run runs command in the working folder with the person's own rights, hands its output to out as
	// it comes (raw; never from two goroutines at once, not after Run returned) and returns the exit
	// code. When ctx ends the command and its children are stopped. An error means it could not run.
	Run(ctx context.Context, command string, out func(string)) (exit int, err error)
}

// The values that travel with these ports live with the views that show them.
type (
	// ContextUse is what the next request consists of.
	ContextUse = report.ContextUse
	// ContextSection is one part of it.
	ContextSection = report.Section
	// UndoReport is what undoing the last turn does or did.
	UndoReport = report.Undo
	// UndoFile is one file of it.
	UndoFile = report.UndoFile
	// Rule is a stored approval rule.
	Rule = report.Rule
	// PreviewLine is one message of a previewed session.
	PreviewLine = report.PreviewLine
)

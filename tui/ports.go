package tui

import (
	"context"

	"hermes/core"
	"hermes/tui/onboard"
	"hermes/tui/sessions"
)

// Conversation drives the agent of one open session. Calls return as soon as the request is
// accepted; what happens is told by events. Implementations are safe for concurrent use.
type Conversation interface {
	// Send starts a run with text, or queues it when one is running (a QueueChanged event follows).
	// An error means nothing was accepted: the workspace puts the text back into the composer and
	// shows the error with its hint. The run outlives ctx.
	Send(ctx context.Context, text string) error
	// Interrupt ends the running turn; a RunEnded with EndInterrupted follows. Without a run it
	// does nothing. It must not block.
	Interrupt()
	// Retry repeats the last turn after it ended with an error or was interrupted.
	Retry(ctx context.Context) error
	// SetQueue replaces the waiting messages (the person edited or emptied the queue); a
	// QueueChanged event follows. It must not block.
	SetQueue(queue []string)
}

// Events delivers what the core says. *core.Feed is one.
type Events interface {
	// Next waits for events and returns all undelivered ones; ok is false after the end of the
	// feed; when ctx ends it returns nil, true. Only one call is outstanding at a time.
	Next(ctx context.Context) (batch []core.Event, ok bool)
}

// Approvals takes the person's answers to ApprovalAsked events.
type Approvals interface {
	// Answer decides approval id. An id that is no longer waiting is an error with CodeNotFound.
	Answer(id string, d core.Decision) error
}

// Sessions lists and tends the stored sessions of the workspace's home.
type Sessions interface {
	// List returns the sessions, last used first.
	List(ctx context.Context) ([]SessionRow, error)
	// Rename gives session id a title. When it is the open one, a Titled event follows.
	Rename(ctx context.Context, id, title string) error
	// Delete removes session id and its files. It refuses (CodeBusy) a session that is open
	// anywhere, the workspace's own included.
	Delete(ctx context.Context, id string) error
	// Export writes session id to a file in the folder hermes was started in and returns its
	// path. Format is "md" or "json"; redact removes what looks like a secret.
	Export(ctx context.Context, id, format string, redact bool) (path string, err error)
}

// Opener opens another session beside the open one. The root closes its old workspace after the new
// one has been adopted; when a call fails the old one stays.
type Opener interface {
	// New starts an empty session.
	New(ctx context.Context) (Workspace, error)
	// Open resumes session id. A session held by another process is an error with CodeBusy.
	Open(ctx context.Context, id string) (Workspace, error)
	// Fork copies session id up to and including message messageID ("" copies everything) into a
	// new session and opens it.
	Fork(ctx context.Context, id, messageID string) (Workspace, error)
}

// Models lists and switches the model of the open session.
type Models interface {
	// List asks the server what it serves.
	List(ctx context.Context) ([]string, error)
	// Switch uses model from the next turn on. The prompt cache of the server starts anew.
	Switch(ctx context.Context, model string) (core.ModelInfo, error)
}

// Setup is what onboarding needs. Nothing is written before Save; the demo writes only to a
// throw-away home.
type Setup interface {
	// Presets lists the providers that can be picked, best known first. It does no I/O.
	Presets() []Preset
	// Models asks the provider of c what it serves; this also proves address and key.
	Models(ctx context.Context, c Choice) ([]string, error)
	// Plan says what Save would write and where, one line each, without secrets. It does no I/O.
	Plan(c Choice) []string
	// Save makes a short test call with c and, when it succeeds, writes provider, key and model
	// and opens a new session with them. When the test fails nothing is written.
	Save(ctx context.Context, c Choice) (Workspace, error)
	// Demo opens a workspace on a throw-away home and folder with the scripted model.
	Demo(ctx context.Context) (Workspace, error)
}

// History keeps what was sent from the composer, across sessions (ui/history.jsonl).
type History interface {
	// Load returns the entries, oldest first.
	Load(ctx context.Context) ([]string, error)
	// Append adds one entry.
	Append(ctx context.Context, text string) error
}

// Drafts keeps unsent composer text per session (ui/drafts), so that neither a crash nor a session
// switch loses it.
type Drafts interface {
	// Load returns the draft of a session, "" when there is none.
	Load(ctx context.Context, sessionID string) (string, error)
	// Save stores the draft; "" removes it.
	Save(ctx context.Context, sessionID, text string) error
}

// Clipboard writes to the clipboard of the desktop. The root also sends OSC 52 to the terminal, so
// an implementation that has no desktop may be left out.
type Clipboard interface {
	// Write replaces the clipboard's text; core.CodeNotFound says that this machine has none.
	Write(ctx context.Context, text string) error
}

// Workspace is one open session with everything the screen needs for it. It is a value: opening
// another session, finishing onboarding or starting the demo returns a new one, which the root
// adopts whole. Conversation, Events and Approvals are required; the other ports may be nil, and
// what needs them is then shown as unavailable with the reason.
type Workspace struct {
	Conversation Conversation
	Events       Events
	Approvals    Approvals
	Sessions     Sessions
	Opener       Opener
	Models       Models
	History      History
	Drafts       Drafts
	Questions    Questions
	Steerer      Steerer
	Compactor    Compactor
	Truster      Truster // nil when the folder is trusted already
	Contexts     Contexts
	Undoer       Undoer
	Rules        Rules
	Previews     Previews
	Files        Files
	Shell        Shell
	Skills       Skills // nil: there is no skills pane
	Memory       Memory // nil: there is no memory pane
	Cleaner      Cleaner
	Reviews      Reviews // nil: there is no reviews pane
	Journey      Journey
	Insights     Insights
	Curator      Curator
	Transcripts  Transcripts
	Finder       Finder
	Info         Info
	// Close ends the conversation: it interrupts a run, waits for its end, releases the session and
	// closes the feed. The root calls it once, in a command, when the workspace is replaced, and Run
	// calls it before it returns. May be nil.
	Close func(ctx context.Context) error
}

// Info is what is known about a workspace when it opens.
type Info struct {
	// SessionID is what the events of this session carry; events of others are not shown in the chat
	// (their approvals are).
	SessionID string
	Title     string
	Model     core.ModelInfo // Model.Scripted shows "demo model (scripted)"
	Folder    string         // the agent's working folder, as shown: "~/src/app"
	// Past is the transcript so far, oldest first; the screen is rebuilt from it on resume.
	Past []core.Record
	// Todos is the agent's task list, as the last TodoChanged of the session had it.
	Todos []core.TodoItem
	// Notices are shown once, at the start ("config.yaml:12: …").
	Notices []core.Notice
	// Yolo says that approvals are off; the status bar shows it at every width.
	Yolo bool
}

// The values that travel with the ports live with the views that show them.
type (
	// SessionRow is one stored session in the picker.
	SessionRow = sessions.Row
	// Preset is a provider that onboarding offers.
	Preset = onboard.Preset
	// Choice is what the person picked in onboarding.
	Choice = onboard.Choice
)

package core

import (
	"context"
	"encoding/json"
)

// Tool is something the model can call. Implementations live in tools/<toolset>; they must be safe
// for concurrent use and return when ctx ends.
type Tool interface {
	// Spec is what the model is told. It must not change while the process lives.
	Spec() ToolSpec
	// Run executes one call. A failure of the work itself is a result with OK false, never an error:
	// the model must always get exactly one answer.
	Run(ctx context.Context, call ToolRun) ToolResult
}

// ToolRun is one execution of a tool.
type ToolRun struct {
	SessionID string
	RunID     string
	CallID    string
	Agent     string          // name of the sub-agent that calls; "" for the session's own agent
	Arguments json.RawMessage // a JSON object, already parsed once
	// Output receives live output (terminal lines …) for the screen. Never nil. The text is raw; it
	// must be neutralised before display. It must not be called after Run returned.
	Output func(text string)
}

// ToolResult is the answer to one call.
type ToolResult struct {
	OK      bool
	Content string // what the model reads
	// Detail is for the person only: it is stored with the result and never sent.
	Detail *ToolDetail
}

// ToolDetail is what a person sees of a result beyond its text.
type ToolDetail struct {
	ExitCode *int   `json:"exit_code,omitempty"` // of a command
	Summary  string `json:"summary,omitempty"`   // one line: "wrote 14 lines", "12 matches in 3 files"
	Diff     string `json:"diff,omitempty"`      // unified diff of a changed file
	Path     string `json:"path,omitempty"`      // file the call was about
	Spill    string `json:"spill,omitempty"`     // file that holds the full text when Content was cut
	Cut      int    `json:"cut,omitempty"`       // code points left out of Content
	Denied   bool   `json:"denied,omitempty"`    // a person or a rule said no; nothing ran
	Aborted  bool   `json:"aborted,omitempty"`   // interrupted while running
	// Taint names where foreign text in Content came from ("web: https://…"): from here on the turn
	// must not be learned from unasked. Several sources are joined by a line break.
	Taint string `json:"taint,omitempty"`
}

// Toolbox is the frozen set of tools of a session, with approval, limits and redaction around them.
type Toolbox interface {
	// Specs lists the tools in the order they are sent.
	Specs() []ToolSpec
	// Run executes call. Unknown tools and broken arguments come back as results that say so.
	Run(ctx context.Context, call ToolCall, at ToolRun) ToolResult
}

// Decision is a person's answer to an approval.
type Decision string

// The answers. A timeout and a cancelled dialog count as deny.
const (
	DecideOnce    Decision = "once"
	DecideSession Decision = "session"
	DecideAlways  Decision = "always"
	DecideDeny    Decision = "deny"
)

// Approval asks a person whether a call may run.
type Approval struct {
	ID        string   `json:"id"`
	SessionID string   `json:"session_id"`
	RunID     string   `json:"run_id"`
	CallID    string   `json:"call_id"`
	Tool      string   `json:"tool"`
	Subject   string   `json:"subject"`          // the exact command or resolved path, unmodified
	Reasons   []string `json:"reasons"`          // why it asks, one line each
	Rule      string   `json:"rule"`             // what "session" and "always" would remember, exactly; "" = only once/deny
	Diff      string   `json:"diff,omitempty"`   // the change, when it is a write
	Folder    string   `json:"folder,omitempty"` // where a command would run
	// Marks are the parts of Subject that the reasons are about, in order and not overlapping.
	Marks []Span `json:"marks,omitempty"`
	// Agent names the sub-agent that asks; "" for the session's own agent.
	Agent string `json:"agent,omitempty"`
}

// Span is a half-open range of bytes in a text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// FileEdit announces what a call is about to do to one file, so that it can be undone.
type FileEdit struct {
	Path string // absolute; the folder resolved, the last part not followed when it is a link
	// After is the SHA-256 (hex) of the bytes that will stand there, "" when the file will be gone.
	After string
	// Open says that only the end of the call tells what will stand there (a command); After is unset.
	Open bool
}

// Approver decides approvals: a dialog in the workspace, a refusal in unattended runs.
type Approver interface {
	// Approve blocks until decided or ctx ends; then it returns DecideDeny. why is shown to the model.
	Approve(ctx context.Context, a Approval) (d Decision, why string)
}

// ApproverFunc adapts a function to Approver.
type ApproverFunc func(ctx context.Context, a Approval) (Decision, string)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, a Approval) (Decision, string) { return f(ctx, a) }

// Redactor removes secrets from text before it is recorded, sent or shown.
type Redactor interface {
	Redact(text string) string
}

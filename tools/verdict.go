package tools

import (
	"context"

	"hermes/core"
)

// Action is what a guard decided.
type Action int

// The three decisions, in rising order of caution.
const (
	ActionAllow Action = iota
	ActionAsk
	ActionDeny
)

// Guarded is implemented by tools whose calls can need approval. Guard judges a call with checked
// arguments; it must not change anything.
type Guarded interface {
	Guard(ctx context.Context, run core.ToolRun) Verdict
}

// Verdict is a guard's decision about one call. The zero value allows.
type Verdict struct {
	Action  Action
	Reasons []string    // why it asks or denies, one line each
	Subject string      // the exact command or resolved path
	Rule    string      // what "session" and "always" would remember; "" leaves only once and deny
	Diff    string      // the change, when it is a write
	Folder  string      // where a command would run
	Marks   []core.Span // the parts of Subject that the reasons are about
	// Firm makes the question one that --yolo and remembered rules do not answer.
	Firm bool
	// Run, when set, is executed instead of the tool's Run: it is bound to what was judged (a resolved
	// path), so that nothing can be exchanged between the check and the use.
	Run func(ctx context.Context, run core.ToolRun) core.ToolResult
}

// Deny returns a verdict that refuses.
func Deny(subject string, reasons ...string) Verdict {
	return Verdict{Action: ActionDeny, Subject: subject, Reasons: reasons}
}

// Unable returns a verdict for a call that cannot be judged: it runs into the result and nothing else,
// so that a call which becomes possible a moment later does not run unjudged.
func Unable(result core.ToolResult) Verdict {
	return Verdict{Run: func(context.Context, core.ToolRun) core.ToolResult { return result }}
}

// AllowStore remembers the rules a person answered "always" to, across sessions.
type AllowStore interface {
	// Allowed reports whether rule was remembered.
	Allowed(rule string) bool
	// Allow remembers rule.
	Allow(ctx context.Context, rule string) error
}

// Capped is implemented by tools that bound their own output and must not be cut and spilled below
// that bound. OutputLimit is in code points.
type Capped interface {
	OutputLimit() int
}

// Patient is a tool that waits for people or agents and ends by their rules: the registry sets it no time.
type Patient interface {
	WaitsForOthers()
}

// Fail returns the result of a call that did not work.
func Fail(text string) core.ToolResult { return core.ToolResult{Content: text} }

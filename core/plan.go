package core

import "context"

// TodoStatus is how far an item of the task list is.
type TodoStatus string

// The states of a task.
const (
	TodoPending   TodoStatus = "pending"
	TodoActive    TodoStatus = "in_progress"
	TodoDone      TodoStatus = "done"
	TodoCancelled TodoStatus = "cancelled"
)

// TodoItem is one line of the model's task list.
type TodoItem struct {
	ID     string     `json:"id"`
	Text   string     `json:"text"` // one line
	Status TodoStatus `json:"status"`
}

// Question is something the model wants to know from the person. Its texts are the model's: to be
// neutralised before display.
type Question struct {
	ID        string   `json:"id"`
	SessionID string   `json:"session_id"`
	RunID     string   `json:"run_id"`
	CallID    string   `json:"call_id"`
	Text      string   `json:"text"`
	Options   []string `json:"options,omitempty"` // one line each, all different
	FreeText  bool     `json:"free_text"`         // an own answer is welcome; always true without options
	Secret    bool     `json:"secret,omitempty"`  // the answer is masked, and neither shown, recorded nor sent anywhere
}

// Answer is what the person said to a question.
type Answer struct {
	Text    string `json:"text"`              // the chosen option or the person's own words
	Option  int    `json:"option,omitempty"`  // 1-based number of the chosen option; 0 for own words
	Skipped bool   `json:"skipped,omitempty"` // the person closed the question without answering
}

// Asker puts questions to the person: a dialog in the workspace. Runs without a person have none.
type Asker interface {
	// Ask blocks until the person answered or closed the question, or ctx ends; then it returns ctx's
	// error. A CodeDenied error says that nobody can be asked.
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Task is work handed to a sub-agent.
type Task struct {
	ID            string   `json:"id"`
	ParentSession string   `json:"parent_session"`
	ParentRun     string   `json:"parent_run"`
	CallID        string   `json:"call_id"`
	Title         string   `json:"title"`  // one line, for the person
	Prompt        string   `json:"prompt"` // the sub-agent's whole user message
	Toolsets      []string `json:"toolsets"`
	MaxIterations int      `json:"max_iterations"` // model requests; always above 0
}

// TaskResult is how a sub-agent's run ended, and its figures.
type TaskResult struct {
	Answer     string    `json:"answer"`
	Requests   int       `json:"requests"`
	ToolCalls  int       `json:"tool_calls"`
	ToolErrors int       `json:"tool_errors"`
	Usage      Usage     `json:"usage"`
	Cost       Cost      `json:"cost"`
	Reason     EndReason `json:"reason"`
	SessionID  string    `json:"session_id"` // of the sub-agent's own transcript
	// Taint names foreign text the sub-agent read (see ToolDetail.Taint): its answer carries it on.
	Taint string `json:"taint,omitempty"`
}

// Runner runs sub-agents. It is safe for concurrent use.
type Runner interface {
	// RunTask blocks until the sub-agent's run has ended. Cancelling ctx ends the run. The result is
	// meaningful beside an error too: what was spent counts. It emits the Task events.
	RunTask(ctx context.Context, t Task) (TaskResult, error)
}

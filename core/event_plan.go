package core

// The events of planning and delegation.
type (
	// TodoChanged carries the whole task list of the session after a change.
	TodoChanged struct {
		Meta

		Items []TodoItem `json:"items"`
	}
	// QuestionAsked asks the person; the answer goes to whoever owns the Asker.
	QuestionAsked struct {
		Meta

		Question Question `json:"question"`
	}
	// QuestionDone says how a question ended. Why is set when it ended without the person.
	QuestionDone struct {
		Meta

		ID     string `json:"id"`
		Answer Answer `json:"answer"`
		Why    string `json:"why,omitempty"`
	}
	// TaskStarted opens a sub-agent's run. Meta is the parent's; SessionID of the child is Child.
	TaskStarted struct {
		Meta

		TaskID   string   `json:"task_id"`
		CallID   string   `json:"call_id"`
		Title    string   `json:"title"`
		Child    string   `json:"child,omitempty"` // session id of the sub-agent's transcript
		Toolsets []string `json:"toolsets"`
		Limit    int      `json:"limit"` // model requests
	}
	// TaskStep says what a sub-agent does now. Text is one line: the tool with its subject, or the start
	// of an answer; raw, to be neutralised before display.
	TaskStep struct {
		Meta

		TaskID    string `json:"task_id"`
		CallID    string `json:"call_id"`
		Request   int    `json:"request"` // 1-based number of the model request
		ToolCalls int    `json:"tool_calls"`
		Text      string `json:"text"`
	}
	// TaskEnded closes a sub-agent's run, exactly once.
	TaskEnded struct {
		Meta

		TaskID     string     `json:"task_id"`
		CallID     string     `json:"call_id"`
		Result     TaskResult `json:"result"`
		Error      *RunError  `json:"error,omitempty"`
		DurationMS int64      `json:"duration_ms"`
	}
)

// Type returns the JSON name of the event.
func (*TodoChanged) Type() string { return "todo_changed" }

// Type returns the JSON name of the event.
func (*QuestionAsked) Type() string { return "question_asked" }

// Type returns the JSON name of the event.
func (*QuestionDone) Type() string { return "question_done" }

// Type returns the JSON name of the event.
func (*TaskStarted) Type() string { return "task_started" }

// Type returns the JSON name of the event.
func (*TaskStep) Type() string { return "task_step" }

// Type returns the JSON name of the event.
func (*TaskEnded) Type() string { return "task_ended" }

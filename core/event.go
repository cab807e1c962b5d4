package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Event is something the core tells the outside: the screen, "run --json" and tests see the same
// values. The set is sealed; Type gives the name used in JSON.
type Event interface {
	Type() string
	// Head returns the shared part; the emitter fills it.
	Head() *Meta
}

// Channel separates the conversation from what is learned beside it.
type Channel string

// The two channels.
const (
	ChannelChat     Channel = "chat"
	ChannelLearning Channel = "learning"
)

// Meta is the part every event carries.
type Meta struct {
	SessionID string    `json:"session_id,omitempty"`
	RunID     string    `json:"run_id,omitempty"`
	Seq       int64     `json:"seq"` // rises by at least 1 within a process
	Time      time.Time `json:"time"`
	Channel   Channel   `json:"channel,omitempty"`
}

// Head returns the meta part, so that embedding Meta makes a struct an Event.
func (m *Meta) Head() *Meta { return m }

// Level grades a notice.
type Level string

// The notice levels.
const (
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// EndReason says how a run ended.
type EndReason string

// The ways a run ends; each run ends exactly once.
const (
	EndAnswered    EndReason = "answered"
	EndInterrupted EndReason = "interrupted"
	EndBudget      EndReason = "budget"
	EndError       EndReason = "error"
)

// The events, in the order a turn shows them.
type (
	// RunStarted opens a run. Message is the user message as stored.
	RunStarted struct {
		Meta

		Message Message `json:"message"`
		Model   string  `json:"model"`
	}
	// TextDelta is a piece of the visible answer of message MessageID.
	TextDelta struct {
		Meta

		MessageID string `json:"message_id"`
		Text      string `json:"text"`
	}
	// ReasoningDelta is a piece of thinking text.
	ReasoningDelta struct {
		Meta

		MessageID string `json:"message_id"`
		Text      string `json:"text"`
	}
	// MessageEnded closes an assistant message: its final stored form. Void says a retry replaced it.
	MessageEnded struct {
		Meta

		Message Message `json:"message"`
		Void    bool    `json:"void,omitempty"`
	}
	// ToolStarted opens a tool call.
	ToolStarted struct {
		Meta

		CallID    string `json:"call_id"`
		Tool      string `json:"tool"`
		Arguments string `json:"arguments"` // JSON text as the model sent it, redacted
	}
	// ToolOutput is live output of a running call; raw text, to be neutralised before display.
	ToolOutput struct {
		Meta

		CallID string `json:"call_id"`
		Text   string `json:"text"`
	}
	// ToolEnded closes a tool call.
	ToolEnded struct {
		Meta

		CallID     string      `json:"call_id"`
		Tool       string      `json:"tool"`
		OK         bool        `json:"ok"`
		Result     string      `json:"result"`
		DurationMS int64       `json:"duration_ms"`
		ExitCode   *int        `json:"exit_code,omitempty"`
		Detail     *ToolDetail `json:"detail,omitempty"`
	}
	// ApprovalAsked asks the person; the answer goes to whoever owns the Approver.
	ApprovalAsked struct {
		Meta

		Approval Approval `json:"approval"`
	}
	// ApprovalDone says how an approval was decided.
	ApprovalDone struct {
		Meta

		ID       string   `json:"id"`
		Decision Decision `json:"decision"`
		Why      string   `json:"why,omitempty"`
	}
	// UsageReported carries one request's consumption and the size of its prompt.
	UsageReported struct {
		Meta

		Usage   Usage   `json:"usage"`
		Cost    Cost    `json:"cost"`
		Purpose Purpose `json:"purpose"`
		Side    string  `json:"side,omitempty"` // the side task that asked ("compression"); "" is the conversation
	}
	// Notice tells the person something that is no error of the run.
	Notice struct {
		Meta

		Level  Level  `json:"level"`
		Text   string `json:"text"`
		Remedy string `json:"remedy,omitempty"`
		// Detail is more of it for those who open it: a unified difference, or plain lines.
		Detail string `json:"detail,omitempty"`
	}
	// Titled says that the session got a title.
	Titled struct {
		Meta

		Title string `json:"title"`
	}
	// Steered says that words of the person reached the running turn inside a tool result.
	Steered struct {
		Meta

		Text string `json:"text"`
	}
	// Compacted says that a part of the conversation gave way to a summary; it stays in the transcript.
	Compacted struct {
		Meta

		MessageID string `json:"message_id"` // of the summary
		Messages  int    `json:"messages"`   // replaced
		Before    int    `json:"before"`     // tokens of the next request, estimated
		After     int    `json:"after"`
		Summary   string `json:"summary"`
		Fallback  bool   `json:"fallback,omitempty"` // made without a model
		Auto      bool   `json:"auto,omitempty"`
	}
	// Undone says that the conversation was taken back to before message From.
	Undone struct {
		Meta

		From     string `json:"from"`
		Messages int    `json:"messages"` // taken back
	}
	// QueueChanged lists the messages waiting for the running turn to end.
	QueueChanged struct {
		Meta

		Queue []string `json:"queue"`
	}
	// RunEnded closes a run, exactly once.
	RunEnded struct {
		Meta

		Reason     EndReason `json:"reason"`
		Answer     string    `json:"answer"`
		Error      *RunError `json:"error,omitempty"`
		Usage      Usage     `json:"usage"`
		Cost       Cost      `json:"cost"`
		ToolCalls  int       `json:"tool_calls"`
		ToolErrors int       `json:"tool_errors"`
		Requests   int       `json:"requests"`
		DurationMS int64     `json:"duration_ms"`
	}
	// Done is the last line of "run --json".
	Done struct{ Meta }
)

// RunError is the failure of a run as shown and as JSON.
type RunError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// NewRunError describes err; nil gives nil.
func NewRunError(err error) *RunError {
	if err == nil {
		return nil
	}
	return &RunError{Code: CodeOf(err), Message: err.Error(), Remedy: HintOf(err)}
}

// Type returns the JSON name of the event.
func (*RunStarted) Type() string { return "run_started" }

// Type returns the JSON name of the event.
func (*TextDelta) Type() string { return "text_delta" }

// Type returns the JSON name of the event.
func (*ReasoningDelta) Type() string { return "reasoning_delta" }

// Type returns the JSON name of the event.
func (*MessageEnded) Type() string { return "message_ended" }

// Type returns the JSON name of the event.
func (*ToolStarted) Type() string { return "tool_started" }

// Type returns the JSON name of the event.
func (*ToolOutput) Type() string { return "tool_output" }

// Type returns the JSON name of the event.
func (*ToolEnded) Type() string { return "tool_ended" }

// Type returns the JSON name of the event.
func (*ApprovalAsked) Type() string { return "approval_asked" }

// Type returns the JSON name of the event.
func (*ApprovalDone) Type() string { return "approval_done" }

// Type returns the JSON name of the event.
func (*UsageReported) Type() string { return "usage" }

// Type returns the JSON name of the event.
func (*Notice) Type() string { return "notice" }

// Type returns the JSON name of the event.
func (*Titled) Type() string { return "titled" }

// Type returns the JSON name of the event.
func (*Steered) Type() string { return "steered" }

// Type returns the JSON name of the event.
func (*Compacted) Type() string { return "compacted" }

// Type returns the JSON name of the event.
func (*Undone) Type() string { return "undone" }

// Type returns the JSON name of the event.
func (*QueueChanged) Type() string { return "queue_changed" }

// Type returns the JSON name of the event.
func (*RunEnded) Type() string { return "run_ended" }

// Type returns the JSON name of the event.
func (*Done) Type() string { return "done" }

// MarshalEvent encodes e as one JSON object that starts with its type, without a line break.
func MarshalEvent(e Event) ([]byte, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("encode %s event: %w", e.Type(), err)
	}
	b := bytes.TrimRight(body.Bytes(), "\n")
	out := fmt.Appendf(nil, `{"type":%q`, e.Type())
	if len(b) > 2 {
		out = append(out, ',')
	}
	return append(out, b[1:]...), nil
}

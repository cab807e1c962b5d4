package core

import "time"

// RecordType names a line of a transcript.
type RecordType string

// The record types of a transcript. Readers skip types they do not know.
const (
	RecordMessage    RecordType = "message"     // Message (and Detail for tool results)
	RecordRunStarted RecordType = "run_started" // a turn began
	RecordRunEnded   RecordType = "run_ended"   // a turn ended: Reason, Usage
	RecordUsage      RecordType = "usage"       // one request's consumption
	RecordTitle      RecordType = "title"       // Title
	RecordModel      RecordType = "model"       // the model was switched: Model
	RecordDiscard    RecordType = "discard"     // message Target is void (a retry replaced it)
	RecordApproval   RecordType = "approval"    // a decision: Text
	RecordNote       RecordType = "note"        // something for the person: Text
	// RecordUndo takes the conversation back to before message Target; the files of the turn may have been
	// put back with it. The messages stay in the transcript.
	RecordUndo RecordType = "undo"
	// RecordCompacted says that Message stands for the messages from From up to, not including, Target
	// (all that follow when Target is empty). They stay in the transcript.
	RecordCompacted RecordType = "compacted"
)

// Record is one line of a transcript, appended before it is acted on and already redacted.
type Record struct {
	Type    RecordType  `json:"type"`
	Time    time.Time   `json:"time"`
	RunID   string      `json:"run_id,omitempty"`
	Message *Message    `json:"message,omitempty"`
	Detail  *ToolDetail `json:"detail,omitempty"`
	OK      *bool       `json:"ok,omitempty"`          // of a tool result
	TookMS  int64       `json:"duration_ms,omitempty"` // of a tool call or request
	Target  string      `json:"target,omitempty"`      // message id
	From    string      `json:"from,omitempty"`        // message id
	Title   string      `json:"title,omitempty"`
	Model   string      `json:"model,omitempty"` // "provider/model"
	Reason  string      `json:"reason,omitempty"`
	Text    string      `json:"text,omitempty"`
	Purpose Purpose     `json:"purpose,omitempty"`
	Usage   *Usage      `json:"usage,omitempty"`
	Cost    *Cost       `json:"cost,omitempty"`
}

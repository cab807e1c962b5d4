package core

import (
	"encoding/json"
	"strconv"
	"time"
)

// Role says who speaks in a message.
type Role string

// The four roles of the Chat Completions wire format.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of a conversation exactly as it is sent to the model: what is stored is
// what was sent, so that request n+1 can start with the bytes of request n.
type Message struct {
	ID        string     `json:"id,omitempty"` // "m12", unique within the session; never sent
	Role      Role       `json:"role"`
	Content   string     `json:"content"`
	Reasoning *Reasoning `json:"reasoning,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ToolCallID and ToolName belong to a RoleTool message: the call it answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
	ToolName   string `json:"tool_name,omitempty"`
	// Incomplete marks an assistant message whose stream ended before its finish: interrupted,
	// cut or failed. Its text is kept and shown; its tool calls were never run and are not kept.
	Incomplete bool `json:"incomplete,omitempty"`
	// Note marks a user message that the workspace wrote, not the person (a spent budget, a summary).
	Note bool `json:"note,omitempty"`
	// Shown is what the person typed when Content carries more (notes, folded attachments).
	Shown string `json:"shown,omitempty"`
	// Model is "provider/model" that wrote an assistant message; it decides whether Reasoning is replayed.
	Model string    `json:"model,omitempty"`
	Time  time.Time `json:"time,omitzero"`
}

// Display returns the text a person should see for the message.
func (m Message) Display() string {
	if m.Shown != "" {
		return m.Shown
	}
	return m.Content
}

// Reasoning is the thinking text of an assistant message and how the server named it, kept byte
// for byte because some servers reject later requests that lack it and others reject it.
type Reasoning struct {
	Text    string          `json:"text,omitempty"`
	Field   string          `json:"field,omitempty"`   // "reasoning_content" or "reasoning"
	Details json.RawMessage `json:"details,omitempty"` // raw "reasoning_details" array
}

// ToolCall is a request of the model to run a tool. Arguments is the JSON text as it arrived,
// which may be broken; whoever runs it must parse it.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	// Extra is what the server attached to the call beyond the format (JSON text; a thought signature,
	// for one) and wants back, by the model that made it.
	Extra string `json:"extra,omitempty"`
}

// Tokens is a token count that may be unknown: a server that does not say is not a server that used none.
type Tokens struct {
	N     int64
	Known bool
}

// KnownTokens returns a known count of n.
func KnownTokens(n int64) Tokens { return Tokens{N: n, Known: true} }

// Add returns the sum; it is known when either side is, so that totals survive one silent server.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{N: t.N + o.N, Known: t.Known || o.Known}
}

// MarshalJSON writes the number, or null when unknown.
func (t Tokens) MarshalJSON() ([]byte, error) {
	if !t.Known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, t.N, 10), nil
}

// UnmarshalJSON reads a number; null and anything else is unknown.
func (t *Tokens) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		*t = Tokens{}
		return nil //nolint:nilerr // an odd count is an unknown count, never a broken transcript
	}
	*t = KnownTokens(n)
	return nil
}

// Usage is what one or more requests consumed. Input includes Cached; Output includes Reasoning.
type Usage struct {
	Input     Tokens `json:"input"`
	Output    Tokens `json:"output"`
	Cached    Tokens `json:"cached"`
	Reasoning Tokens `json:"reasoning"`
}

// Add returns the sum of both.
func (u Usage) Add(o Usage) Usage {
	return Usage{
		Input:     u.Input.Add(o.Input),
		Output:    u.Output.Add(o.Output),
		Cached:    u.Cached.Add(o.Cached),
		Reasoning: u.Reasoning.Add(o.Reasoning),
	}
}

// Cost is an amount in US dollars that may be unknown (no price for the model, or no usage).
type Cost struct {
	USD   float64
	Known bool
}

// Add returns the sum; it is known when either side is.
func (c Cost) Add(o Cost) Cost { return Cost{USD: c.USD + o.USD, Known: c.Known || o.Known} }

// MarshalJSON writes the amount, or null when unknown.
func (c Cost) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, c.USD, 'f', -1, 64), nil
}

// UnmarshalJSON reads a number; null and anything else is unknown.
func (c *Cost) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		*c = Cost{}
		return nil //nolint:nilerr // as for Tokens
	}
	*c = Cost{USD: f, Known: true}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }

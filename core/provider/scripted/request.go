package scripted

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Request is one recorded chat request. Body and Header are as received.
type Request struct {
	N      int // from 1
	Header http.Header
	Body   []byte
	// Status is what the server answered; 0 while it is answering.
	Status int

	Model    string
	Stream   bool
	Messages []Message
	Tools    []string // names, in order
	// Fields are the raw top-level fields of the body; nil when the body is no JSON object.
	Fields map[string]json.RawMessage
}

// Message is one message of a request.
type Message struct {
	Role       string
	Content    string // text; the text parts joined when the content was a list
	ToolCallID string
	ToolCalls  []ToolCall
	Raw        json.RawMessage            // the bytes as received
	Fields     map[string]json.RawMessage // the raw fields; nil when it is no object
}

// ToolCall is a call in an assistant message.
type ToolCall struct{ ID, Name, Arguments string }

// parseRequest reads what it can; the strict checks complain about the rest.
func parseRequest(body []byte) *Request {
	r := &Request{Body: body}
	if json.Unmarshal(body, &r.Fields) != nil {
		return r
	}
	r.Model = text(r.Fields["model"])
	r.Stream = string(r.Fields["stream"]) == "true"
	for _, raw := range list(r.Fields["messages"]) {
		r.Messages = append(r.Messages, parseMessage(raw))
	}
	for _, raw := range list(r.Fields["tools"]) {
		r.Tools = append(r.Tools, text(object(object(raw)["function"])["name"]))
	}
	return r
}

func parseMessage(raw json.RawMessage) Message {
	m := Message{Raw: raw, Fields: object(raw)}
	m.Role = text(m.Fields["role"])
	m.ToolCallID = text(m.Fields["tool_call_id"])
	m.Content = text(m.Fields["content"])
	var parts []string
	for _, p := range list(m.Fields["content"]) {
		parts = append(parts, text(object(p)["text"]))
	}
	if parts != nil {
		m.Content = strings.Join(parts, "")
	}
	for _, c := range list(m.Fields["tool_calls"]) {
		fields := object(c)
		fn := object(fields["function"])
		m.ToolCalls = append(m.ToolCalls, ToolCall{ID: text(fields["id"]), Name: text(fn["name"]), Arguments: text(fn["arguments"])})
	}
	return m
}

// text, list and object read a JSON value of their kind and give the zero value for any other.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func list(raw json.RawMessage) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}

func object(raw json.RawMessage) map[string]json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// System returns the text of the first system message.
func (r *Request) System() string {
	for _, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			return m.Content
		}
	}
	return ""
}

// lastUser is the index of the last user message, or -1.
func (r *Request) lastUser() int {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return i
		}
	}
	return -1
}

// User returns the text of the last user message.
func (r *Request) User() string {
	if i := r.lastUser(); i >= 0 {
		return r.Messages[i].Content
	}
	return ""
}

// Users counts the user messages.
func (r *Request) Users() int {
	n := 0
	for _, m := range r.Messages {
		if m.Role == "user" {
			n++
		}
	}
	return n
}

// Turn counts the assistant messages since the last user message: 0 for a fresh question.
func (r *Request) Turn() int {
	n := 0
	for _, m := range r.Messages[r.lastUser()+1:] {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

// Result is a tool call since the last user message and what it answered.
type Result struct {
	Call    ToolCall
	Content string
	OK      bool // by the look of Content, see the package comment
}

// Results lists the answered calls since the last user message.
func (r *Request) Results() []Result {
	calls := map[string]ToolCall{}
	var out []Result
	for _, m := range r.Messages[r.lastUser()+1:] {
		for _, c := range m.ToolCalls {
			calls[c.ID] = c
		}
		if m.Role == "tool" {
			out = append(out, Result{Call: calls[m.ToolCallID], Content: m.Content, OK: looksOK(m.Content)})
		}
	}
	return out
}

// LastResult returns the content of the last tool message of the conversation.
func (r *Request) LastResult() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "tool" {
			return r.Messages[i].Content
		}
	}
	return ""
}

// HasTool says whether the request offers a tool of that name.
func (r *Request) HasTool(name string) bool {
	for _, t := range r.Tools {
		if t == name {
			return true
		}
	}
	return false
}

func looksOK(content string) bool {
	trimmed := strings.TrimSpace(content)
	if len(trimmed) >= 5 && strings.EqualFold(trimmed[:5], "error") {
		return false
	}
	o := object(json.RawMessage(trimmed))
	if e, has := o["error"]; has && string(e) != "null" {
		return false
	}
	return string(o["ok"]) != "false" && string(o["success"]) != "false"
}

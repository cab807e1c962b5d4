package core

import (
	"context"
	"encoding/json"
	"time"
)

// Purpose tells for whom a request is made, so that the costs of learning are metered apart.
type Purpose string

// The purposes of a request.
const (
	PurposeChat     Purpose = "chat"
	PurposeLearning Purpose = "learning"
)

// Request is one question to a model. Messages[0] is the frozen system prompt. The encoder must be
// deterministic: equal values give equal bytes.
type Request struct {
	Messages []Message
	Tools    []ToolSpec // frozen per session, sent in this order; empty asks for text only
	Purpose  Purpose
	// MaxTokens limits the answer; 0 leaves it to the server.
	MaxTokens int
	// SessionID is a routing hint for prompt caches; it is never part of the prompt.
	SessionID string
}

// ToolSpec is what the model is told about a tool.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON schema object
}

// Delta is one piece of a streaming answer. Exactly one field group is set.
type Delta struct {
	Text      string // visible answer text
	Reasoning string // thinking text
	// CallName and CallArgs report progress of tool call number Call (from 0): name once known,
	// then the newly arrived argument characters. For display only.
	Call     int
	CallName string
	CallArgs string
	// Retry says that the attempt failed before any text was shown and another follows after Wait.
	Retry *Retry
}

// Retry describes an attempt that will be repeated.
type Retry struct {
	Attempt int           // the attempt that failed, from 1
	Max     int           // attempts in all
	Wait    time.Duration // until the next one
	Reason  string        // one line for the person
}

// Response is a finished answer. When Stream returns an error the Response still holds what
// arrived (Message.Incomplete set, no tool calls), so that partial text is never lost.
type Response struct {
	Message Message
	// Finish is the server's finish reason as sent ("stop", "length", …); callers must decide by
	// Message.ToolCalls, never by this word. It is for notices ("length") only.
	Finish string
	Usage  Usage
	Cost   Cost
}

// Model streams answers of one configured model. Implementations are safe for concurrent use.
type Model interface {
	// Stream sends the request and calls sink for every delta, in order, from one goroutine, until it
	// returns. It returns within 100 ms of ctx being cancelled. Errors are *Error with a hint.
	Stream(ctx context.Context, req Request, sink func(Delta)) (Response, error)
	// Info describes the model; it costs nothing and never changes.
	Info() ModelInfo
}

// ModelInfo describes a model for people and for budgets.
type ModelInfo struct {
	Provider      string `json:"provider"` // preset or provider name from the config
	Model         string `json:"model"`    // as sent on the wire
	BaseURL       string `json:"base_url"`
	ContextLength int    `json:"context_length"` // tokens; 0 when unknown
	Scripted      bool   `json:"scripted,omitempty"`
}

// Ref returns "provider/model", the form stored with messages.
func (i ModelInfo) Ref() string { return i.Provider + "/" + i.Model }

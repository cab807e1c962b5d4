// Package agent is the turn loop: it sends the conversation to a model, runs the tools the model
// asks for, feeds their results back and stops with an answer, an interrupt, a spent budget or an
// error. Every run ends exactly once.
//
// It knows no terminal, no provider and no file: the model, the tools and the transcript come in as
// ports. Start reading at Run (run.go); Conversation (conversation.go) adds the queue that a person
// types into while a run is under way.
package agent

import (
	"sync"
	"time"

	"hermes/core"
)

// DefaultMaxIterations is how many model requests a turn may make before its last one, which is
// made without tools.
const DefaultMaxIterations = 90

// Journal is where the conversation is kept. Append is called before anything acts on the record.
type Journal interface {
	// ID is the session's id.
	ID() string
	// NewMessageID reserves the id of the next message.
	NewMessageID() string
	// Append stores one record. An error ends the run: nothing happens that is not recorded.
	Append(core.Record) error
	// Sync makes what was appended survive a power cut.
	Sync() error
	// Messages is the conversation without the system prompt, valid for the next request.
	Messages() []core.Message
}

// Options are the parts of an Agent. Model, Tools and Journal are required.
type Options struct {
	Model    core.Model
	Tools    core.Toolbox
	Journal  Journal
	Name     string          // of a sub-agent, for approvals; "" for the session's own agent
	System   string          // the frozen system prompt
	Specs    []core.ToolSpec // the frozen tool list; nil takes what Tools has now
	Redactor core.Redactor   // nil leaves text as it is
	Emit     func(core.Event)
	// Steer hands over, once, what the person said while the turn was running; nil when nobody can.
	Steer func() []string
	// Asides hands over, once, what the workspace has to say to the running turn; may be nil.
	Asides     func() []string
	Compaction Compaction
	// MaxIterations counts model requests of one turn; 0 is DefaultMaxIterations.
	MaxIterations int
	// Purpose is for whom the requests are made; "" is core.PurposeChat.
	Purpose core.Purpose
	// Now tells the time; nil is the system clock.
	Now func() time.Time
}

// Agent runs turns of one session, one at a time.
type Agent struct {
	opts Options

	mu    sync.Mutex // guards what follows
	model core.Model
	runs  int
	win   windowState
}

// New returns an agent over o.
func New(o Options) *Agent {
	if o.MaxIterations <= 0 {
		o.MaxIterations = DefaultMaxIterations
	}
	if o.Purpose == "" {
		o.Purpose = core.PurposeChat
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Emit == nil {
		o.Emit = func(core.Event) {}
	}
	if o.Specs == nil {
		o.Specs = o.Tools.Specs()
	}
	return &Agent{opts: o, model: o.Model}
}

// Model returns the model the next request goes to.
func (a *Agent) Model() core.Model {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.model
}

// SetModel switches the model from the next request on and records it. The prompt stays.
func (a *Agent) SetModel(m core.Model) error {
	a.mu.Lock()
	a.model = m
	a.win = windowState{} // another tokenizer, another window
	a.mu.Unlock()
	return a.opts.Journal.Append(core.Record{Type: core.RecordModel, Time: a.now(), Model: m.Info().Ref()})
}

func (a *Agent) now() time.Time { return a.opts.Now().UTC() }

func (a *Agent) redact(s string) string {
	if a.opts.Redactor == nil {
		return s
	}
	return a.opts.Redactor.Redact(s)
}

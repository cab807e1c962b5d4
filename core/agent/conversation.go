package agent

import (
	"context"
	"slices"
	"strings"
	"sync"

	"hermes/core"
)

// Conversation is a session that a person types into: a message sent while a run is under way waits
// in a queue and starts the next run. All methods are safe for concurrent use and return at once.
type Conversation struct {
	agent  *Agent
	notes  func() []string
	onEnd  func(*core.RunEnded)
	emit   func(core.Event)
	base   context.Context //nolint:containedctx // the life of the conversation: runs outlive the call that starts them
	stopAl context.CancelFunc

	mu      sync.Mutex
	queue   []string
	cancel  context.CancelFunc // of the run under way; nil when idle
	idle    chan struct{}      // closed while no run is under way
	closing bool
}

// NewConversation returns a conversation over a. notes is asked before every turn for what changed
// since the prompt was frozen; onEnd is called after every run, before the next starts. Both may be
// nil. Runs end when ctx does.
func NewConversation(ctx context.Context, a *Agent, notes func() []string, onEnd func(*core.RunEnded)) *Conversation {
	ctx, stop := context.WithCancel(ctx)
	idle := make(chan struct{})
	close(idle)
	return &Conversation{agent: a, notes: notes, onEnd: onEnd, emit: a.opts.Emit, base: ctx, stopAl: stop, idle: idle}
}

// Send starts a turn, or queues text when one is under way. Blank text is refused.
func (c *Conversation) Send(text string) error {
	if strings.TrimSpace(text) == "" {
		return &core.Error{Code: core.CodeUsage, Op: "send", Err: errBlank, Hint: "type a message first"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return &core.Error{Code: core.CodeInterrupted, Op: "send", Err: errClosed}
	}
	if c.cancel != nil {
		c.queue = append(c.queue, text)
		c.tellQueue()
		return nil
	}
	c.start(func(ctx context.Context) *core.RunEnded { return c.agent.Run(ctx, c.input(text)) })
	return nil
}

// Retry repeats the last request of a failed turn. It does nothing while a run is under way.
func (c *Conversation) Retry() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil || c.closing {
		return &core.Error{Code: core.CodeBusy, Op: "retry", Err: errRunning}
	}
	c.start(c.agent.Retry)
	return nil
}

// Interrupt stops the run under way; it returns false when there is none. Queued messages stay and
// wait for the person.
func (c *Conversation) Interrupt() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil {
		return false
	}
	c.cancel()
	return true
}

// Running tells whether a run is under way.
func (c *Conversation) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cancel != nil
}

// Queue returns the waiting messages.
func (c *Conversation) Queue() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.queue)
}

// SetQueue replaces the waiting messages. With no run under way the first one starts.
func (c *Conversation) SetQueue(q []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = slices.Clone(q)
	c.tellQueue()
	if c.cancel == nil && !c.closing {
		c.next()
	}
}

// Wait blocks until no run is under way or ctx ends.
func (c *Conversation) Wait(ctx context.Context) {
	c.mu.Lock()
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// Close interrupts what runs, drops the queue and waits for the end of the run, or of ctx.
func (c *Conversation) Close(ctx context.Context) {
	c.mu.Lock()
	c.closing = true
	c.queue = nil
	c.mu.Unlock()
	c.stopAl()
	c.Wait(ctx)
}

// start runs fn in the background. The caller holds mu.
func (c *Conversation) start(fn func(context.Context) *core.RunEnded) {
	ctx, cancel := context.WithCancel(c.base)
	c.cancel = cancel
	c.idle = make(chan struct{})
	idle := c.idle
	go func() {
		end := fn(ctx)
		cancel()
		if c.onEnd != nil {
			c.onEnd(end)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cancel = nil
		close(idle)
		// After an interrupt or an error the person decides what happens to the queue.
		if end.Reason == core.EndAnswered && !c.closing {
			c.next() //nolint:contextcheck // the next run belongs to the conversation, not to the run that ended
		}
	}()
}

// next starts the first queued message, if any. The caller holds mu.
func (c *Conversation) next() {
	if len(c.queue) == 0 {
		return
	}
	text := c.queue[0]
	c.queue = slices.Clone(c.queue[1:])
	c.tellQueue()
	c.start(func(ctx context.Context) *core.RunEnded { return c.agent.Run(ctx, c.input(text)) })
}

func (c *Conversation) input(text string) Input {
	in := Input{Text: text}
	if c.notes != nil {
		in.Notes = c.notes()
	}
	return in
}

func (c *Conversation) tellQueue() {
	e := &core.QueueChanged{Queue: slices.Clone(c.queue)}
	e.SessionID, e.Channel = c.agent.opts.Journal.ID(), core.ChannelChat
	c.emit(e)
}

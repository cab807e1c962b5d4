package agent

import (
	"context"
	"slices"
	"strings"
	"sync"

	"hermes/core"
)

// Busy is what happens to a message that is sent while a run is under way.
type Busy string

// The busy modes.
const (
	BusyQueue     Busy = "queue"     // it waits and starts the next run
	BusyInterrupt Busy = "interrupt" // the run is stopped and it starts the next one
	BusySteer     Busy = "steer"     // it reaches the running turn with the next tool result
)

// ConversationOptions are optional, each of them.
type ConversationOptions struct {
	// Notes is asked before every turn for what changed since the prompt was frozen.
	Notes func() []string
	// Expand makes the turn of what was said ("/learn docs"); without a Text it is left as it is. It is called
	// when the turn begins, so what begins with "/" does not steer a running one: it waits.
	Expand func(text string) Input
	// OnEnd is called after every run, before the next starts.
	OnEnd func(*core.RunEnded)
	Busy  Busy // "" is BusyQueue
}

// Conversation is a session that a person types into: a message sent while a run is under way waits
// in a queue and starts the next run, or steers the turn. All methods are safe for concurrent use and
// return at once.
type Conversation struct {
	agent  *Agent
	opts   ConversationOptions
	emit   func(core.Event)
	base   context.Context //nolint:containedctx // the life of the conversation: runs outlive the call that starts them
	stopAl context.CancelFunc

	mu      sync.Mutex
	queue   []string
	steer   []string           // for the running turn
	asides  []string           // what the workspace has to say: for the running turn, else the next
	goOn    bool               // the queue goes on although the run is interrupted
	cancel  context.CancelFunc // of the run under way; nil when idle
	idle    chan struct{}      // closed while no run is under way
	closing bool
}

// NewConversation returns a conversation over a. Runs end when ctx does.
func NewConversation(ctx context.Context, a *Agent, o ConversationOptions) *Conversation {
	ctx, stop := context.WithCancel(ctx)
	idle := make(chan struct{})
	close(idle)
	c := &Conversation{agent: a, opts: o, emit: a.opts.Emit, base: ctx, stopAl: stop, idle: idle}
	a.opts.Steer, a.opts.Asides = c.takeSteer, c.takeAsides
	return c
}

// Tell gives the agent a note of the workspace (a job has ended): with the next tool result of the running
// turn, else with the person's next message.
func (c *Conversation) Tell(note string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asides = append(c.asides, note)
}

func (c *Conversation) takeAsides() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.asides
	c.asides = nil
	return out
}

// takeSteer hands the words for the running turn over, once.
func (c *Conversation) takeSteer() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.steer
	c.steer = nil
	if len(out) > 0 {
		c.tellQueue()
	}
	return out
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
		c.sendBusy(text)
		return nil
	}
	if len(c.queue) > 0 { // what waits since an interrupt was said before it
		c.queue = append(c.queue, text)
		c.startNext()
		return nil
	}
	c.start(func(ctx context.Context) *core.RunEnded { return c.agent.Run(ctx, c.input(text)) })
	return nil
}

// Steer gives text to the running turn, whatever the busy mode: it is read with the next tool result. With
// no run under way it is refused.
func (c *Conversation) Steer(text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.TrimSpace(text) == "" || c.cancel == nil || c.closing {
		return &core.Error{Code: core.CodeUsage, Op: "steer", Err: errIdle, Hint: "send it as a message"}
	}
	c.steer = append(c.steer, text)
	c.tellQueue()
	return nil
}

// sendBusy takes a message while a run is under way. The caller holds mu.
func (c *Conversation) sendBusy(text string) {
	busy := c.opts.Busy
	if busy == BusySteer && c.opts.Expand != nil && strings.HasPrefix(text, "/") {
		busy = BusyQueue
	}
	switch busy {
	case BusySteer:
		c.steer = append(c.steer, text)
	case BusyInterrupt:
		c.queue = append([]string{text}, c.queue...)
		c.goOn = true
		c.cancel()
	default:
		c.queue = append(c.queue, text)
	}
	c.tellQueue()
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

// Compact shortens the conversation now; focus says what to keep above all. It counts as a run: messages
// sent meanwhile wait, Interrupt stops it. done is called with its outcome; it may be nil.
func (c *Conversation) Compact(focus string, done func(error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil || c.closing {
		return &core.Error{Code: core.CodeBusy, Op: "compact conversation", Err: errRunning, Hint: "wait for the end of the run, or interrupt it"}
	}
	c.start(func(ctx context.Context) *core.RunEnded {
		err := c.agent.Compact(ctx, focus)
		if done != nil {
			done(err)
		}
		return nil
	})
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
	c.goOn = false
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
	return c.waiting()
}

// waiting is everything not yet taken, in the order it will be. The caller holds mu.
func (c *Conversation) waiting() []string { return append(slices.Clone(c.steer), c.queue...) }

// SetQueue replaces the waiting messages. With no run under way the first one starts.
func (c *Conversation) SetQueue(q []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue, c.steer = slices.Clone(q), nil
	c.tellQueue()
	if c.cancel == nil && !c.closing {
		c.startNext()
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
	c.queue, c.steer = nil, nil
	c.mu.Unlock()
	c.stopAl()
	c.Wait(ctx)
}

// start runs fn in the background; nil means that it was no turn. The caller holds mu.
func (c *Conversation) start(fn func(context.Context) *core.RunEnded) {
	ctx, cancel := context.WithCancel(c.base)
	c.cancel = cancel
	c.idle = make(chan struct{})
	idle := c.idle
	go func() {
		end := fn(ctx)
		cancel()
		if c.opts.OnEnd != nil && end != nil {
			c.opts.OnEnd(end)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cancel = nil
		close(idle)
		// Words that came too late to steer become the next message.
		c.queue, c.steer = c.waiting(), nil
		goOn := c.goOn || end == nil || end.Reason == core.EndAnswered
		c.goOn = false
		// After an interrupt or an error the person decides what happens to the queue.
		if goOn && !c.closing {
			c.startNext() //nolint:contextcheck // the next run belongs to the conversation, not to the run that ended
		}
	}()
}

// startNext starts the first queued message, if any. The caller holds mu.
func (c *Conversation) startNext() {
	if len(c.queue) == 0 {
		return
	}
	text := c.queue[0]
	c.queue = slices.Clone(c.queue[1:])
	c.tellQueue()
	c.start(func(ctx context.Context) *core.RunEnded { return c.agent.Run(ctx, c.input(text)) })
}

// input adds the notes. It runs at the start of a run, outside mu.
func (c *Conversation) input(text string) Input {
	in := Input{Text: text}
	if c.opts.Expand != nil {
		if full := c.opts.Expand(text); full.Text != "" {
			in = full
		}
	}
	if c.opts.Notes != nil {
		in.Notes = append(in.Notes, c.opts.Notes()...)
	}
	in.Notes = append(in.Notes, c.takeAsides()...)
	return in
}

func (c *Conversation) tellQueue() {
	e := &core.QueueChanged{Queue: c.waiting()}
	e.SessionID, e.Channel = c.agent.opts.Journal.ID(), core.ChannelChat
	c.emit(e)
}

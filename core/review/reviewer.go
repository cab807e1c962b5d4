package review

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
)

// Forker copies the conversation of a session.
type Forker interface {
	// Fork returns a copy of the conversation as it is now. It is quick: messages are shared, not sent.
	Fork() (Fork, error)
}

// Fork is one copy: the same system prompt, tools and messages, byte for byte, of which nothing reaches
// the transcript.
type Fork interface {
	// Go works on job until an answer, the end of ctx or a failure. After an end of ctx it may be called
	// again: it repeats the request that was cut.
	Go(ctx context.Context, job Job) *core.RunEnded
	// Model names the model, and says whether its server does one thing at a time.
	Model() (ref string, oneSlot bool)
	// Close frees what the copy holds.
	Close() error
}

// Job is what a fork has to do.
type Job struct {
	ReviewID    string
	Instruction string // the last user message
	MaxRequests int
	Gate        func(core.ToolCall) (refusal string) // decides on each call before it runs; "" lets it run
	Watch       func(core.Event)                     // hears everything, from one goroutine at a time
}

// Archive reads transcripts.
type Archive interface {
	// Digest tells a finished turn in at most limit code points; "" when it is gone.
	Digest(ctx context.Context, t TurnRef, limit int) (string, error)
}

// Settings are today's settings.
type Settings struct {
	Enabled        bool
	MaxCalls       int     // 0 is DefaultCalls
	MaxInputTokens int64   // of all requests of a review; 0: no limit
	MaxCostPerDay  float64 // US dollars; 0: no limit
	MemoryEvery    int     // user turns
	SkillsEvery    int     // model steps
	MemoryOff      bool    // there is no memory tool
	SkillsOff      bool    // there is no skill tool
}

// DefaultCalls is how many tool calls a review has.
const DefaultCalls = 8

// Options configures a Reviewer. Home, Ledger, Settings and Forker are required.
type Options struct {
	Home      home.Home
	Ledger    *ledger.Ledger
	SessionID func() string
	Settings  func() Settings
	Forker    Forker
	Archive   Archive                       // nil: other sessions stay unseen
	Exists    func(skill, file string) bool // whether a skill has this file; nil: assume it
	Emit      func(core.Event)
	Spent     func(core.Usage, core.Cost)  // hears of each request's consumption; may be nil
	Log       func(what string, err error) // failures that must not disturb anybody; may be nil
}

// Reviewer runs the reviews of one session, one at a time, one more waiting. Its methods return at once.
type Reviewer struct {
	o       Options
	book    *Book
	records *Records
	now     func() time.Time

	life context.Context //nolint:containedctx // the life of the session: reviews outlive the call that starts them
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu      sync.Mutex
	running *work
	next    *work
	turn    bool          // a turn of the chat is under way
	idle    chan struct{} // closed while none is
	closed  bool          // nothing starts any more
	ended   string        // why nothing goes on any more, "" while it does
}

// New returns the reviewer of a session; its reviews end with ctx.
func New(ctx context.Context, o Options) *Reviewer {
	if o.Emit == nil {
		o.Emit = func(core.Event) {}
	}
	if o.Log == nil {
		o.Log = func(string, error) {}
	}
	r := &Reviewer{o: o, book: NewBook(o.Home), records: NewRecords(o.Home), now: time.Now, idle: make(chan struct{})}
	r.life, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	close(r.idle)
	return r
}

// Used says what a turn did itself.
type Used struct {
	Memory, Skills bool
	Taint          string
}

// TurnStarts says that the person's turn begins: on a server with one slot a running review steps aside.
func (r *Reviewer) TurnStarts() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.turn {
		r.turn, r.idle = true, make(chan struct{})
	}
	if w := r.running; w != nil && w.oneSlot {
		w.step()
	}
}

// TurnOver says that it has ended.
func (r *Reviewer) TurnOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn {
		r.turn = false
		close(r.idle)
	}
}

// TurnEnded counts a turn and starts a review when one is due. Only turns with an answer count.
func (r *Reviewer) TurnEnded(end *core.RunEnded, used Used) {
	r.TurnOver()
	r.mu.Lock()
	closed := r.closed
	r.mu.Unlock()
	set := r.o.Settings()
	if end.Reason != core.EndAnswered || closed || set.MemoryOff && set.SkillsOff {
		return
	}
	t := Turn{
		Ref:   TurnRef{SessionID: r.o.SessionID(), RunID: end.RunID, Time: r.now().UTC(), Taint: used.Taint},
		Steps: end.Requests, UsedMemory: used.Memory, UsedSkills: used.Skills,
		MemoryEvery: set.MemoryEvery, SkillsEvery: set.SkillsEvery,
	}
	if set.MemoryOff {
		t.MemoryEvery = 0
	}
	if set.SkillsOff {
		t.SkillsEvery = 0
	}
	due, err := r.book.Count(r.life, t)
	if err != nil {
		r.fail("count turn", err)
		return
	}
	if due == "" || !set.Enabled || !r.allowed(set) {
		return
	}
	if _, err := r.start(due, "", end.RunID); err != nil {
		r.fail("start review", err)
	}
}

// allowed tells whether learning may spend: it is not paused and today's limit is not reached. The person
// hears once a session that the limit is.
func (r *Reviewer) allowed(set Settings) bool {
	c, err := r.book.Counts()
	if err != nil || c.Paused {
		return false
	}
	if set.MaxCostPerDay <= 0 {
		return true
	}
	day, err := r.book.SpentToday()
	if err != nil || day.USD < set.MaxCostPerDay {
		return err == nil
	}
	r.notice(core.LevelWarn, "learning has cost "+dollars(day.USD)+" today and waits until tomorrow (limit "+dollars(set.MaxCostPerDay)+")",
		"raise review.max_cost_per_day, or run one with /review")
	return false
}

// Ask starts a review because a person wants one; focus says what matters, "" for nothing special. It
// runs whatever the counters, pause and limit say.
func (r *Reviewer) Ask(focus string) (id string, err error) { return r.start(ByAsking, focus, "") }

// Due starts a review when the counters ask for one and learning may spend; "" is none.
func (r *Reviewer) Due() (id string, err error) {
	set := r.o.Settings()
	c, err := r.book.Counts()
	if err != nil {
		return "", err
	}
	due := c.Due(set.MemoryEvery, set.SkillsEvery)
	if due == "" || !set.Enabled || !r.allowed(set) {
		return "", nil
	}
	return r.start(due, "", "")
}

// start makes a review and runs it, or lets it wait for the one that runs.
func (r *Reviewer) start(t Trigger, focus, run string) (string, error) {
	fork, err := r.o.Forker.Fork()
	if err != nil {
		return "", err
	}
	if err := r.book.Begin(r.life); err != nil {
		return "", errors.Join(err, fork.Close())
	}
	set := r.o.Settings()
	if set.MaxCalls <= 0 {
		set.MaxCalls = DefaultCalls
	}
	w := newWork(r, fork, set)
	w.rec = Record{
		ID: NewID(r.now()), Kind: KindReview, SessionID: r.o.SessionID(), RunID: run, Trigger: t, Focus: focus, State: Running,
		MaxCalls: set.MaxCalls, StartedAt: r.now().UTC(), PID: os.Getpid(),
	}
	w.rec.Model, w.oneSlot = fork.Model()

	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return "", errors.Join(&core.Error{Code: core.CodeInterrupted, Op: "start review", Err: errClosed}, fork.Close())
	case r.running == nil:
		r.launch(w)
	case r.next == nil:
		w.rec.State = Queued
		r.next = w
		w.announce()
	default: // one waits already: it takes over the newer conversation
		old := r.next
		w.rec.ID, w.rec.Trigger, w.rec.State = old.rec.ID, old.rec.Trigger.join(t), Queued
		if w.rec.Focus == "" {
			w.rec.Focus = old.rec.Focus
		}
		r.next = w
		w.announce()
		if err := old.fork.Close(); err != nil {
			r.o.Log("free review", err)
		}
	}
	return w.rec.ID, nil
}

var errClosed = errors.New("the session is closed")

// launch runs w in the background. The caller holds mu.
func (r *Reviewer) launch(w *work) {
	r.running = w
	w.rec.State = Running
	w.ctx, w.cancel = context.WithCancel(r.life)
	r.wg.Go(func() {
		w.run()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running = nil
		if n := r.next; n != nil {
			r.next = nil
			if r.ended != "" {
				n.drop(r.ended)
				return
			}
			r.launch(n)
		}
	})
}

// Cancel ends a running or waiting review; it tells whether there was one by that id ("" is any).
func (r *Reviewer) Cancel(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.next; n != nil && (id == "" || n.rec.ID == id) {
		r.next = nil
		n.drop("cancelled by the person")
		if id != "" {
			return true
		}
	}
	if w := r.running; w != nil && (id == "" || w.rec.ID == id) {
		w.stop("cancelled by the person")
		return true
	}
	return false
}

// Busy tells whether a review runs or waits.
func (r *Reviewer) Busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running != nil
}

// Wait blocks until no review runs or waits, or ctx ends; it tells whether all are done.
func (r *Reviewer) Wait(ctx context.Context) bool {
	done := make(chan struct{})
	go func() {
		r.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// Leave says that the session is over: nothing starts any more, what runs and waits goes on. It tells whether
// something does.
func (r *Reviewer) Leave() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.turn { // it ends with its session
		r.turn = false
		close(r.idle)
	}
	return r.running != nil
}

// Close cancels what runs, because of why, and waits for its end, or that of ctx.
func (r *Reviewer) Close(ctx context.Context, why string) {
	r.mu.Lock()
	r.closed = true
	if r.ended == "" {
		r.ended = why
	}
	if n := r.next; n != nil {
		r.next = nil
		n.drop(why)
	}
	if w := r.running; w != nil {
		w.stop(why)
	}
	r.mu.Unlock()
	r.stop()
	r.Wait(ctx)
}

// waitIdle blocks while a turn of the chat is under way; false when ctx ends first.
func (r *Reviewer) waitIdle(ctx context.Context) bool {
	r.mu.Lock()
	idle := r.idle
	r.mu.Unlock()
	select {
	case <-idle:
		return true
	case <-ctx.Done():
		return false
	}
}

// NewID is the id of a record that begins at now.
func NewID(now time.Time) string {
	var b [2]byte
	_, _ = rand.Read(b[:]) // never fails
	return "rv-" + now.UTC().Format("20060102-150405.000") + "-" + hex.EncodeToString(b[:])
}

func (r *Reviewer) emit(e core.Event) {
	h := e.Head()
	h.SessionID, h.Channel, h.Time = r.o.SessionID(), core.ChannelLearning, r.now().UTC()
	r.o.Emit(e)
}

func (r *Reviewer) notice(l core.Level, text, remedy string) {
	r.emit(&core.Notice{Level: l, Text: text, Remedy: remedy})
}

// fail tells of something that keeps reviews from running.
func (r *Reviewer) fail(what string, err error) {
	r.o.Log(what, err)
	r.notice(core.LevelWarn, "no review: "+err.Error(), core.HintOf(err))
}

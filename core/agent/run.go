package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes/core"
)

// Input is what a person hands to a turn.
type Input struct {
	Text string
	// Shown is what the person sees of it when Text is longer than what they said; "" shows Text.
	Shown string
	// Notes are facts that changed since the prompt was frozen (folder, day, model). They travel in
	// the user message, because the prompt does not move.
	Notes []string
	// Own marks a turn that the workspace asks for, not the person.
	Own bool
}

// The user messages of the last request of a turn that may not go on.
const (
	// BudgetNote follows spent iterations.
	BudgetNote = "[The iteration budget of this turn is spent and tools are off now. " +
		"Say what is done, what is not, and how to go on.]"
	// LoopNote follows a call that went round and round.
	LoopNote = "[You made the same call with the same result again and again, so tools are off now. " +
		"Say what you were trying to do, what stands in the way, and what you need from the person.]"
)

// Run makes one turn of in and returns how it ended; the same value was emitted as its last event.
// Cancelling ctx interrupts the turn: partial text is kept, open calls are closed.
func (a *Agent) Run(ctx context.Context, in Input) *core.RunEnded {
	t := a.newTurn()
	msg := core.Message{ID: a.opts.Journal.NewMessageID(), Role: core.RoleUser, Note: in.Own, Time: a.now()}
	msg.Content = a.redact(strings.ToValidUTF8(in.Text, "\uFFFD"))
	if in.Shown != "" {
		msg.Shown = a.redact(strings.ToValidUTF8(in.Shown, "\uFFFD"))
	}
	if len(in.Notes) > 0 {
		msg.Shown = msg.Display()
		msg.Content = "[" + strings.Join(in.Notes, "]\n[") + "]\n\n" + msg.Content
	}
	t.append(core.Record{Type: core.RecordRunStarted, Model: t.model.Info().Ref()})
	t.append(core.Record{Type: core.RecordMessage, Message: &msg})
	t.emit(&core.RunStarted{Message: msg, Model: t.model.Info().Ref()})
	return t.loop(ctx)
}

// Retry repeats the last request of a turn that failed: its partial answer is voided, nothing is
// added. It must not be called while a run is under way.
func (a *Agent) Retry(ctx context.Context) *core.RunEnded {
	t := a.newTurn()
	msgs := a.opts.Journal.Messages()
	t.append(core.Record{Type: core.RecordRunStarted, Model: t.model.Info().Ref(), Reason: "retry"})
	if n := len(msgs); n > 0 && msgs[n-1].Role == core.RoleAssistant && msgs[n-1].Incomplete {
		t.append(core.Record{Type: core.RecordDiscard, Target: msgs[n-1].ID})
		t.emit(&core.MessageEnded{Message: msgs[n-1], Void: true})
	}
	t.emit(&core.RunStarted{Model: t.model.Info().Ref()})
	return t.loop(ctx)
}

// turn is the state of one run.
type turn struct {
	a       *Agent
	id      string
	model   core.Model
	started time.Time
	end     core.RunEnded

	loopGuard  loopGuard
	held       string // answer text that may be the beginning of a secret
	overflowed bool   // the conversation was shortened after an overflow

	mu     sync.Mutex // guards end and failed, and keeps records in the order they are shown
	failed error      // the journal's first error
	left   int        // code points the results of the present answer may still have
}

func (a *Agent) newTurn() *turn {
	a.mu.Lock()
	a.runs++
	n := a.runs
	a.mu.Unlock()
	now := a.now()
	return &turn{
		a: a, model: a.Model(), started: now,
		id: "r" + now.Format("20060102150405") + "-" + strconv.Itoa(n),
	}
}

// append records r; the first failure is kept and ends the run at the next check.
func (t *turn) append(r core.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.store(r)
}

// store is append for holders of mu.
func (t *turn) store(r core.Record) {
	if t.failed != nil {
		return
	}
	r.Time, r.RunID = t.a.now(), t.id
	t.failed = t.a.opts.Journal.Append(r)
}

// fail keeps the first error of the journal and tells whether there is one.
func (t *turn) fail(err error) bool { return t.broken(err) != nil }

func (t *turn) broken(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = err
	}
	return t.failed
}

func (t *turn) emit(e core.Event) {
	h := e.Head()
	h.SessionID, h.RunID, h.Channel = t.a.opts.Journal.ID(), t.id, core.ChannelChat
	h.Time = t.a.now()
	t.a.opts.Emit(e)
}

func (t *turn) warn(text, remedy string) {
	t.append(core.Record{Type: core.RecordNote, Reason: string(core.LevelWarn), Text: text})
	t.emit(&core.Notice{Level: core.LevelWarn, Text: text, Remedy: remedy})
}

// loop is request → tools → request until something ends it.
func (t *turn) loop(ctx context.Context) *core.RunEnded {
	for range t.a.opts.MaxIterations {
		if t.fail(nil) || ctx.Err() != nil {
			return t.finish(ctx, nil)
		}
		t.makeRoom(ctx)
		msg, err := t.request(ctx, t.a.opts.Specs)
		if core.CodeOf(err) == core.CodeOverflow && t.overflow(ctx) {
			msg, err = t.request(ctx, t.a.opts.Specs)
		}
		if err != nil || len(msg.ToolCalls) == 0 {
			return t.finish(ctx, err)
		}
		t.runTools(ctx, msg.ToolCalls)
		if c := t.loopGuard.stop(); c != nil {
			return t.last(ctx, LoopNote, "stopped: "+c.Name+" was called "+strconv.Itoa(loopStop)+" times with the same arguments and the same result",
				"say what to do differently, or send a message to go on")
		}
	}
	return t.last(ctx, BudgetNote, "iteration budget of "+strconv.Itoa(t.a.opts.MaxIterations)+" requests spent; asking for a summary",
		"raise agent.max_turns, or send a message to go on")
}

// overflow shortens the conversation after the server refused it as too large, once a turn. It reports
// whether the request is worth repeating.
func (t *turn) overflow(ctx context.Context) bool {
	if t.overflowed || !t.a.opts.Compaction.Enabled || ctx.Err() != nil {
		return false
	}
	t.overflowed = true
	t.a.overflowed(t.a.estimate(t.a.opts.Journal.Messages()))
	return t.compact(ctx, "", true) == nil
}

// last ends a turn that may not go on: one more request, without tools, for a summary.
func (t *turn) last(ctx context.Context, note, notice, remedy string) *core.RunEnded {
	if t.fail(nil) || ctx.Err() != nil {
		return t.finish(ctx, nil)
	}
	t.warn(notice, remedy)
	m := core.Message{
		ID: t.a.opts.Journal.NewMessageID(), Role: core.RoleUser, Content: note, Shown: "(" + notice + ")", Note: true, Time: t.a.now(),
	}
	t.append(core.Record{Type: core.RecordMessage, Message: &m})
	_, err := t.request(ctx, nil)
	t.end.Reason = core.EndBudget
	return t.finish(ctx, err)
}

// request asks the model once and records what came.
func (t *turn) request(ctx context.Context, specs []core.ToolSpec) (core.Message, error) {
	if err := t.broken(nil); err != nil {
		return core.Message{}, err
	}
	t.model = t.a.Model()
	req := core.Request{
		Messages:  append([]core.Message{{Role: core.RoleSystem, Content: t.a.opts.System}}, t.a.opts.Journal.Messages()...),
		Tools:     specs,
		Purpose:   t.a.opts.Purpose,
		SessionID: t.a.opts.Journal.ID(),
	}
	id := t.a.opts.Journal.NewMessageID()
	start := t.a.now()
	resp, err := t.model.Stream(ctx, req, func(d core.Delta) { t.delta(id, d) })
	t.text(id, "", true)
	t.end.Requests++
	t.a.counted(resp.Usage, len(req.Messages)-1)
	msg := t.clean(id, resp.Message, err != nil)
	if specs == nil && len(msg.ToolCalls) > 0 {
		msg.ToolCalls = nil // a server that calls tools it was not given is not followed
	}
	t.record(msg, resp, t.a.now().Sub(start))
	if err != nil {
		return msg, err
	}
	if err := t.broken(nil); err != nil {
		return msg, err
	}
	if len(msg.ToolCalls) == 0 {
		if strings.TrimSpace(msg.Content) == "" {
			return msg, emptyAnswer(resp.Finish)
		}
		if resp.Finish == "length" {
			t.warn("the answer was cut at the model's length limit", "send \"go on\" to continue")
		}
	}
	t.end.Answer = msg.Content
	return msg, nil
}

func emptyAnswer(finish string) error {
	cause := "the model sent neither text nor a tool call"
	if finish != "" {
		cause += " (finish reason " + strconv.Quote(finish) + ")"
	}
	return &core.Error{
		Code: core.CodeProtocol, Op: "empty answer", Err: errors.New(cause),
		Hint: "retry, or switch the model",
	}
}

// clean prepares what a model sent for the transcript and the next request: valid UTF-8, redacted,
// calls with ids.
func (t *turn) clean(id string, m core.Message, failed bool) core.Message {
	m.ID, m.Role, m.Time = id, core.RoleAssistant, t.a.now()
	m.Model = t.model.Info().Ref()
	m.Content = t.a.redact(strings.ToValidUTF8(m.Content, "\uFFFD"))
	m.Reasoning = t.cleanReasoning(m.Reasoning)
	if failed {
		m.Incomplete, m.ToolCalls = true, nil
	}
	for i := range m.ToolCalls {
		m.ToolCalls[i].Name = toolName(t.a.redact(m.ToolCalls[i].Name))
		if m.ToolCalls[i].ID == "" {
			m.ToolCalls[i].ID = "call_" + id + "_" + strconv.Itoa(i)
		}
	}
	return m
}

// toolName is a name as every server takes it back: what else a model wrote is replaced, so that nothing
// steers a terminal or carries a text.
func toolName(s string) string {
	out := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, s)
	if out == "" {
		return "unnamed"
	}
	return out[:min(len(out), 64)]
}

// cleanReasoning redacts thinking text. Raw details that hold a secret are dropped whole: they are
// signed by the server and worthless once changed.
func (t *turn) cleanReasoning(r *core.Reasoning) *core.Reasoning {
	if r == nil {
		return nil
	}
	out := core.Reasoning{Text: t.a.redact(r.Text), Field: r.Field, Details: r.Details}
	if t.a.redact(string(r.Details)) != string(r.Details) {
		out.Details = nil
	}
	return &out
}

// storable returns arguments that a strict server takes back: what is no JSON object is wrapped in
// one, so that the model sees what it wrote and the request stays valid.
func storable(args string) string {
	args = strings.ToValidUTF8(args, "\uFFFD")
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return args
	}
	b, err := json.Marshal(map[string]string{"invalid_json": args})
	if err != nil {
		return "{}"
	}
	return string(b)
}

// record stores the message and what it cost. An answer of which nothing arrived leaves no message.
func (t *turn) record(m core.Message, r core.Response, took time.Duration) {
	stored := m
	stored.ToolCalls = make([]core.ToolCall, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		c.Arguments = t.a.redact(storable(c.Arguments))
		stored.ToolCalls[i] = c
	}
	if len(stored.ToolCalls) == 0 {
		stored.ToolCalls = nil
	}
	if stored.Content != "" || len(stored.ToolCalls) > 0 || stored.Reasoning != nil {
		t.append(core.Record{Type: core.RecordMessage, Message: &stored, TookMS: took.Milliseconds()})
		t.emit(&core.MessageEnded{Message: stored})
	}
	t.spent(r, m.Model, "")
}

// spent records and tells what one request consumed; what names the side task, "" for the conversation.
func (t *turn) spent(r core.Response, model, what string) {
	t.append(core.Record{Type: core.RecordUsage, Usage: &r.Usage, Cost: &r.Cost, Model: model, Purpose: t.a.opts.Purpose, Reason: what})
	t.end.Usage = t.end.Usage.Add(r.Usage)
	t.end.Cost = t.end.Cost.Add(r.Cost)
	t.emit(&core.UsageReported{Usage: r.Usage, Cost: r.Cost, Purpose: t.a.opts.Purpose, Side: what})
}

// partial is a redactor that can tell the beginning of a secret.
type partial interface{ Partial(text string) int }

// text hands answer text on, redacted. What may be the beginning of a secret waits for the rest of it.
func (t *turn) text(id, more string, last bool) {
	t.held += more
	keep := 0
	if p, ok := t.a.opts.Redactor.(partial); ok && !last {
		keep = p.Partial(t.held)
	}
	out := t.a.redact(t.held[:len(t.held)-keep])
	t.held = t.held[len(t.held)-keep:]
	if out != "" {
		t.emit(&core.TextDelta{MessageID: id, Text: out})
	}
}

func (t *turn) delta(id string, d core.Delta) {
	switch {
	case d.Text != "":
		t.text(id, d.Text, false)
	case d.Reasoning != "":
		t.emit(&core.ReasoningDelta{MessageID: id, Text: d.Reasoning})
	case d.Retry != nil:
		t.emit(&core.Notice{
			Level: core.LevelWarn,
			Text: t.a.redact(d.Retry.Reason) + "; attempt " + strconv.Itoa(d.Retry.Attempt) + " of " + strconv.Itoa(d.Retry.Max) +
				", next in " + d.Retry.Wait.Round(100*time.Millisecond).String(),
		})
	}
}

// finish ends the run, once: synced to disk, then told.
func (t *turn) finish(ctx context.Context, err error) *core.RunEnded {
	broken := t.broken(nil)
	if err == nil {
		err = broken
	}
	switch {
	case ctx.Err() != nil && broken == nil:
		t.end.Reason = core.EndInterrupted
	case err != nil:
		t.end.Reason = core.EndError
		t.end.Error = core.NewRunError(err)
		t.end.Error.Message, t.end.Error.Remedy = t.a.redact(t.end.Error.Message), t.a.redact(t.end.Error.Remedy)
	case t.end.Reason == "":
		t.end.Reason = core.EndAnswered
	}
	rec := core.Record{Type: core.RecordRunEnded, Reason: string(t.end.Reason), Usage: &t.end.Usage, Cost: &t.end.Cost}
	if t.end.Error != nil {
		rec.Text = t.end.Error.Message
	}
	t.append(rec)
	if err := t.broken(t.a.opts.Journal.Sync()); err != nil && t.end.Error == nil {
		t.end.Reason, t.end.Error = core.EndError, core.NewRunError(err)
	}
	t.end.DurationMS = t.a.now().Sub(t.started).Milliseconds()
	t.emit(&t.end)
	return &t.end
}

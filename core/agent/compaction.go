package agent

import (
	"context"
	"errors"
	"strings"

	"hermes/core"
	"hermes/core/agent/compact"
)

// Compaction says when and how a conversation that fills the window is shortened.
type Compaction struct {
	Enabled      bool
	Threshold    float64    // share of the window at which it happens by itself
	ProtectFirst int        // messages kept at the start
	ProtectLast  int        // messages kept at the end
	Model        core.Model // writes the summary; nil is the model of the conversation
}

// windowState is what is known about the model's window; guarded by Agent.mu.
type windowState struct {
	learned int  // tokens, from an overflow; 0 is unknown
	used    int  // tokens of the last request and its answer, as the server counted them
	counted int  // messages those tokens stand for
	futile  bool // the last compaction gained too little; it is not tried again by itself
}

// Window returns how many tokens the next request will take, as far as can be told, and how many fit.
// limit is 0 when unknown.
func (a *Agent) Window() (used, limit int) {
	return a.estimate(a.opts.Journal.Messages()), a.window()
}

func (a *Agent) window() int {
	limit := a.Model().Info().ContextLength
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.win.learned > 0 && (limit == 0 || a.win.learned < limit) {
		return a.win.learned
	}
	return limit
}

// estimate is the server's own count of the last request plus an estimate of what came since.
func (a *Agent) estimate(msgs []core.Message) int {
	a.mu.Lock()
	used, counted := a.win.used, a.win.counted
	a.mu.Unlock()
	if used > 0 && counted <= len(msgs) {
		return used + compact.Tokens(msgs[counted:])
	}
	n := compact.TextTokens(a.opts.System) + compact.Tokens(msgs)
	for _, s := range a.opts.Specs {
		n += compact.TextTokens(s.Description) + compact.TextTokens(string(s.Parameters))
	}
	return n
}

// counted takes the server's count over.
func (a *Agent) counted(u core.Usage, sent int) {
	if !u.Input.Known {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.win.used, a.win.counted = int(u.Input.N+u.Output.N), sent+1
}

// overflowed learns that a request of about n tokens was too large.
func (a *Agent) overflowed(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.win.learned, a.win.futile = n*9/10, false
}

// makeRoom shortens the conversation when the next request would come too close to the window.
func (t *turn) makeRoom(ctx context.Context) {
	c, limit := t.a.opts.Compaction, t.a.window()
	if !c.Enabled || limit == 0 || c.Threshold <= 0 {
		return
	}
	t.a.mu.Lock()
	futile := t.a.win.futile
	t.a.mu.Unlock()
	if futile || float64(t.a.estimate(t.a.opts.Journal.Messages())) < c.Threshold*float64(limit) {
		return
	}
	if err := t.compact(ctx, "", true); err != nil && ctx.Err() == nil {
		t.warn("the conversation fills the model's window and could not be shortened: "+err.Error(), core.HintOf(err))
	}
}

var errNothingToCompact = errors.New("there is too little to replace")

// Compact shortens the conversation now; focus says what to keep above all. It must not be called while
// a run is under way.
func (a *Agent) Compact(ctx context.Context, focus string) error {
	t := a.newTurn()
	err := t.compact(ctx, focus, false)
	return errors.Join(err, a.opts.Journal.Sync())
}

// compact replaces the middle of the conversation by a summary. Everything stays in the transcript.
func (t *turn) compact(ctx context.Context, focus string, auto bool) error {
	msgs, limit := t.a.opts.Journal.Messages(), t.a.window()
	c := t.a.opts.Compaction
	from, until, ok := compact.Find(msgs, compact.Limits{First: c.ProtectFirst, Last: c.ProtectLast, Room: limit / 3})
	if !ok {
		t.a.setFutile()
		return &core.Error{Code: core.CodeUsage, Op: "compact conversation", Err: errNothingToCompact, Hint: "start a new session, or fork from an earlier message"}
	}
	before := t.a.estimate(msgs)
	middle := msgs[from:until]
	summary, fallback := t.summarise(ctx, middle, focus, limit)
	if ctx.Err() != nil {
		return &core.Error{Code: core.CodeInterrupted, Op: "compact conversation", Err: ctx.Err()}
	}
	m := core.Message{
		ID: t.a.opts.Journal.NewMessageID(), Role: core.RoleUser, Content: t.a.redact(compact.Wrap(summary)), Note: true, Time: t.a.now(),
	}
	end := ""
	if until < len(msgs) {
		end = msgs[until].ID
	}
	t.append(core.Record{Type: core.RecordCompacted, Message: &m, From: middle[0].ID, Target: end})
	if err := t.broken(nil); err != nil {
		return err
	}
	t.a.mu.Lock()
	t.a.win.used, t.a.win.counted = 0, 0
	t.a.mu.Unlock()
	after := t.a.estimate(t.a.opts.Journal.Messages())
	if after*20 > before*19 {
		t.a.setFutile()
	}
	t.emit(&core.Compacted{
		MessageID: m.ID, Messages: len(middle), Before: before, After: after, Summary: m.Content, Fallback: fallback, Auto: auto,
	})
	return nil
}

func (a *Agent) setFutile() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.win.futile = true
}

// summarise asks the model for the summary; when it cannot, the words of the transcript must do.
func (t *turn) summarise(ctx context.Context, middle []core.Message, focus string, limit int) (summary string, fallback bool) {
	m := t.a.opts.Compaction.Model
	if m == nil {
		m = t.a.Model()
	}
	room := limit
	if n := m.Info().ContextLength; n > 0 {
		room = n
	}
	resp, err := m.Stream(ctx, core.Request{
		Messages: compact.Request(middle, focus, room*6/10), Purpose: core.PurposeChat,
		MaxTokens: compact.Budget(middle, limit), SessionID: t.a.opts.Journal.ID() + "-compact",
	}, func(core.Delta) {})
	t.spent(resp, m.Info().Ref(), "compression")
	summary = strings.TrimSpace(resp.Message.Content)
	if err == nil && summary != "" && len(resp.Message.ToolCalls) == 0 {
		return summary, false
	}
	if ctx.Err() == nil {
		why := "it sent no text"
		if err != nil {
			why = err.Error()
		}
		t.warn("the summary was made without a model: "+why, "")
	}
	return compact.Fallback(middle), true
}

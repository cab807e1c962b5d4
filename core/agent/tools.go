package agent

import (
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"hermes/core"
)

// maxParallel is how many calls run side by side.
const maxParallel = 8

// runTools answers every call of one message. Neighbouring calls that only read run side by side;
// everything else runs alone and in the model's order. After an interrupt the calls that are left are
// answered as interrupted, so that the transcript stays valid.
func (t *turn) runTools(ctx context.Context, calls []core.ToolCall) {
	if b, ok := t.a.opts.Tools.(core.Budgeter); ok {
		t.left = b.TurnLimit()
	}
	for len(calls) > 0 {
		n := t.segment(calls)
		t.runSegment(ctx, calls[:n])
		calls = calls[n:]
	}
}

// segment is how many of the next calls may run side by side, at least one.
func (t *turn) segment(calls []core.ToolCall) int {
	sharer, ok := t.a.opts.Tools.(core.Sharer)
	if !ok {
		return 1
	}
	n := 0
	for n < len(calls) && sharer.Shared(calls[n]) {
		n++
	}
	return max(n, 1)
}

func (t *turn) runSegment(ctx context.Context, calls []core.ToolCall) {
	// The calls are on disk before their side effects, also after a power cut.
	if t.fail(t.a.opts.Journal.Sync()) {
		return
	}
	if len(calls) == 1 {
		t.runTool(ctx, calls[0])
		return
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	for _, c := range calls {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t.runTool(ctx, c)
		})
	}
	wg.Wait()
}

func (t *turn) runTool(ctx context.Context, c core.ToolCall) {
	if t.fail(nil) {
		return
	}
	if ctx.Err() != nil {
		t.result(c, core.ToolResult{Content: core.InterruptedResult, Detail: &core.ToolDetail{Aborted: true}}, 0)
		return
	}
	t.emit(&core.ToolStarted{CallID: c.ID, Tool: c.Name, Arguments: t.a.redact(c.Arguments)})
	start := t.a.now()
	at := t.at(c)
	at.Output = func(text string) { t.emit(&core.ToolOutput{CallID: c.ID, Text: text}) }
	res := t.a.opts.Tools.Run(ctx, c, at)
	t.result(c, res, t.a.now().Sub(start).Milliseconds())
}

func (t *turn) at(c core.ToolCall) core.ToolRun {
	return core.ToolRun{SessionID: t.a.opts.Journal.ID(), RunID: t.id, CallID: c.ID, Agent: t.a.opts.Name}
}

// result records the answer to c and tells the outside.
func (t *turn) result(c core.ToolCall, r core.ToolResult, ms int64) {
	r.Content = t.a.redact(strings.ToValidUTF8(r.Content, "\uFFFD"))
	if r.Content == "" {
		r.Content = "(no output)"
	}
	shared := false
	if s, ok := t.a.opts.Tools.(core.Sharer); ok {
		shared = s.Shared(c)
	}
	r.Content += t.loopGuard.saw(c, r, shared)
	m := core.Message{Role: core.RoleTool, ToolCallID: c.ID, ToolName: c.Name, Time: t.a.now()}

	t.mu.Lock()
	defer t.mu.Unlock() // results are recorded one at a time, in the order they are shown
	if b, ok := t.a.opts.Tools.(core.Budgeter); ok {
		r = b.Fit(t.at(c), c.Name, r, t.left)
		t.left = max(0, t.left-utf8.RuneCountInString(r.Content))
	}
	t.end.ToolCalls++
	if !r.OK {
		t.end.ToolErrors++
	}
	m.ID = t.a.opts.Journal.NewMessageID()
	m.Content = r.Content + t.steered()
	t.store(core.Record{Type: core.RecordMessage, Message: &m, Detail: r.Detail, OK: &r.OK, TookMS: ms})
	e := &core.ToolEnded{CallID: c.ID, Tool: c.Name, OK: r.OK, Result: m.Content, DurationMS: ms, Detail: r.Detail}
	if r.Detail != nil {
		e.ExitCode = r.Detail.ExitCode
	}
	t.emit(e)
}

// steered is what the person and the workspace said meanwhile, as a part of a result: the earliest place at
// which the model can read it.
func (t *turn) steered() string {
	var b strings.Builder
	if t.a.opts.Asides != nil {
		for _, note := range t.a.opts.Asides() {
			b.WriteString("\n\n[" + t.a.redact(strings.ToValidUTF8(note, "\uFFFD")) + "]")
		}
	}
	if t.a.opts.Steer == nil {
		return b.String()
	}
	for _, text := range t.a.opts.Steer() {
		text = t.a.redact(strings.ToValidUTF8(text, "\uFFFD"))
		b.WriteString("\n\n[The person says meanwhile: " + text + "]")
		t.emit(&core.Steered{Text: text})
	}
	return b.String()
}

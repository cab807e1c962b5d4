package agent

import (
	"context"
	"strings"

	"hermes/core"
)

// runTools answers every call of one message, in the model's order. After an interrupt the calls
// that are left are answered as interrupted, so that the transcript stays valid.
func (t *turn) runTools(ctx context.Context, calls []core.ToolCall) {
	for _, c := range calls {
		t.runTool(ctx, c)
	}
}

func (t *turn) runTool(ctx context.Context, c core.ToolCall) {
	if t.failed != nil {
		return
	}
	if ctx.Err() != nil {
		t.result(c, core.ToolResult{Content: core.InterruptedResult, Detail: &core.ToolDetail{Aborted: true}}, 0)
		return
	}
	// The call is on disk before its side effect, also after a power cut.
	if t.failed = t.a.opts.Journal.Sync(); t.failed != nil {
		return
	}
	t.emit(&core.ToolStarted{CallID: c.ID, Tool: c.Name, Arguments: t.a.redact(c.Arguments)})
	start := t.a.now()
	res := t.a.opts.Tools.Run(ctx, c, core.ToolRun{
		SessionID: t.a.opts.Journal.ID(), RunID: t.id, CallID: c.ID,
		Output: func(text string) { t.emit(&core.ToolOutput{CallID: c.ID, Text: text}) },
	})
	t.result(c, res, t.a.now().Sub(start).Milliseconds())
}

// result records the answer to c and tells the outside.
func (t *turn) result(c core.ToolCall, r core.ToolResult, ms int64) {
	r.Content = t.a.redact(strings.ToValidUTF8(r.Content, "\uFFFD"))
	if r.Content == "" {
		r.Content = "(no output)"
	}
	t.end.ToolCalls++
	if !r.OK {
		t.end.ToolErrors++
	}
	m := core.Message{
		ID: t.a.opts.Journal.NewMessageID(), Role: core.RoleTool, Content: r.Content,
		ToolCallID: c.ID, ToolName: c.Name, Time: t.a.now(),
	}
	t.append(core.Record{Type: core.RecordMessage, Message: &m, Detail: r.Detail, OK: &r.OK, TookMS: ms})
	e := &core.ToolEnded{CallID: c.ID, Tool: c.Name, OK: r.OK, Result: r.Content, DurationMS: ms, Detail: r.Detail}
	if r.Detail != nil {
		e.ExitCode = r.Detail.ExitCode
	}
	t.emit(e)
}

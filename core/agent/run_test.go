package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/agent"
)

func TestRun_eventsOfATurnWithTools(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
strict: true
require_reasoning: true
steps:
  - reply: {text: "Looking.", reasoning: "hm", tool_calls: [{name: read, arguments: {path: a}}, {name: read, arguments: {path: b}}]}
  - reply: {text: "Both read."}
`)
	end := r.run("go")
	want := []string{
		"run_started", "reasoning_delta hm", "text_delta Looking.", "message_ended Looking.", "usage",
		"tool_started read", "tool_output live read", "tool_ended read true",
		"tool_started read", "tool_output live read", "tool_ended read true",
		"text_delta Both read.", "message_ended Both read.", "usage", "run_ended answered",
	}
	if diff := cmp.Diff(want, r.events()); diff != "" {
		t.Error(diff)
	}
	if end.Answer != "Both read." || end.ToolCalls != 2 || end.ToolErrors != 0 || end.Requests != 2 || !end.Usage.Input.Known {
		t.Errorf("%+v", end)
	}
	stable(t, r.bodies())
	got := contents(r.ses.Messages())
	if diff := cmp.Diff([]string{"user: go", "assistant: Looking.", "tool: content of a", "tool: content of b", "assistant: Both read."}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRun_unknownToolAndBrokenArgumentsAreResults(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
strict: true
steps:
  - reply: {tool_calls: [{name: nope, arguments: {}}, {name: read, arguments: '{"path": "a'}, {name: read, arguments: '[1]'}, {name: read, arguments: ''}]}
  - reply: {text: "I see."}
`)
	end := r.run("go")
	if end.Reason != core.EndAnswered || end.ToolErrors != 3 {
		t.Fatalf("%+v", end)
	}
	var calls []string
	for _, c := range r.ses.Messages()[1].ToolCalls {
		calls = append(calls, c.Arguments)
	}
	if diff := cmp.Diff([]string{`{}`, `{"invalid_json":"{\"path\": \"a"}`, `{"invalid_json":"[1]"}`, `{}`}, calls); diff != "" {
		t.Error(diff)
	}
}

func TestRun_budgetEndsWithARequestWithoutTools(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
strict: true
rules:
  - {when: {no_tools: true}, reply: {text: "I got half way."}}
  - {reply: {tool_calls: [{name: read, arguments: {path: x}}]}}
`, func(o *agent.Options) { o.MaxIterations = 3 })
	end := r.run("go")
	if end.Reason != core.EndBudget || end.Answer != "I got half way." || end.Requests != 4 || end.ToolCalls != 3 {
		t.Errorf("%+v", end)
	}
	bs := r.bodies()
	stable(t, bs[:3])
	if bs[3].Tools != nil {
		t.Errorf("the last request carries tools: %s", bs[3].Tools)
	}
	if !slices.ContainsFunc(r.events(), func(e string) bool { return e == "notice" }) {
		t.Error("the person is not told")
	}
	if got := r.run("go on"); got.Reason != core.EndBudget {
		t.Errorf("next turn: %+v", got)
	}
}

func TestDefaultBudget(t *testing.T) {
	t.Parallel()
	r := newRig(t, "rules:\n  - {when: {no_tools: true}, reply: {text: end}}\n  - {reply: {tool_calls: [{name: read, arguments: {path: x}}]}}\n")
	if end := r.run("go"); end.Requests != agent.DefaultMaxIterations+1 {
		t.Errorf("%d requests", end.Requests)
	}
}

func TestRun_interruptWhileStreamingKeepsTheText(t *testing.T) {
	t.Parallel()
	r := newRig(t, "strict: true\nsteps:\n  - reply: {text: half an answer, chunk: 2, fault: {after: 4, stall: true}}\n  - reply: {text: fine}\n")
	ctx, cancel := context.WithCancel(t.Context())
	seen := ""
	r.opts.Emit = func(e core.Event) {
		if d, ok := e.(*core.TextDelta); ok {
			if seen += d.Text; len(seen) >= 4 {
				cancel()
			}
		}
	}
	r.open()
	start := time.Now()
	if end := r.agent.Run(ctx, agent.Input{Text: "go"}); end.Reason != core.EndInterrupted || end.Error != nil {
		t.Fatalf("%+v", end)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("the interrupt took %s", took)
	}
	if diff := cmp.Diff([]string{"user: go", "assistant: " + seen}, contents(r.ses.Messages())); diff != "" {
		t.Error(diff)
	}
	if end := r.run("on"); end.Answer != "fine" {
		t.Errorf("%+v %+v", end, end.Error)
	}
}

// What cannot be recorded does not happen.
func TestRun_fullDiskEndsTheRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, "rules:\n  - {when: {turn: 0}, reply: {tool_calls: [{name: read, arguments: {path: a}}]}}\n  - {reply: {text: fine}}\n")
	r.tools["read"] = func(context.Context, map[string]any) core.ToolResult {
		t.Error("a call that is not on disk ran")
		return core.ToolResult{}
	}
	r.opts.Journal, r.opts.Specs = &dying{Session: r.ses, after: 2, err: errors.New("no space left")}, r.tools.Specs()
	end := agent.New(r.opts).Run(t.Context(), agent.Input{Text: "go"})
	if end.Reason != core.EndError || !strings.Contains(end.Error.Message, "no space left") {
		t.Errorf("%+v", end)
	}
}

func TestRun_redactsBeforeRecordAndRequest(t *testing.T) {
	t.Parallel()
	r := newRig(t, "rules:\n  - {when: {turn: 0}, reply: {text: s3cret-value, tool_calls: [{name: read, arguments: {path: s3cret-value}}]}}\n  - {reply: {text: fine}}\n",
		func(o *agent.Options) { o.Redactor = hide{} })
	r.tools["read"] = func(_ context.Context, args map[string]any) core.ToolResult {
		return core.ToolResult{OK: true, Content: fmt.Sprintf("got %v", args["path"])}
	}
	r.open()
	r.run("my s3cret-value")
	for _, q := range r.srv.Requests() {
		if bytes.Contains(q.Body, []byte("s3cret-value")) {
			t.Errorf("sent: %s", q.Body)
		}
	}
	tr, err := r.store.Read(r.ses.ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range tr.Messages() {
		if b, _ := json.Marshal(m); bytes.Contains(b, []byte("s3cret-value")) {
			t.Errorf("recorded: %s", b)
		}
	}
}

type hide struct{}

func (hide) Redact(s string) string { return strings.ReplaceAll(s, "s3cret-value", "[redacted:S]") }

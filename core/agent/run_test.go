package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/agent"
	"hermes/core/redact"
)

func TestRun_eventsOfATurnWithTools(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
strict: true
require_reasoning: true
steps:
  - reply: {text: "Looking.", reasoning: "hm", tool_calls: [{name: look, arguments: {path: a}}, {name: look, arguments: {path: b}}]}
  - reply: {text: "Both read."}
`)
	r.tools["look"] = r.tools["read"] // one that does not run side by side, so that the order is fixed
	r.open()
	end := r.run("go")
	want := []string{
		"run_started", "reasoning_delta hm", "text_delta Looking.", "message_ended Looking.", "usage",
		"tool_started look", "tool_output live look", "tool_ended look true",
		"tool_started look", "tool_output live look", "tool_ended look true",
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
	r := newRig(t, "rules:\n  - {when: {no_tools: true}, reply: {text: end}}\n  - {reply: {tool_calls: [{name: read, arguments: {path: 'x{{request}}'}}]}}\n")
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

// A secret never shows, not even in pieces.
func TestRun_redactsTheStream(t *testing.T) {
	t.Parallel()
	r := newRig(t, "rules:\n  - {reply: {chunk: 2, text: 'it is s3cret-value, and s3c is none'}}\n",
		func(o *agent.Options) { o.Redactor = redact.New(map[string]string{"S": "s3cret-value"}) })
	var text string
	r.opts.Emit = func(e core.Event) {
		if d, ok := e.(*core.TextDelta); ok {
			text += d.Text
		}
	}
	r.open()
	r.run("go")
	if text != "it is [redacted:S], and s3c is none" {
		t.Errorf("%q", text)
	}
}

type hide struct{}

func (hide) Redact(s string) string { return strings.ReplaceAll(s, "s3cret-value", "[redacted:S]") }

// Calls that only read run side by side, at most eight; writers stand between them, in order.
func TestRun_parallelReads(t *testing.T) {
	t.Parallel()
	var calls []string
	for i := range 10 {
		calls = append(calls, fmt.Sprintf("{name: read, arguments: {path: r%d}}", i))
	}
	calls = append(calls, "{name: write, arguments: {path: w}}", "{name: read, arguments: {path: last}}")
	r := newRig(t, "strict: true\nsteps:\n  - reply: {tool_calls: ["+strings.Join(calls, ", ")+"]}\n  - reply: {text: done}\n")
	var mu sync.Mutex
	running, most := 0, 0
	var order []string
	full := make(chan struct{})
	r.tools["read"] = func(ctx context.Context, args map[string]any) core.ToolResult {
		mu.Lock()
		running++
		if most = max(most, running); most == 8 && running == 8 {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		mu.Unlock()
		if args["path"] != "last" {
			select {
			case <-full:
			case <-time.After(5 * time.Second):
				t.Error("eight reads never run together")
			}
		}
		mu.Lock()
		defer mu.Unlock()
		running--
		order = append(order, fmt.Sprint(args["path"]))
		return core.ToolResult{OK: true, Content: fmt.Sprint(args["path"])}
	}
	r.tools["write"] = func(context.Context, map[string]any) core.ToolResult {
		mu.Lock()
		defer mu.Unlock()
		if running != 0 || len(order) != 10 {
			t.Errorf("the write runs beside %d reads, after %v", running, order)
		}
		return core.ToolResult{OK: true, Content: "w"}
	}
	r.open()
	if end := r.run("go"); end.Reason != core.EndAnswered || end.ToolCalls != 12 {
		t.Fatalf("%+v %+v", end, end.Error)
	}
	if most != 8 || order[10] != "last" {
		t.Errorf("at most %d together, order %v", most, order)
	}
	var got []string
	for _, m := range r.ses.Messages() {
		if m.Role == core.RoleTool {
			got = append(got, m.Content)
		}
	}
	if want := []string{"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "w", "last"}; !slices.Equal(got, want) {
		t.Errorf("results: %v", got)
	}
	stable(t, r.bodies())
}

func TestRun_loopGuard(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
strict: true
rules:
  - {when: {no_tools: true}, reply: {text: "I was stuck."}}
  - {reply: {tool_calls: [{name: read, arguments: {path: same}}]}}
`)
	end := r.run("go")
	if end.Reason != core.EndBudget || end.ToolCalls != 5 || end.Answer != "I was stuck." {
		t.Errorf("%+v", end)
	}
	var results []string
	for _, m := range r.ses.Messages() {
		if m.Role == core.RoleTool {
			results = append(results, m.Content)
		}
	}
	if strings.Contains(results[1], "3 times") || !strings.Contains(results[2], "3 times") || !strings.Contains(results[4], "5 times") {
		t.Errorf("%q", results)
	}

	// Running the same check after different edits is work.
	r = newRig(t, `
strict: true
rules:
  - {when: {turn: 16}, reply: {text: "fixed"}}
  - {when: {last: "checked"}, reply: {tool_calls: [{name: write, arguments: {n: "{{turn}}"}}]}}
  - {reply: {tool_calls: [{name: check, arguments: {}}]}}
`)
	r.tools["check"] = func(context.Context, map[string]any) core.ToolResult {
		return core.ToolResult{Content: "checked: fails"}
	}
	r.tools["write"] = func(context.Context, map[string]any) core.ToolResult { return core.ToolResult{OK: true, Content: "ok"} }
	r.open()
	if end := r.run("go"); end.Answer != "fixed" {
		t.Errorf("%+v", end)
	}
}

package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes/core"
	"hermes/core/agent"
	"hermes/core/agent/compact"
)

// small makes a model with a small window out of another.
type small struct {
	core.Model

	window int
}

func (s small) Info() core.ModelInfo {
	i := s.Model.Info()
	i.ContextLength = s.window
	return i
}

func compacting(window int) func(*agent.Options) {
	return func(o *agent.Options) {
		o.Model = small{o.Model, window}
		o.MaxIterations = 300
		o.Compaction = agent.Compaction{Enabled: true, Threshold: 0.75, ProtectFirst: 3, ProtectLast: 20}
	}
}

// A long task outgrows the window several times; every request is one the strict server accepts, and
// between compactions the prefix does not move.
func TestRun_longTaskIsCompacted(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
strict: true
rules:
  - {when: {system: "hand-over note"}, reply: {text: "## Goal\ngo on {{request}}", usage: none}}
  - {when: {request: {min: 206}}, reply: {text: "all done"}}
  - {reply: {usage: none, text: "step {{request}}", tool_calls: [{name: read, arguments: {path: "f{{request}}"}}, {name: write, arguments: {n: "{{request}}"}}]}}
`, compacting(5_000))
	filler := strings.Repeat("some text of a file ", 8)
	r.tools["read"] = func(_ context.Context, args map[string]any) core.ToolResult {
		return core.ToolResult{OK: true, Content: fmt.Sprint(args["path"], filler)}
	}
	r.tools["write"] = func(_ context.Context, args map[string]any) core.ToolResult {
		return core.ToolResult{OK: true, Content: fmt.Sprint("wrote ", args["n"])}
	}
	r.opts.Emit = func(core.Event) {} // nobody reads the feed here, and it would fill up
	r.open()
	end := r.run("a long task")
	if end.Reason != core.EndAnswered || end.Answer != "all done" {
		t.Fatalf("%+v %+v", end, end.Error)
	}
	compactions := 0
	for _, rec := range r.ses.Records() {
		if rec.Type == core.RecordCompacted {
			compactions++
		}
	}
	if compactions < 2 {
		t.Errorf("%d compactions", compactions)
	}
	var chunk []body
	for i, b := range r.bodies() {
		if got := r.srv.Requests()[i].Status; got != 200 {
			t.Errorf("request %d was refused: %d", i, got)
		}
		if strings.Contains(string(b.Messages[0]), "hand-over note") {
			stable(t, chunk)
			chunk = nil
			continue
		}
		if string(b.Messages[0]) != string(r.bodies()[0].Messages[0]) {
			t.Fatal("the prompt moved")
		}
		chunk = append(chunk, b)
	}
	// What was replaced is still in the transcript, and a new process sees the same conversation.
	tr, err := r.store.Read(r.ses.ID())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tr.Messages()); n < 500 {
		t.Errorf("the transcript holds %d messages", n)
	}
	before := contents(r.ses.Messages())
	r.resume()
	if after := contents(r.ses.Messages()); !slices.Equal(before, after) {
		t.Errorf("the resumed conversation differs: %d, %d messages", len(before), len(after))
	}
	if before[0] != "user: a long task" || !slices.ContainsFunc(before, func(s string) bool { return strings.HasPrefix(s, "user: "+compact.Marker) }) {
		t.Errorf("%.200q", before)
	}
}

// A server's own "too long" teaches the window and leads to one attempt to make room.
func TestRun_overflowIsMetOnce(t *testing.T) {
	t.Parallel()
	const refuse = `fault: {status: 400, error: {message: "This model's maximum context length is 4096 tokens", code: context_length_exceeded}}`
	r := newRig(t, `
strict: true
rules:
  - {when: {system: "hand-over note"}, reply: {fault: {status: 500, error: {message: broken}}}}
  - {when: {user: "too long", not: {any: "CONTEXT SUMMARY"}}, reply: {`+refuse+`}}
  - {when: {user: "hopeless"}, reply: {`+refuse+`}}
  - {reply: {text: "answer to {{user}}"}}
`, compacting(0))
	for i := range 15 {
		r.run(fmt.Sprint("question ", i))
	}
	end := r.run("too long")
	if end.Answer != "answer to too long" {
		t.Fatalf("%+v %+v", end, end.Error)
	}
	var ev *core.Compacted
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	batch, _ := r.feed.Next(ctx)
	for _, e := range batch {
		if c, ok := e.(*core.Compacted); ok {
			ev = c
		}
	}
	if ev == nil || !ev.Fallback || !ev.Auto || ev.After >= ev.Before || !strings.Contains(ev.Summary, "question 5") {
		t.Errorf("%+v", ev)
	}
	if _, limit := r.agent.Window(); limit == 0 {
		t.Error("the window was not learned")
	}
	n := len(r.srv.Requests())
	if end = r.run("hopeless"); end.Reason != core.EndError || end.Error.Code != core.CodeOverflow {
		t.Errorf("%+v %+v", end, end.Error)
	}
	if got := len(r.srv.Requests()) - n; got > 5 {
		t.Errorf("%d requests for a hopeless turn", got)
	}
}

func TestConversation_compactByHand(t *testing.T) {
	t.Parallel()
	r := newRig(t, "strict: true\nrules:\n  - {when: {system: hand-over}, reply: {text: 'note about {{user}}'}}\n  - {reply: {text: ok}}\n", compacting(100_000))
	c := agent.NewConversation(t.Context(), r.agent, agent.ConversationOptions{})
	outcome := make(chan error, 1)
	if err := c.Compact("", func(err error) { outcome <- err }); err != nil {
		t.Fatal(err)
	}
	if err := <-outcome; core.HintOf(err) == "" {
		t.Errorf("an empty conversation: %v", err)
	}
	c.Wait(t.Context())
	for i := range 20 {
		r.run(fmt.Sprint("q", i))
	}
	if err := c.Compact("the 数据库", func(err error) { outcome <- err }); err != nil {
		t.Fatal(err)
	}
	if err := <-outcome; err != nil {
		t.Fatal(err)
	}
	c.Wait(t.Context())
	if i := slices.IndexFunc(r.ses.Messages(), compact.IsSummary); i != 4 && i != 3 {
		t.Errorf("the summary stands at %d", i)
	}
	rs := r.srv.Requests()
	if ask := rs[len(rs)-1].User(); !strings.Contains(ask, "concerns: the 数据库") {
		t.Errorf("%.300q", ask)
	}
	if end := r.run("on"); end.Answer != "ok" {
		t.Errorf("%+v %+v", end, end.Error)
	}
}

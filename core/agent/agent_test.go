package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/agent"
	"hermes/core/home"
	"hermes/core/provider"
	"hermes/core/provider/scripted"
	"hermes/core/session"
)

// rig is a whole agent over the scripted server: real provider, real transcript, small real tools.
type rig struct {
	t     *testing.T
	srv   *scripted.Server
	store *session.Store
	ses   *session.Session
	agent *agent.Agent
	feed  *core.Feed
	tools toolbox
	opts  agent.Options
}

const systemPrompt = "You are a test."

func newRig(t *testing.T, yaml string, change ...func(*agent.Options)) *rig {
	t.Helper()
	r := &rig{t: t, feed: core.NewFeed(), tools: toolbox{}}
	r.srv = serve(t, yaml)
	r.store = session.NewStore(home.At(filepath.Join(t.TempDir(), "home")))
	r.tools["read"] = func(_ context.Context, args map[string]any) core.ToolResult {
		return core.ToolResult{OK: true, Content: fmt.Sprintf("content of %v", args["path"])}
	}
	r.ses = r.store.New("/w", "test/scripted", session.Prompt{System: systemPrompt, Tools: r.tools.Specs()})
	r.opts = agent.Options{Model: client(t, r.srv, "scripted"), Tools: r.tools, System: systemPrompt, Emit: r.feed.Emit}
	for _, f := range change {
		f(&r.opts)
	}
	r.open()
	t.Cleanup(func() {
		if err := r.ses.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rig) open() {
	r.opts.Journal, r.opts.Specs = r.ses, r.tools.Specs()
	r.agent = agent.New(r.opts)
}

// resume closes the session and opens it again, as a new process would.
func (r *rig) resume() {
	r.t.Helper()
	if err := r.ses.Close(); err != nil {
		r.t.Fatal(err)
	}
	s, err := r.store.Open(r.t.Context(), r.ses.ID())
	if err != nil {
		r.t.Fatal(err)
	}
	r.ses = s
	r.open()
}

func (r *rig) run(text string) *core.RunEnded {
	r.t.Helper()
	return r.agent.Run(r.t.Context(), agent.Input{Text: text})
}

// events takes what was emitted so far, as short words; deltas are merged by the feed.
func (r *rig) events() []string {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	cancel()
	batch, _ := r.feed.Next(ctx)
	var out []string
	for _, e := range batch {
		w := e.Type()
		switch e := e.(type) {
		case *core.TextDelta:
			w += " " + e.Text
		case *core.ReasoningDelta:
			w += " " + e.Text
		case *core.ToolStarted:
			w += " " + e.Tool
		case *core.ToolOutput:
			w += " " + e.Text
		case *core.ToolEnded:
			w += fmt.Sprintf(" %s %v", e.Tool, e.OK)
		case *core.MessageEnded:
			w += " " + e.Message.Content
			if e.Message.Incomplete {
				w += " (incomplete)"
			}
			if e.Void {
				w += " (void)"
			}
		case *core.RunEnded:
			w += " " + string(e.Reason)
		}
		out = append(out, w)
	}
	return out
}

// bodies decodes the requests the server got.
func (r *rig) bodies() []body {
	r.t.Helper()
	return bodies(r.t, r.srv)
}

type body struct {
	Messages []json.RawMessage `json:"messages"`
	Tools    json.RawMessage   `json:"tools"`
}

func bodies(t *testing.T, srv *scripted.Server) []body {
	t.Helper()
	var out []body
	for _, q := range srv.Requests() {
		var b body
		if err := json.Unmarshal(q.Body, &b); err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// stable checks that every request starts with the messages of the one before and carries its tools.
func stable(t *testing.T, bs []body) {
	t.Helper()
	for i := 1; i < len(bs); i++ {
		a, b := bs[i-1], bs[i]
		if !bytes.Equal(a.Tools, b.Tools) {
			t.Errorf("request %d: the tools moved", i+1)
		}
		if len(b.Messages) < len(a.Messages) {
			t.Errorf("request %d has %d messages, the one before %d", i+1, len(b.Messages), len(a.Messages))
			continue
		}
		for j := range a.Messages {
			if !bytes.Equal(a.Messages[j], b.Messages[j]) {
				t.Errorf("request %d: message %d moved:\n%s\n%s", i+1, j, a.Messages[j], b.Messages[j])
			}
		}
	}
}

func serve(t *testing.T, yaml string) *scripted.Server {
	t.Helper()
	sc, err := scripted.Load(t.Name()+".yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := scripted.Start(context.WithoutCancel(t.Context()), sc, scripted.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

func client(t *testing.T, srv *scripted.Server, model string) core.Model {
	t.Helper()
	c, err := provider.New(provider.Options{
		Provider: "test", BaseURL: srv.URL(), Model: model, Retries: 1, Backoff: time.Millisecond, Idle: 300 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// toolbox is a few functions as a core.Toolbox; the registry of package tools has tests of its own.
type toolbox map[string]func(context.Context, map[string]any) core.ToolResult

func (b toolbox) Specs() []core.ToolSpec {
	var out []core.ToolSpec
	for name := range b {
		out = append(out, core.ToolSpec{Name: name, Description: "does " + name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	slices.SortFunc(out, func(a, c core.ToolSpec) int { return strings.Compare(a.Name, c.Name) })
	return out
}

func (b toolbox) Run(ctx context.Context, c core.ToolCall, at core.ToolRun) core.ToolResult {
	f, ok := b[c.Name]
	if !ok {
		return core.ToolResult{Content: "error: no tool " + c.Name}
	}
	var args map[string]any
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
		return core.ToolResult{Content: "error: arguments: " + err.Error()}
	}
	at.Output("live " + c.Name)
	return f(ctx, args)
}

func contents(msgs []core.Message) []string {
	var out []string
	for _, m := range msgs {
		out = append(out, string(m.Role)+": "+m.Content)
	}
	return out
}

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

// The loop goes by the calls, never by the finish reason (OPEN-PR-02).
func TestOpenPR02_finishReasons(t *testing.T) {
	t.Parallel()
	for name, finish := range map[string]string{
		"stop": "finish: stop", "empty": `finish: ""`, "null": `finish: "null"`, "end_turn": "finish: end_turn",
		"same chunk": "wire: {finish_with_last: true}", "none": "finish: none",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "strict: true\nsteps:\n  - reply:\n      tool_calls: [{name: read, arguments: {path: a}}]\n      "+finish+"\n  - reply: {text: done}\n")
			if end := r.run("go"); end.Reason != core.EndAnswered || end.ToolCalls != 1 || end.Requests != 2 {
				t.Errorf("%+v %+v", end, end.Error)
			}
		})
	}
	t.Run("tool_calls without a call", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "steps:\n  - reply: {text: just text, finish: tool_calls}\n  - reply: {finish: tool_calls}\n  - reply: {text: fine}\n")
		if end := r.run("go"); end.Reason != core.EndAnswered || end.Answer != "just text" || end.Requests != 1 {
			t.Errorf("%+v", end)
		}
		end := r.run("again")
		if end.Reason != core.EndError || end.Error.Remedy == "" || end.Requests != 1 {
			t.Errorf("%+v %+v", end, end.Error)
		}
		if end = r.run("once more"); end.Answer != "fine" {
			t.Errorf("%+v", end)
		}
	})
}

// A stream that fails keeps its text, runs no half call, and a retry replaces it (OPEN-PR-05).
func TestOpenPR05_brokenStreams(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{
		"error inside": `text: "half an answer", chunk: 2, fault: {after: 4, error: {message: upstream gone, code: "502"}}`,
		"cut":          `text: "half an answer", chunk: 2, fault: {after: 4, cut: true}`,
		"stall":        `text: "half an answer", chunk: 2, fault: {after: 4, stall: true}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "strict: true\nsteps:\n  - reply: {"+fault+"}\n  - reply: {text: whole answer}\n  - reply: {text: next answer}\n")
			end := r.run("go")
			if end.Reason != core.EndError || end.Error.Message == "" || end.Error.Remedy == "" {
				t.Fatalf("%+v %+v", end, end.Error)
			}
			msgs := r.ses.Messages()
			if last := msgs[len(msgs)-1]; !last.Incomplete || !strings.HasPrefix("half an answer", last.Content) || last.Content == "" {
				t.Fatalf("partial text: %+v", last)
			}
			r.events()
			if end = r.agent.Retry(t.Context()); end.Answer != "whole answer" {
				t.Fatalf("%+v", end)
			}
			if diff := cmp.Diff([]string{"user: go", "assistant: whole answer"}, contents(r.ses.Messages())); diff != "" {
				t.Error(diff)
			}
			if ev := r.events(); !strings.HasSuffix(ev[0], "(void)") {
				t.Errorf("the screen is not told that the partial text is void: %v", ev)
			}
			r.resume()
			if end = r.run("on"); end.Answer != "next answer" {
				t.Errorf("%+v", end)
			}
			if diff := cmp.Diff([]string{"user: go", "assistant: whole answer", "user: on", "assistant: next answer"}, contents(r.ses.Messages())); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("without a retry the next message works", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "strict: true\nsteps:\n  - reply: {text: half, chunk: 2, fault: {after: 2, cut: true}}\n  - reply: {text: fine}\n")
		r.run("go")
		if end := r.run("on"); end.Answer != "fine" {
			t.Errorf("%+v %+v", end, end.Error)
		}
	})
	t.Run("a call cut in its arguments never runs", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, `
strict: true
steps:
  - reply: {text: "writing", tool_calls: [{name: write, arguments: {path: evil, content: "a long text"}, chunk: 4}], fault: {after: 5, cut: true}}
  - reply: {text: fine}
`)
		r.tools["write"] = func(context.Context, map[string]any) core.ToolResult {
			t.Error("the cut call ran")
			return core.ToolResult{}
		}
		if end := r.run("go"); end.Reason != core.EndError || end.ToolCalls != 0 {
			t.Errorf("%+v", end)
		}
		if end := r.run("on"); end.Answer != "fine" {
			t.Errorf("%+v %+v", end, end.Error)
		}
	})
	t.Run("html", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "steps:\n  - reply: {fault: {status: 200, content_type: text/html, body: '<html><body>Sign in</body></html>'}}\n  - reply: {text: fine}\n")
		if end := r.run("go"); end.Reason != core.EndError || end.Error.Remedy == "" {
			t.Errorf("%+v %+v", end, end.Error)
		}
		if end := r.run("on"); end.Answer != "fine" {
			t.Errorf("%+v %+v", end, end.Error)
		}
	})
}

func TestRun_retriesBeforeTextAreSaidNotShownAsFailure(t *testing.T) {
	t.Parallel()
	r := newRig(t, "steps:\n  - reply: {fault: {status: 503, error: {message: busy}}}\n  - reply: {text: fine}\n")
	if end := r.run("go"); end.Answer != "fine" {
		t.Fatalf("%+v %+v", end, end.Error)
	}
	if diff := cmp.Diff([]string{"run_started", "notice", "text_delta fine", "message_ended fine", "usage", "run_ended answered"}, r.events()); diff != "" {
		t.Error(diff)
	}
}

// Reasoning goes back to the server that needs it, byte for byte, and to no other (OPEN-PR-06).
func TestOpenPR06_reasoningAcrossModelsAndResume(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"reasoning_content", "reasoning", "reasoning_details"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			thinking := "rules:\n  - {when: {turn: 0}, reply: {reasoning: 'think  hard\\n ', reasoning_field: " + field +
				", chunk: 3, tool_calls: [{name: read, arguments: {path: a}}]}}\n  - {reply: {text: from A}}\n"
			r := newRig(t, "strict: true\nrequire_reasoning: true\n"+thinking)
			b := serve(t, "strict: true\nreject_reasoning: true\nrules:\n  - {reply: {text: from B}}\n")
			a, other := r.opts.Model, client(t, b, "plain")
			steps := []struct {
				model core.Model
				want  string
			}{{a, "from A"}, {a, "from A"}, {other, "from B"}, {a, "from A"}, {nil, "from A"}}
			for i, s := range steps {
				if s.model == nil {
					r.resume()
				} else if s.model != r.agent.Model() {
					if err := r.agent.SetModel(s.model); err != nil {
						t.Fatal(err)
					}
				}
				if end := r.run("go"); end.Reason != core.EndAnswered || end.Answer != s.want {
					t.Fatalf("step %d: %+v %+v", i, end, end.Error)
				}
			}
			for _, m := range r.ses.Messages() {
				if strings.Contains(m.Content, "think") {
					t.Errorf("reasoning became text: %+v", m)
				}
			}
		})
	}
}

// Interrupted between call and result: the next request is valid (OPEN-PR-07).
func TestOpenPR07_interruptBetweenCalls(t *testing.T) {
	t.Parallel()
	const three = `
strict: true
rules:
  - {when: {user: go, turn: 0}, reply: {tool_calls: [{name: read, arguments: {path: a}}, {name: block, arguments: {}}, {name: read, arguments: {path: c}}]}}
  - {reply: {text: fine}}
`
	r := newRig(t, three)
	ctx, cancel := context.WithCancel(t.Context())
	r.tools["block"] = func(ctx context.Context, _ map[string]any) core.ToolResult {
		cancel()
		<-ctx.Done()
		return core.ToolResult{Content: "stopped", Detail: &core.ToolDetail{Aborted: true}}
	}
	r.open()
	if end := r.agent.Run(ctx, agent.Input{Text: "go"}); end.Reason != core.EndInterrupted {
		t.Fatalf("%+v", end)
	}
	want := []string{"user: go", "assistant: ", "tool: content of a", "tool: stopped", "tool: " + core.InterruptedResult}
	if diff := cmp.Diff(want, contents(r.ses.Messages())); diff != "" {
		t.Error(diff)
	}
	if end := r.run("on"); end.Answer != "fine" {
		t.Errorf("%+v %+v", end, end.Error)
	}

	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, three)
		// The process dies while the second tool runs: nothing after its start is recorded.
		died := errors.New("died")
		r.opts.Journal, r.opts.Specs = &dying{Session: r.ses, after: 5, err: died}, r.tools.Specs()
		end := agent.New(r.opts).Run(t.Context(), agent.Input{Text: "go"})
		if end.Reason != core.EndError {
			t.Fatalf("%+v", end)
		}
		r.resume()
		if end := r.run("go on"); end.Answer != "fine" {
			t.Fatalf("%+v %+v", end, end.Error)
		}
		msgs := contents(r.ses.Messages())
		if msgs[3] != "tool: "+core.InterruptedResult || msgs[4] != "tool: "+core.InterruptedResult {
			t.Errorf("%q", msgs)
		}
		stable(t, r.bodies()[1:])
	})
}

// dying is a journal whose disk fails after a number of records.
type dying struct {
	*session.Session

	after int
	err   error
}

func (d *dying) Append(r core.Record) error {
	if d.after--; d.after < 0 {
		return d.err
	}
	return d.Session.Append(r)
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

// The prompt and the tools never move: time passes, files change, runs are interrupted, the session is
// resumed (the part of OPEN-PR-08 that exists).
func TestOpenPR08_prefixIsStable(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC)
	r := newRig(t, `
strict: true
require_reasoning: true
rules:
  - {when: {turn: 0, not: {user: stop}}, reply: {tool_calls: [{name: read, arguments: {path: a}}], reasoning: r}}
  - {when: {user: stop}, reply: {text: "half an answer", chunk: 2, fault: {after: 3, stall: true}}}
  - {reply: {text: "ok {{request}}"}}
`, func(o *agent.Options) { o.Now = func() time.Time { return now } })
	for _, text := range []string{"one", "two", "stop", "three", "resume", "four"} {
		now = now.Add(7 * time.Hour)
		switch text {
		case "stop":
			ctx, cancel := context.WithCancel(t.Context())
			emit := r.opts.Emit
			r.opts.Emit = func(e core.Event) {
				if e.Type() == "text_delta" {
					cancel()
				}
			}
			r.open()
			if end := r.agent.Run(ctx, agent.Input{Text: text}); end.Reason != core.EndInterrupted {
				t.Fatalf("%+v", end)
			}
			r.opts.Emit = emit
			r.open()
		case "resume":
			r.resume()
		default:
			if end := r.agent.Run(t.Context(), agent.Input{Text: text, Notes: []string{"Today is another day."}}); end.Reason != core.EndAnswered {
				t.Fatalf("%s: %+v %+v", text, end, end.Error)
			}
		}
	}
	bs := r.bodies()
	if len(bs) != 9 {
		t.Fatalf("%d requests", len(bs))
	}
	stable(t, bs)
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

func TestConversation_queueAndInterrupt(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
strict: true
rules:
  - {when: {user: slow, turn: 0}, reply: {tool_calls: [{name: gate, arguments: {}}]}}
  - {reply: {text: "answer to {{user}}"}}
`)
	started, gate := make(chan struct{}), make(chan struct{})
	r.tools["gate"] = func(ctx context.Context, _ map[string]any) core.ToolResult {
		started <- struct{}{}
		select {
		case <-gate:
		case <-ctx.Done():
		}
		return core.ToolResult{OK: true}
	}
	r.open()
	c := agent.NewConversation(t.Context(), r.agent, nil, nil)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Send(" \n"); core.CodeOf(err) != core.CodeUsage {
		t.Errorf("blank: %v", err)
	}
	must(c.Send("slow 1"))
	<-started
	must(c.Send("two"))
	must(c.Send("three"))
	if diff := cmp.Diff([]string{"two", "three"}, c.Queue()); diff != "" {
		t.Error(diff)
	}
	if err := c.Retry(); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("retry while running: %v", err)
	}
	c.SetQueue([]string{"three, edited"})
	close(gate)
	for c.Running() || len(c.Queue()) > 0 {
		c.Wait(t.Context())
	}
	want := []string{
		"user: slow 1", "assistant: ", "tool: (no output)", "assistant: answer to slow 1",
		"user: three, edited", "assistant: answer to three, edited",
	}
	if diff := cmp.Diff(want, contents(r.ses.Messages())); diff != "" {
		t.Error(diff)
	}

	gate = make(chan struct{})
	must(c.Send("slow 2"))
	<-started
	must(c.Send("waiting"))
	if !c.Interrupt() {
		t.Error("nothing to interrupt")
	}
	c.Wait(t.Context())
	if c.Running() || len(c.Queue()) != 1 {
		t.Errorf("after an interrupt the queue must wait for the person: %v", c.Queue())
	}
	c.Close(t.Context())
	if err := c.Send("late"); err == nil {
		t.Error("a closed conversation accepts messages")
	}
}

// A long session must not get slower with every turn.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{10, 2000} {
		b.Run(fmt.Sprint(n, " messages"), func(b *testing.B) {
			store := session.NewStore(home.At(filepath.Join(b.TempDir(), "home")))
			ses := store.New("", "p/m", session.Prompt{})
			for i := range n {
				m := core.Message{ID: ses.NewMessageID(), Role: []core.Role{core.RoleUser, core.RoleAssistant}[i%2], Content: strings.Repeat("word ", 50)}
				if err := ses.Append(core.Record{Type: core.RecordMessage, Message: &m}); err != nil {
					b.Fatal(err)
				}
			}
			a := agent.New(agent.Options{Model: instant{}, Tools: toolbox{}, Journal: ses})
			for b.Loop() {
				a.Run(b.Context(), agent.Input{Text: "x"})
			}
			if err := ses.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// instant is a model that costs nothing, to measure the loop alone.
type instant struct{}

func (instant) Info() core.ModelInfo { return core.ModelInfo{Provider: "p", Model: "m"} }

func (instant) Stream(context.Context, core.Request, func(core.Delta)) (core.Response, error) {
	return core.Response{Message: core.Message{Content: "ok"}}, nil
}

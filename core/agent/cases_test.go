package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/agent"
	"hermes/core/session"
)

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

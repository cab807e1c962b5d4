package delegate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/home"
	"hermes/tools"
	"hermes/tools/delegate"
)

type runner func(context.Context, core.Task) (core.TaskResult, error)

func (f runner) RunTask(ctx context.Context, t core.Task) (core.TaskResult, error) { return f(ctx, t) }

func sets() []string { return []string{"web", "terminal", "file", "delegation", "clarify", "file"} }

func call(ctx context.Context, t *testing.T, tool core.Tool, args string) core.ToolResult {
	t.Helper()
	r := tools.New(tools.Options{Home: home.At(t.TempDir())}, tool)
	return r.Run(ctx, core.ToolCall{ID: "c1", Name: "delegate_task", Arguments: args}, core.ToolRun{SessionID: "s1", RunID: "r1"})
}

func TestDelegate_handsOverTheTask(t *testing.T) {
	t.Parallel()
	var got core.Task
	tool := delegate.New(delegate.Options{Toolsets: sets(), Runner: runner(func(_ context.Context, task core.Task) (core.TaskResult, error) {
		got = task
		return core.TaskResult{
			Answer: " found it \n", Requests: 3, ToolCalls: 1204, ToolErrors: 2, SessionID: "child", Taint: "web: https://example.org/",
			Usage: core.Usage{Input: core.KnownTokens(12_000), Output: core.KnownTokens(80)}, Cost: core.Cost{USD: 0.5, Known: true},
		}, nil
	})})
	res := call(t.Context(), t, tool, `{"task":"# Find the bug\nin a.go","context":"it crashes","toolsets":["web","FILE","web"],"max_iterations":7}`)
	if got.ID == "" || !strings.HasPrefix(got.Prompt, "# Find the bug\nin a.go\n\n## Context\n\nit crashes\n\n---\nYou work as a sub-agent") {
		t.Errorf("task %+v", got)
	}
	got.ID, got.Prompt = "", ""
	want := core.Task{ParentSession: "s1", ParentRun: "r1", CallID: "c1", Title: "Find the bug", Toolsets: []string{"file", "web"}, MaxIterations: 7}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	text := "[task 1 of 1: Find the bug]\n[answered; 3 requests; 1,204 tool calls (2 failed); 12,000 tokens in, 80 out; $0.5000; session child]\nfound it"
	if !res.OK || res.Content != text {
		t.Errorf("%q\nwant %q", res.Content, text)
	}
	if d := cmp.Diff(&core.ToolDetail{Summary: "1 of 1 answered; 3 requests, 1,204 tool calls, $0.5000", Taint: "web: https://example.org/"}, res.Detail); d != "" {
		t.Error(d)
	}
}

func TestDelegate_defaults(t *testing.T) {
	t.Parallel()
	var got core.Task
	tool := delegate.New(delegate.Options{Toolsets: sets(), MaxIterations: 20, Runner: runner(func(_ context.Context, task core.Task) (core.TaskResult, error) {
		got = task
		return core.TaskResult{}, nil
	})})
	for args, want := range map[string]string{
		`{"task":"x"}`: "[file terminal web] 20",
		`{"task":"x","max_iterations":500,"toolsets":[]}`:          "[] 20",
		`{"tasks":[{"task":"x","max_iterations":2}]}`:              "[file terminal web] 2",
		`{"tasks":[{"task":"x","context":"","toolsets":["web"]}]}`: "[web] 20",
	} {
		got = core.Task{}
		call(t.Context(), t, tool, args)
		if s := fmt.Sprint(got.Toolsets, got.MaxIterations); s != want {
			t.Errorf("%s: %s, want %s", args, s, want)
		}
	}
}

func TestDelegate_refuses(t *testing.T) {
	t.Parallel()
	tool := delegate.New(delegate.Options{Toolsets: sets(), Runner: runner(func(context.Context, core.Task) (core.TaskResult, error) {
		t.Error("ran")
		return core.TaskResult{}, nil
	})})
	for name, tc := range map[string]struct{ args, says string }{
		"nothing":       {`{}`, `"task" is missing`},
		"empty":         {`{"task":" "}`, `"task" is missing or empty`},
		"delegation":    {`{"task":"x","toolsets":["delegation"]}`, `never gets the toolset "delegation"`},
		"clarify":       {`{"task":"x","toolsets":["Clarify"]}`, `never gets the toolset "clarify"`},
		"unknown set":   {`{"task":"x","toolsets":["rocket"]}`, "there are: file, terminal, web"},
		"both":          {`{"task":"x","tasks":[{"task":"y"}]}`, "both task and tasks"},
		"stray context": {`{"context":"x","tasks":[{"task":"y"}]}`, "beside tasks no other field"},
		"no tasks":      {`{"tasks":[]}`, "tasks is empty"},
		"six":           {`{"tasks":[{"task":"1"},{"task":"1"},{"task":"1"},{"task":"1"},{"task":"1"},{"task":"1"}]}`, "6 tasks"},
		"one bad":       {`{"tasks":[{"task":"1"},{"prompt":"1"}]}`, "task 2: is not an object with the fields"},
		"negative":      {`{"tasks":[{"task":"1","max_iterations":-1}]}`, "at least 1"},
		"zero":          {`{"task":"1","max_iterations":0}`, "at least 1"},
		"long task":     {fmt.Sprintf(`{"task":%q}`, strings.Repeat("x", 8001)), "8001 characters"},
		"long context":  {fmt.Sprintf(`{"task":"x","context":%q}`, strings.Repeat("x", 32001)), "32001 characters"},
		"not objects":   {`{"tasks":["x"]}`, "must be an object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if res := call(t.Context(), t, tool, tc.args); res.OK || !strings.Contains(res.Content, tc.says) {
				t.Errorf("%+v; want %q", res, tc.says)
			}
		})
	}
}

func TestDelegate_saysHowEachEnded(t *testing.T) {
	t.Parallel()
	tool := delegate.New(delegate.Options{Toolsets: sets(), MaxConcurrent: 5, Runner: runner(func(_ context.Context, task core.Task) (core.TaskResult, error) {
		switch task.Title {
		case "budget":
			return core.TaskResult{Reason: core.EndBudget, Answer: "half", Requests: 50}, nil
		case "fails":
			return core.TaskResult{Requests: 1}, &core.Error{Code: core.CodeAuth, Op: "ask model", Err: errors.New("bad key"), Hint: "Run hermes setup"}
		case "panics":
			panic("boom")
		case "long":
			return core.TaskResult{Answer: strings.Repeat("a", 9_000) + "THE END"}, nil
		}
		return core.TaskResult{Answer: "fine"}, nil
	})})
	res := call(t.Context(), t, tool, `{"tasks":[{"task":"budget"},{"task":"fails"},{"task":"panics"},{"task":"long"},{"task":"works"}]}`)
	for _, want := range []string{
		"[task 1 of 5: budget]\n[stopped at its budget of 50 model requests; the work may be unfinished; 50 requests; 0 tool calls]\nhalf",
		"[failed; 1 request; 0 tool calls]\n[error: ask model: bad key. Run hermes setup]\n[no answer]",
		"[error: the sub-agent failed inside hermes: boom]",
		"THE END",
		"[task 5 of 5: works]\n[answered; 0 requests; 0 tool calls]\nfine",
	} {
		if !strings.Contains(res.Content, want) {
			t.Errorf("no %q in %s", want, res.Content)
		}
	}
	if !res.OK || res.Detail.Cut == 0 || !strings.HasPrefix(res.Detail.Summary, "2 of 5 answered; 51 requests") {
		t.Errorf("%v %+v", res.OK, res.Detail)
	}
}

func TestDelegate_boundsConcurrency(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now, most := 0, 0
	pair := make(chan struct{}) // two tasks must be there at once to pass
	tool := delegate.New(delegate.Options{MaxConcurrent: 2, Runner: runner(func(ctx context.Context, _ core.Task) (core.TaskResult, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		select {
		case pair <- struct{}{}:
		case <-pair:
		case <-ctx.Done():
			return core.TaskResult{}, ctx.Err()
		}
		mu.Lock()
		now--
		mu.Unlock()
		return core.TaskResult{Answer: "ok"}, nil
	})})
	var wg sync.WaitGroup
	for range 2 { // the bound holds over calls
		wg.Go(func() {
			res := tool.Run(t.Context(), core.ToolRun{Arguments: json.RawMessage(`{"tasks":[{"task":"1"},{"task":"2"},{"task":"3"},{"task":"4"}]}`)})
			if !res.OK {
				t.Errorf("%+v", res)
			}
		})
	}
	wg.Wait()
	if most != 2 {
		t.Errorf("%d sub-agents at once, want 2", most)
	}
}

func TestDelegate_whenInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	tool := delegate.New(delegate.Options{MaxConcurrent: 1, Runner: runner(func(ctx context.Context, _ core.Task) (core.TaskResult, error) {
		cancel()
		<-ctx.Done()
		return core.TaskResult{Requests: 2, Answer: "so far"}, ctx.Err()
	})})
	res := call(ctx, t, tool, `{"tasks":[{"task":"a"},{"task":"b"},{"task":"c"}]}`)
	if res.OK || !res.Detail.Aborted || strings.Count(res.Content, "not started: interrupted") != 2 ||
		!strings.Contains(res.Content, "interrupted; the work is unfinished; 2 requests") || !strings.Contains(res.Content, "so far") {
		t.Errorf("%+v %+v", res, res.Detail)
	}
}

func TestSpec_isStable(t *testing.T) {
	t.Parallel()
	a := delegate.New(delegate.Options{Toolsets: []string{"web", "file"}}).Spec()
	b := delegate.New(delegate.Options{Toolsets: []string{"file", "clarify", "web"}}).Spec()
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	if !json.Valid(a.Parameters) || !strings.Contains(a.Description, ": file, web.") {
		t.Errorf("%+v", a)
	}
}

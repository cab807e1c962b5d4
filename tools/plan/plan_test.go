package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/home"
	"hermes/tools"
	"hermes/tools/plan"
)

func call(ctx context.Context, t *testing.T, tool core.Tool, args string) core.ToolResult {
	t.Helper()
	r := tools.New(tools.Options{Home: home.At(t.TempDir())}, tool)
	return r.Run(ctx, core.ToolCall{ID: "c1", Name: tool.Spec().Name, Arguments: args}, core.ToolRun{SessionID: "s1", RunID: "r1"})
}

func TestTodo_writes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", plan.MaxText+1)
	for name, tc := range map[string]struct {
		args  string
		ok    bool
		says  string
		items []core.TodoItem
	}{
		"list": {
			args: `{"items":[{"text":" one\n two ","status":"done"},{"id":"b","text":"three","status":"in_progress"},{"text":"four","status":"cancelled"},{"text":"five"}]}`,
			ok:   true, says: "1 done, 2 open",
			items: []core.TodoItem{
				{ID: "1", Text: "one two", Status: core.TodoDone},
				{ID: "b", Text: "three", Status: core.TodoActive},
				{ID: "2", Text: "four", Status: core.TodoCancelled},
				{ID: "3", Text: "five", Status: core.TodoPending},
			},
		},
		"free numbers": {
			args: `{"items":[{"text":"a"},{"id":1,"text":"b"},{"id":"2","text":"c"},{"text":"d","status":"completed"}]}`,
			ok:   true, says: "[x] 4: d",
			items: []core.TodoItem{
				{ID: "3", Text: "a", Status: core.TodoPending},
				{ID: "1", Text: "b", Status: core.TodoPending},
				{ID: "2", Text: "c", Status: core.TodoPending},
				{ID: "4", Text: "d", Status: core.TodoDone},
			},
		},
		"empty":          {args: `{"items":[]}`, ok: true, says: "The task list is empty."},
		"read":           {args: `{}`, ok: true, says: "The task list is empty."},
		"two active":     {args: `{"items":[{"text":"a","status":"in_progress"},{"text":"b","status":"in_progress"}]}`, says: "2 items are in_progress"},
		"same id":        {args: `{"items":[{"id":"x","text":"a"},{"id":"x","text":"b"}]}`, says: `item 2 has the id "x"`},
		"no text":        {args: `{"items":[{"text":"\u0007 \n"}]}`, says: "item 1 has no text"},
		"long text":      {args: fmt.Sprintf(`{"items":[{"text":%q}]}`, long), says: "201 characters"},
		"status":         {args: `{"items":[{"text":"a","status":"later"}]}`, says: "pending, in_progress, done or cancelled"},
		"unknown field":  {args: `{"items":[{"text":"a","prio":1}]}`, says: "fields id, text and status"},
		"not an object":  {args: `{"items":["a"]}`, says: "item 1"},
		"odd id":         {args: `{"items":[{"id":[1],"text":"a"}]}`, says: "neither a string nor a number"},
		"too many":       {args: `{"items":[` + strings.TrimSuffix(strings.Repeat(`{"text":"a"},`, plan.MaxItems+1), ",") + `]}`, says: "51 items"},
		"broken":         {args: `{"items":[`, says: "not valid JSON"},
		"not a list":     {args: `{"items":"a"}`, says: "must be a list"},
		"unknown at top": {args: `{"todos":[]}`, says: `unknown field "todos"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var todos plan.Todos
			res := call(t.Context(), t, plan.NewTodo(&todos), tc.args)
			if res.OK != tc.ok || !strings.Contains(res.Content, tc.says) {
				t.Errorf("OK %v, %q; want %v and %q", res.OK, res.Content, tc.ok, tc.says)
			}
			if d := cmp.Diff(tc.items, todos.Snapshot("s1")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTodo_refusedWriteKeepsList(t *testing.T) {
	t.Parallel()
	var todos plan.Todos
	tool := plan.NewTodo(&todos)
	call(t.Context(), t, tool, `{"items":[{"text":"keep"}]}`)
	call(t.Context(), t, tool, `{"items":[{"text":"x","status":"nonsense"}]}`)
	res := call(t.Context(), t, tool, `{}`)
	if !strings.Contains(res.Content, "[ ] 1: keep") || res.Detail.Summary != "0 done, 1 open" {
		t.Errorf("%+v", res)
	}
}

func TestTodos_tellsOnlyOfChanges(t *testing.T) {
	t.Parallel()
	var told []string
	todos := &plan.Todos{}
	todos.OnChange = func(s string, items []core.TodoItem) {
		told = append(told, fmt.Sprintf("%s %d/%d", s, len(items), len(todos.Snapshot(s))))
		if len(items) > 0 {
			items[0].Text = "changed behind the back"
		}
	}
	a := []core.TodoItem{{ID: "1", Text: "a", Status: core.TodoPending}}
	todos.Set("s1", nil)
	todos.Set("s1", a)
	todos.Set("s1", a)
	todos.Set("s2", a)
	todos.Set("s1", nil)
	if d := cmp.Diff([]string{"s1 1/1", "s2 1/1", "s1 0/0"}, told); d != "" {
		t.Error(d)
	}
	if got := todos.Snapshot("s2")[0].Text; got != "a" {
		t.Errorf("the list was changed through OnChange: %q", got)
	}
}

func TestTodos_concurrent(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var last []core.TodoItem
	todos := &plan.Todos{OnChange: func(_ string, items []core.TodoItem) {
		mu.Lock()
		defer mu.Unlock()
		last = items
	}}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { todos.Set("s", []core.TodoItem{{ID: fmt.Sprint(i)}}) })
	}
	wg.Wait()
	if d := cmp.Diff(last, todos.Snapshot("s")); d != "" {
		t.Errorf("the last change told is not the list: %s", d)
	}
}

type asker func(context.Context, core.Question) (core.Answer, error)

func (f asker) Ask(ctx context.Context, q core.Question) (core.Answer, error) { return f(ctx, q) }

func TestClarify_answers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer core.Answer
		err    error
		ok     bool
		says   string
	}{
		"option":        {answer: core.Answer{Option: 2}, ok: true, says: "The person chose option 2: blue sky"},
		"own words":     {answer: core.Answer{Text: "  green\n"}, ok: true, says: "The person answered: green"},
		"bad option":    {answer: core.Answer{Option: 9, Text: "grey"}, ok: true, says: "The person answered: grey"},
		"closed":        {answer: core.Answer{Skipped: true}, ok: true, says: "closed the question without an answer"},
		"nothing":       {ok: true, says: "closed the question without an answer"},
		"broken answer": {answer: core.Answer{Text: "a\xffb"}, ok: true, says: "a\uFFFDb"},
		"long answer":   {answer: core.Answer{Text: strings.Repeat("x", 20_000)}, ok: true, says: "x"},
		"unattended":    {err: &core.Error{Code: core.CodeDenied}, says: plan.Alone},
		"failure":       {err: errors.New("the screen is gone"), says: "the screen is gone. Decide by yourself"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked core.Question
			tool := plan.NewClarify(asker(func(_ context.Context, q core.Question) (core.Answer, error) {
				asked = q
				return tc.answer, tc.err
			}))
			res := call(t.Context(), t, tool, `{"question":"Which\n colour?","options":["red","blue\tsky"],"free_text":"false"}`)
			if res.OK != tc.ok || !strings.Contains(res.Content, tc.says) || len(res.Content) > 11_000 {
				t.Errorf("OK %v, %.300q; want %v and %q", res.OK, res.Content, tc.ok, tc.says)
			}
			if asked.ID == "" {
				t.Error("the question has no id")
			}
			asked.ID = ""
			want := core.Question{SessionID: "s1", RunID: "r1", CallID: "c1", Text: "Which colour?", Options: []string{"red", "blue sky"}}
			if d := cmp.Diff(want, asked); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestClarify_refusesBadQuestions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ args, says string }{
		"empty":        {`{"question":" \n"}`, "it is empty"},
		"missing":      {`{}`, `"question" is missing`},
		"long":         {fmt.Sprintf(`{"question":%q}`, strings.Repeat("x", 601)), "601 characters"},
		"many options": {`{"question":"q","options":["1","2","3","4","5"]}`, "5 options"},
		"empty option": {`{"question":"q","options":["1"," "]}`, "option 2 is empty"},
		"twice":        {`{"question":"q","options":["a"," a"]}`, "option 2 repeats"},
		"long option":  {fmt.Sprintf(`{"question":"q","options":[%q]}`, strings.Repeat("x", 161)), "161 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := plan.NewClarify(asker(func(context.Context, core.Question) (core.Answer, error) {
				t.Error("asked")
				return core.Answer{}, nil
			}))
			if res := call(t.Context(), t, tool, tc.args); res.OK || !strings.Contains(res.Content, tc.says) {
				t.Errorf("%+v; want %q", res, tc.says)
			}
		})
	}
}

func TestClarify_whenNobodyIsThere(t *testing.T) {
	t.Parallel()
	res := call(t.Context(), t, plan.NewClarify(nil), `{"question":"q"}`)
	if res.OK || res.Content != plan.Alone {
		t.Errorf("%+v", res)
	}
}

func TestClarify_whenInterruptedOrLate(t *testing.T) {
	t.Parallel()
	blocking := func(asked func()) core.Tool {
		return plan.NewClarify(asker(func(ctx context.Context, q core.Question) (core.Answer, error) {
			if !q.FreeText {
				t.Error("a question without options takes own words")
			}
			asked()
			<-ctx.Done()
			return core.Answer{}, ctx.Err()
		}))
	}
	ctx, cancel := context.WithCancel(t.Context())
	res := call(ctx, t, blocking(cancel), `{"question":"q","free_text":false}`)
	if res.OK || !res.Detail.Aborted {
		t.Errorf("interrupted: %+v", res)
	}
	late := blocking(func() {})
	limited, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	res = late.Run(limited, core.ToolRun{Arguments: json.RawMessage(`{"question":"q"}`)})
	if res.OK || !strings.Contains(res.Content, "did not answer in time") || !strings.Contains(res.Content, plan.Alone) {
		t.Errorf("late: %+v", res)
	}
}

func TestSpecs_areStable(t *testing.T) {
	t.Parallel()
	for _, tool := range []core.Tool{plan.NewTodo(&plan.Todos{}), plan.NewClarify(nil)} {
		a, b := tool.Spec(), tool.Spec()
		if string(a.Parameters) != string(b.Parameters) || a.Description != b.Description || !json.Valid(a.Parameters) {
			t.Errorf("%s: the spec changes or is no JSON", a.Name)
		}
	}
}

func FuzzParseItems(f *testing.F) {
	f.Add([]byte(`{"items":[{"id":1,"text":"a","status":"done"},{"text":"b"}]}`))
	f.Add([]byte(`{"items":null}`))
	f.Add([]byte(`{"items":[{"id":"\u0000","text":"\ud800"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		items, _, err := plan.ParseItems(raw)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, it := range items {
			if it.ID == "" || seen[it.ID] || it.Text == "" || strings.ContainsAny(it.Text, "\n\x1b") || it.Status == "" {
				t.Errorf("bad item %+v", it)
			}
			seen[it.ID] = true
		}
	})
}

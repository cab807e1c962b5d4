package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/provider/scripted"
)

func event1(delta string) scripted.Value {
	return scripted.Raw(`{"choices":[{"index":0,"delta":` + delta + `}]}`)
}

func calls(frags ...string) []scripted.Value {
	var out []scripted.Value
	for _, f := range frags {
		out = append(out, event1(`{"tool_calls":[`+f+`]}`))
	}
	return append(out, scripted.Raw(`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`))
}

func TestOpenPR01_toolCallsWithoutUsableIndex(t *testing.T) {
	t.Parallel()
	const a, b = `{"path":"a.md"}`, `{"path":"b.md"}`
	frag := func(head, name, args string) string {
		if name != "" {
			name = `"name":"` + name + `",`
		}
		return fmt.Sprintf(`{%s"function":{%s"arguments":%s}}`, head, name, quote(args))
	}
	both := []core.ToolCall{{ID: "c1", Name: "read_file", Arguments: a}, {ID: "c2", Name: "read_file", Arguments: b}}
	anon := []core.ToolCall{{Name: "read_file", Arguments: a}, {Name: "read_file", Arguments: b}}
	one := both[:1]
	for name, tc := range map[string]struct {
		frags []string
		want  []core.ToolCall
	}{
		"a no index":       {[]string{frag(`"id":"c1",`, "read_file", a), frag(`"id":"c2",`, "read_file", b)}, both},
		"b index 0 twice":  {[]string{frag(`"index":0,"id":"c1",`, "read_file", a), frag(`"index":0,"id":"c2",`, "read_file", b)}, both},
		"b index 0, split": {[]string{frag(`"index":0,"id":"c1",`, "read_file", a[:5]), frag(`"index":0,`, "", a[5:]), frag(`"index":0,"id":"c2",`, "read_file", b[:5]), frag(`"index":0,`, "", b[5:])}, both},
		"c null index":     {[]string{frag(`"index":null,"id":"c1",`, "read_file", a), frag(`"index":null,"id":"c2",`, "read_file", b)}, both},
		"d no id later":    {[]string{frag(`"index":0,"id":"c1",`, "read_file", a[:3]), frag("", "", a[3:6]), frag("", "", a[6:8]), frag("", "", a[8:])}, one},
		"d index appears":  {[]string{frag(`"id":"c1",`, "read_file", ""), frag(`"index":0,`, "", a[:6]), frag(`"index":0,`, "", a[6:])}, one},
		"e name repeated":  {[]string{frag(`"index":0,"id":"c1",`, "read_file", a[:3]), frag(`"index":0,`, "read_file", a[3:6]), frag(`"index":0,`, "read_file", a[6:])}, one},
		"e, id too":        {[]string{frag(`"id":"c1",`, "read_file", a[:3]), frag(`"id":"c1",`, "read_file", a[3:]), frag(`"id":"c1",`, "read_file", "")}, one},
		"f interleaved":    {[]string{frag(`"index":0,"id":"c1",`, "read_file", a[:3]), frag(`"index":1,"id":"c2",`, "read_file", b[:3]), frag(`"index":0,`, "", a[3:]), frag(`"index":1,`, "", b[3:])}, both},
		"g gap":            {[]string{frag(`"index":0,"id":"c1",`, "read_file", a), frag(`"index":2,"id":"c2",`, "read_file", b)}, both},
		"no ids":           {[]string{frag(`"index":0,`, "read_file", a), frag(`"index":1,`, "read_file", b)}, anon},
		"no ids, index 0":  {[]string{frag(`"index":0,`, "read_file", a), frag(`"index":0,`, "read_file", b)}, anon},
		"nothing at all":   {[]string{frag("", "read_file", a), frag("", "read_file", b)}, anon},
		"same id":          {[]string{frag(`"index":0,"id":"c1",`, "read_file", a), frag(`"index":1,"id":"c1",`, "read_file", b)}, []core.ToolCall{both[0], anon[1]}},
		"whole call twice": {[]string{frag(`"index":0,"id":"c1",`, "read_file", a), frag(`"index":0,"id":"c1",`, "read_file", a)}, one},
		"name in pieces":   {[]string{frag(`"index":0,"id":"c1",`, "read_", ""), frag(`"index":0,`, "file", a)}, one},
		"object arguments": {[]string{`{"index":0,"id":"c1","function":{"name":"read_file","arguments":` + a + `}}`}, one},
		"two in one chunk": {[]string{frag(`"id":"c1",`, "read_file", a) + "," + frag(`"id":"c2",`, "read_file", b)}, both},
		"no arguments":     {[]string{frag(`"index":0,"id":"c1",`, "now", "")}, []core.ToolCall{{ID: "c1", Name: "now", Arguments: "{}"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, replies(scripted.Reply{Events: calls(tc.frags...)}))
			resp, err := client(t, srv).Stream(t.Context(), ask("x"), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := resp.Message.ToolCalls
			ids := map[string]bool{}
			for i := range got {
				if got[i].ID == "" || ids[got[i].ID] {
					t.Errorf("call %d has no id of its own: %q", i, got[i].ID)
				}
				ids[got[i].ID] = true
				if i < len(tc.want) && tc.want[i].ID == "" {
					got[i].ID = ""
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOpenPR02_finishReasonDoesNotSayToolCalls(t *testing.T) {
	t.Parallel()
	call := scripted.Ask("read_file", `{"path":"a.md"}`)
	for name, tc := range map[string]struct {
		change func(*scripted.Reply)
		calls  int
	}{
		"stop":       {func(r *scripted.Reply) { r.Finish = scripted.Finish("stop") }, 1},
		"empty":      {func(r *scripted.Reply) { r.Finish = scripted.Finish("") }, 1},
		"empty, EOF": {func(r *scripted.Reply) { r.Finish = scripted.Finish(""); r.Wire.NoDone = true }, 1},
		"null":       {func(r *scripted.Reply) { r.Finish = scripted.Finish("null") }, 1},
		"end_turn":   {func(r *scripted.Reply) { r.Finish = scripted.Finish("end_turn") }, 1},
		"same chunk": {func(r *scripted.Reply) { r.Wire.FinishWithLast = true }, 1},
		"no call": {func(r *scripted.Reply) {
			r.ToolCalls, r.Text, r.Finish = nil, "text", scripted.Finish("tool_calls")
		}, 0},
		"nothing at all": {func(r *scripted.Reply) { r.ToolCalls, r.Finish = nil, scripted.Finish("tool_calls") }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply := call
			reply.ToolCalls = append([]scripted.Call(nil), call.ToolCalls...)
			tc.change(&reply)
			srv := serve(t, replies(reply))
			resp, err := client(t, srv).Stream(t.Context(), ask("x"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(resp.Message.ToolCalls); got != tc.calls || resp.Message.Content != reply.Text || resp.Message.Incomplete {
				t.Errorf("got %+v, want %d calls and text %q", resp.Message, tc.calls, reply.Text)
			}
			if got := len(srv.Requests()); got != 1 {
				t.Errorf("%d requests, want 1", got)
			}
		})
	}
}

func TestOpenPR03_longLine(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("héllo 世界\n\"", 3_000_000/10) // 3,000,000 code points
	args, err := json.Marshal(map[string]string{"path": "a", "content": content})
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range []int{0, 4093} { // 4093 is prime: cuts fall anywhere, in UTF-8 sequences too
		reply := scripted.Ask("write_file", string(args))
		reply.Wire.Split = split
		srv := serve(t, replies(reply))
		resp, err := client(t, srv).Stream(t.Context(), ask("x"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(resp.Message.ToolCalls) != 1 || resp.Message.ToolCalls[0].Arguments != string(args) {
			t.Errorf("split %d: the call did not arrive byte for byte", split)
		}
	}
}

func TestOpenPR03_lineBeyondTheLimit(t *testing.T) {
	t.Parallel()
	srv := serve(t, replies(scripted.Reply{Events: []scripted.Value{event1(`{"content":"kept"}`), scripted.Raw(strings.Repeat("x", lineLimit+1))}}))
	resp, err := client(t, srv).Stream(t.Context(), ask("x"), nil)
	if core.CodeOf(err) != core.CodeProtocol || !strings.Contains(err.Error(), "32 MiB") {
		t.Errorf("got %v, want a protocol error that names the limit", err)
	}
	if resp.Message.Content != "kept" || !resp.Message.Incomplete {
		t.Errorf("the turn was not kept: %+v", resp.Message)
	}
}

func TestOpenPR04_framing(t *testing.T) {
	t.Parallel()
	usage := scripted.Usage{Mode: "given", Prompt: 10, Completion: 2}
	base := scripted.Reply{Text: "Hello wörld 世界", Chunk: 3, Usage: usage}
	known := core.Usage{Input: core.KnownTokens(10), Output: core.KnownTokens(2)}
	for name, tc := range map[string]struct {
		change func(*scripted.Reply)
		usage  core.Usage
	}{
		"plain":          {func(*scripted.Reply) {}, known},
		"comments":       {func(r *scripted.Reply) { r.Wire.Comments = true }, known},
		"event line":     {func(r *scripted.Reply) { r.Wire.Event = "message" }, known},
		"no space":       {func(r *scripted.Reply) { r.Wire.NoSpace = true }, known},
		"crlf":           {func(r *scripted.Reply) { r.Wire.CRLF = true }, known},
		"two data lines": {func(r *scripted.Reply) { r.Wire.TwoLines = true }, known},
		"empty first":    {func(r *scripted.Reply) { r.Wire.EmptyFirst = true }, known},
		"no role":        {func(r *scripted.Reply) { r.Wire.NoRole = true }, known},
		"no done":        {func(r *scripted.Reply) { r.Wire.NoDone = true }, known},
		"no final blank": {func(r *scripted.Reply) { r.Wire.NoDone, r.Wire.NoFinalBlank = true, true }, known},
		"bytes apart":    {func(r *scripted.Reply) { r.Wire.Split, r.Wire.CRLF, r.Wire.Comments = 1, true, true }, known},
		"one object":     {func(r *scripted.Reply) { r.Wire.JSON = true }, known},
		"all at once": {func(r *scripted.Reply) {
			r.Wire = scripted.Wire{Comments: true, Event: "message", NoSpace: true, CRLF: true, TwoLines: true, EmptyFirst: true, NoDone: true, Split: 2}
		}, known},
		"usage null":    {func(r *scripted.Reply) { r.Usage = scripted.Usage{Mode: "null"} }, core.Usage{}},
		"usage missing": {func(r *scripted.Reply) { r.Usage = scripted.Usage{Mode: "none"} }, core.Usage{}},
		"usage strings": {func(r *scripted.Reply) {
			r.Usage = scripted.Usage{Mode: "raw", Raw: scripted.Raw(`{"prompt_tokens":"10","completion_tokens":"2","prompt_tokens_details":7}`)}
		}, core.Usage{}},
		"odd chunks": {func(r *scripted.Reply) {
			r.Events = []scripted.Value{
				scripted.Raw(`{"choices":[]}`), scripted.Raw(`{}`), scripted.Raw(`{"choices":null,"x":{"y":[1]}}`),
				scripted.Raw(`{"choices":[{"index":0}]}`), scripted.Raw(`{"choices":[{"index":0,"delta":null}]}`),
				event1(`{"role":"assistant"}`), event1(`{"role":"assistant","content":null}`),
				event1(`{"content":"Hello wörld","logprobs":null}`), event1(`{"content":" 世界","tool_calls":null}`),
				scripted.Raw(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`),
				scripted.Raw(`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":null}}`),
			}
		}, known},
		"no blank lines": {func(r *scripted.Reply) {
			r.Raw = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello wörld\"}}]}\ndata: {\"choices\":[{\"delta\":{\"content\":\" 世界\"},\"finish_reason\":\"stop\"}]}\n" +
				"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}\ndata: [DONE]\n"
		}, known},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply := base
			tc.change(&reply)
			srv := serve(t, replies(reply))
			var got seen
			started := time.Now()
			resp, err := client(t, srv, func(o *Options) { o.Model = "gpt-5-mini" }).Stream(t.Context(), ask("x"), got.sink)
			if err != nil {
				t.Fatal(err)
			}
			if resp.Message.Content != base.Text || got.text.String() != base.Text {
				t.Errorf("got %q and deltas %q, want %q", resp.Message.Content, got.text.String(), base.Text)
			}
			if diff := cmp.Diff(tc.usage, resp.Usage); diff != "" {
				t.Error(diff)
			}
			if resp.Cost.Known != tc.usage.Input.Known {
				t.Errorf("cost %+v for usage %+v", resp.Cost, tc.usage)
			}
			if took := time.Since(started); took > tailLimit {
				t.Errorf("took %s after the connection closed", took)
			}
		})
	}
}

func TestOpenPR04_openAfterTheEnd(t *testing.T) {
	t.Parallel()
	srv := serve(t, replies(scripted.Reply{
		Text: "all", Usage: scripted.Usage{Mode: "none"}, Wire: scripted.Wire{NoDone: true},
		Fault: &scripted.Fault{Stall: true, After: 3},
	}))
	resp, err := client(t, srv, func(o *Options) { o.Idle = 300 * time.Millisecond }).Stream(t.Context(), ask("x"), nil)
	if err != nil || resp.Message.Content != "all" || resp.Message.Incomplete {
		t.Errorf("got %+v, %v; want the whole answer", resp.Message, err)
	}
}

func TestOpenPR05_failureInsideTheStream(t *testing.T) {
	t.Parallel()
	twenty := scripted.Reply{Text: strings.Repeat("ab", 20), Chunk: 2}
	const sent = 20 * 2
	object := scripted.Raw(`{"code":502,"message":"upstream gone"}`)
	for name, tc := range map[string]struct {
		fault *scripted.Fault
		code  core.Code
		says  string
		keeps int
	}{
		"a error object": {&scripted.Fault{Error: &object, After: 21}, core.CodeServer, "upstream gone", sent},
		"b cut":          {&scripted.Fault{Cut: true, After: 21}, core.CodeNetwork, "broke off", sent},
		"b clean end":    {&scripted.Fault{End: true, After: 21}, core.CodeNetwork, "broke off", sent},
		"b in a line":    {&scripted.Fault{End: true, AfterBytes: 500}, core.CodeNetwork, "broke off", 2},
		"d silence":      {&scripted.Fault{Stall: true, After: 21}, core.CodeStall, "no answer", sent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := twenty
			bad.Fault = tc.fault
			srv := serve(t, replies(bad, scripted.Say("fine")))
			c := client(t, srv, func(o *Options) {
				if tc.fault.Stall {
					o.Idle = 300 * time.Millisecond
				}
			})
			var got seen
			resp, err := c.Stream(t.Context(), ask("x"), got.sink)
			if core.CodeOf(err) != tc.code || !strings.Contains(err.Error(), tc.says) || core.HintOf(err) == "" {
				t.Errorf("got %v (%s, hint %q), want %s with %q", err, core.CodeOf(err), core.HintOf(err), tc.code, tc.says)
			}
			if !resp.Message.Incomplete || len(resp.Message.Content) < tc.keeps || got.text.String() != resp.Message.Content {
				t.Errorf("partial text %q (incomplete %v), deltas %q", resp.Message.Content, resp.Message.Incomplete, got.text.String())
			}
			if len(got.retries) != 0 || len(srv.Requests()) != 1 {
				t.Errorf("retried after text was shown: %v", got.retries)
			}
			if resp, err := c.Stream(t.Context(), ask("again"), nil); err != nil || resp.Message.Content != "fine" {
				t.Errorf("the next message: %q, %v", resp.Message.Content, err)
			}
		})
	}
}

func TestOpenPR05_cutToolCallIsNotReturned(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]*scripted.Fault{
		"cut": {Cut: true, After: 4}, "clean end": {End: true, After: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply := scripted.Ask("write_file", `{"path":"a","content":"a long text that is cut"}`)
			reply.ToolCalls[0].Chunk = 10
			reply.Fault = fault
			resp, err := client(t, serve(t, replies(reply))).Stream(t.Context(), ask("x"), nil)
			if err == nil || len(resp.Message.ToolCalls) != 0 || !resp.Message.Incomplete {
				t.Errorf("got %+v, %v; want an error and no call", resp.Message, err)
			}
		})
	}
}

func TestOpenPR05_webPage(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]*scripted.Fault{
		"200":            {Status: 200, ContentType: "text/html", Body: scripted.Raw("<!doctype html><p>hi")},
		"200, no type":   {Status: 200, Body: scripted.Raw("\n <html>")},
		"404":            {Status: 404, ContentType: "text/html", Body: scripted.Raw("<html>not found")},
		"not a chat":     {Status: 404, Body: scripted.Raw(`{"detail":"Not Found"}`)},
		"other protocol": {Status: 200, Body: scripted.Raw("hello, this is no chat server\n\ndata: nor this\n\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, replies(scripted.Reply{Fault: fault}))
			_, err := client(t, srv).Stream(t.Context(), ask("x"), nil)
			if !strings.Contains(core.HintOf(err), "base URL") {
				t.Errorf("got %v with hint %q", err, core.HintOf(err))
			}
			if code := core.CodeOf(err); code != core.CodeProtocol && code != core.CodeRequest {
				t.Errorf("got code %s", code)
			}
			if got := len(srv.Requests()); got != 1 {
				t.Errorf("%d requests, want 1", got)
			}
		})
	}
}

// turn plays one question with one tool call and its answer against c, as the agent loop would.
func turn(t *testing.T, c *Client, history []core.Message, text string) []core.Message {
	t.Helper()
	history = append(history, core.Message{Role: core.RoleUser, Content: text})
	for range 5 {
		resp, err := c.Stream(t.Context(), core.Request{Messages: history}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// As the session stores it: through JSON.
		stored, err := json.Marshal(resp.Message)
		if err != nil {
			t.Fatal(err)
		}
		var m core.Message
		if err := json.Unmarshal(stored, &m); err != nil {
			t.Fatal(err)
		}
		history = append(history, m)
		if len(m.ToolCalls) == 0 {
			return history
		}
		for _, call := range m.ToolCalls {
			history = append(history, core.Message{Role: core.RoleTool, ToolCallID: call.ID, Content: "ok"})
		}
	}
	t.Fatal("the model did not stop calling")
	return nil
}

func TestOpenPR06_reasoningIsReplayedWhereItBelongs(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"reasoning_content", "reasoning", "reasoning_details"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			a := play(t, `
strict: true
require_reasoning: true
chunk: 3
rules:
  - turns:
      - {reasoning: "Think <hard> & \"well\" 世界", reasoning_field: `+field+`, tool_calls: [{name: f}]}
      - {reasoning: "again", reasoning_field: `+field+`, text: done}
`)
			b := play(t, `
strict: true
reject_reasoning: true
rules:
  - turns:
      - {tool_calls: [{name: f, id: "b{{open}}"}]}
      - {text: done}
`)
			toA := client(t, a, func(o *Options) { o.Provider = "a" })
			toB := client(t, b, func(o *Options) { o.Provider = "b" })
			h := []core.Message{{Role: core.RoleSystem, Content: "s"}}
			h = turn(t, toA, h, "one")
			h = turn(t, toA, h, "two")
			h = turn(t, toB, h, "three")
			h = turn(t, toA, h, "four")
			fresh := client(t, a, func(o *Options) { o.Provider = "a" })
			turn(t, fresh, h, "after resume")
			for name, srv := range map[string]*scripted.Server{"A": a, "B": b} {
				for _, r := range srv.Requests() {
					if r.Status != 200 {
						t.Errorf("server %s refused request %d with %d", name, r.N, r.Status)
					}
				}
			}
			if strings.Contains(h[2].Content, "Think") || h[2].Reasoning == nil {
				t.Errorf("reasoning leaked into the answer, or is lost: %+v", h[2])
			}
			reqs := a.Requests()
			for i := 1; i < len(reqs); i++ {
				if !strings.HasPrefix(messagesOf(t, reqs[i].Body), messagesOf(t, reqs[i-1].Body)) {
					t.Errorf("request %d does not start with request %d", i+1, i)
				}
			}
		})
	}
}

func TestOpenPR06_learnsTheRule(t *testing.T) {
	t.Parallel()
	history := func(c *Client) []core.Message {
		return []core.Message{
			{Role: core.RoleUser, Content: "x"},
			{
				Role: core.RoleAssistant, Model: c.Info().Ref(), Reasoning: &core.Reasoning{Text: "r", Field: "reasoning_content"},
				ToolCalls: []core.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}},
			},
			{Role: core.RoleTool, ToolCallID: "a", Content: "ok"},
		}
	}
	t.Run("rejected", func(t *testing.T) {
		t.Parallel()
		srv := play(t, "strict: true\nelse: ok")
		c := client(t, srv)
		for range 2 {
			var got seen
			if _, err := c.Stream(t.Context(), core.Request{Messages: history(c)}, got.sink); err != nil || len(got.retries) > 0 {
				t.Fatal(err, got.retries)
			}
		}
		if got := statuses(srv); !cmp.Equal(got, []int{400, 200, 200}) {
			t.Errorf("statuses %v: want one refusal, then never again", got)
		}
	})
	t.Run("required", func(t *testing.T) {
		t.Parallel()
		srv := serve(t, &scripted.Scenario{Func: func(r *scripted.Request) (scripted.Reply, bool) {
			if _, has := r.Messages[1].Fields["reasoning_content"]; !has {
				missing := scripted.Raw(`{"message":"The reasoning_content in the thinking mode must be passed back to the API.","type":"invalid_request_error"}`)
				return scripted.Reply{Fault: &scripted.Fault{Status: 400, Error: &missing}}, true
			}
			return scripted.Say("ok"), true
		}})
		c := client(t, srv, func(o *Options) { o.Provider = "gemini" }) // a preset that does not replay
		for range 2 {
			if _, err := c.Stream(t.Context(), core.Request{Messages: history(c)}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if got := statuses(srv); !cmp.Equal(got, []int{400, 200, 200}) {
			t.Errorf("statuses %v: want one refusal, then never again", got)
		}
	})
	t.Run("hopeless", func(t *testing.T) {
		t.Parallel()
		never := scripted.Raw(`{"message":"reasoning_content is wrong"}`)
		srv := serve(t, replies(scripted.Reply{Fault: &scripted.Fault{Status: 400, Error: &never}}))
		c := client(t, srv)
		if _, err := c.Stream(t.Context(), core.Request{Messages: history(c)}, nil); core.CodeOf(err) != core.CodeRequest {
			t.Errorf("got %v", err)
		}
		if got := len(srv.Requests()); got != 2 {
			t.Errorf("%d requests, want exactly one repetition", got)
		}
	})
}

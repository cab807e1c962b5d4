package scripted

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
)

// start runs a scenario written as YAML.
func start(t *testing.T, yaml string) *Server {
	t.Helper()
	s, err := Load("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, s)
}

func serve(t *testing.T, s *Scenario) *Server {
	t.Helper()
	srv, err := Start(t.Context(), s, Options{})
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

// post sends a chat request and returns status and body; a broken link gives what arrived and the error.
func post(t *testing.T, srv *Server, body string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(got), err
}

// say joins the content deltas of a stream body.
func say(body string) string {
	var out strings.Builder
	sc := bufio.NewScanner(strings.NewReader(body))
	for sc.Scan() {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		for _, c := range list(object([]byte(data))["choices"]) {
			out.WriteString(text(object(object(c)["delta"])["content"]))
		}
	}
	return out.String()
}

func user(texts ...string) string {
	var msgs []string
	for _, s := range texts {
		msgs = append(msgs, `{"role":"user","content":`+quote(s)+`}`)
	}
	return `{"model":"m","stream":true,"messages":[` + strings.Join(msgs, ",") + `]}`
}

func TestServer_reactsToTheRequest(t *testing.T) {
	t.Parallel()
	srv := start(t, `
chunk: 3
steps:
  - reply: step one
  - when: {user: second}
    reply: step two
rules:
  - name: ports
    when: {user: {regexp: 'port (?P<p>\d+)'}}
    reply: {text: "you said {{p}} and {{1}}, {{open}}x}}"}
  - name: work
    when: {user: build}
    capture: {code: {from: result, regexp: 'exit (\d+)'}}
    turns:
      - tool_calls: [{name: terminal, arguments: {command: "echo {{user}}", n: 3}}]
      - text: "code {{code}} of {{result.1}}"
  - when: {has_tool: [a, b], lacks_tool: c}
    once: true
    reply: tools
  - when: {either: [{model: big}, {request: {min: 100}}], not: {user: no}}
    reply: big
else: "script: {{user}}"
`)
	done := `{"model":"m","stream":true,"messages":[{"role":"user","content":"build"},` +
		`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"terminal","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c","content":"exit 7"}]}`
	tools := strings.Replace(user("x"), `"stream"`, `"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}],"stream"`, 1)
	for _, step := range []struct{ body, want string }{
		{user("port 80"), "step one"},
		{user("port 80"), "you said 80 and 80, {{x}}"}, // the second step waits, the rules answer
		{user("second"), "step two"},
		{done, "code 7 of exit 7"},
		{tools, "tools"},
		{tools, "script: x"},
		{strings.Replace(user("x"), `"m"`, `"big"`, 1), "big"},
		{strings.Replace(user("no"), `"m"`, `"big"`, 1), "script: no"},
	} {
		_, body, err := post(t, srv, step.body)
		if err != nil {
			t.Fatal(err)
		}
		if got := say(body); got != step.want {
			t.Errorf("%s\n got %q\nwant %q", step.body, got, step.want)
		}
	}
	_, body, _ := post(t, srv, user("build"))
	if want := `"arguments":"{\"command\":\"echo build\",\"n\":3}"`; !strings.Contains(body, want) {
		t.Errorf("no %s in\n%s", want, body)
	}
	if got := len(srv.Requests()); got != 9 {
		t.Errorf("recorded %d requests, want 9", got)
	}
	if got := srv.Unused(); got != nil {
		t.Errorf("unused rules: %q", got)
	}
}

func TestServer_noRule(t *testing.T) {
	t.Parallel()
	srv := start(t, "rules: [{name: r, when: {user: never}, reply: x}]")
	status, body, _ := post(t, srv, user("hello"))
	if status != http.StatusBadRequest || !strings.Contains(body, "no rule for request 1") {
		t.Errorf("got %d %s", status, body)
	}
	if diff := cmp.Diff([]string{"r"}, srv.Unused()); diff != "" {
		t.Error(diff)
	}
}

func TestServer_wire(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reply    string
		contains []string
		lacks    []string
	}{
		"crlf":          {`{text: hi, wire: {crlf: true}}`, []string{"\r\n\r\n"}, nil},
		"comments":      {`{text: hi, wire: {comments: true}}`, []string{": KEEPALIVE\n\n"}, nil},
		"no done":       {`{text: hi, wire: {no_done: true}}`, nil, []string{"[DONE]"}},
		"no space":      {`{text: hi, wire: {no_space: true}}`, []string{"data:{"}, []string{"data: {"}},
		"event":         {`{text: hi, wire: {event: message}}`, []string{"event: message\ndata: "}, nil},
		"two lines":     {`{text: hi, wire: {two_lines: true}}`, []string{",\ndata: \"object\""}, nil},
		"no role":       {`{text: hi, wire: {no_role: true}}`, nil, []string{`"role"`}},
		"final blank":   {`{text: hi, wire: {no_final_blank: true}}`, []string{"[DONE]\n"}, []string{"[DONE]\n\n"}},
		"empty first":   {`{text: hi, wire: {empty_first: true}}`, []string{`"choices":[]}`}, nil},
		"finish last":   {`{text: hi, wire: {finish_with_last: true}}`, []string{`{"content":"hi"},"finish_reason":"stop"`}, nil},
		"json":          {`{text: hi, wire: {json: true}}`, []string{`"object":"chat.completion",`}, []string{"data:"}},
		"split":         {`{text: 你好, wire: {split: 1}}`, []string{"你好"}, nil},
		"finish word":   {`{text: hi, finish: end_turn}`, []string{`"finish_reason":"end_turn"`}, nil},
		"finish null":   {`{text: hi, finish: "null"}`, []string{`"delta":{},"finish_reason":null`}, nil},
		"finish empty":  {`{text: hi, finish: ""}`, []string{`"delta":{},"finish_reason":""`}, nil},
		"finish none":   {`{text: hi, finish: none}`, nil, []string{`"delta":{}`}},
		"usage none":    {`{text: hi, usage: none}`, nil, []string{`"usage"`}},
		"usage null":    {`{text: hi, usage: "null"}`, []string{`"usage":null`}, nil},
		"usage given":   {`{text: hi, usage: {prompt: 9, completion: 2, cached: 4, reasoning: 1}}`, []string{`"cached_tokens":4`, `"reasoning_tokens":1`, `"prompt_tokens":9`}, nil},
		"usage raw":     {`{text: hi, usage: {raw: {prompt_tokens: "12"}}}`, []string{`"usage":{"prompt_tokens":"12"}`}, nil},
		"index none":    {`{tool_calls: [{name: a, arguments: "{", index: none}]}`, []string{`[{"id":"call_1_1"`, `"arguments":"{"`}, []string{`"index":0,"id"`}},
		"index null":    {`{tool_calls: [{name: a, index: "null"}]}`, []string{`"index":null,"id"`}, nil},
		"no id":         {`{tool_calls: [{name: a, id: none}]}`, []string{`"index":0,"type":"function"`}, nil},
		"details":       {`{reasoning: r, reasoning_field: reasoning_details}`, []string{`"reasoning_details":[{"type":"reasoning.text","text":"r"`}, nil},
		"events":        {`{events: [{error: {message: x}}, "raw {"]}`, []string{`data: {"error":{"message":"x"}}`, "data: raw {\n"}, nil},
		"raw":           {`{raw: "data: {}\n\n"}`, []string{"data: {}\n\n"}, []string{"DONE"}},
		"error after 2": {`{text: abc, chunk: 1, fault: {error: {message: gone}, after: 2}}`, []string{`"content":"a"`, `data: {"error":{"message":"gone"}}`}, []string{`"content":"b"`}},
		"end after 2":   {`{text: abc, chunk: 1, fault: {end: true, after: 2}}`, []string{`"content":"a"`}, []string{`"content":"b"`, "DONE"}},
		"html":          {`{fault: {status: 200, content_type: text/html, body: "<html>{{user}}"}}`, []string{"<html>hi"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, "rules: [{reply: "+tc.reply+"}]")
			_, body, err := post(t, srv, user("hi"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.contains {
				if !strings.Contains(body, want) {
					t.Errorf("no %q in\n%s", want, body)
				}
			}
			for _, bad := range tc.lacks {
				if strings.Contains(body, bad) {
					t.Errorf("unexpected %q in\n%s", bad, body)
				}
			}
		})
	}
}

func TestServer_cutBreaksTheLink(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"{cut: true, after: 2}", "{cut: true, after_bytes: 40}"} {
		srv := start(t, "rules: [{reply: {text: abc, chunk: 1, fault: "+fault+"}}]")
		_, body, err := post(t, srv, user("hi"))
		if err == nil || body == "" {
			t.Errorf("%s: got %q, %v; want some bytes and an error", fault, body, err)
		}
	}
}

func TestServer_stallEndsWithTheServer(t *testing.T) {
	t.Parallel()
	srv := start(t, "rules: [{reply: {text: abc, fault: {stall: true, after: 1}}}]")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+"/chat/completions", strings.NewReader(user("x")))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req) // returns: headers and the first frame arrive
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the body ended cleanly, want a broken link")
	}
}

func TestServer_statusFault(t *testing.T) {
	t.Parallel()
	srv := start(t, `
rules:
  - once: true
    reply: {fault: {status: 429, headers: {Retry-After: "1"}, error: {message: slow down, type: rate}}}
  - reply: fine
`)
	status, body, _ := post(t, srv, user("x"))
	if status != 429 || body != `{"error":{"message":"slow down","type":"rate"}}` {
		t.Errorf("got %d %s", status, body)
	}
	if status, body, _ = post(t, srv, user("x")); status != 200 || say(body) != "fine" {
		t.Errorf("got %d %s", status, body)
	}
	if got := srv.Requests()[0].Status; got != 429 {
		t.Errorf("recorded status %d, want 429", got)
	}
}

func TestServer_strict(t *testing.T) {
	t.Parallel()
	const ask = `{"role":"user","content":"x"}`
	call := func(id, args string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"f","arguments":` + quote(args) + `}}]}`
	}
	result := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"r"}` }
	body := func(msgs ...string) string { return `{"model":"m","messages":[` + strings.Join(msgs, ",") + `]}` }
	for name, tc := range map[string]struct{ body, want string }{
		"good":             {body(`{"role":"system","content":"s"}`, ask, call("a", "{}"), result("a")), ""},
		"no json":          {`{`, "could not parse"},
		"unknown field":    {`{"model":"m","foo":1,"messages":[` + ask + `]}`, "'foo'"},
		"message field":    {body(`{"role":"user","content":"x","id":"m1"}`), "messages[0].id"},
		"reasoning":        {body(ask, `{"role":"assistant","content":"x","reasoning_content":"r"}`, ask), "messages[1].reasoning_content"},
		"cache control":    {body(`{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}`), "cache_control"},
		"starts wrong":     {body(call("a", "{}"), result("a")), "must start with a user"},
		"ends wrong":       {body(ask, `{"role":"assistant","content":"x"}`), "last message"},
		"late system":      {body(ask, `{"role":"system","content":"x"}`), "must be the first"},
		"orphan result":    {body(ask, result("a")), "preceding message"},
		"missing result":   {body(ask, call("a", "{}"), ask), "did not have response messages: a"},
		"missing at end":   {body(ask, call("a", "{}")), "last message"},
		"duplicate result": {body(ask, call("a", "{}"), result("a"), result("a")), "duplicate result"},
		"broken arguments": {body(ask, call("a", "{"), result("a")), "not a JSON object"},
		"no call id":       {body(ask, call("", "{}"), result("")), "tool_calls[].id"},
		"empty answer":     {body(ask, `{"role":"assistant","content":""}`, ask), "needs content"},
		"empty tools":      {`{"model":"m","tools":[],"messages":[` + ask + `]}`, "empty array"},
		"lone tool_choice": {`{"model":"m","tool_choice":"auto","messages":[` + ask + `]}`, "tool_choice"},
		"tool name":        {`{"model":"m","tools":[{"type":"function","function":{"name":"a b"}}],"messages":[` + ask + `]}`, "function.name"},
		"no messages":      {`{"model":"m","messages":[]}`, "empty array"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, "strict: true\nelse: ok")
			status, got, _ := post(t, srv, tc.body)
			if tc.want == "" {
				if status != 200 {
					t.Errorf("got %d %s, want 200", status, got)
				}
				return
			}
			if status != 400 || !strings.Contains(got, tc.want) {
				t.Errorf("got %d %s, want 400 with %q", status, got, tc.want)
			}
		})
	}
}

func TestServer_reasoningRules(t *testing.T) {
	t.Parallel()
	srv := start(t, `
strict: true
require_reasoning: true
rules:
  - when: {turn: 0}
    reply: {reasoning: think, tool_calls: [{name: f, id: a}]}
  - reply: done
`)
	if status, body, _ := post(t, srv, user("x")); status != 200 {
		t.Fatalf("got %d %s", status, body)
	}
	again := func(field string) string {
		return `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":""` + field +
			`,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"r"}]}`
	}
	for field, want := range map[string]int{"": 400, `,"reasoning_content":"thin"`: 400, `,"reasoning_content":"think"`: 200} {
		if status, body, _ := post(t, srv, again(field)); status != want {
			t.Errorf("%q: got %d %s, want %d", field, status, body, want)
		}
	}
	reject := start(t, "reject_reasoning: true\nelse: ok")
	if status, body, _ := post(t, reject, again(`,"reasoning":"x"`)); status != 400 || !strings.Contains(body, "messages[1].reasoning") {
		t.Errorf("got %d %s", status, body)
	}
}

func TestServer_keyAndModel(t *testing.T) {
	t.Parallel()
	srv := start(t, "key: sk-test\nmodels: [m]\nelse: ok")
	if status, _, _ := post(t, srv, user("x")); status != 401 {
		t.Errorf("without key: got %d, want 401", status)
	}
	open := start(t, "models: [other]\nelse: ok")
	if status, body, _ := post(t, open, user("x")); status != 404 || !strings.Contains(body, "model_not_found") {
		t.Errorf("unknown model: got %d %s", status, body)
	}
}

func TestLoad_errorsNameTheLine(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		yaml string
		line int
		want string
	}{
		"unknown key":      {"name: x\nrulez: []\n", 2, `unknown key "rulez"`},
		"deep unknown key": {"rules:\n  - reply: a\n  - when:\n      usr: x\n    reply: b\n", 4, `unknown key "usr"`},
		"bad regexp":       {"rules:\n  - when:\n      user: {regexp: '('}\n    reply: b\n", 3, "missing closing"},
		"bad duration":     {"delay: fast\nelse: x\n", 1, "no duration"},
		"no reply":         {"rules:\n  - name: x\n", 2, "either reply or turns"},
		"undefined name":   {"rules:\n  - reply:\n      text: '{{port}}'\n", 3, `"port" is not defined`},
		"two faults":       {"rules:\n  - reply:\n      fault: {cut: true, stall: true}\n", 3, "exactly one"},
		"not yaml":         {"a: [\n", 1, "did not find"},
		"wrong type":       {"rules:\n  - times: many\n    reply: x\n", 2, "cannot unmarshal"},
		"nothing":          {"name: x\n", 1, "can answer nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load("s.yaml", []byte(tc.yaml))
			var ce *core.Error
			if !errors.As(err, &ce) {
				t.Fatalf("got %v, want a *core.Error", err)
			}
			if ce.Subject != "s.yaml" || ce.Line != tc.line || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want line %d and %q", err, tc.line, tc.want)
			}
		})
	}
}

func TestServer_goScenario(t *testing.T) {
	t.Parallel()
	srv := serve(t, &Scenario{Func: func(r *Request) (Reply, bool) {
		if r.User() == "call" {
			return Ask("f", `{"a":1}`), true
		}
		return Say("{{user}}"), true
	}})
	if _, body, _ := post(t, srv, user("x")); say(body) != "{{user}}" {
		t.Errorf("got %s, want the text as written", body)
	}
	if _, body, _ := post(t, srv, user("call")); !strings.Contains(body, `"arguments":"{\"a\":1}"`) {
		t.Errorf("no call in %s", body)
	}
}

func TestServer_onRequest(t *testing.T) {
	t.Parallel()
	got := make(chan Request, 1)
	srv, err := Start(t.Context(), &Scenario{Else: &Reply{Text: "ok"}}, Options{OnRequest: func(r Request) { got <- r }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = srv.Close() }()
	if _, body, _ := post(t, srv, user("x")); say(body) != "ok" {
		t.Errorf("got %s", body)
	}
	if r := <-got; r.N != 1 || r.User() != "x" || r.Status != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestServer_estimatesTheCache(t *testing.T) {
	t.Parallel()
	srv := start(t, "else: ok")
	_, first, _ := post(t, srv, user("a long enough first message"))
	_, second, _ := post(t, srv, user("a long enough first message", "second"))
	if !strings.Contains(first, `"cached_tokens":0`) || strings.Contains(second, `"cached_tokens":0`) {
		t.Errorf("first:\n%s\nsecond:\n%s", first, second)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("rules: [{when: {user: {regexp: 'a(b)'}}, reply: {text: '{{1}}', usage: none}}]"))
	f.Add([]byte("steps: [{reply: {tool_calls: [{name: a, arguments: {x: [1, {y: null}]}}]}}]\nelse: &a {text: x}"))
	f.Add([]byte("<<: *x\nelse: {fault: {status: 429}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Load("f.yaml", data)
		if err != nil {
			return
		}
		if len(s.Steps)+len(s.Rules) == 0 && s.Else == nil {
			t.Error("accepted a scenario that can answer nothing")
		}
	})
}

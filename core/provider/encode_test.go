package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/provider/scripted"
)

func encoderOf(tb testing.TB, o Options) *Client {
	tb.Helper()
	if o.BaseURL == "" {
		o.BaseURL = "http://h/v1"
	}
	c, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// conversation is a long enough history with every kind of message.
func conversation(turns int, ref string) []core.Message {
	out := []core.Message{{Role: core.RoleSystem, Content: "You are \"hermes\" <&> 世界\n"}}
	for i := range turns {
		id := fmt.Sprintf("c%d", i)
		out = append(out,
			core.Message{ID: "m1", Role: core.RoleUser, Content: "question " + id, Shown: "q"},
			core.Message{
				Role: core.RoleAssistant, Model: ref, Reasoning: &core.Reasoning{Text: "hm\u2028m", Field: "reasoning_content"},
				ToolCalls: []core.ToolCall{{ID: id, Name: "read_file", Arguments: `{"path": "a.md"}`}},
			},
			core.Message{Role: core.RoleTool, ToolCallID: id, ToolName: "read_file", Content: "line\x1b[0m\ttab\xff"},
			core.Message{Role: core.RoleAssistant, Model: ref, Content: "answer " + id},
		)
	}
	return out
}

func TestEncode_wholeBody(t *testing.T) {
	t.Parallel()
	c := encoderOf(t, Options{Model: "m"})
	req := core.Request{
		Messages: conversation(1, "custom/m"), MaxTokens: 5, SessionID: "s1",
		Tools: []core.ToolSpec{{Name: "read_file", Description: "reads", Parameters: json.RawMessage(`{ "type": "object" }`)}},
	}
	want := `{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":5,` +
		`"tools":[{"type":"function","function":{"name":"read_file","description":"reads","parameters":{"type":"object"}}}],"messages":[` +
		`{"role":"system","content":"You are \"hermes\" <&> 世界\n"},` +
		`{"role":"user","content":"question c0"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c0","type":"function","function":{"name":"read_file","arguments":"{\"path\": \"a.md\"}"}}],"reasoning_content":"hm` + "\u2028" + `m"},` +
		`{"role":"tool","tool_call_id":"c0","content":"line\u001b[0m\ttab` + "\uFFFD" + `"},` +
		`{"role":"assistant","content":"answer c0"}]}`
	if diff := cmp.Diff(want, string(c.encode(req, c.quirks()))); diff != "" {
		t.Error(diff)
	}
	openai := encoderOf(t, Options{Provider: "openai"})
	body := string(openai.encode(req, openai.quirks()))
	for _, part := range []string{`"max_completion_tokens":5`, `"prompt_cache_key":"s1"`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s in %s", part, body)
		}
	}
	if strings.Contains(body, "reasoning_content") {
		t.Errorf("another model's reasoning went out: %s", body)
	}
}

func TestEncode_prefixIsStable(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"plain":   {Model: "m"},
		"markers": {Provider: "openrouter", Model: "anthropic/claude-sonnet-4.5"},
	} {
		c := encoderOf(t, o)
		all := conversation(4, c.Info().Ref())
		prev := ""
		tools := []core.ToolSpec{{Name: "read_file"}}
		for n := 2; n <= len(all); n++ {
			body := string(c.encode(core.Request{Messages: all[:n], Tools: tools}, c.quirks()))
			if got := strings.Count(body, cacheMarker); got > 3 || (name == "markers") != (got > 0) {
				t.Errorf("%s: %d markers", name, got)
			}
			body = strings.ReplaceAll(strings.TrimSuffix(body, "]}"), cacheMarker, "")
			if !strings.HasPrefix(body, prev) {
				t.Fatalf("%s: request %d does not start with request %d:\n%s\n%s", name, n, n-1, prev, body)
			}
			prev = body
		}
	}
}

func TestEncode_textOnlyStillDeclaresTools(t *testing.T) {
	t.Parallel()
	srv := play(t, "strict: true\nelse: ok")
	c := client(t, srv, func(o *Options) { o.Provider = "anthropic" })
	h := append(conversation(2, ""), core.Message{Role: core.RoleUser, Content: "sum up"})
	for _, messages := range [][]core.Message{h, h[:2]} {
		if _, err := c.Stream(t.Context(), core.Request{Messages: messages}, nil); err != nil {
			t.Fatal(err)
		}
	}
	reqs := srv.Requests()
	if got := string(reqs[0].Fields["tool_choice"]); got != `"none"` || !cmp.Equal(reqs[0].Tools, []string{"read_file"}) {
		t.Errorf("tools %v, tool_choice %s", reqs[0].Tools, got)
	}
	if reqs[1].Tools != nil || reqs[1].Fields["tool_choice"] != nil {
		t.Errorf("tools without calls: %s", reqs[1].Body)
	}
}

func TestEncode_markersSitWhereTheyHelp(t *testing.T) {
	t.Parallel()
	c := encoderOf(t, Options{Provider: "openrouter", Model: "anthropic/x"})
	body := c.encode(core.Request{Messages: conversation(2, "")}, c.quirks())
	var at []int
	for i, raw := range rawList([]byte("[" + messagesOf(t, body) + "]")) {
		if strings.Contains(string(raw), "cache_control") {
			at = append(at, i)
		}
	}
	if diff := cmp.Diff([]int{0, 7, 8}, at); diff != "" {
		t.Error(diff)
	}
}

func TestEncode_whatServersWouldReject(t *testing.T) {
	t.Parallel()
	c := encoderOf(t, Options{Model: "m"})
	messages := []core.Message{
		{Role: core.RoleUser, Content: "x"},
		{Role: core.RoleAssistant, Incomplete: true},
		{Role: core.RoleUser, Content: "y"},
		{Role: core.RoleAssistant, ToolCalls: []core.ToolCall{
			{ID: "1", Name: "no such.tool", Arguments: `{"a":`}, {ID: "2", Name: "", Arguments: `"text"`}, {ID: "3", Name: "f", Arguments: ""},
		}},
		{Role: core.RoleTool, ToolCallID: "1", Content: "e"},
		{Role: core.RoleTool, ToolCallID: "2", Content: "e"},
		{Role: core.RoleTool, ToolCallID: "3", Content: "e"},
	}
	srv := play(t, "strict: true\nelse: ok")
	live := client(t, srv)
	if _, err := live.Stream(t.Context(), core.Request{Messages: messages}, nil); err != nil {
		t.Fatal(err)
	}
	body := string(c.encode(core.Request{Messages: messages}, c.quirks()))
	for _, want := range []string{`"name":"no_such_tool","arguments":"{}"`, `"name":"unknown","arguments":"{}"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

func TestEncode_detailsSurviveStorage(t *testing.T) {
	t.Parallel()
	c := encoderOf(t, Options{Model: "m"})
	m := core.Message{
		Role: core.RoleAssistant, Model: "custom/m", Reasoning: &core.Reasoning{Details: json.RawMessage(`[{"text" : "a<b>&c", "sig":"é"}]`)},
		ToolCalls: []core.ToolCall{{ID: "1", Name: "f", Arguments: "{}", Extra: `{"google":{"thought_signature":"<x>"}}`}},
	}
	stored, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back core.Message
	if err := json.Unmarshal(stored, &back); err != nil {
		t.Fatal(err)
	}
	first := string(c.encode(core.Request{Messages: []core.Message{m}}, c.quirks()))
	again := string(c.encode(core.Request{Messages: []core.Message{back}}, c.quirks()))
	if first != again {
		t.Errorf("stored and reloaded messages encode differently:\n%s\n%s", first, again)
	}
	for _, want := range []string{`"reasoning_details":[{"text":`, `"extra_content":{"google":{"thought_signature":`} {
		if !strings.Contains(first, want) {
			t.Errorf("no %s in %s", want, first)
		}
	}
}

func TestStream_extraContentComesBack(t *testing.T) {
	t.Parallel()
	srv := serve(t, replies(scripted.Reply{Events: calls(
		`{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"sig"}}}`)}))
	c := client(t, srv)
	resp, err := c.Stream(t.Context(), ask("x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	body := string(c.encode(core.Request{Messages: []core.Message{resp.Message}}, c.quirks()))
	if want := `"extra_content":{"google":{"thought_signature":"sig"}}`; !strings.Contains(body, want) {
		t.Errorf("no %s in %s", want, body)
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\x00\xff世\u2028<>&")
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		if err := json.Unmarshal(appendString(nil, s), &back); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(s, "\x00"); strings.Count(back, "") < strings.Count(want, "") {
			t.Errorf("%q became %q", s, back)
		}
		if valid := strings.ToValidUTF8(s, ""); valid == s && back != s {
			t.Errorf("%q became %q", s, back)
		}
	})
}

func FuzzCallAssembler(f *testing.F) {
	f.Add(`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\""}},{"index":0,"function":{"arguments":":1}"}}]`)
	f.Add(`[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"a","function":{"name":"f","arguments":"{}"}}]`)
	f.Add(`[{"index":null},{"function":{"arguments":{"x":[1]}}},{"index":-3,"function":{"name":"g"}}]`)
	f.Fuzz(func(t *testing.T, in string) {
		c, err := parseChunk([]byte(`{"choices":[{"delta":{"tool_calls":` + in + `}}]}`))
		if err != nil || len(c.Choices) == 0 || c.Choices[0].Delta == nil {
			return
		}
		var a callAssembler
		for _, frag := range c.Choices[0].Delta.ToolCalls {
			a.add(frag)
		}
		ids := map[string]bool{}
		for _, call := range a.finish() {
			if call.ID == "" || ids[call.ID] {
				t.Errorf("call without an id of its own: %+v", call)
			}
			ids[call.ID] = true
			if call.Arguments == "" {
				t.Errorf("call without arguments: %+v", call)
			}
		}
	})
}

func BenchmarkEncode1000(b *testing.B) {
	c := encoderOf(b, Options{Model: "m"})
	req := core.Request{Messages: conversation(250, "custom/m")}
	b.SetBytes(int64(len(c.encode(req, c.quirks()))))
	b.ReportAllocs()
	for b.Loop() {
		c.encode(req, c.quirks())
	}
}

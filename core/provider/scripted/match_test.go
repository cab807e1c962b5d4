package scripted

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// aRequest has two questions; the second has one good and one failed call.
const aRequest = `{"model":"big-1","stream":true,"tools":[{"type":"function","function":{"name":"read"}},{"type":"function","function":{"name":"write"}}],
"messages":[{"role":"system","content":"You are S"},{"role":"user","content":"first"},{"role":"assistant","content":"hello"},
{"role":"user","content":[{"type":"text","text":"second "},{"type":"text","text":"question"}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"write","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"a","content":"content of a"},{"role":"tool","tool_call_id":"b","content":"Error: denied"}]}`

func TestWhen(t *testing.T) {
	t.Parallel()
	req := parseRequest([]byte(aRequest))
	req.N = 3
	for when, want := range map[string]bool{
		"{user: second question}":                  true,
		"{user: first}":                            false,
		"{user: {equals: second question}}":        true,
		"{user: {equals: second}}":                 false,
		"{user: {contains: second, lacks: third}}": true,
		"{user: {lacks: second}}":                  false,
		"{user: {regexp: '^second'}}":              true,
		"{result: denied}":                         true,
		"{result: content of a}":                   false,
		"{last: denied}":                           true,
		"{system: You are S}":                      true,
		"{system: You are T}":                      false,
		"{any: content of a}":                      true,
		"{any: nowhere}":                           false,
		"{model: big}":                             true,
		"{turn: 1}":                                true,
		"{turn: 0}":                                false,
		"{turn: {min: 1, max: 2}}":                 true,
		"{users: 2}":                               true,
		"{request: {min: 4}}":                      false,
		"{calls: 2}":                               true,
		"{has_tool: read}":                         true,
		"{has_tool: [read, other]}":                false,
		"{lacks_tool: other}":                      true,
		"{lacks_tool: [other, write]}":             false,
		"{no_tools: true}":                         false,
		"{no_tools: false}":                        true,
		"{stream: true}":                           true,
		"{stream: false}":                          false,
		"{call: {ok: false}}":                      true,
		"{call: {n: 1, name: read, ok: true, result: content}}":        true,
		"{call: {n: 1, ok: false}}":                                    false,
		"{call: {n: 2, name: read}}":                                   false,
		"{call: {n: 3}}":                                               false,
		"{not: {user: third}}":                                         true,
		"{not: {user: second}}":                                        false,
		"{either: [{user: third}, {model: big}]}":                      true,
		"{either: [{user: third}, {model: small}]}":                    false,
		"{user: second, not: {either: [{turn: 0}, {no_tools: true}]}}": true,
	} {
		var w When
		if err := yaml.Unmarshal([]byte(when), &w); err != nil {
			t.Errorf("%s: %v", when, err)
			continue
		}
		if got := w.match(req, vars{}); got != want {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
}

func TestLooksOK(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{
		"fine": true, "": true, "error: x": false, " ERROR x": false, `{"error":"x"}`: false, `{"error":null,"ok":true}`: true,
		`{"ok":false}`: false, `{"success":false}`: false, "an error happened": true,
	} {
		if got := looksOK(content); got != want {
			t.Errorf("%q: got %v, want %v", content, got, want)
		}
	}
}

func TestServer_modelsAndUnknownPaths(t *testing.T) {
	t.Parallel()
	srv := start(t, "models: [a, b]\nelse: ok")
	for path, want := range map[string]string{
		"/models": `{"id":"a","object":"model","created":1700000000,"owned_by":"scripted"},{"id":"b"`,
		"/other":  "unknown url GET /v1/other",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %v %s", path, err, body)
		}
	}
}

func TestServer_withoutStream(t *testing.T) {
	t.Parallel()
	srv := start(t, `
else:
  text: t
  reasoning: r
  reasoning_field: reasoning
  tool_calls: [{name: f, id: c, arguments: {a: 1}}, {name: g, id: none}]
  usage: none
`)
	_, body, err := post(t, srv, `{"model":"m","messages":[{"role":"user","content":"x"}]}`)
	want := `"message":{"role":"assistant","content":"t","reasoning":"r","tool_calls":[` +
		`{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"type":"function","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`
	if err != nil || !strings.HasSuffix(body, want) {
		t.Errorf("%v\n got %s\nwant …%s", err, body, want)
	}
}

func TestServer_capturesAndInterleaves(t *testing.T) {
	t.Parallel()
	srv := start(t, `
rules:
  - capture: {r: {from: result, regexp: 'of (\w)'}, s: {from: system, regexp: 'are \w'}, w: {from: any, regexp: 'hel+o'}, none: {from: user, regexp: zzz}}
    reply:
      interleave: true
      text: "{{r}}|{{s}}|{{w}}|{{none}}|{{result.9}}|{{turn}}"
      tool_calls: [{name: f, arguments: "abcd", chunk: 2}, {name: g, arguments: "efgh", chunk: 2}]
`)
	_, body, err := post(t, srv, strings.Replace(aRequest, "Error: denied", "of x", 1))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := say(body), "x|are S|hello|||1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	last := -1
	for _, piece := range []string{`"ab"`, `"ef"`, `"cd"`, `"gh"`} {
		at := strings.Index(body, piece)
		if at <= last {
			t.Errorf("%s is not behind the piece before it", piece)
		}
		last = at
	}
}

func TestServer_delays(t *testing.T) {
	t.Parallel()
	srv := start(t, "chunk: 1\ndelay: 2ms\nelse: {text: abc, first_delay: 2ms}")
	if _, body, err := post(t, srv, user("x")); err != nil || say(body) != "abc" {
		t.Errorf("got %q, %v", body, err)
	}
}

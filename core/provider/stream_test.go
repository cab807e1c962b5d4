package provider

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/provider/scripted"
)

func TestStream_deltasAndAnswer(t *testing.T) {
	t.Parallel()
	cached, thought := 6, 1
	srv := serve(t, replies(scripted.Reply{
		Reasoning: "hmm", Text: "Hello", Chunk: 2,
		ToolCalls: []scripted.Call{{Name: "f", ID: "c1", Arguments: scripted.Raw(`{"a":1}`), Chunk: 3}},
		Usage:     scripted.Usage{Mode: "given", Prompt: 10, Completion: 3, Cached: &cached, Reasoning: &thought},
	}))
	c := client(t, srv, func(o *Options) { o.Model = "gpt-5-mini"; o.ContextLength = 1000; o.Scripted = true })
	var got seen
	resp, err := c.Stream(t.Context(), ask("x"), got.sink)
	if err != nil {
		t.Fatal(err)
	}
	if got.text.String() != "Hello" || got.reasoning.String() != "hmm" || got.names[0] != "f" || got.args[0] != `{"a":1}` {
		t.Errorf("deltas: %q %q %v %v", got.text.String(), got.reasoning.String(), got.names, got.args)
	}
	resp.Message.Time = time.Time{}
	want := core.Response{
		Message: core.Message{
			Role: core.RoleAssistant, Content: "Hello", Model: "custom/gpt-5-mini",
			Reasoning: &core.Reasoning{Text: "hmm", Field: "reasoning_content"},
			ToolCalls: []core.ToolCall{{ID: "c1", Name: "f", Arguments: `{"a":1}`}},
		},
		Finish: "tool_calls",
		Usage:  core.Usage{Input: core.KnownTokens(10), Output: core.KnownTokens(3), Cached: core.KnownTokens(6), Reasoning: core.KnownTokens(1)},
		Cost:   core.Cost{USD: (4*0.25 + 6*0.025 + 3*2) / 1e6, Known: true},
	}
	if diff := cmp.Diff(want, resp); diff != "" {
		t.Error(diff)
	}
	wantInfo := core.ModelInfo{Provider: "custom", Model: "gpt-5-mini", BaseURL: srv.URL(), ContextLength: 1000, Scripted: true}
	if diff := cmp.Diff(wantInfo, c.Info()); diff != "" {
		t.Error(diff)
	}
}

func TestStream_retries(t *testing.T) {
	t.Parallel()
	message := func(s string) *scripted.Value { v := scripted.Raw(`{"message":"` + s + `"}`); return &v }
	fine := scripted.Say("fine")
	for name, tc := range map[string]struct {
		fault    scripted.Fault
		attempts int // until it is fine, or in all when code is set
		code     core.Code
	}{
		"408":             {scripted.Fault{Status: 408}, 2, ""},
		"409":             {scripted.Fault{Status: 409}, 2, ""},
		"425":             {scripted.Fault{Status: 425}, 2, ""},
		"429":             {scripted.Fault{Status: 429, Error: message("slow down")}, 2, ""},
		"500":             {scripted.Fault{Status: 500}, 2, ""},
		"529":             {scripted.Fault{Status: 529, Error: message("overloaded")}, 2, ""},
		"502 page":        {scripted.Fault{Status: 502, ContentType: "text/html", Body: scripted.Raw("<html>bad gateway")}, 2, ""},
		"cut at once":     {scripted.Fault{Cut: true}, 2, ""},
		"cut after role":  {scripted.Fault{Cut: true, After: 1}, 2, ""},
		"stall":           {scripted.Fault{Stall: true}, 2, ""},
		"error at once":   {scripted.Fault{Error: message("overloaded")}, 2, ""},
		"empty body":      {scripted.Fault{End: true}, 2, ""},
		"400":             {scripted.Fault{Status: 400, Error: message("bad")}, 1, core.CodeRequest},
		"401":             {scripted.Fault{Status: 401, Error: message("bad key")}, 1, core.CodeAuth},
		"403":             {scripted.Fault{Status: 403}, 1, core.CodeAuth},
		"quota":           {scripted.Fault{Status: 429, Body: scripted.Raw(`{"error":{"message":"no","code":"insufficient_quota"}}`)}, 1, core.CodeRate},
		"402":             {scripted.Fault{Status: 402, Error: message("pay")}, 1, core.CodeRate},
		"404 model":       {scripted.Fault{Status: 404, Body: scripted.Raw(`{"error":{"message":"model 'm' not found, try pulling it first"}}`)}, 1, core.CodeModel},
		"400 model":       {scripted.Fault{Status: 400, Error: message("m is not a valid model ID")}, 1, core.CodeModel},
		"413":             {scripted.Fault{Status: 413}, 1, core.CodeOverflow},
		"overflow":        {scripted.Fault{Status: 400, Body: scripted.Raw(`{"error":{"message":"x","code":"context_length_exceeded"}}`)}, 1, core.CodeOverflow},
		"overflow llama":  {scripted.Fault{Status: 400, Error: message("the request exceeds the available context size")}, 1, core.CodeOverflow},
		"gemini list":     {scripted.Fault{Status: 400, Body: scripted.Raw(`[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`)}, 1, core.CodeRequest},
		"error, in 200":   {scripted.Fault{Status: 200, Error: message("context window exceeded")}, 1, core.CodeOverflow},
		"text error body": {scripted.Fault{Status: 422, Body: scripted.Raw("plain words")}, 1, core.CodeRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, replies(scripted.Reply{Fault: &tc.fault}, fine))
			c := client(t, srv, func(o *Options) {
				if tc.fault.Stall {
					o.FirstByte = 500 * time.Millisecond
				}
			})
			var got seen
			resp, err := c.Stream(t.Context(), ask("x"), got.sink)
			if core.CodeOf(err) != tc.code && err != nil || (err != nil) != (tc.code != "") {
				t.Fatalf("got %v (%s), want code %q", err, core.CodeOf(err), tc.code)
			}
			if err == nil && resp.Message.Content != "fine" {
				t.Errorf("got %q", resp.Message.Content)
			}
			if err != nil && (core.HintOf(err) == "" || strings.ContainsAny(err.Error(), "\n\r")) {
				t.Errorf("error %q with hint %q, want one line and a remedy", err, core.HintOf(err))
			}
			if n := len(srv.Requests()); n != tc.attempts || len(got.retries) != n-1 {
				t.Errorf("%d requests and %d announced retries, want %d requests", n, len(got.retries), tc.attempts)
			}
			for _, r := range got.retries {
				if r.Reason == "" || r.Attempt != 1 || r.Max != 4 {
					t.Errorf("retry %+v", r)
				}
			}
			reqs := srv.Requests()
			if len(reqs) == 2 && string(reqs[0].Body) != string(reqs[1].Body) {
				t.Error("the repeated request differs")
			}
		})
	}
}

func TestStream_givesUp(t *testing.T) {
	t.Parallel()
	srv := serve(t, replies(scripted.Reply{Fault: &scripted.Fault{Status: 503}}))
	for retries, want := range map[int]int{2: 3, -1: 1} {
		before := len(srv.Requests())
		_, err := client(t, srv, func(o *Options) { o.Retries = retries }).Stream(t.Context(), ask("x"), nil)
		if core.CodeOf(err) != core.CodeServer {
			t.Errorf("got %v", err)
		}
		if got := len(srv.Requests()) - before; got != want {
			t.Errorf("retries %d: %d requests, want %d", retries, got, want)
		}
	}
}

func TestStream_honoursRetryAfter(t *testing.T) {
	t.Parallel()
	srv := serve(t, replies(scripted.Reply{Fault: &scripted.Fault{Status: 429, Headers: map[string]string{"Retry-After": "3600"}}}, scripted.Say("fine")))
	var got seen
	_, err := client(t, srv).Stream(t.Context(), ask("x"), got.sink)
	if core.CodeOf(err) != core.CodeRate || len(got.retries) != 0 || !strings.Contains(core.HintOf(err), "1h0m0s") {
		t.Errorf("got %v (%s), %+v; want no retry and the wait in the remedy", err, core.HintOf(err), got.retries)
	}
	srv = serve(t, replies(scripted.Reply{Fault: &scripted.Fault{Status: 429, Headers: map[string]string{"Retry-After-Ms": "20"}}}, scripted.Say("fine")))
	_, err = client(t, srv).Stream(t.Context(), ask("x"), got.sink)
	if err != nil || len(got.retries) != 1 || got.retries[0].Wait != 20*time.Millisecond {
		t.Errorf("got %v, %+v; want one retry after the wait asked for", err, got.retries)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              0,
		"2":                             2 * time.Second,
		"1.5":                           1500 * time.Millisecond,
		"-1":                            0,
		"soon":                          0,
		"NaN":                           0,
		"1e300":                         24 * time.Hour,
		"Fri, 02 Jan 2026 03:04:15 GMT": 10 * time.Second,
		"Fri, 02 Jan 2026 03:04:00 GMT": 0,
	} {
		h := http.Header{"Retry-After": {value}}
		if got := retryAfter(h.Get, now); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
	if got := retryAfter(http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"9"}}.Get, now); got != 250*time.Millisecond {
		t.Errorf("milliseconds: got %s", got)
	}
}

func TestWait_growsAndIsCapped(t *testing.T) {
	t.Parallel()
	c := &Client{opts: Options{Backoff: 100 * time.Millisecond, MaxDelay: time.Second}}
	for attempt, full := range map[int]time.Duration{1: 100, 2: 200, 3: 400, 4: 800, 5: 1000, 500: 1000} {
		full *= time.Millisecond
		for range 20 {
			if got := c.wait(attempt, 0); got < full/2 || got > full {
				t.Errorf("attempt %d: got %s, want %s to %s", attempt, got, full/2, full)
			}
		}
	}
}

func TestStream_cancelIsQuick(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second // 100 ms is promised; the rest is for a loaded machine
	for name, reply := range map[string]scripted.Reply{
		"before the answer": {Fault: &scripted.Fault{Stall: true}},
		"in the stream":     {Text: "abc", Chunk: 1, Fault: &scripted.Fault{Stall: true, After: 2}},
		"between attempts":  {Fault: &scripted.Fault{Status: 503, Headers: map[string]string{"Retry-After": "30"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 1)
			srv := serve(t, &scripted.Scenario{Func: func(*scripted.Request) (scripted.Reply, bool) {
				if reply.Fault.Stall && reply.Fault.After == 0 {
					asked <- struct{}{}
				}
				return reply, true
			}})
			ctx, cancel := context.WithCancel(t.Context())
			var resp core.Response
			done := make(chan error)
			go func() {
				var err error
				resp, err = client(t, srv).Stream(ctx, ask("x"), func(core.Delta) { asked <- struct{}{} })
				done <- err
			}()
			<-asked
			cancel()
			started := time.Now()
			select {
			case err := <-done:
				if core.CodeOf(err) != core.CodeInterrupted || !errors.Is(err, context.Canceled) {
					t.Errorf("got %v (%s)", err, core.CodeOf(err))
				}
				t.Logf("returned after %s", time.Since(started))
			case <-time.After(limit):
				t.Fatal("did not return")
			}
			if name == "in the stream" && (resp.Message.Content != "a" || !resp.Message.Incomplete) {
				t.Errorf("partial text %+v", resp.Message)
			}
		})
	}
}

func TestStream_callersDeadline(t *testing.T) {
	t.Parallel()
	srv := serve(t, replies(scripted.Reply{Fault: &scripted.Fault{Stall: true}}))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := client(t, srv).Stream(ctx, ask("x"), nil)
	if core.CodeOf(err) != core.CodeStall || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v (%s)", err, core.CodeOf(err))
	}
}

func TestStream_slowReaderIsNoStall(t *testing.T) {
	t.Parallel()
	const idle = 200 * time.Millisecond
	srv := serve(t, replies(scripted.Reply{Text: "abcd", Chunk: 1}))
	c := client(t, srv, func(o *Options) { o.Idle = idle })
	busy := time.After(2 * idle) // the wait itself is what is tested
	resp, err := c.Stream(t.Context(), ask("x"), func(d core.Delta) {
		if d.Text == "a" {
			<-busy
		}
	})
	if err != nil || resp.Message.Content != "abcd" {
		t.Errorf("got %q, %v", resp.Message.Content, err)
	}
}

func TestStream_networkErrorsHaveARemedy(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String() + "/v1"
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	plain := serve(t, replies(scripted.Say("x")))
	for name, tc := range map[string]struct{ provider, base, hint string }{
		"refused":       {"", nobody, "is the server running?"},
		"refused local": {"ollama", nobody, "ollama serve"},
		"not https":     {"", strings.Replace(plain.URL(), "http:", "https:", 1), "http://"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := New(Options{Provider: tc.provider, BaseURL: tc.base, Model: "m", Retries: -1})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Stream(t.Context(), ask("x"), nil)
			if core.CodeOf(err) != core.CodeNetwork || !strings.Contains(core.HintOf(err), tc.hint) {
				t.Errorf("got %v (%s), hint %q", err, core.CodeOf(err), core.HintOf(err))
			}
		})
	}
}

func TestDescribe_unknownHost(t *testing.T) {
	t.Parallel()
	c := encoderOf(t, Options{BaseURL: "http://no-such-host.invalid/v1", Model: "m"})
	f := c.describe(&url.Error{Op: "Post", URL: "u", Err: &net.DNSError{Err: "no such host", Name: "no-such-host.invalid"}})
	if !f.retry || f.err.Code != core.CodeNetwork || !strings.Contains(f.err.Hint, "check the base URL") {
		t.Errorf("got %+v", f)
	}
}

// Not parallel: it reads the process environment and counts goroutines.
func TestClient_nothingLeaksFromTheEnvironment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_WEBHOOK_SECRET", "ANTHROPIC_API_KEY"} {
		t.Setenv(name, "poison-"+name)
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/poison")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Poison: poison\nAuthorization: poison")
	srv := serve(t, replies(scripted.Say("x")))
	for _, key := range []string{"", "sk-the-right-one"} {
		c := client(t, srv, func(o *Options) { o.Key = key })
		if _, err := c.Stream(t.Context(), ask("x"), nil); err != nil {
			t.Fatal(err)
		}
		reqs := srv.Requests()
		r := reqs[len(reqs)-1]
		want := ""
		if key != "" {
			want = "Bearer " + key
		}
		if got := r.Header.Get("Authorization"); got != want {
			t.Errorf("Authorization %q, want %q", got, want)
		}
		for name, values := range r.Header {
			if strings.Contains(strings.Join(values, " "), "poison") || strings.HasPrefix(name, "Openai-") || strings.HasPrefix(name, "X-") {
				t.Errorf("header %s: %q", name, values)
			}
		}
		if strings.Contains(string(r.Body), "poison") {
			t.Errorf("body %s", r.Body)
		}
	}
}

// Not parallel: it counts goroutines.
func TestClient_leavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	srv, err := scripted.Start(t.Context(), replies(
		scripted.Say("x"), scripted.Reply{Text: "abc", Chunk: 1, Fault: &scripted.Fault{Stall: true, After: 2}},
		scripted.Reply{Text: "abc", Chunk: 1, Fault: &scripted.Fault{Cut: true, After: 2}}), scripted.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{BaseURL: srv.URL(), Model: "m", Idle: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, _ = c.Stream(t.Context(), ask("x"), nil) // the errors are other tests' subject
	}
	c.Close()
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if got := runtime.NumGoroutine(); got > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", got, before, buf[:runtime.Stack(buf, true)])
	}
}

func TestClient_keyDoesNotFollowARedirect(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer first.Close()
	o := Options{Provider: "anthropic", BaseURL: first.URL + "/v1", Model: "m", Key: "sk-secret-secret", Retries: -1}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Stream(t.Context(), ask("x"), nil); err == nil || !strings.Contains(err.Error(), "redirect") {
		t.Errorf("chat: got %v", err)
	}
	if _, err := ListModels(t.Context(), o); err == nil {
		t.Error("models: followed the redirect")
	}
	select {
	case path := <-reached:
		t.Errorf("the other server got a request for %s", path)
	default:
	}
}

func TestClient_neverShowsTheKey(t *testing.T) {
	t.Parallel()
	const key = "sk-secret-secret"
	echo := scripted.Raw(`{"message":"Incorrect API key provided: ` + key + `.\nSee https://x"}`)
	srv := serve(t, replies(scripted.Reply{Fault: &scripted.Fault{Status: 401, Error: &echo}}))
	_, err := client(t, srv, func(o *Options) { o.Key = key; o.KeyName = "X_API_KEY" }).Stream(t.Context(), ask("x"), nil)
	if err == nil || strings.Contains(err.Error(), key) || !strings.Contains(core.HintOf(err), "X_API_KEY") {
		t.Errorf("got %v, hint %q", err, core.HintOf(err))
	}
}

func TestNew_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		o    Options
		code core.Code
	}{
		"no base url":  {Options{Model: "m"}, core.CodeSetup},
		"no model":     {Options{BaseURL: "http://h/v1"}, core.CodeSetup},
		"scheme":       {Options{BaseURL: "ftp://h/v1", Model: "m"}, core.CodeConfig},
		"no host":      {Options{BaseURL: "http:///v1", Model: "m"}, core.CodeConfig},
		"password":     {Options{BaseURL: "http://u:p@h/v1", Model: "m"}, core.CodeConfig},
		"key with gap": {Options{BaseURL: "http://h/v1", Model: "m", Key: "sk a"}, core.CodeAuth},
		"key newline":  {Options{BaseURL: "http://h/v1", Model: "m", Key: "sk\nX-Header: a"}, core.CodeAuth},
	} {
		_, err := New(tc.o)
		if core.CodeOf(err) != tc.code || core.HintOf(err) == "" {
			t.Errorf("%s: got %v (%s, hint %q), want %s", name, err, core.CodeOf(err), core.HintOf(err), tc.code)
		}
	}
	c, err := New(Options{BaseURL: " http://h/v1/chat/completions/ ", Model: "m", Key: " sk \n"})
	if err != nil || c.Info().BaseURL != "http://h/v1" || c.opts.Key != "sk" {
		t.Errorf("got %v, %v", c, err)
	}
}

func TestListModelsAndCheck(t *testing.T) {
	t.Parallel()
	srv := play(t, "key: sk-test\nmodels: [b, a]\nstrict: true\nelse: ok")
	o := Options{BaseURL: srv.URL(), Key: "sk-test", Model: "a"}
	got, err := ListModels(t.Context(), o)
	if diff := cmp.Diff([]string{"b", "a"}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if err := Check(t.Context(), o); err != nil {
		t.Error(err)
	}
	o.Model = "c"
	if err := Check(t.Context(), o); core.CodeOf(err) != core.CodeModel || !strings.Contains(core.HintOf(err), "hermes model list") {
		t.Errorf("unknown model: %v, hint %q", err, core.HintOf(err))
	}
	o.Key = "wrong"
	if _, err := ListModels(t.Context(), o); core.CodeOf(err) != core.CodeAuth {
		t.Errorf("wrong key: %v", err)
	}
}

func TestParseModels(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		`{"object":"list","data":[{"id":"a"},{"id":"a"},{"id":"b"}]}`: {"a", "b"},
		`{"data":[{"id":"models/gemini-x"}]}`:                         {"gemini-x"},
		`{"models":[{"name":"n","model":"m"}]}`:                       {"m"},
		`["x",{"name":"y"},7]`:                                        {"x", "y"},
		`{"data":[]}`:                                                 nil,
	} {
		got, err := parseModels([]byte(in))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", in, err, diff)
		}
	}
	for _, in := range []string{`{"ok":true}`, `hello`, `{"error":{"message":"no"}}`, ``} {
		if got, err := parseModels([]byte(in)); err == nil {
			t.Errorf("%q: got %q, want an error", in, got)
		}
	}
}

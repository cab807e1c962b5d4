package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// Shared lets the tools whose names begin with "read" run side by side.
func (b toolbox) Shared(c core.ToolCall) bool { return strings.HasPrefix(c.Name, "read") }

func contents(msgs []core.Message) []string {
	var out []string
	for _, m := range msgs {
		out = append(out, string(m.Role)+": "+m.Content)
	}
	return out
}

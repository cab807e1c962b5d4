package tui

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/tuitest"
)

// clock is a fixed time that tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// ports records what the screen asks for. It fakes no logic of the agent.
type ports struct {
	mu      sync.Mutex
	calls   []string
	queue   []string
	err     error // what Send, Open … return
	rows    []SessionRow
	past    []core.Record
	feed    *core.Feed
	saved   map[string]string // drafts
	panic   bool
	layouts map[string]LayoutState
}

func newPorts() *ports { return &ports{feed: core.NewFeed(), saved: map[string]string{}} }

func (p *ports) note(s string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, s)
	if p.panic {
		panic("fake panic")
	}
	return p.err
}

func (p *ports) called() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.calls...)
}

func (p *ports) has(s string) bool {
	for _, c := range p.called() {
		if c == s {
			return true
		}
	}
	return false
}

func (p *ports) Send(_ context.Context, text string) error { return p.note("send " + text) }
func (p *ports) Interrupt()                                { _ = p.note("interrupt") }
func (p *ports) Retry(context.Context) error               { return p.note("retry") }
func (p *ports) SetQueue(q []string) {
	_ = p.note("queue")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = q
}

func (p *ports) Answer(id string, d core.Decision) error {
	return p.note("answer " + id + " " + string(d))
}

func (p *ports) List(context.Context) ([]SessionRow, error) { return p.rows, p.note("list") }
func (p *ports) Rename(_ context.Context, id, title string) error {
	return p.note("rename " + id + " " + title)
}
func (p *ports) Delete(_ context.Context, id string) error { return p.note("delete " + id) }
func (p *ports) Export(_ context.Context, id, format string, _ bool) (string, error) {
	return "/tmp/" + id + "." + format, p.note("export " + id + " " + format)
}

func (p *ports) New(context.Context) (Workspace, error) { return p.workspace("new"), p.note("new") }
func (p *ports) Open(_ context.Context, id string) (Workspace, error) {
	return p.workspace(id), p.note("open " + id)
}

func (p *ports) Fork(_ context.Context, id, at string) (Workspace, error) {
	return p.workspace("fork"), p.note("fork " + id + " " + at)
}

type modelPort struct{ *ports }

func (p modelPort) List(context.Context) ([]string, error) {
	return []string{"gpt-5", "gpt-5-mini"}, p.note("models")
}

func (p modelPort) Switch(_ context.Context, model string) (core.ModelInfo, error) {
	return core.ModelInfo{Model: model}, p.note("switch " + model)
}

type draftPort struct{ *ports }

func (p draftPort) Load(_ context.Context, id string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.saved[id], nil
}

func (p draftPort) Save(_ context.Context, id, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saved[id] = text
	return nil
}

// draft and setDraft look at the drafts as the commands of the screen do, which may still run.
func (p *ports) draft(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.saved[id]
}

func (p *ports) setDraft(id, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saved[id] = text
}

type historyPort struct{ *ports }

func (p historyPort) Load(context.Context) ([]string, error) { return []string{"older", "newer"}, nil }

func (p historyPort) Append(_ context.Context, text string) error {
	return p.note("history " + text)
}

type setupPort struct{ *ports }

func (p setupPort) Presets() []Preset {
	return []Preset{
		{Name: "openai", Label: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", Model: "gpt-5-mini"},
		{Name: "deepseek", Label: "DeepSeek 深度求索", BaseURL: "https://api.deepseek.com", KeyEnv: "DEEPSEEK_API_KEY", KeyFound: true},
		{Name: "ollama", Label: "Ollama", BaseURL: "http://localhost:11434/v1", Local: true},
		{Name: "custom", Label: "Other server", Custom: true},
	}
}

func (p setupPort) Models(_ context.Context, c Choice) ([]string, error) {
	return []string{"gpt-5", "gpt-5-mini"}, p.note("setup models " + c.Key)
}

func (p setupPort) Plan(c Choice) []string {
	return []string{"~/.hermes/config.yaml: model.provider " + c.Preset + ", model.default " + c.Model, "~/.hermes/.env: OPENAI_API_KEY"}
}

func (p setupPort) Save(_ context.Context, c Choice) (Workspace, error) {
	return p.workspace("first"), p.note("save " + c.Preset + " " + c.Key + " " + c.Model)
}

func (p setupPort) Demo(context.Context) (Workspace, error) {
	return p.workspace("demo"), p.note("demo")
}

func (p *ports) workspace(id string) Workspace {
	return Workspace{
		Conversation: p, Events: p.feed, Approvals: p, Sessions: p, Opener: p, Models: modelPort{p},
		History: historyPort{p}, Drafts: draftPort{p}, Questions: questionPort{p}, Steerer: sessionPort{p}, Compactor: sessionPort{p},
		Contexts: sessionPort{p}, Undoer: sessionPort{p}, Rules: rulePort{p}, Previews: previewPort{p}, Files: filePort{p}, Shell: shellPort{p},
		Info:  Info{SessionID: id, Model: core.ModelInfo{Provider: "openai", Model: "gpt-5-mini", ContextLength: 128_000}, Folder: "~/src/app", Past: p.past},
		Close: func(context.Context) error { return p.note("close " + id) },
	}
}

// rig drives a model without a terminal: commands run in goroutines, their messages come back
// through Update.
type rig struct {
	t     *testing.T
	m     *Model
	p     *ports
	clock *clock
	msgs  chan tea.Msg
	quit  bool
}

func newRig(t *testing.T, w, h int) *rig {
	t.Helper()
	p := newPorts()
	c := newClock()
	m := New(Options{Workspace: p.workspace("s1"), Setup: setupPort{p}, Now: c.now, Theme: "dark", Version: "0.1", Editor: "true"})
	return startRig(t, m, p, c, w, h)
}

func startRig(t *testing.T, m *Model, p *ports, c *clock, w, h int) *rig {
	t.Helper()
	m.ctx = t.Context()
	r := &rig{t: t, m: m, p: p, clock: c, msgs: make(chan tea.Msg, 100)}
	r.run(m.Init())
	r.send(tea.WindowSizeMsg{Width: w, Height: h})
	return r
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				r.run(c)
			}
		default:
			select {
			case r.msgs <- msg:
			case <-r.t.Context().Done():
			}
		}
	}()
}

func (r *rig) send(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		r.quit = true
		return
	}
	_, cmd := r.m.Update(msg)
	r.run(cmd)
}

func (r *rig) keys(names ...string) {
	for _, n := range names {
		r.send(tuitest.Key(n))
	}
}

func (r *rig) text(s string) { r.send(tea.KeyPressMsg{Code: tea.KeyExtended, Text: s}) }

// emit delivers events as one batch, without the feed.
func (r *rig) emit(events ...core.Event) {
	r.m.Update(eventsMsg{gen: r.m.ws.gen, batch: events})
}

// until handles messages until cond holds. Some effects end without a message, so cond is also
// looked at every millisecond.
func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(10 * time.Second)
	for !cond() {
		select {
		case msg := <-r.msgs:
			r.send(msg)
		case <-tick.C:
		case <-limit:
			r.t.Fatalf("waited for %s; calls: %q\n%s", what, r.p.called(), r.screen())
		}
	}
}

// called waits until the port has seen call.
func (r *rig) called(call string) {
	r.t.Helper()
	r.until("call "+call, func() bool { return r.p.has(call) })
}

func (r *rig) screen() string { return r.m.View().Content }

var errFake = errors.New("no route to host")

package app

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/skills/learn"
	"hermes/tui"
)

// Workspace opens a session for the screen: a new one, or the one resume names.
func (a *App) Workspace(ctx context.Context, resume string) (tui.Workspace, error) {
	s, err := a.OpenSession(ctx, SessionOptions{Resume: resume})
	if err != nil {
		return tui.Workspace{}, err
	}
	return a.workspace(s), nil
}

func (a *App) workspace(s *Session) tui.Workspace {
	files := uiFiles{app: a}
	unsent := &drafts{uiFiles: files}
	var trust tui.Truster
	if !a.scripted && !a.Trusted(s.folder) {
		trust = truster{a, s.folder}
		s.Notices = append(s.Notices, core.Notice{
			Level: core.LevelInfo, Text: "You have not said yet that you trust " + a.shortPath(s.folder) + ": what is learned from its files will wait for you.",
			Remedy: "/trust trusts it",
		})
	}
	return tui.Workspace{
		Truster:      trust,
		Conversation: talk{s},
		Events:       s.Feed,
		Approvals:    s.Approvals,
		Sessions:     shelf{a, s},
		Opener:       opener{a},
		Models:       models{a, s},
		History:      history{files},
		Drafts:       unsent,
		Questions:    s.Questions,
		Steerer:      talk{s},
		Compactor:    talk{s},
		Contexts:     talk{s},
		Undoer:       undoer{s},
		Skills:       know{s},
		Memory:       sheets{a},
		Cleaner:      cleaner{s},
		Reviews:      learning{s},
		Journey:      &travel{s: s},
		Insights:     tally{s},
		Curator:      upkeep{s},
		Transcripts:  shelf{a, s},
		Finder:       finder{a},
		Rules:        rules{a},
		Previews:     shelf{a, s},
		Files:        folder{s},
		Shell:        shell{a, s.folder},
		Close:        unsent.close(s.ID(), s.Close),
		Info: tui.Info{
			SessionID: s.ID(), Title: s.Title(), Model: s.Model(), Folder: a.shortPath(s.folder),
			Past: s.Records(), Todos: s.todos.Snapshot(s.ID()), Notices: s.Notices, Yolo: a.Yolo(),
		},
	}
}

// truster trusts the working folder.
type truster struct {
	a      *App
	folder string
}

// Trust remembers it.
func (t truster) Trust(ctx context.Context) (string, error) {
	return t.a.shortPath(t.folder), t.a.Trust(ctx, t.folder)
}

// talk drives the conversation of a session.
type talk struct{ s *Session }

// Send starts a run or queues text.
func (t talk) Send(_ context.Context, text string) error {
	if sources, ok := learn.Asked(text); ok {
		return t.s.Learn(sources)
	}
	return t.s.Conversation.Send(text)
}

// Interrupt ends the running turn.
func (t talk) Interrupt() { t.s.Conversation.Interrupt() }

// Retry repeats the last turn.
func (t talk) Retry(context.Context) error { return t.s.Conversation.Retry() }

// SetQueue replaces the waiting messages.
func (t talk) SetQueue(q []string) { t.s.Conversation.SetQueue(q) }

// shelf tends the stored sessions.
type shelf struct {
	a    *App
	open *Session
}

// List returns the sessions, last used first.
func (h shelf) List(context.Context) ([]tui.SessionRow, error) {
	rows, problems, err := h.a.Sessions.List()
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		h.a.Log.Warn("list sessions", "problem", p)
	}
	out := make([]tui.SessionRow, len(rows))
	for i, r := range rows {
		out[i] = tui.SessionRow{
			ID: r.ID, Title: r.Title, Model: r.Model, Folder: h.a.shortPath(r.Folder), Updated: r.Updated, Messages: r.Messages, Open: r.Open,
			Bytes: r.Bytes, Cost: r.Cost, Task: isTask(r.Title),
		}
	}
	return out, nil
}

// Rename gives session id a title.
func (h shelf) Rename(ctx context.Context, id, title string) error {
	if id == h.open.ID() {
		return h.open.Rename(title)
	}
	s, err := h.a.Sessions.Open(ctx, id)
	if err != nil {
		return err
	}
	return errors.Join(s.Rename(title), s.Close())
}

// Delete removes session id.
func (h shelf) Delete(ctx context.Context, id string) error { return h.a.DeleteSession(ctx, id) }

// Export writes session id beside where hermes was started.
func (h shelf) Export(_ context.Context, id, format string, redact bool) (string, error) {
	t, err := h.a.Sessions.Read(id)
	if err != nil {
		return "", err
	}
	var red core.Redactor
	if redact {
		red = h.a.Redactor()
	}
	var b strings.Builder
	e := h.a.Sessions.ExportOf(t, red)
	if format == "json" {
		err = e.WriteJSON(&b)
	} else {
		format = "md"
		err = e.WriteMarkdown(&b)
	}
	if err != nil {
		return "", err
	}
	path := filepath.Join(h.a.opts.Dir, "hermes-"+id+"."+format)
	if err := home.WriteFile(path, []byte(b.String()), home.FileMode); err != nil {
		return "", err
	}
	return path, nil
}

// opener opens sessions beside the open one.
type opener struct{ a *App }

// New starts an empty session.
func (o opener) New(ctx context.Context) (tui.Workspace, error) { return o.a.Workspace(ctx, "") }

// Open resumes session id.
func (o opener) Open(ctx context.Context, id string) (tui.Workspace, error) {
	return o.a.Workspace(ctx, id)
}

// Fork copies session id into a new one and opens that.
func (o opener) Fork(ctx context.Context, id, messageID string) (tui.Workspace, error) {
	fork, err := o.a.Sessions.Fork(id, messageID)
	if err != nil {
		return tui.Workspace{}, err
	}
	return o.a.Workspace(ctx, fork)
}

// models lists and switches the model of the open session.
type models struct {
	a *App
	s *Session
}

// List asks the server what it serves.
func (m models) List(ctx context.Context) ([]string, error) { return m.s.model.Served(ctx) }

// Switch uses another model from the next turn on.
func (m models) Switch(_ context.Context, name string) (core.ModelInfo, error) {
	return m.s.SwitchModel(name)
}

// Setup is what the onboarding screen needs.
func (a *App) Setup() tui.Setup { return onboarding{a} }

type onboarding struct{ a *App }

// Presets lists the providers.
func (o onboarding) Presets() []tui.Preset { return o.a.Presets() }

// Models asks the provider of c what it serves.
func (o onboarding) Models(ctx context.Context, c tui.Choice) ([]string, error) {
	return o.a.ServedBy(ctx, c)
}

// Plan says what Save would write.
func (o onboarding) Plan(c tui.Choice) []string { return o.a.SetupPlan(c) }

// Save tests c, writes it and opens a session with it.
func (o onboarding) Save(ctx context.Context, c tui.Choice) (tui.Workspace, error) {
	if err := o.a.SaveSetup(ctx, c); err != nil {
		return tui.Workspace{}, err
	}
	return o.a.Workspace(ctx, "")
}

// Demo opens the demo.
func (o onboarding) Demo(ctx context.Context) (tui.Workspace, error) { return o.a.DemoWorkspace(ctx) }

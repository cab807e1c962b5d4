package app

import (
	"context"
	"strconv"

	"hermes/core"
	"hermes/core/agent/compact"
	"hermes/tools"
	"hermes/tools/file"
	"hermes/tools/terminal"
	"hermes/tui"
)

// Answer answers a question of the agent.
func (s *Session) Answer(id string, a core.Answer) error { return s.Questions.Answer(id, a) }

// Steer gives words to the running turn.
func (t talk) Steer(_ context.Context, words string) error { return t.s.Conversation.Steer(words) }

// Compact shortens the conversation and returns when it is done.
func (t talk) Compact(ctx context.Context, focus string) error {
	done := make(chan error, 1)
	if err := t.s.Conversation.Compact(focus, func(err error) { done <- err }); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Context measures the next request.
func (t talk) Context(context.Context) (tui.ContextUse, error) {
	s := t.s
	p := s.ses.Prompt()
	use := tui.ContextUse{}
	use.Used, use.Window = s.agent.Window()
	if c := s.app.Config().Compression; c.Enabled && use.Window > 0 {
		use.Compacts = int(c.Threshold * float64(use.Window))
	}
	add := func(name, note string, tokens int) {
		if tokens > 0 {
			use.Sections = append(use.Sections, tui.ContextSection{Name: name, Note: note, Tokens: tokens})
		}
	}
	add("system prompt", "", compact.TextTokens(p.System))
	n := 0
	for _, spec := range p.Tools {
		n += compact.TextTokens(spec.Name) + compact.TextTokens(spec.Description) + compact.TextTokens(string(spec.Parameters))
	}
	add("tools", strconv.Itoa(len(p.Tools))+" tools", n)
	var summary, people, model, results []core.Message
	for _, m := range s.ses.Messages() {
		switch {
		case compact.IsSummary(m):
			summary = append(summary, m)
		case m.Role == core.RoleUser:
			people = append(people, m)
		case m.Role == core.RoleTool:
			results = append(results, m)
		default:
			model = append(model, m)
		}
	}
	add("summary", "", compact.Tokens(summary))
	add("your messages", strconv.Itoa(len(people)), compact.Tokens(people))
	add("answers and calls", strconv.Itoa(len(model)), compact.Tokens(model))
	add("tool results", strconv.Itoa(len(results)), compact.Tokens(results))
	return use, nil
}

// undoer takes turns of the open session back.
type undoer struct{ s *Session }

// Preview says what Undo would do.
func (u undoer) Preview(ctx context.Context) (tui.UndoReport, error) {
	return u.report(u.s.Undo(ctx, true))
}

// Undo takes the last turn back.
func (u undoer) Undo(ctx context.Context) (tui.UndoReport, error) {
	return u.report(u.s.Undo(ctx, false))
}

func (u undoer) report(d Undone, err error) (tui.UndoReport, error) {
	r := tui.UndoReport{Message: d.From, Text: d.Text, Messages: d.Messages}
	for _, f := range d.Files {
		r.Files = append(r.Files, tui.UndoFile{Path: u.s.app.shortPath(f.Path), Action: string(f.Action), Reason: f.Reason, Note: f.Note})
	}
	return r, err
}

// rules are the stored answers "always".
type rules struct{ a *App }

// List returns the rules.
func (r rules) List(context.Context) ([]tui.Rule, error) {
	r.a.Reload()
	var out []tui.Rule
	for _, rule := range r.a.Config().Approvals.Allow {
		out = append(out, tui.Rule{ID: rule, Text: rule})
	}
	return out, nil
}

// Revoke takes a rule back.
func (r rules) Revoke(ctx context.Context, id string) error {
	return r.a.Settings.Remove(ctx, "approvals.allow", id)
}

// previewLength is how many messages a preview shows.
const previewLength = 12

// Preview returns the last messages of a stored session.
func (h shelf) Preview(_ context.Context, id string) ([]tui.PreviewLine, error) {
	t, err := h.a.Sessions.Read(id)
	if err != nil {
		return nil, err
	}
	msgs := t.Messages()
	var out []tui.PreviewLine
	for _, m := range msgs[max(0, len(msgs)-previewLength):] {
		if line, ok := previewLine(m); ok {
			out = append(out, line)
		}
	}
	return out, nil
}

// mentionLimit is how many files and folders can be mentioned.
const mentionLimit = 20_000

// folder is the working folder as the composer sees it.
type folder struct{ s *Session }

// List returns what can be mentioned with @.
func (f folder) List(ctx context.Context) ([]string, error) {
	return file.List(ctx, tools.NewPolicy(f.s.app.Home, f.s.folder), f.s.folder, mentionLimit)
}

// shell runs lines the person typed behind "!", with the person's own rights and without a guard.
type shell struct {
	a      *App
	folder string
}

// Run runs command and hands its output on.
func (h shell) Run(ctx context.Context, command string, out func(string)) (int, error) {
	return terminal.Line(ctx, terminal.LineOptions{Command: command, Dir: h.folder, Environ: h.a.opts.Environ, Output: out})
}

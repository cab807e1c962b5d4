package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/core/provider/scripted"
	"hermes/core/rehearsal"
)

// RehearsalOptions say how a story is played.
type RehearsalOptions struct {
	Story   string
	Without string // "memory", "skills" or "reviews"; "" plays with everything
	Home    string // kept afterwards; "" uses one that is thrown away
	// Between is called before each session after the first, with the home and the folder of the story's
	// world; nil does nothing.
	Between func(session int, home, world string) error
	// Sessions replaces the story's own; nil plays those.
	Sessions []rehearsal.Part
	// Done hears of each session as it ends; may be nil.
	Done func(RehearsalRow)

	delay scripted.Duration // between the pieces of an answer
}

// Rehearsal is a story that was played.
type Rehearsal struct {
	Story   string         `json:"story"`
	Title   string         `json:"title"`
	Without string         `json:"without,omitempty"`
	Home    string         `json:"home,omitempty"` // when it was kept
	Rows    []RehearsalRow `json:"sessions"`
}

// RehearsalRow is one session of it.
type RehearsalRow struct {
	Label     string `json:"label"`
	SessionID string `json:"session_id"`
	Calls     int    `json:"calls"`
	Errors    int    `json:"errors"`
	Steps     int    `json:"steps"`  // model steps
	Memory    string `json:"memory"` // "none", "written", "in the prompt"
	Skill     string `json:"skill"`  // "none", "created", "reused", "reused and patched" …
	Review    string `json:"review"` // what the review after it did, "" when there was none
	Answer    string `json:"answer"`
}

// Rehearse plays a story: the same program, files and wire as in earnest, with a scripted model and a made-up
// world. Nothing of the person's home is touched.
func (a *App) Rehearse(ctx context.Context, o RehearsalOptions) (Rehearsal, error) {
	story, ok := rehearsal.Named(o.Story)
	if !ok {
		return Rehearsal{}, &core.Error{
			Code: core.CodeUsage, Op: "rehearse", Subject: o.Story, Err: errors.New("no such story"),
			Hint: "choose from: " + strings.Join(rehearsal.Names(), ", "),
		}
	}
	st, err := a.stage(ctx, story, o)
	if err != nil {
		return Rehearsal{}, err
	}
	out := Rehearsal{Story: story.Name, Title: story.Title, Without: o.Without, Home: o.Home}
	if o.Sessions != nil {
		story.Sessions = o.Sessions
	}
	for i, part := range story.Sessions {
		if i > 0 && o.Between != nil {
			if err := o.Between(i+1, st.home, st.world()); err != nil {
				return out, errors.Join(err, st.close())
			}
		}
		row, err := st.play(ctx, part)
		if err != nil {
			return out, errors.Join(err, st.close())
		}
		out.Rows = append(out.Rows, row)
		if o.Done != nil {
			o.Done(row)
		}
	}
	return out, st.close()
}

// stageSet is a story laid out: a folder, a home, a model.
type stageSet struct {
	app    *App // the one that was asked; its home stays untouched
	story  rehearsal.Story
	dir    string // thrown away
	home   string
	server *scripted.Server
}

// stage lays out a story.
func (a *App) stage(ctx context.Context, story rehearsal.Story, o RehearsalOptions) (*stageSet, error) {
	scenario, err := scripted.Load(story.Name+"/scenario.yaml", story.Scenario)
	if err != nil {
		return nil, &core.Error{Op: "load the story", Subject: story.Name, Err: err}
	}
	scenario.Delay = o.delay
	config, err := without(o.Without)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hermes-rehearsal-")
	if err != nil {
		return nil, &core.Error{Op: "make the story's folder", Err: err, Hint: "set TMPDIR to a folder that can be written"}
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, &core.Error{Op: "make the story's folder", Err: err}
	}
	st := &stageSet{app: a, story: story, dir: dir, home: o.Home}
	if st.home == "" {
		st.home = filepath.Join(dir, "home")
	}
	if err := emptyHome(st.home); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	world := st.world()
	config += fmt.Sprintf("trusted_dirs: [%q]\nmodel: {context_length: 128000}\n", world)
	if err := errors.Join(os.Mkdir(world, 0o755), story.Lay(world), story.LayHome(st.home), os.WriteFile(filepath.Join(st.home, "config.yaml"), []byte(config), 0o600)); err != nil {
		return nil, errors.Join(&core.Error{Op: "lay out the story", Err: err}, os.RemoveAll(dir))
	}
	if st.server, err = scripted.Start(context.WithoutCancel(ctx), scenario, scripted.Options{}); err != nil {
		return nil, errors.Join(&core.Error{Op: "start the story's model", Err: err}, os.RemoveAll(dir))
	}
	return st, nil
}

// without is the configuration that leaves one part of learning out.
func without(what string) (string, error) {
	switch what {
	case "":
		return "", nil
	case "memory":
		return "memory: {memory_enabled: false, user_profile_enabled: false}\n", nil
	case "skills":
		return "toolsets: [file, terminal, todo, clarify, session_search, memory]\n", nil
	case "reviews":
		return "review: {enabled: false}\n", nil
	}
	return "", &core.Error{Code: core.CodeUsage, Op: "leave out", Subject: what, Err: errors.New("no such part of learning"), Hint: "choose memory, skills or reviews"}
}

// emptyHome makes the folder; one that holds something is not written into.
func emptyHome(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return &core.Error{Code: core.CodeUsage, Op: "rehearse in", Subject: dir, Err: errors.New("the folder is not empty"), Hint: "name a folder that does not exist yet"}
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dir, 0o700)
	}
	return err
}

// world is the folder that the story happens in.
func (st *stageSet) world() string { return filepath.Join(st.dir, "world") }

// close stops the model and removes what is not kept.
func (st *stageSet) close() error { return errors.Join(st.server.Close(), os.RemoveAll(st.dir)) }

// open is the program as the story sees it.
func (st *stageSet) open(folder string, yolo bool) (*App, error) {
	o := st.app.opts
	o.Home, o.Dir, o.Model, o.Yolo, o.Toolsets = st.home, filepath.Join(st.world(), folder), "", yolo, nil
	path := filepath.Join(st.world(), rehearsal.Bin) + string(os.PathListSeparator)
	o.Environ = slices.Clone(o.Environ)
	for i, kv := range o.Environ {
		if rest, ok := strings.CutPrefix(kv, "PATH="); ok {
			o.Environ[i] = "PATH=" + path + rest
		}
	}
	real := o.Getenv
	// Only the story's own server may be reached: no key and no address of the person is seen.
	o.Getenv = func(name string) string {
		switch name {
		case "OPENAI_BASE_URL":
			return st.server.URL()
		case "HERMES_MODEL":
			return "scripted-" + st.story.Name
		case "OPENAI_API_KEY", "HERMES_HOME", "HERMES_AGENT":
			return ""
		case "PATH":
			return path + real(name)
		}
		return real(name)
	}
	app, err := Open(o)
	if err == nil {
		app.scripted = true
	}
	return app, err
}

// play plays one session and the review after it.
func (st *stageSet) play(ctx context.Context, part rehearsal.Part) (row RehearsalRow, err error) {
	a, err := st.open(part.Folder, true)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	s, err := a.OpenSession(ctx, SessionOptions{Unattended: true})
	if err != nil {
		return row, err
	}
	row = RehearsalRow{Label: part.Label, SessionID: s.ID()}
	known := a.remembered(ctx)
	watched := make(chan struct{})
	w := &rehearsalWatch{row: &row}
	go func() {
		defer close(watched)
		for {
			batch, ok := s.Feed.Next(context.WithoutCancel(ctx))
			if !ok {
				return
			}
			for _, e := range batch {
				w.event(e)
			}
		}
	}()
	for _, text := range part.Ask {
		if err = s.Conversation.Send(text); err != nil {
			break
		}
		s.Conversation.Wait(ctx)
		s.WaitReviews(ctx)
	}
	err = errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	<-watched
	if err == nil {
		err = errors.Join(ctx.Err(), w.failed)
	}
	if err != nil {
		return row, err
	}
	switch {
	case known > 0:
		row.Memory = "in the prompt"
	case a.remembered(ctx) > 0:
		row.Memory = "written"
	default:
		row.Memory = "none"
	}
	row.Skill, err = a.skillStory(s.ID(), w.loaded)
	return row, err
}

// remembered counts the entries of memory.
func (a *App) remembered(ctx context.Context) int {
	n := 0
	for _, t := range memory.Targets() {
		if sheet, err := a.Memory.Sheet(ctx, t); err == nil {
			n += len(sheet.Entries)
		}
	}
	return n
}

// skillStory says what became of skills in a session.
func (a *App) skillStory(session string, loaded bool) (string, error) {
	log, err := a.Ledger.Log(ledger.Filter{SessionID: session, Subject: "skill:"})
	if err != nil {
		return "", err
	}
	var parts []string
	if loaded {
		parts = append(parts, "reused")
	}
	for _, e := range slices.Backward(log) {
		word := e.Action + "ed"
		if strings.HasSuffix(e.Action, "e") {
			word = e.Action + "d"
		}
		if !slices.Contains(parts, word) {
			parts = append(parts, word)
		}
	}
	if len(parts) == 0 {
		return "none", nil
	}
	return strings.Join(parts, " and "), nil
}

// rehearsalWatch counts what happens in a session.
type rehearsalWatch struct {
	row    *RehearsalRow
	loaded bool
	failed error
}

func (w *rehearsalWatch) event(e core.Event) {
	switch e := e.(type) {
	case *core.ToolEnded:
		w.loaded = w.loaded || e.Tool == "skill_view" && e.OK
	case *core.RunEnded:
		w.row.Calls += e.ToolCalls
		w.row.Errors += e.ToolErrors
		w.row.Steps += e.Requests
		w.row.Answer = e.Answer
		if e.Error != nil {
			w.failed = errors.New(e.Error.Message)
		}
	case *core.ReviewEnded:
		w.row.Review = e.State
		switch {
		case e.Error != "":
			w.row.Review += ": " + e.Error
		case e.Saved > 0:
			w.row.Review = fmt.Sprintf("saved %d", e.Saved)
		}
	}
}

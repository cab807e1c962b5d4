// Package app wires hermes together: home, configuration, model, tools, prompt, transcript and agent,
// in that order. It is the only place that knows all floors; the command line and the workspace get
// what they need from here, so that both faces run the same code.
//
// It decides nothing a lower floor can decide and draws nothing. Start reading at Open (app.go), then
// Session (session.go); screen.go holds the ports of the workspace.
package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"hermes/core"
	"hermes/core/config"
	"hermes/core/home"
	"hermes/core/journey"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/core/redact"
	"hermes/core/review"
	"hermes/core/session"
	"hermes/core/undo"
	"hermes/index"
	"hermes/skills"
)

// Options are what the command line and the environment say. Getenv and Dir are required.
type Options struct {
	Home          string // --home; "" asks HERMES_HOME, then ~/.hermes
	Model         string // --model
	Toolsets      []string
	Yolo          bool
	MaxIterations int // --max-iterations; 0 takes agent.max_turns
	Version       string
	Dir           string // the folder hermes was started in, absolute
	Getenv        func(string) string
	Environ       []string // for the processes of tools
}

// App is an opened home: configuration read, nothing written.
type App struct {
	opts       Options
	Home       home.Home
	Settings   *config.Store
	Sessions   *session.Store
	Index      *index.Index
	Ledger     *ledger.Ledger
	Memory     *memory.Store
	Skills     *skills.Library // without a project; see SkillsAt
	Book       *review.Book    // counters of learning, what was refused, what it cost
	Reviews    *review.Records
	Inbox      *review.Inbox
	Log        *slog.Logger
	logFile    *logFile
	left       left
	own        stamps
	maps       journey.Maker
	copies     *undo.Store // of files that the agent's tools are about to change
	state      atomic.Pointer[state]
	projects   projectSecrets
	scripted   bool   // the demo: its model is a script and is labelled as such
	invitation string // the draft of a session without one; the demo suggests its question
	now        func() time.Time
}

// Open reads the configuration of the home. It writes nothing: a fresh machine stays as it is until
// the person chose something.
func Open(o Options) (*App, error) {
	h, err := home.Resolve(o.Home, o.Getenv)
	if err != nil {
		return nil, err
	}
	a := &App{opts: o, Home: h, Settings: config.Open(h), Sessions: session.NewStore(h), Index: index.New(h), now: time.Now}
	a.logFile = &logFile{path: h.LogFile(), redact: currentRedactor{a}.Redact}
	a.state.Store(&state{redactor: redact.New(nil)}) // until Reload
	a.Log = slog.New(slog.NewTextHandler(a.logFile, &slog.HandlerOptions{Level: slog.LevelInfo}))
	a.Reload()
	a.copies = undo.New(h, a.Config().Undo.MaxBytes)
	a.openLearned()
	return a, nil
}

// state is what Reload replaces as a whole: sessions read it while the person changes settings.
type state struct {
	config   config.Config
	problems []config.Problem
	redactor *redact.Redactor
}

// Reload reads the configuration again, after it was changed.
func (a *App) Reload() {
	next := &state{}
	next.config, next.problems = config.Load(a.Home)
	next.redactor = a.redactorOf(&next.config)
	a.state.Store(next)
}

// renewRedactor makes the redactor again, after a project's secrets changed.
func (a *App) renewRedactor() {
	for {
		old := a.state.Load()
		next := *old
		next.redactor = a.redactorOf(&next.config)
		if a.state.CompareAndSwap(old, &next) {
			return
		}
	}
}

// redactorOf hides the secrets of the configuration, of the environment and of projects.
func (a *App) redactorOf(c *config.Config) *redact.Redactor {
	secrets := map[string]string{}
	for i, v := range c.Secrets.Values() {
		secrets[c.Secrets.Names()[i]] = v
	}
	for _, kv := range a.opts.Environ {
		if name, value, ok := strings.Cut(kv, "="); ok && config.LooksSecret(name) {
			secrets[name] = value
		}
	}
	a.projects.addTo(secrets)
	return redact.New(secrets)
}

// Config is the configuration as it was last read.
func (a *App) Config() *config.Config { return &a.state.Load().config }

// Problems are what could not be used of the configuration.
func (a *App) Problems() []config.Problem { return a.state.Load().problems }

// Redactor removes the secrets this process knows of, those added since included.
func (a *App) Redactor() core.Redactor { return currentRedactor{a} }

type currentRedactor struct{ a *App }

// Redact removes secrets from text.
func (c currentRedactor) Redact(text string) string { return c.a.state.Load().redactor.Redact(text) }

// Partial is how much at the end of text may be the beginning of a secret.
func (c currentRedactor) Partial(text string) int { return c.a.state.Load().redactor.Partial(text) }

// Version is the program's version.
func (a *App) Version() string { return a.opts.Version }

// Close ends the reviews that outlived their sessions, frees the index and ends the log.
func (a *App) Close() error {
	a.left.close(context.Background())
	return errors.Join(a.Skills.Usage().Flush(context.Background()), a.Index.Close(), a.logFile.Close())
}

// Notices are the problems of the configuration for the person, worst first; keys of other programs
// are left to "hermes doctor".
func (a *App) Notices() []core.Notice {
	var out []core.Notice
	for _, level := range []core.Level{core.LevelError, core.LevelWarn} {
		for _, p := range a.Problems() {
			if p.Level == level {
				out = append(out, core.Notice{Level: p.Level, Text: p.String(), Remedy: p.Remedy})
			}
		}
	}
	return out
}

// ActsAsAgent tells whether this process was started by an agent's own shell; then it may not approve,
// accept, undo or configure.
func (a *App) ActsAsAgent() bool { return a.opts.Getenv("HERMES_AGENT") != "" }

// lookup finds the value of a key variable: the home's .env, then the environment.
func (a *App) lookup(name string) string {
	if name == "" {
		return ""
	}
	if v, ok := a.Config().Secrets.Lookup(name); ok && v != "" {
		return v
	}
	return a.opts.Getenv(name)
}

// shortPath shows a folder of the person's home as "~/…".
func (a *App) shortPath(path string) string {
	user := a.opts.Getenv("HOME")
	if user == "" || user == "/" {
		return path
	}
	if rel, ok := strings.CutPrefix(path, filepath.Clean(user)); ok && (rel == "" || rel[0] == filepath.Separator) {
		return "~" + rel
	}
	return path
}

// systemLine describes the machine for the prompt.
func (a *App) systemLine() string {
	shell := filepath.Base(a.opts.Getenv("SHELL"))
	if shell == "." || shell == "" {
		shell = "sh"
	}
	return runtime.GOOS + "/" + runtime.GOARCH + ", login shell " + shell
}

// WorkingDir returns the folder the process was started in.
func WorkingDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", &core.Error{Op: "find the working folder", Err: err, Hint: "change to a folder that exists"}
	}
	return dir, nil
}

// quiet runs fn and logs its error: for work whose failure must not disturb the person.
func (a *App) quiet(ctx context.Context, what string, fn func() error) {
	if err := fn(); err != nil {
		a.Log.WarnContext(ctx, "background work", "what", what, "err", err)
	}
}

// DeleteSession removes a session with everything that belongs to it.
func (a *App) DeleteSession(ctx context.Context, id string) error {
	if err := a.Sessions.Delete(ctx, id); err != nil {
		return err
	}
	return a.copies.Drop(id)
}

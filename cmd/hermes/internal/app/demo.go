package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"hermes/core"
	"hermes/core/provider/scripted"
	"hermes/core/rehearsal"
	"hermes/tui"
)

// Demo is an app on a throw-away home and folder, with the scripted model.
type Demo struct {
	*App

	Question string
	dir      string
	server   *scripted.Server
}

// OpenDemo lays out the demo in a fresh temporary folder and starts its model. Close removes all of it.
func (a *App) OpenDemo(ctx context.Context) (*Demo, error) {
	story, err := rehearsal.Demo()
	if err != nil {
		return nil, &core.Error{Op: "load demo", Err: err}
	}
	scenario, err := scripted.Load("demo/scenario.yaml", story.Scenario)
	if err != nil {
		return nil, &core.Error{Op: "load demo", Err: err}
	}
	dir, err := os.MkdirTemp("", "hermes-demo-")
	if err != nil {
		return nil, &core.Error{Op: "make the demo's folder", Err: err, Hint: "set TMPDIR to a folder that can be written"}
	}
	d := &Demo{Question: story.Question, dir: dir}
	folder := filepath.Join(dir, "greet")
	if err := errors.Join(os.Mkdir(folder, 0o755), story.Lay(folder)); err != nil {
		return nil, errors.Join(&core.Error{Op: "lay out the demo", Err: err}, os.RemoveAll(dir))
	}
	if d.server, err = scripted.Start(context.WithoutCancel(ctx), scenario, scripted.Options{}); err != nil {
		return nil, errors.Join(&core.Error{Op: "start the demo's model", Err: err}, os.RemoveAll(dir))
	}
	o := a.opts
	o.Home, o.Dir, o.Model, o.Yolo = filepath.Join(dir, "home"), folder, "", false
	real := o.Getenv
	// Only the demo's own server may be reached: no key and no address of the person is seen.
	o.Getenv = func(name string) string {
		switch name {
		case "OPENAI_BASE_URL":
			return d.server.URL()
		case "HERMES_MODEL":
			return "scripted-demo"
		case "OPENAI_API_KEY", "HERMES_HOME":
			return ""
		}
		return real(name)
	}
	if d.App, err = Open(o); err != nil {
		return nil, errors.Join(err, d.server.Close(), os.RemoveAll(dir))
	}
	d.scripted, d.invitation = true, story.Question
	return d, nil
}

// Close stops the model and removes the demo's folder.
func (d *Demo) Close() error {
	return errors.Join(d.App.Close(), d.server.Close(), os.RemoveAll(d.dir))
}

// DemoWorkspace opens the demo for the screen; closing the workspace removes it.
func (a *App) DemoWorkspace(ctx context.Context) (tui.Workspace, error) {
	d, err := a.OpenDemo(ctx)
	if err != nil {
		return tui.Workspace{}, err
	}
	s, err := d.OpenSession(ctx, SessionOptions{})
	if err != nil {
		return tui.Workspace{}, errors.Join(err, d.Close())
	}
	s.Notices = append(s.Notices, core.Notice{
		Level: core.LevelInfo, Text: "This is the demo: a scripted model in " + d.dir + ", which is removed when you leave.",
		Remedy: "press Enter to send the question below",
	})
	w := d.workspace(s)
	w.Opener = nil // the demo is one session; the real ones belong to another home
	w.Close = func(ctx context.Context) error { return errors.Join(s.Close(ctx), d.Close()) }
	return w, nil
}

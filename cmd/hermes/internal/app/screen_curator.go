package app

import (
	"context"

	"hermes/core"
	"hermes/core/ledger"
	view "hermes/tui/curator"
)

// upkeep shows the curator and does what a person asks of it.
type upkeep struct{ s *Session }

// Sheet looks without changing anything.
func (u upkeep) Sheet(ctx context.Context) (view.Sheet, error) {
	a := u.s.app
	c := a.Curator()
	st, err := c.Status(ctx)
	out := view.Sheet{Status: st, Enabled: a.Config().Curator.Enabled}
	if err != nil {
		return out, err
	}
	switch last, err := c.Load(""); {
	case err == nil:
		out.Last = &last
	case core.CodeOf(err) != core.CodeNotFound:
		return out, err
	}
	return out, nil
}

// Do runs the curator or changes how it runs.
func (u upkeep) Do(ctx context.Context, do view.Do) (string, error) {
	c := u.s.app.Curator()
	switch do {
	case view.Run, view.DryRun:
		r, err := c.Run(ctx, do == view.DryRun)
		if err != nil {
			return "", err
		}
		if do == view.DryRun {
			return "dry run, nothing was changed: " + r.Summary(), nil
		}
		return "done: " + r.Summary(), nil
	case view.Pause:
		return "paused: it does not run by itself", c.Pause(true)
	case view.Resume:
		return "it runs by itself again", c.Pause(false)
	case view.Rollback:
		r, err := c.Rollback(ctx, ledger.Change{Actor: ledger.You, SessionID: u.s.ID()}, "")
		if err != nil {
			return "", err
		}
		return "taken back: " + r.Summary(), nil
	case view.Nothing, view.Close:
	}
	return "", nil
}

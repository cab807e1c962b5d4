package app

import (
	"context"
	"fmt"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/text"
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
	switch last, err := c.Standing(); {
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
		r, err := u.s.app.RunCurator(ctx, do == view.DryRun, false)
		if err != nil {
			return "", err
		}
		return ran(r, do == view.DryRun), nil
	case view.Pause:
		return "paused: it does not run by itself", c.Pause(true)
	case view.Resume:
		return "it runs by itself again", c.Pause(false)
	case view.Rollback:
		r, err := u.s.app.RollbackCurator(ctx, ledger.Change{Actor: ledger.You, SessionID: u.s.ID()}, "")
		if err != nil {
			return "", err
		}
		return "taken back: " + r.Summary(), nil
	case view.Nothing, view.Close:
	}
	return "", nil
}

// ran is a run in one line.
func ran(r Tended, dry bool) string {
	said := "done: " + r.Summary()
	if dry {
		said = "dry run, nothing was changed: " + r.Summary()
	}
	for _, m := range r.Merges {
		switch {
		case m.Error != "":
			said += fmt.Sprintf(" %s stays beside %s: %s.", m.Absorb, m.Keep, text.OneLine(m.Error))
		case len(m.Proposals) > 0:
			said += fmt.Sprintf(" %s into %s waits for you (Ctrl+X r).", m.Absorb, m.Keep)
		default:
			said += fmt.Sprintf(" %s would merge into %s.", m.Absorb, m.Keep)
		}
	}
	if r.Unmerged != nil {
		said += " Nothing was merged: " + text.OneLine(r.Unmerged.Error())
	}
	return said
}

package app

import (
	"context"
	"slices"
	"time"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/review"
	"hermes/skills/curator"
)

// Curator tends the home's library.
func (a *App) Curator() *curator.Curator {
	c := a.Config().Curator
	const day = 24 * time.Hour
	return curator.New(curator.Options{Home: a.Home, Library: a.Skills, Ledger: a.Ledger, Now: a.now, Settings: curator.Settings{
		Enabled: c.Enabled, Interval: time.Duration(c.IntervalHours) * time.Hour, MinIdle: time.Duration(c.MinIdleHours) * time.Hour,
		Backups: c.Backup.Keep, StaleAfter: time.Duration(c.StaleAfterDays) * day, Archive: time.Duration(c.ArchiveAfterDays) * day,
	}})
}

// idle is how long nobody has worked in this home; a home without sessions was idle for ever.
func (a *App) idle() time.Duration {
	stats, err := a.Sessions.Stats()
	if err != nil || len(stats) == 0 {
		return 365 * 24 * time.Hour
	}
	var last time.Time
	for _, s := range stats {
		if s.Modified.After(last) {
			last = s.Modified
		}
	}
	return a.now().Sub(last)
}

// Tended is what came of a run of the curator.
type Tended struct {
	curator.Report

	Merges []Merge
	// Unmerged is why no skills were merged; the run itself was done.
	Unmerged error
}

// RunCurator looks at every skill now and, with merge, lets the auxiliary model propose to merge those that say
// nearly the same. What was done is among the reviews.
func (a *App) RunCurator(ctx context.Context, dry, merge bool) (t Tended, err error) {
	if merge && !dry {
		if _, err := a.merger(); err != nil {
			return t, err // before anything is changed
		}
	}
	if t.Report, err = a.Curator().Run(ctx, dry); err != nil {
		return t, err
	}
	if merge || a.Config().Curator.Consolidate {
		t.Merges, t.Unmerged = a.Consolidate(ctx, dry)
	}
	if !dry {
		a.keep(a.recordOf(t, review.ByAsking))
	}
	return t, nil
}

// RollbackCurator takes a run of the curator back, "" for the last one that stands.
func (a *App) RollbackCurator(ctx context.Context, by ledger.Change, id string) (curator.Report, error) {
	r, err := a.Curator().Rollback(ctx, by, id)
	if err != nil {
		return r, err
	}
	if rec, gerr := a.Reviews.Get(r.ID); gerr == nil {
		rec.Did = append([]string{"taken back"}, rec.Did...)
		a.keep(rec)
	}
	return r, nil
}

// curatorRun is the run of the curator whose standing changes are just these; "" for none. Taken back as a whole it
// gives back the states of skills, too.
func (a *App) curatorRun(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	e, err := a.Ledger.Entry(ids[0])
	if err != nil || e.Actor != ledger.Curator {
		return ""
	}
	standing, err := a.Ledger.UndoIDs(ledger.Filter{ReviewID: e.ReviewID})
	if err != nil || len(standing) != len(ids) {
		return ""
	}
	for _, id := range ids {
		if !slices.Contains(standing, id) {
			return ""
		}
	}
	if _, err := a.Curator().Load(e.ReviewID); err != nil {
		return "" // a merge, or its report is gone
	}
	return e.ReviewID
}

// curate runs the curator when it is time, and tells what it did.
func (a *App) curate(ctx context.Context, idle time.Duration, tell func(core.Notice), note func(review.Record)) {
	r, ran, err := a.Curator().MaybeRun(ctx, idle)
	if ran {
		t := Tended{Report: r}
		if a.Config().Curator.Consolidate {
			t.Merges, t.Unmerged = a.Consolidate(ctx, false)
		}
		if t.Unmerged != nil {
			a.Log.Warn("merge skills", "err", t.Unmerged)
			tell(core.Notice{Level: core.LevelWarn, Text: "the curator merged nothing: " + t.Unmerged.Error(), Remedy: core.HintOf(t.Unmerged)})
		}
		note(a.recordOf(t, review.ByTime))
	}
	switch {
	case err != nil:
		a.Log.Warn("curator", "err", err)
		tell(core.Notice{Level: core.LevelWarn, Text: "the curator did not run: " + err.Error(), Remedy: core.HintOf(err)})
	case ran && r.Count(curator.Archive)+r.Count(curator.MarkStale) > 0:
		tell(core.Notice{
			Level: core.LevelInfo, Text: "the curator looked at the skills nobody used: " + r.Summary(),
			Remedy: "/curator shows them and takes it back with R (also: hermes curator rollback)",
		})
	}
}

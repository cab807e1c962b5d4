package app

import (
	"context"
	"time"

	"hermes/core"
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

// curate runs the curator when it is time, and tells what it did.
func (a *App) curate(ctx context.Context, tell func(core.Notice)) {
	r, ran, err := a.Curator().MaybeRun(ctx, a.idle())
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

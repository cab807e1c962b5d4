package app

import (
	"context"
	"fmt"
	"os"
	"time"

	"hermes/core"
	"hermes/core/review"
	"hermes/core/text"
	"hermes/skills/curator"
	"hermes/skills/learn"
)

// Agents in the background that are no reviews (summaries, the check of a lesson, the curator) leave a record
// among the reviews, and show beside them.

// keep stores a record.
func (a *App) keep(rec review.Record) {
	if err := a.Reviews.Save(rec); err != nil {
		a.Log.Warn("save record", "kind", rec.Kind, "err", err)
	}
}

// begins shows that something works in the background.
func (s *Session) begins(rec review.Record) {
	s.app.keep(rec)
	s.learned(&core.ReviewStarted{
		ReviewID: rec.ID, Kind: rec.Kind, Trigger: string(rec.Trigger), Focus: rec.Focus, State: string(rec.State), MaxCalls: rec.MaxCalls,
	})
}

// ends shows how it went.
func (s *Session) ends(rec review.Record) {
	rec.DurationMS = s.app.now().UTC().Sub(rec.StartedAt).Milliseconds()
	s.app.keep(rec)
	s.learned(&core.ReviewEnded{
		ReviewID: rec.ID, Kind: rec.Kind, State: string(rec.State), Saved: rec.Saved, Held: rec.Held, Calls: rec.Calls, Duration: rec.DurationMS,
		Usage: rec.Usage, Cost: rec.Cost, Error: rec.Error,
	})
}

// recordOf is what a run of the curator leaves among the reviews, with what its model proposed.
func (a *App) recordOf(r Tended, trigger review.Trigger) review.Record {
	rec := review.Record{
		ID: r.ID, Kind: review.KindCurator, Trigger: trigger, State: review.Nothing, StartedAt: r.At.UTC(), DurationMS: a.now().Sub(r.At).Milliseconds(), PID: os.Getpid(),
	}
	for _, s := range r.Steps {
		switch {
		case s.Move == curator.Keep || s.Move == curator.Seed:
			continue
		case s.Error != "":
			rec.Error = s.Name + ": " + s.Error
			continue
		}
		rec.Saved++
		rec.Did = append(rec.Did, string(s.Move)+" "+text.OneLine(s.Name))
	}
	if r.Unmerged != nil {
		rec.Error = text.OneLine(r.Unmerged.Error())
	}
	for _, m := range r.Merges {
		if m.Error != "" {
			rec.Error = m.Absorb + ": " + m.Error
		}
		rec.Held += len(m.Proposals)
	}
	switch {
	case rec.Saved > 0:
		rec.State = review.Saved
	case rec.Held > 0:
		rec.State = review.Proposed
	case rec.Error != "":
		rec.State = review.Failed
	}
	return rec
}

// tendEvery is how often an open workspace looks whether the curator is due: it may stay open for weeks.
const tendEvery = time.Hour

// tend runs the curator whenever it is due while the session is open. idle is for how long nobody had worked
// when it was opened.
func (s *Session) tend(ctx context.Context, idle time.Duration) {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		s.app.curate(ctx, idle, func(n core.Notice) { s.learned(&n) }, func(rec review.Record) { s.ends(rec) })
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			idle = s.app.idle()
		}
	}
}

// checking is the record of the check of a lesson.
func (s *Session) checking(names []string, left []learn.Finding, round int, over bool) {
	l := &s.lesson
	if l.record.ID == "" {
		l.record = review.Record{
			ID: review.NewID(s.app.now()), Kind: review.KindCheck, SessionID: s.ID(), RunID: l.runs[0], Trigger: review.ByAsking,
			State: review.Running, MaxCalls: learn.MaxRounds, StartedAt: s.app.now().UTC(), PID: os.Getpid(),
		}
	}
	rec := &l.record
	rec.Calls, rec.Did = round, nil
	for _, name := range names {
		rec.Did = append(rec.Did, text.OneLine(name))
	}
	for _, f := range left {
		rec.Steps = append(rec.Steps, review.Step{Tool: "check " + fmt.Sprint(round+1), Arguments: f.Skill, Result: text.Cut(f.String(), 300), Summary: text.Cut(f.String(), 120)})
	}
	if !over {
		s.begins(*rec)
		return
	}
	rec.State = review.Saved
	if len(left) > 0 {
		rec.State, rec.Error = review.Failed, text.Count(len(left), "point is", "points are")+" left to mend"
	}
	s.ends(*rec)
	l.record = review.Record{}
}

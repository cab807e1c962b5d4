package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/review"
	"hermes/core/text"
)

// newReviewer is the session's background learning.
func (s *Session) newReviewer() *review.Reviewer {
	a := s.app
	return review.New(s.life, review.Options{
		Home: a.Home, Ledger: a.Ledger, SessionID: s.ID, Settings: s.reviewSettings, Forker: forker{s}, Archive: past{a},
		Emit: func(e core.Event) { a.left.emit(s, e) }, Spent: s.learningSpent,
		Log: func(what string, err error) { a.Log.Warn("review", "what", what, "err", err) },
	})
}

// reviewSettings are today's settings, and which learning tools the session has.
func (s *Session) reviewSettings() review.Settings {
	c := s.app.Config()
	set := review.Settings{
		Enabled: c.Review.Enabled && !s.noReviews, MaxCalls: c.Review.MaxToolCalls, MaxInputTokens: int64(c.Review.MaxInputTokens), MaxCostPerDay: c.Review.MaxCostPerDay,
		MemoryEvery: c.Memory.NudgeInterval, SkillsEvery: c.Skills.CreationNudgeInterval, MemoryOff: true, SkillsOff: true,
	}
	for _, t := range s.ses.Prompt().Tools {
		switch t.Name {
		case "memory":
			set.MemoryOff = false
		case "skill_manage":
			set.SkillsOff = false
		}
	}
	return set
}

// learningSpent tells the screen what a request of learning cost; the record of the review keeps it.
func (s *Session) learningSpent(u core.Usage, c core.Cost) {
	s.learned(&core.UsageReported{Usage: u, Cost: c, Purpose: core.PurposeLearning, Side: "review"})
}

// Review starts a review because the person asked for one.
func (s *Session) Review(focus string) (id string, err error) { return s.reviewer.Ask(focus) }

// Reviewing tells whether a review runs or waits in this session.
func (s *Session) Reviewing() bool { return s.reviewer.Busy() }

// WaitReviews blocks until the reviews of this session are done, or ctx ends; it tells which.
func (s *Session) WaitReviews(ctx context.Context) bool { return s.reviewer.Wait(ctx) }

// ReviewPatience is how long a run from the shell waits for its review.
func (s *Session) ReviewPatience() time.Duration {
	return time.Duration(s.app.Config().Review.WaitSeconds) * time.Second
}

// ReviewDue tells whether the counters ask for a review and learning is on.
func (a *App) ReviewDue() bool {
	c := a.Config()
	n, err := a.Book.Counts()
	return err == nil && c.Review.Enabled && !n.Paused && !a.ActsAsAgent() && n.Due(c.Memory.NudgeInterval, c.Skills.CreationNudgeInterval) != ""
}

// CancelReview ends a review of this session, or one that goes on after its session was left; "" is any of
// this session.
func (s *Session) CancelReview(id string) bool { return s.reviewer.Cancel(id) || s.app.left.cancel(id) }

// StopReviews ends the reviews of this session because of why.
func (s *Session) StopReviews(ctx context.Context, why string) {
	ctx, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	s.reviewer.Close(ctx, why)
}

// past reads finished turns from the transcripts.
type past struct{ a *App }

// Of a digested turn, in code points.
const (
	pastUser   = 600
	pastAnswer = 700
	pastCall   = 160
)

// Digest tells a turn: what was asked, what was called and how it ended, the answer.
func (p past) Digest(_ context.Context, t review.TurnRef, limit int) (string, error) {
	tr, err := p.a.Sessions.Read(t.SessionID)
	if errors.Is(err, fs.ErrNotExist) || core.CodeOf(err) == core.CodeNotFound {
		return "", nil // deleted since
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## session %s, %s\n", t.SessionID, t.Time.Local().Format("2006-01-02"))
	empty := true
	for _, r := range tr.Records {
		if r.RunID != t.RunID || r.Type != core.RecordMessage || r.Message == nil || r.Message.Note {
			continue
		}
		m := r.Message
		empty = false
		switch m.Role {
		case core.RoleUser:
			b.WriteString("user: " + text.Cut(text.OneLine(m.Display()), pastUser) + "\n")
		case core.RoleAssistant:
			for _, c := range m.ToolCalls {
				b.WriteString("called " + c.Name + " " + text.Cut(text.OneLine(c.Arguments), pastCall) + "\n")
			}
			if len(m.ToolCalls) == 0 {
				b.WriteString("assistant: " + text.Cut(text.OneLine(m.Content), pastAnswer) + "\n")
			}
		case core.RoleTool:
			if r.OK != nil && !*r.OK {
				b.WriteString("  failed: " + text.Cut(text.OneLine(m.Content), pastCall) + "\n")
			}
		case core.RoleSystem:
		}
	}
	if empty {
		return "", nil
	}
	return text.Cut(b.String(), limit), nil
}

// UndoReview takes back what a review changed and what is still in force.
func (a *App) UndoReview(ctx context.Context, id string) (ledger.Entry, error) {
	rec, err := a.Reviews.Get(id)
	if err != nil {
		return ledger.Entry{}, err
	}
	if rec.Kind == review.KindCurator { // it changed states, too
		_, err := a.RollbackCurator(ctx, a.By(), rec.ID)
		return ledger.Entry{Subject: "curator"}, err
	}
	ids, err := a.Ledger.UndoIDs(ledger.Filter{ReviewID: rec.ID})
	if err != nil {
		return ledger.Entry{}, err
	}
	if len(ids) == 0 {
		return ledger.Entry{}, &core.Error{
			Code: core.CodeNotFound, Op: "undo review", Subject: rec.ID, Err: errors.New("nothing it changed is still in force"),
			Hint: "hermes reviews show " + rec.ID,
		}
	}
	return a.Undo(ctx, a.By(), ids...)
}

// ReviewChanges are the changes of a review in the ledger, oldest first.
func (a *App) ReviewChanges(id string) ([]ledger.Entry, error) {
	log, err := a.Ledger.Log(ledger.Filter{ReviewID: id})
	if err != nil {
		return nil, err
	}
	out := make([]ledger.Entry, 0, len(log))
	for i := len(log) - 1; i >= 0; i-- {
		out = append(out, log[i])
	}
	return out, nil
}

// ReviewNow reviews a session that is not open, and waits for the end. With due it does so only when the
// counters ask for it; the record is empty when they do not. watch hears what happens.
func (a *App) ReviewNow(ctx context.Context, session, focus string, due bool, watch func(core.Event)) (review.Record, error) {
	if _, err := os.Stat(a.Home.Sessions()); err != nil {
		return review.Record{}, &core.Error{Code: core.CodeNotFound, Op: "review", Err: errors.New("there are no sessions yet")}
	}
	s, err := a.OpenSession(ctx, SessionOptions{Resume: session, Unattended: true})
	if err != nil {
		return review.Record{}, err
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for {
			batch, ok := s.Feed.Next(context.WithoutCancel(ctx))
			if !ok {
				return
			}
			for _, e := range batch {
				watch(e)
			}
		}
	}()
	start := func() (string, error) { return s.Review(focus) }
	if due {
		start = s.reviewer.Due
	}
	id, err := start()
	if err == nil && !s.WaitReviews(ctx) {
		s.StopReviews(context.WithoutCancel(ctx), "it was interrupted")
	}
	err = errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	<-drained
	if err != nil || id == "" {
		return review.Record{}, err
	}
	return a.Reviews.Get(id)
}

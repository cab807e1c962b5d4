package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/tui/reviews"
)

// shownReviews is how many reviews the screen lists.
const shownReviews = 60

// learning shows the background reviews of the home and decides about what waits.
type learning struct{ s *Session }

// Sheet reads what waits and what ran.
func (l learning) Sheet(context.Context) (reviews.Sheet, error) {
	a := l.s.app
	var out reviews.Sheet
	var odd, problems []string
	var err error
	if out.Waiting, odd, err = a.Inbox.List(); err != nil {
		return out, err
	}
	if out.Records, problems, err = a.Reviews.List(shownReviews); err != nil {
		return out, err
	}
	for _, p := range append(odd, problems...) {
		a.Log.Warn("list reviews", "problem", p)
	}
	if out.Total, err = a.Reviews.Count(); err != nil {
		return out, err
	}
	if out.Standing, err = a.Ledger.Standing(ledger.Review); err != nil {
		return out, err
	}
	if out.Counts, err = a.Book.Counts(); err != nil {
		return out, err
	}
	out.Paused = out.Counts.Paused
	set := l.s.reviewSettings()
	if set.Enabled {
		if !set.MemoryOff {
			out.EveryTurns = set.MemoryEvery
		}
		if !set.SkillsOff {
			out.EverySteps = set.SkillsEvery
		}
	}
	out.Today, err = a.Book.SpentToday()
	return out, err
}

// Detail reads the changes of a review, or what a proposal changes now.
func (l learning) Detail(ctx context.Context, id string) (reviews.Detail, error) {
	a := l.s.app
	out := reviews.Detail{ID: id}
	if w, err := a.Inbox.Get(id); err == nil {
		diff, err := a.Inbox.Preview(ctx, w.ID)
		if out.Diff = diff; err != nil {
			out.Problem = err.Error()
		}
		return out, nil
	}
	changes, err := a.ReviewChanges(id)
	if err != nil {
		return out, err
	}
	alive, err := a.Ledger.UndoIDs(ledger.Filter{ReviewID: id})
	if err != nil {
		return out, err
	}
	stands := map[string]bool{}
	for _, id := range alive {
		stands[id] = true
	}
	for _, e := range changes {
		if len(e.Undoes) > 0 {
			continue // it takes back what is listed
		}
		diff, err := a.Ledger.DiffEntry(e)
		if err != nil {
			diff = err.Error()
		}
		out.Changes = append(out.Changes, reviews.Change{Entry: e, Diff: diff, Undone: !stands[e.ID]})
	}
	return out, nil
}

// Accept makes the change of a proposal.
func (l learning) Accept(ctx context.Context, id string) (string, error) {
	done, err := l.s.app.Inbox.Accept(ctx, id, nil)
	return fmt.Sprintf("accepted: %s %s", done.Proposal.Action, done.Proposal.Subject), err
}

// Edit replaces the arguments of a proposal.
func (l learning) Edit(ctx context.Context, id string, arguments json.RawMessage) error {
	_, err := l.s.app.Inbox.Edit(ctx, id, arguments)
	return err
}

// Move makes a proposal for one store of memory one for the other.
func (l learning) Move(ctx context.Context, id string) error {
	w, err := l.s.app.Inbox.Get(id)
	if err != nil {
		return err
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(w.Arguments, &args); err != nil || w.Store != core.StoreMemory {
		return &core.Error{Code: core.CodeUsage, Op: "move proposal", Subject: id, Err: errors.New("only a fact can move to the other store")}
	}
	to := memory.User
	if w.Subject == memory.User.Subject() {
		to = memory.Memory
	}
	args["target"], _ = json.Marshal(to) // a word
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	_, err = l.s.app.Inbox.Retarget(ctx, id, raw, to.Subject())
	return err
}

// Reject takes a proposal off the list.
func (l learning) Reject(ctx context.Context, id string) error {
	_, err := l.s.app.Inbox.Reject(ctx, id, "")
	return err
}

// Undo takes changes back, merged with later ones where they do not overlap.
func (l learning) Undo(ctx context.Context, ids []string) (string, error) {
	by := ledger.Change{Actor: ledger.You, SessionID: l.s.ID()}
	if run := l.s.app.curatorRun(ids); run != "" {
		r, err := l.s.app.RollbackCurator(ctx, by, run)
		return "taken back: " + r.Summary(), err
	}
	e, err := l.s.app.Undo(ctx, by, ids...)
	said := "taken back"
	if l.s.app.byAgents(ids) {
		said += ", and remembered"
	}
	if e.Merged {
		said += "; later changes beside it were kept"
	}
	return said, err
}

// Run starts a review of this session.
func (l learning) Run(_ context.Context, focus string) error {
	if len(l.s.ses.Messages()) == 0 {
		return &core.Error{Code: core.CodeUsage, Op: "review", Err: errors.New("nothing was said in this session yet"), Hint: "send a message first"}
	}
	_, err := l.s.Review(focus)
	return err
}

// Cancel ends a review of this session.
func (l learning) Cancel(_ context.Context, id string) error {
	if l.s.CancelReview(id) {
		return nil
	}
	return &core.Error{Code: core.CodeNotFound, Op: "cancel review", Subject: id, Err: errors.New("it does not run in this session"), Hint: "cancel it in the program that runs it"}
}

// Pause stops learning, or lets it go on.
func (l learning) Pause(ctx context.Context, pause bool) error { return l.s.app.Book.Pause(ctx, pause) }

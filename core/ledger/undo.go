package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes/core"
)

// Subject is the owner of one kind of learned thing. It lets the ledger undo without knowing what the
// files mean.
type Subject interface {
	// Kind is what its subjects begin with, before the colon: "memory".
	Kind() string
	// Lock takes the owner's own locks for these subjects; unlock frees them.
	Lock(ctx context.Context, subjects []string) (unlock func() error, err error)
	// Revert stages in tx what takes e back; e holds only what is of this kind. merged says that later
	// changes were kept beside it. It fails with a *ConflictError when later changes overlap.
	Revert(tx *Tx, e Entry) (merged bool, err error)
	// Parts tells which parts differ between two versions of a file of subject; nil is no file.
	Parts(subject string, before, after []byte) []Part
}

// ConflictError says why a change cannot be taken back.
type ConflictError struct {
	ID     string   // the change
	Path   string   // where
	Reason string   // one sentence
	Later  []string // ids of the later changes that stand in the way, newest first
}

// Error names the place and the reason.
func (c *ConflictError) Error() string {
	s := c.Reason
	if c.Path != "" {
		s = c.Path + ": " + s
	}
	if len(c.Later) > 0 {
		s += " (later changes: " + strings.Join(c.Later, ", ") + ")"
	}
	return s
}

// Verdict says how a change can be taken back.
type Verdict string

// The verdicts.
const (
	Clean     Verdict = "clean"    // nothing came after it
	Merged    Verdict = "merge"    // later changes elsewhere stay
	Conflicts Verdict = "conflict" // later changes overlap
)

// Step is one change of a plan to undo.
type Step struct {
	Entry   Entry   `json:"change"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"`
}

// Plan is what an undo would do, newest change first.
type Plan struct {
	Steps []Step `json:"steps"`
	// Verdict is the worst of the steps.
	Verdict Verdict `json:"verdict"`
}

// errPlanned ends a transaction that was only a rehearsal.
var errPlanned = errors.New("planned")

// PlanUndo tells whether the changes can be taken back together. It changes nothing.
func (l *Ledger) PlanUndo(ctx context.Context, ids ...string) (Plan, error) {
	entries, err := l.undoable(ids)
	if err != nil {
		return Plan{}, err
	}
	var p Plan
	err = l.underLocks(ctx, entries, Change{Actor: You, Action: "undo", Subject: entries[0].Subject}, func(tx *Tx) error {
		p = l.revertEach(tx, entries)
		return errPlanned
	})
	if !errors.Is(err, errPlanned) {
		return Plan{}, err
	}
	return p, nil
}

// Undo takes the changes back as one change by c's actor (its action, subject and reason may be left
// empty). All or none: an overlap with later changes is refused with a *ConflictError, and a need to merge is
// refused unless merge allows it.
func (l *Ledger) Undo(ctx context.Context, c Change, merge bool, ids ...string) (Entry, error) {
	entries, err := l.undoable(ids)
	if err != nil {
		return Entry{}, err
	}
	if c.Subject == "" {
		c.Subject = entries[0].Subject
	}
	if c.Action == "" {
		c.Action = "undo"
	}
	if c.Reason == "" {
		c.Reason = undoReason(entries)
	}
	var done Entry
	merged := false
	err = l.underLocks(ctx, entries, c, func(tx *Tx) error {
		p := l.revertEach(tx, entries)
		merged = p.Verdict == Merged
		for _, s := range p.Steps {
			switch {
			case s.Verdict == Conflicts:
				return refused(s, "Undo the later changes first, or edit by hand.")
			case s.Verdict == Merged && !merge:
				return refused(s, "Undo the later changes first, or together with it.")
			}
			tx.undoes = append(tx.undoes, s.Entry.ID)
		}
		return nil
	}, &done)
	done.Merged = err == nil && merged
	return done, err
}

func refused(s Step, hint string) error {
	c := &ConflictError{ID: s.Entry.ID, Reason: s.Reason}
	if s.Reason == "" {
		c.Reason = "later changes of " + s.Entry.Subject + " would have to be merged"
	}
	return &core.Error{Code: core.CodeDenied, Op: "undo", Subject: s.Entry.ID, Err: c, Hint: hint}
}

func undoReason(entries []Entry) string {
	if len(entries) == 1 {
		return "undo of " + entries[0].Action
	}
	return fmt.Sprintf("undo of %d changes", len(entries))
}

// Standing counts, by review, the changes by actor that no undo took back.
func (l *Ledger) Standing(actor Actor) (map[string]int, error) {
	all, err := l.Log(Filter{Actor: actor})
	if err != nil {
		return nil, err
	}
	gone, err := l.undone()
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, e := range all {
		if e.ReviewID != "" && !gone[e.ID] && len(e.Undoes) == 0 {
			out[e.ReviewID]++
		}
	}
	return out, nil
}

// UndoIDs lists what of a session or a review is still in force, newest first.
func (l *Ledger) UndoIDs(f Filter) ([]string, error) {
	all, err := l.Log(f)
	if err != nil {
		return nil, err
	}
	gone, err := l.undone()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range all {
		if !gone[e.ID] && len(e.Undoes) == 0 && e.Actor != Outside {
			out = append(out, e.ID)
		}
	}
	return out, nil
}

// undone lists the changes that a later change took back, which itself still stands.
func (l *Ledger) undone() (map[string]bool, error) {
	all, err := l.Log(Filter{})
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, e := range all { // newest first: an undo that was undone no longer counts
		if gone[e.ID] {
			continue
		}
		for _, id := range e.Undoes {
			gone[id] = true
		}
	}
	return gone, nil
}

// undoable finds the changes, newest first, and refuses what cannot be undone at all.
func (l *Ledger) undoable(ids []string) ([]Entry, error) {
	if len(ids) == 0 {
		return nil, &core.Error{Code: core.CodeNotFound, Op: "undo", Err: errors.New("there is nothing to undo")}
	}
	gone, err := l.undone()
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, id := range ids {
		e, err := l.Entry(id)
		if err != nil {
			return nil, err
		}
		why := ""
		switch {
		case e.State != Done:
			why = "it never took place"
		case gone[e.ID]:
			why = "it was undone already"
		case e.Action == "found" && e.Actor == Outside:
			why = "what was there before is not known"
		}
		if why != "" {
			return nil, &core.Error{Code: core.CodeDenied, Op: "undo", Subject: e.ID, Err: &ConflictError{ID: e.ID, Reason: why}}
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(b.ID, a.ID) })
	return slices.CompactFunc(out, func(a, b Entry) bool { return a.ID == b.ID }), nil
}

// underLocks runs one change under the locks of all owners concerned, in their order.
func (l *Ledger) underLocks(ctx context.Context, entries []Entry, c Change, f func(tx *Tx) error, done ...*Entry) (err error) {
	var all []string
	for _, e := range entries {
		all = append(all, e.Subjects()...)
	}
	for _, s := range all {
		if l.subject(kindOf(s)) == nil {
			return &core.Error{Code: core.CodeInternal, Op: "undo", Subject: s, Err: errors.New("nobody owns this kind")}
		}
	}
	for _, owner := range l.subjects {
		var mine []string
		for _, s := range all {
			if kindOf(s) == owner.Kind() && !slices.Contains(mine, s) {
				mine = append(mine, s)
			}
		}
		if len(mine) == 0 {
			continue
		}
		unlock, err := owner.Lock(ctx, mine)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	e, err := l.Apply(ctx, c, f)
	if len(done) > 0 {
		*done[0] = e
	}
	return err
}

// revertEach stages the reversal of each change on top of the ones before. After a conflict the rest is
// still judged, as far as that is possible.
func (l *Ledger) revertEach(tx *Tx, entries []Entry) Plan {
	p := Plan{Verdict: Clean}
	for _, e := range entries {
		s := Step{Entry: e, Verdict: Clean}
		for _, owner := range l.subjects {
			mine := e.Of(owner.Kind())
			if len(mine.Files) == 0 {
				continue
			}
			tx.On(e.Subject)
			merged, err := owner.Revert(tx, mine)
			switch {
			case err != nil:
				s.Verdict, s.Reason = Conflicts, err.Error()
			case merged && s.Verdict == Clean:
				s.Verdict = Merged
			}
		}
		if s.Verdict == Conflicts || p.Verdict == Clean {
			p.Verdict = s.Verdict
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

func (l *Ledger) subject(kind string) Subject {
	for _, s := range l.subjects {
		if s.Kind() == kind {
			return s
		}
	}
	return nil
}

// RevertFiles is the Revert of owners whose files are plain text: each file goes back to what it was,
// later changes of other lines are merged.
func RevertFiles(tx *Tx, e Entry) (merged bool, err error) {
	for _, f := range slices.Backward(e.Files) {
		tx.On(f.subject(e))
		m, err := tx.revert(e, f)
		if err != nil {
			return merged, err
		}
		merged = merged || m
	}
	return merged, nil
}

func (t *Tx) revert(e Entry, f FileChange) (merged bool, err error) {
	path := t.l.Path(f.Path)
	conflict := func(reason string) error {
		return &ConflictError{ID: e.ID, Path: f.Path, Reason: reason, Later: t.l.later(e.ID, f.Path)}
	}
	if f.Op == OpMove {
		from := t.l.Path(f.From)
		if !t.Exists(path) || t.Exists(from) {
			return false, conflict("it was moved or replaced again")
		}
		return false, t.move(path, from, t.l.Path(f.Made))
	}
	now, err := t.Read(path)
	gone := errors.Is(err, fs.ErrNotExist)
	if err != nil && !gone {
		return false, err
	}
	var before []byte
	if f.Before != "" {
		if before, err = t.l.Blob(f.Before); err != nil {
			return false, conflict("the version before is no longer kept")
		}
	}
	switch hash := Hash(now); {
	case f.Link != "":
		return false, conflict("it was a link, which is not put back")
	case gone && f.Op == OpWrite:
		return false, conflict("it was removed or moved since")
	case gone || hash == f.After && f.Before != "":
		return false, t.Write(path, before, fs.FileMode(f.Mode))
	case hash == f.Before:
		return false, nil
	case f.Op == OpRemove:
		return false, conflict("something else stands there now")
	case hash == f.After:
		return false, t.remove(path, t.l.Path(f.Made))
	}
	return t.revertLines(f, now, before, conflict)
}

// revertLines takes f's lines out of a file that was changed again.
func (t *Tx) revertLines(f FileChange, now, before []byte, conflict func(string) error) (bool, error) {
	after, err := t.l.Blob(f.After)
	if err != nil {
		return false, conflict("the version after it is no longer kept")
	}
	if f.Before == "" || !utf8.Valid(now) || !utf8.Valid(before) || !utf8.Valid(after) {
		return false, conflict("it was changed since")
	}
	text, ok := Merge3(string(after), string(now), string(before))
	if !ok {
		return false, conflict("later changes touch the same lines")
	}
	return true, t.Write(t.l.Path(f.Path), []byte(text), fs.FileMode(f.Mode))
}

// later lists the changes after id that touch name, newest first.
func (l *Ledger) later(id, name string) []string {
	var out []string
	for _, e := range slices.Backward(l.index.all()) {
		if e.ID > id && e.State == Done && e.touches(name) {
			out = append(out, e.ID)
		}
	}
	return out
}

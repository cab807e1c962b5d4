package memory

import (
	"context"
	"fmt"
	"os"
	"slices"

	"hermes/core/ledger"
	"hermes/core/text"
)

// subject lets the ledger undo changes of memory, entry by entry.
type subject struct{ s *Store }

var _ ledger.Subject = subject{}

// Subject is the store's part in the ledger: register it there.
func (s *Store) Subject() ledger.Subject { return subject{s} }

// Kind is what the subjects of memory begin with.
func (subject) Kind() string { return kind }

// Lock takes the locks of the files concerned.
func (u subject) Lock(ctx context.Context, subjects []string) (func() error, error) {
	var targets []Target
	for _, t := range Targets() {
		if slices.Contains(subjects, t.Subject()) {
			targets = append(targets, t)
		}
	}
	return u.s.lock(ctx, targets)
}

// Parts tells which entries differ between two versions. Where one took the place of another that says
// nearly the same it counts as a replacement.
func (subject) Parts(_ string, before, after []byte) []ledger.Part {
	old, _, _ := parse(before) // what is not UTF-8 has no entries
	now, _, _ := parse(after)
	was := map[string]string{}
	had, has := ids(old), ids(now)
	for _, e := range now {
		if had[ID(e)] {
			continue
		}
		best, score := "", 0.4
		for _, o := range old {
			if d := text.Dice(text.Words(e), text.Words(o)); !has[ID(o)] && d > score {
				best, score = ID(o), d
			}
		}
		was[ID(e)] = best
	}
	return parts(old, now, was)
}

// Revert takes a change back. When nothing came after it the file gets its old bytes; otherwise each
// entry it touched is put right on its own, and an entry that was changed again is a conflict.
func (u subject) Revert(tx *ledger.Tx, e ledger.Entry) (merged bool, err error) {
	for _, t := range Targets() {
		for _, f := range e.Files {
			if u.s.opts.Ledger.Path(f.Path) != u.s.Path(t) {
				continue
			}
			m, err := u.revert(tx, t, e, f)
			if err != nil {
				return merged, err
			}
			merged = merged || m
		}
	}
	return merged, nil
}

func (u subject) revert(tx *ledger.Tx, t Target, e ledger.Entry, f ledger.FileChange) (merged bool, err error) {
	st, err := u.s.readTx(tx, t)
	if err != nil {
		return false, err
	}
	tx.On(t.Subject())
	now := ""
	if st.raw != nil {
		now = ledger.Hash(st.raw)
	}
	if now == f.After {
		return false, u.restore(tx, t, e, f, st)
	}
	r := reversal{
		id: e.ID, file: t.File(), now: slices.Clone(st.entries),
		before: u.s.versions(e, t, false), after: u.s.versions(e, t, true),
	}
	var mine []ledger.Part
	for _, p := range e.Parts {
		if p.Subject == t.Subject() || p.Subject == "" && e.Subject == t.Subject() {
			mine = append(mine, p)
		}
	}
	if len(mine) == 0 {
		return false, r.conflict("the order of entries was changed again")
	}
	for _, p := range slices.Backward(mine) {
		if err := r.part(p); err != nil {
			return false, err
		}
	}
	if used := size(r.now); used > u.s.Limit(t) && used > size(st.entries) {
		return false, r.conflict(fmt.Sprintf("what it removed does not fit any more (%s characters)", usage(used, u.s.Limit(t))))
	}
	var out Outcome
	return true, u.s.put(tx, t, st, r.now, r.was, &out)
}

// restore gives the file the bytes it had.
func (u subject) restore(tx *ledger.Tx, t Target, e ledger.Entry, f ledger.FileChange, st state) error {
	if f.Before == "" {
		for _, p := range parts(st.entries, nil, nil) {
			tx.Part(p.Key, p.Was)
		}
		return tx.Remove(u.s.Path(t))
	}
	raw, err := u.s.opts.Ledger.Blob(f.Before)
	if err != nil {
		return &ledger.ConflictError{ID: e.ID, Path: t.File(), Reason: "the version before is no longer kept"}
	}
	old, _, _ := parse(raw) // a file that was not UTF-8 goes back as it was
	was := map[string]string{}
	for _, p := range e.Parts {
		was[p.Was] = p.Key
	}
	for _, p := range parts(st.entries, old, was) {
		tx.Part(p.Key, p.Was)
	}
	return tx.Write(u.s.Path(t), raw, os.FileMode(0o600))
}

// reversal takes single parts of a change out of a file that went on.
type reversal struct {
	id, file           string
	now, before, after []string
	was                map[string]string
}

func (r *reversal) conflict(reason string) error {
	return &ledger.ConflictError{ID: r.id, Path: r.file, Reason: reason}
}

func (r *reversal) part(p ledger.Part) error {
	at := find(r.now, p.Key)
	if p.Key != "" && at < 0 {
		return r.conflict(fmt.Sprintf("entry %s, which it wrote, was changed or removed since", p.Key))
	}
	if p.Was == "" { // it was added
		r.now = slices.Delete(r.now, at, at+1)
		return nil
	}
	i := find(r.before, p.Was)
	if i < 0 {
		return r.conflict("the version before is no longer kept")
	}
	old := r.before[i]
	there := slices.Contains(r.now, old)
	switch {
	case p.Key == "" && there:
	case p.Key == "":
		r.now = slices.Insert(r.now, behind(r.now, r.before, i), old)
	case there:
		r.now = slices.Delete(r.now, at, at+1)
	default:
		if r.was == nil {
			r.was = map[string]string{}
		}
		r.now[at] = old
		r.was[p.Was] = p.Key
	}
	return nil
}

package memory

import (
	"context"
	"fmt"
	"slices"

	"hermes/core/ledger"
)

// Draft is what a person wants both stores to become; a nil sheet stays as it is. Moving or merging
// between stores needs both sheets.
type Draft struct {
	Memory *DraftSheet
	User   *DraftSheet
}

// DraftSheet is one store of a draft.
type DraftSheet struct {
	Base  []string    // ids as the person saw them, in order
	Items []DraftItem // as it shall be, in order
}

// DraftItem is one entry of a draft: an entry kept or moved here (ID), or new text (Text) that replaces
// the entries From, of either store. From is empty for an entirely new entry.
type DraftItem struct {
	ID   string
	Text string
	From []string
}

// Tidied is what Tidy did to both stores.
type Tidied struct {
	LedgerID string
	Memory   Outcome
	User     Outcome
	// Kept counts entries that others added meanwhile; Gone those that others removed.
	Kept, Gone int
}

func (d Draft) sheet(t Target) *DraftSheet {
	if t == User {
		return d.User
	}
	return d.Memory
}

// Tidy writes a draft of both stores as one change. What others changed since the person looked is kept:
// their new entries stay where they stand among the others, what they removed stays removed. Where the draft edits or merges an
// entry that is not there any more it is refused as stale, with the present entries, and nothing is
// written. The texts obey the same rules as any other.
func (s *Store) Tidy(ctx context.Context, by ledger.Change, d Draft) (Tidied, error) {
	var targets []Target
	for _, t := range Targets() {
		if d.sheet(t) == nil {
			continue
		}
		if err := s.usable(t); err != nil {
			return Tidied{}, err
		}
		for i, item := range d.sheet(t).Items {
			if item.ID != "" {
				continue
			}
			if r := check(t, Normalise(item.Text)); r != nil {
				r.Op = i + 1
				r.Message = fmt.Sprintf("Entry %d of %s: %s Nothing was changed.", i+1, t.File(), r.Message)
				return Tidied{}, r
			}
		}
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		return Tidied{}, &RefusedError{Code: RefusedBatch, Message: "There is nothing to change."}
	}
	by.Subject, by.Action = targets[0].Subject(), "tidy"
	if by.Reason == "" {
		by.Reason = "memory clean-up"
	}
	var out Tidied
	err := s.locked(ctx, targets, func() error {
		e, err := s.opts.Ledger.Apply(ctx, by, func(tx *ledger.Tx) error {
			out = Tidied{}
			return s.stageDraft(tx, d, targets, &out)
		})
		out.LedgerID = e.ID
		return err
	})
	if err != nil {
		return Tidied{}, err
	}
	for _, o := range []*Outcome{&out.Memory, &out.User} {
		if o.Target != "" {
			o.LedgerID = out.LedgerID
			s.emit(by, *o, "tidy")
		}
	}
	return out, nil
}

func (s *Store) stageDraft(tx *ledger.Tx, d Draft, targets []Target, out *Tidied) error {
	m := merge{states: map[Target]state{}, texts: map[string]string{}, claimed: map[string]bool{}}
	for _, t := range targets {
		st, err := s.readTx(tx, t)
		if err != nil {
			return err
		}
		m.states[t] = st
		for _, e := range st.entries {
			m.texts[ID(e)] = e
		}
		for _, item := range d.sheet(t).Items {
			m.claimed[item.ID] = true
			for _, id := range item.From {
				m.claimed[id] = true
			}
		}
	}
	for _, t := range targets {
		now, was, r := m.list(t, *d.sheet(t), out)
		if r != nil {
			return r
		}
		st := m.states[t]
		o := Outcome{Target: t, Used: size(now), Limit: s.Limit(t), Entries: len(now)}
		if o.Used > o.Limit && o.Used > size(st.entries) {
			return s.overflow(t, st.entries, o.Used, make([]Op, 2))
		}
		if err := s.put(tx, t, st, now, was, &o); err != nil {
			return err
		}
		o.Message = fmt.Sprintf("%s now holds %s.", t.File(), Usage(o.Used, o.Limit))
		if t == User {
			out.User = o
		} else {
			out.Memory = o
		}
	}
	return nil
}

// merge brings a draft together with what stands on the disk.
type merge struct {
	states  map[Target]state
	texts   map[string]string // id → text, of all stores of the draft
	claimed map[string]bool   // ids the draft still uses somewhere
}

// list is the new content of one store.
func (m merge) list(t Target, d DraftSheet, out *Tidied) (now []string, was map[string]string, r *RefusedError) {
	was = map[string]string{}
	put := func(e string) {
		if !slices.Contains(now, e) {
			now = append(now, e)
		}
	}
	for _, item := range d.Items {
		if item.ID != "" {
			if e, ok := m.texts[item.ID]; ok {
				put(e)
			} else {
				out.Gone++ // removed by somebody else: it stays removed
			}
			continue
		}
		for _, id := range item.From {
			if _, ok := m.texts[id]; !ok {
				return nil, nil, &RefusedError{
					Code: RefusedStale, Target: t, Entries: m.states[t].entries, Used: size(m.states[t].entries),
					Message: fmt.Sprintf("Entry %s, which this edits, was changed or removed meanwhile. Nothing was changed.", id),
					Hint:    "Look at the present entries and decide again.",
				}
			}
		}
		e := Normalise(item.Text)
		put(e)
		if len(item.From) > 0 {
			was[ID(e)] = item.From[0]
		}
	}
	disk := m.states[t].entries
	known := func(e string) bool { return slices.Contains(d.Base, ID(e)) || m.claimed[ID(e)] }
	for i, e := range disk {
		if known(e) {
			continue
		}
		out.Kept++ // added by somebody else
		switch {
		case slices.Contains(now, e):
		case !slices.ContainsFunc(disk[i:], known): // at the end, whatever the draft made of the order before it
			now = append(now, e)
		default:
			now = slices.Insert(now, behind(now, disk, i), e)
		}
	}
	return now, was, nil
}

// behind is where the entry at i of old belongs in now: behind the nearest entry before it that is there too;
// at the top when none is, and it was the first.
func behind(now, old []string, i int) int {
	for j := i - 1; j >= 0; j-- {
		if at := slices.Index(now, old[j]); at >= 0 {
			return at + 1
		}
	}
	if i == 0 {
		return 0
	}
	return len(now)
}

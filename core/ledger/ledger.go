package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
)

// Ledger is the journal and blobs of one home. It is safe for concurrent use, also by several
// processes.
type Ledger struct {
	home     home.Home
	now      func() time.Time
	turn     chan struct{} // one change at a time in this process; queueing is fairer than polling the lock
	index    index
	subjects []Subject
	changed  []func(Entry)
	step     func(name string) // tests stop the process here; nil otherwise
}

// New returns the ledger of h. It reads and creates nothing. Register subjects and listeners before
// first use.
func New(h home.Home) *Ledger {
	return &Ledger{home: h, now: time.Now, turn: make(chan struct{}, 1)}
}

// Register adds the owners of subjects, in lock order: the locks of the first are taken first.
func (l *Ledger) Register(s ...Subject) { l.subjects = append(l.subjects, s...) }

// OnChange adds a listener that hears of each finished change of this process, after the locks are
// released by the ledger; the owner's locks may still be held, so it must not change anything itself.
func (l *Ledger) OnChange(f func(Entry)) { l.changed = append(l.changed, f) }

// Open settles what a crash left behind. It waits for the lock only when there is something to settle.
func (l *Ledger) Open(ctx context.Context) error {
	if err := l.index.refresh(l.home.Ledger()); err != nil {
		return err
	}
	if len(l.index.openEntries()) == 0 && !exists(filepath.Join(l.blobs(), unfinished)) {
		return nil
	}
	return l.locked(ctx, func() error { return nil })
}

// Apply makes one change. f stages what shall happen with tx and may read through it; nothing reaches
// the disk before f has returned nil. Then all of it happens, or none. The result is the change as
// recorded; its ID is empty when f staged nothing that differs from what is there. f runs under the
// ledger's lock, so it must be quick, and must not use the ledger except through tx. Once the intent is
// written the end of ctx stops nothing any more.
func (l *Ledger) Apply(ctx context.Context, c Change, f func(tx *Tx) error) (Entry, error) {
	if err := c.check(); err != nil {
		return Entry{}, err
	}
	var e Entry
	err := l.locked(ctx, func() error {
		tx := newTx(l, c)
		if err := f(tx); err != nil {
			return err
		}
		tx.closed = true
		if err := ctx.Err(); err != nil {
			return &core.Error{Code: core.CodeInterrupted, Op: "change " + c.Subject, Err: err}
		}
		var err error
		e, err = l.commit(tx)
		return err
	})
	if err != nil {
		return Entry{}, err
	}
	l.tell(e)
	return e, nil
}

func (l *Ledger) tell(e Entry) {
	if e.ID == "" {
		return
	}
	for _, f := range l.changed {
		f(e)
	}
}

func (c Change) check() error {
	if c.Actor == "" || c.Action == "" || !strings.Contains(c.Subject, ":") {
		return &core.Error{Op: "change " + c.Subject, Err: errors.New("actor, action and subject (kind:name) are required")}
	}
	return nil
}

// locked runs f under the ledger's lock, with the index up to date and nothing left half done.
func (l *Ledger) locked(ctx context.Context, f func() error) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return &core.Error{Code: core.CodeInterrupted, Op: "wait for the ledger", Err: ctx.Err()}
	}
	defer func() { <-l.turn }()
	if err := home.EnsureDir(l.blobs()); err != nil {
		return err
	}
	return withLock(ctx, filepath.Join(l.home.Ledger(), ".lock"), func() error {
		l.at("locked")
		_ = os.Remove(filepath.Join(l.blobs(), unfinished)) // of a writer that died: only rubbish
		if err := l.index.refresh(l.home.Ledger()); err != nil {
			return err
		}
		if v := l.index.version(); v > Version {
			return &core.Error{
				Code: core.CodeConfig, Op: "change the ledger", Subject: l.home.Ledger(),
				Err:  fmt.Errorf("its journal has version %d, this program writes version %d", v, Version),
				Hint: "Update hermes; until then learned state can be read and not changed.",
			}
		}
		if err := l.recover(); err != nil {
			return err
		}
		return f()
	})
}

// at is a place where tests may end the process.
func (l *Ledger) at(step string) {
	if l.step != nil {
		l.step(step)
	}
}

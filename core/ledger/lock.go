package ledger

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"hermes/core"
	"hermes/core/home"
)

// Lock takes the lock in path like home.Lock, but asks more often and at odd moments: learned files are
// held for milliseconds only, and a busy writer that takes its lock again at once must not starve those
// who wait. It waits until ctx ends or home.LockWait has passed.
func Lock(ctx context.Context, path string) (*home.FileLock, error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for end := time.Now().Add(home.LockWait); ; {
		select {
		case <-ctx.Done():
			return nil, &core.Error{Code: core.CodeInterrupted, Op: "lock", Subject: path, Err: ctx.Err()}
		case <-timer.C:
		}
		l, err := home.TryLock(path)
		if err == nil || core.CodeOf(err) != core.CodeBusy || time.Now().After(end) {
			return l, err
		}
		timer.Reset(time.Duration(200+rand.IntN(2800)) * time.Microsecond)
	}
}

// withLock runs f while holding the lock in path.
func withLock(ctx context.Context, path string, f func() error) (err error) {
	l, err := Lock(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	return f()
}

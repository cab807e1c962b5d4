package home

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"hermes/core"

	"github.com/gofrs/flock"
)

const (
	// LockWait is how long Lock waits when its context has no earlier end.
	LockWait = 10 * time.Second

	lockPoll = 20 * time.Millisecond
)

// FileLock is a lock between processes (and between holders in one process), tied to a lock file.
// The file stays after Unlock: removing it would let two holders lock different files.
type FileLock struct {
	fl   *flock.Flock
	path string
}

// Lock takes the exclusive lock in path, waiting until ctx ends or LockWait has passed; then the
// error has core.CodeBusy and names the holder when it is known. The folder must exist.
func Lock(ctx context.Context, path string) (*FileLock, error) {
	wait, cancel := context.WithTimeout(ctx, LockWait)
	defer cancel()
	fl := newFlock(path)
	ok, err := fl.TryLockContext(wait, lockPoll)
	switch {
	case ok:
		return locked(fl, path), nil
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, &core.Error{Code: core.CodeInterrupted, Op: "lock", Subject: path, Err: ctx.Err()}
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		return nil, pathError("lock", path, err)
	}
	return nil, busy(path)
}

// TryLock takes the lock in path at once or fails with core.CodeBusy.
func TryLock(path string) (*FileLock, error) {
	fl := newFlock(path)
	ok, err := fl.TryLock()
	if err != nil {
		return nil, pathError("lock", path, err)
	}
	if !ok {
		return nil, busy(path)
	}
	return locked(fl, path), nil
}

// Unlock frees the lock. Calling it again does nothing.
func (l *FileLock) Unlock() error {
	if l.fl.Locked() {
		noteHolder(l.path, "")
	}
	if err := l.fl.Unlock(); err != nil {
		return pathError("unlock", l.path, err)
	}
	return nil
}

// WithLock runs f while holding the lock in path.
func WithLock(ctx context.Context, path string, f func() error) (err error) {
	l, err := Lock(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	return f()
}

func newFlock(path string) *flock.Flock {
	return flock.New(path, flock.SetPermissions(FileMode))
}

func locked(fl *flock.Flock, path string) *FileLock {
	noteHolder(path, strconv.Itoa(os.Getpid())+"\n")
	return &FileLock{fl: fl, path: path}
}

// noteHolder leaves the process id in the lock file, for the words of busy only: a courtesy that may
// fail (on Windows the locked range cannot be written). Lock files that other programs gave a
// content of their own are left alone.
func noteHolder(path, text string) {
	if !hasModes {
		return
	}
	old, err := os.ReadFile(path)
	if err != nil || len(old) > 32 || strings.Trim(string(old), "0123456789\n") != "" {
		return
	}
	_ = os.WriteFile(path, []byte(text), FileMode)
}

func busy(path string) error {
	e := &core.Error{
		Code: core.CodeBusy, Op: "lock", Subject: path, Err: errors.New("held by another process"),
		Hint: "Wait until the other hermes is done, or close it.",
	}
	b, err := os.ReadFile(path)
	pid, perr := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || perr != nil {
		return e
	}
	if pid == os.Getpid() {
		e.Err = errors.New("held by this process")
		return e
	}
	e.Err = fmt.Errorf("held by process %d", pid)
	e.Hint = fmt.Sprintf("Wait until process %d is done, or close it.", pid)
	return e
}

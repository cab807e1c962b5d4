package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/home"
)

const (
	// strayDays is how long the draft of a session in which nothing was ever said waits for a new one.
	strayDays = 7 * 24 * time.Hour
	lockEnd   = ".lock"
)

// drafts are unsent texts, one file a session. While a workspace has one it holds a lock beside it, so
// that no other takes it for a text whose window was closed.
type drafts struct {
	uiFiles

	mu   sync.Mutex // guards lock
	lock *home.FileLock
}

// Load returns the draft of a session. A new session gets the text that an earlier one was left with
// before anything was said in it: nothing else would ever lead back to that.
func (d *drafts) Load(_ context.Context, id string) (string, error) {
	path := d.app.Home.Draft(id)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if d.app.invitation != "" || d.begun(id) || !d.takeStray(id) {
			return d.app.invitation, nil
		}
		b, err = os.ReadFile(path)
	}
	if err != nil {
		return "", &core.Error{Op: "read draft", Subject: path, Err: err}
	}
	d.hold(id)
	return string(b), nil
}

// Save stores the draft; "" removes it.
func (d *drafts) Save(_ context.Context, id, text string) error {
	path := d.app.Home.Draft(id)
	if text == "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &core.Error{Op: "remove draft", Subject: path, Err: err}
		}
		return nil
	}
	if err := d.ready(filepath.Dir(path)); err != nil {
		return err
	}
	d.hold(id)
	return home.WriteFile(path, []byte(d.app.Redactor().Redact(text)), home.FileMode)
}

// hold marks the draft as one that somebody has before their eyes. Without the mark it would still be kept.
func (d *drafts) hold(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		if lock, err := home.TryLock(d.app.Home.Draft(id) + lockEnd); err == nil {
			d.lock = lock
		}
	}
}

// close gives the mark back and then closes the session.
func (d *drafts) close(id string, then func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		d.mu.Lock()
		if d.lock != nil {
			_ = d.lock.Unlock() // it ends with the process in any case
			_ = os.Remove(d.app.Home.Draft(id) + lockEnd)
			d.lock = nil
		}
		d.mu.Unlock()
		return then(ctx)
	}
}

// begun tells whether session id has a transcript.
func (d *drafts) begun(id string) bool {
	_, err := os.Stat(d.app.Home.Transcript(id))
	return err == nil
}

// takeStray gives id the newest draft that leads nowhere, and tells whether there was one.
func (d *drafts) takeStray(id string) bool {
	dir := filepath.Dir(d.app.Home.Draft(id))
	for _, name := range d.strays(dir) {
		lock, err := home.TryLock(filepath.Join(dir, name+lockEnd))
		if err != nil {
			continue // another window has it
		}
		err = os.Rename(filepath.Join(dir, name), filepath.Join(dir, id))
		_ = lock.Unlock()
		_ = os.Remove(filepath.Join(dir, name+lockEnd))
		if err == nil {
			return true
		}
	}
	return false
}

// strays are the drafts in dir of sessions in which nothing was said, the newest first.
func (d *drafts) strays(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	type stray struct {
		name string
		at   time.Time
	}
	var found []stray
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil || !fi.Mode().IsRegular() || strings.HasSuffix(e.Name(), lockEnd) || d.begun(e.Name()) || d.app.now().Sub(fi.ModTime()) > strayDays {
			continue
		}
		found = append(found, stray{e.Name(), fi.ModTime()})
	}
	slices.SortFunc(found, func(a, b stray) int { return b.at.Compare(a.at) })
	names := make([]string, len(found))
	for i, s := range found {
		names[i] = s.name
	}
	return names
}

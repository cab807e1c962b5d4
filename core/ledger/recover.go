package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hermes/core/home"
)

// recover settles changes whose process died in the middle. A change of which nothing or not all could
// happen is taken back; one that had begun is finished, because its owner had decided on it. The caller
// holds the lock.
func (l *Ledger) recover() error {
	for _, e := range l.index.openEntries() {
		l.sweep(e)
		note, err := l.settle(e)
		if err != nil {
			return fmt.Errorf("settle change %s of %s: %w", e.ID, e.Subject, err)
		}
		kind := lineDone
		if note != "" {
			kind = lineAborted
		}
		if err := l.write(outcome(kind, e.ID, note)); err != nil {
			return err
		}
	}
	return nil
}

// settle brings the files of e to one end. A note says why they are as before.
func (l *Ledger) settle(e Entry) (note string, err error) {
	n, strange := l.reached(e.Files)
	switch {
	case strange != "":
		return strange + " was changed by something else while the change was unfinished", l.revertAll(e.Files[:n])
	case n == 0:
		return "the process ended before it began", nil
	}
	for _, f := range e.Files[n:] {
		if err := l.redo(f); err != nil {
			return "it could not be finished: " + err.Error(), l.revertAll(e.Files)
		}
	}
	return "", nil
}

// revertAll takes back files, the last first. What cannot be is reported; the rest is taken back anyway.
func (l *Ledger) revertAll(files []FileChange) error {
	var errs []error
	for _, f := range slices.Backward(files) {
		errs = append(errs, l.revert(f))
	}
	return errors.Join(errs...)
}

// done reports whether f has happened and nothing after it.
func (l *Ledger) done(f FileChange) bool {
	path := l.Path(f.Path)
	if f.Op == OpMove {
		return stands(path) && !stands(l.Path(f.From))
	}
	if f.Op == OpRemove && isLink(path) {
		return false // it dangles, but it is there
	}
	now, err := hashOf(path)
	return err == nil && now == f.After
}

// redo carries out f from what is kept.
func (l *Ledger) redo(f FileChange) error {
	path := l.Path(f.Path)
	switch f.Op {
	case OpMove:
		return move(l.Path(f.From), path, l.Path(f.Prune))
	case OpRemove:
		return removeFile(path, l.Path(f.Prune))
	default:
		return l.restore(path, f.After, f.Mode)
	}
}

// revert takes f back if it happened; what somebody else wrote since is left alone.
func (l *Ledger) revert(f FileChange) error {
	if !l.done(f) {
		return nil
	}
	path := l.Path(f.Path)
	switch {
	case f.Op == OpMove:
		return move(path, l.Path(f.From), l.Path(f.Made))
	case f.Link != "":
		if err := home.EnsureDir(filepath.Dir(path)); err != nil {
			return err
		}
		return os.Symlink(f.Link, path)
	case f.Before == "":
		if f.Op == OpRemove {
			return nil
		}
		return removeFile(path, l.Path(f.Made))
	}
	return l.restore(path, f.Before, f.Mode)
}

func (l *Ledger) restore(path, hash string, mode uint32) error {
	data, err := l.Blob(hash)
	if err != nil {
		return err
	}
	if err := home.EnsureDir(filepath.Dir(path)); err != nil {
		return err
	}
	clearFolder(path)
	return home.WriteFile(path, data, fs.FileMode(mode))
}

// pruneUp removes empty folders from dir up to and with top, and returns the first that stays.
func pruneUp(dir, top string) string {
	for top != "" && below(top, dir) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
	return dir
}

// sweep removes unfinished files that the dead process left beside those of e. Under the lock nobody
// else is writing them.
func (l *Ledger) sweep(e Entry) {
	for _, f := range e.Files {
		dir, base := filepath.Split(l.Path(f.Path))
		if len(base) > 100 { // as home.WriteFile names them
			base = base[:100]
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, d := range entries {
			if ok, _ := filepath.Match("."+escape(base)+".tmp-????????", d.Name()); ok {
				_ = os.Remove(filepath.Join(dir, d.Name())) // best effort: it is only rubbish
			}
		}
	}
}

// escape makes a file name a pattern for itself.
func escape(name string) string {
	var out []rune
	for _, r := range name {
		switch r {
		case '*', '?', '[', '\\':
			out = append(out, '?')
		default:
			out = append(out, r)
		}
	}
	return string(out)
}

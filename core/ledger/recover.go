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

// progress says how far one file of a change got.
type progress int

const (
	pending progress = iota
	applied
	foreign // neither before nor after: somebody else wrote it since
)

// settle brings the files of e to one end. A note says why they are as before.
func (l *Ledger) settle(e Entry) (note string, err error) {
	var count [3]int
	strange, unmoved := "", false
	at := make([]progress, len(e.Files))
	for i, f := range e.Files {
		at[i] = l.progress(f, unmoved)
		unmoved = unmoved || f.Op == OpMove && at[i] == pending
		count[at[i]]++
		if at[i] == foreign {
			strange = f.Path
		}
	}
	switch {
	case count[applied] == len(e.Files):
		return "", nil
	case strange != "":
		return strange + " was changed by something else while the change was unfinished", l.revertAll(e)
	case count[applied] == 0:
		return "the process ended before it began", nil
	}
	for i, f := range e.Files {
		if at[i] != pending {
			continue
		}
		if err := l.redo(f); err != nil {
			return "it could not be finished: " + err.Error(), l.revertAll(e)
		}
	}
	return "", nil
}

func (l *Ledger) revertAll(e Entry) error {
	var errs []error
	for _, f := range slices.Backward(e.Files) {
		errs = append(errs, l.revert(f))
	}
	return errors.Join(errs...)
}

// progress compares what stands on the disk with what f says. unmoved tells that an earlier move has
// not happened, so that nothing can stand at its place yet.
func (l *Ledger) progress(f FileChange, unmoved bool) progress {
	path := l.Path(f.Path)
	if f.Op == OpMove {
		switch from, to := exists(l.Path(f.From)), exists(path); {
		case to && !from:
			return applied
		case from && !to:
			return pending
		}
		return foreign
	}
	if target, err := os.Readlink(path); err == nil && f.Op == OpRemove {
		if target == f.Link {
			return pending
		}
		return foreign
	}
	now, err := hashOf(path)
	switch {
	case err != nil: // a folder, or nothing we may read: not ours to judge, and no reason to block all writers
		return foreign
	case now == "" && unmoved, now == f.Before && f.Link == "":
		return pending
	case now == f.After:
		return applied
	}
	return foreign
}

// redo carries out f from what is kept.
func (l *Ledger) redo(f FileChange) error {
	path := l.Path(f.Path)
	switch f.Op {
	case OpMove:
		return move(l.Path(f.From), path)
	case OpRemove:
		return removeFile(path, l.Path(f.Prune))
	default:
		return l.restore(path, f.After, f.Mode)
	}
}

// revert takes f back if it happened; what somebody else wrote since is left alone.
func (l *Ledger) revert(f FileChange) error {
	if l.progress(f, false) != applied {
		return nil
	}
	path := l.Path(f.Path)
	switch {
	case f.Op == OpMove:
		if err := move(path, l.Path(f.From)); err != nil {
			return err
		}
		pruneUp(filepath.Dir(path), l.Path(f.Made))
		return nil
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
	return home.WriteFile(path, data, fs.FileMode(mode))
}

// pruneUp removes empty folders from dir up to and with top.
func pruneUp(dir, top string) {
	for top != "" && below(top, dir) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
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

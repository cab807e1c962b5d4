package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/home"
)

// MaxFile is the largest file a change may write or remove, in bytes: both versions are kept.
const MaxFile = 64 << 20

// Tx collects what a change shall do. Its reads see what is staged so far. It is used by one goroutine,
// within Apply. All paths are absolute.
type Tx struct {
	l       *Ledger
	change  Change
	subject string // of the operations that follow
	ops     []op
	seen    map[string]string // path → hash of what was read from the disk, "" for nothing
	parts   []Part
	undoes  []string
	closed  bool
}

// op is a staged operation.
type op struct {
	FileChange

	path, from string // absolute
	data       []byte // of a write
	prune      string // absolute; see FileChange
}

func newTx(l *Ledger, c Change) *Tx {
	return &Tx{l: l, change: c, subject: c.Subject, seen: map[string]string{}}
}

// On makes the operations and parts that follow belong to subject: a change may touch several.
func (t *Tx) On(subject string) { t.subject = subject }

// Describe sets action and reason of the change, for those who know them only after reading. Empty
// strings keep what is set.
func (t *Tx) Describe(action, reason string) {
	if action != "" {
		t.change.Action = action
	}
	if reason != "" {
		t.change.Reason = reason
	}
}

// Part records that key was added, replaced was, or (key empty) that was is gone.
func (t *Tx) Part(key, was string) {
	t.parts = append(t.parts, Part{Key: key, Was: was, Subject: t.subject})
}

// Staged reports whether anything was staged.
func (t *Tx) Staged() bool { return len(t.ops) > 0 }

// Read returns the bytes of a file as they will be. A missing file is an error that wraps
// fs.ErrNotExist. A file that another program changes between this and the end of the change makes the
// change fail with nothing done.
func (t *Tx) Read(path string) ([]byte, error) {
	path = filepath.Clean(path)
	data, disk, ok := t.locate(path)
	switch {
	case !ok:
		return nil, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	case disk == "":
		return slices.Clone(data), nil
	}
	data, err := os.ReadFile(disk)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.seen[disk] = ""
		return nil, err
	case err != nil:
		return nil, err
	}
	t.seen[disk] = Hash(data)
	return data, nil
}

// Exists reports whether a file will stand at path, or a folder with files in it: as in git, a folder
// without files is nothing.
func (t *Tx) Exists(path string) bool {
	files, err := t.list(filepath.Clean(path), len(t.ops))
	return err != nil || len(files) > 0 // what cannot be listed is not free
}

// locate finds where the bytes of path are after the staged operations: in data, or (disk not empty)
// still on the disk at another place.
func (t *Tx) locate(path string) (data []byte, disk string, ok bool) {
	for _, o := range slices.Backward(t.ops) {
		switch {
		case o.Op == OpWrite && o.path == path:
			return o.data, "", true
		case o.Op == OpRemove && o.path == path:
			return nil, "", false
		case o.Op == OpMove && below(o.path, path):
			path = o.from + strings.TrimPrefix(path, o.path)
		case o.Op == OpMove && below(o.from, path):
			return nil, "", false
		}
	}
	return nil, path, true
}

// below reports whether path is dir or lies in it, as written.
func below(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// Write stages new bytes for path. Missing folders are made. mode is for a new file only.
func (t *Tx) Write(path string, data []byte, mode fs.FileMode) error {
	if len(data) > MaxFile {
		return &core.Error{Code: core.CodeUsage, Op: "write", Subject: path, Err: fmt.Errorf("larger than %d MB", MaxFile>>20)}
	}
	return t.stage(op{FileChange: FileChange{Op: OpWrite, Mode: uint32(mode.Perm())}, path: path, data: slices.Clone(data)})
}

// Remove stages the removal of a file or a symbolic link (never of what it points to).
func (t *Tx) Remove(path string) error { return t.remove(path, "") }

func (t *Tx) remove(path, prune string) error {
	if !t.Exists(path) {
		return fmt.Errorf("remove %s: %w", path, fs.ErrNotExist)
	}
	return t.stage(op{FileChange: FileChange{Op: OpRemove}, path: path, prune: prune})
}

// RemoveAll stages the removal of a folder with all its files. Every file's bytes are kept.
func (t *Tx) RemoveAll(dir string) error {
	dir = filepath.Clean(dir)
	files, err := t.files(dir)
	if err != nil {
		return err
	}
	for _, p := range files {
		if err := t.remove(p, dir); err != nil {
			return err
		}
	}
	return nil
}

// files lists what lies below dir after the staged operations, sorted. It leaves out dir itself.
func (t *Tx) files(dir string) ([]string, error) {
	set, err := t.list(dir, len(t.ops))
	delete(set, dir)
	return slices.Sorted(maps.Keys(set)), err
}

// list is the files at or below dir after the first n operations.
func (t *Tx) list(dir string, n int) (map[string]bool, error) {
	if n == 0 {
		return walk(dir)
	}
	o := t.ops[n-1]
	if o.Op == OpMove && below(o.path, dir) { // dir came along
		came, err := t.list(o.from+strings.TrimPrefix(dir, o.path), n-1)
		return moved(came, o), err
	}
	set, err := t.list(dir, n-1)
	if err != nil {
		return nil, err
	}
	switch o.Op {
	case OpWrite:
		if below(dir, o.path) {
			set[o.path] = true
		}
	case OpRemove:
		delete(set, o.path)
	case OpMove:
		maps.DeleteFunc(set, func(p string, _ bool) bool { return below(o.from, p) })
		if below(dir, o.path) {
			came, err := t.list(o.from, n-1)
			if err != nil {
				return nil, err
			}
			maps.Copy(set, moved(came, o))
		}
	}
	return set, nil
}

// moved names files as they are called after the move o.
func moved(files map[string]bool, o op) map[string]bool {
	out := make(map[string]bool, len(files))
	for p := range files {
		out[o.path+strings.TrimPrefix(p, o.from)] = true
	}
	return out
}

// walk lists the files on the disk at or below dir.
func walk(dir string) (map[string]bool, error) {
	out := map[string]bool{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out[p] = true
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	return out, nil
}

// Move stages a rename of a file or a folder with all in it. Nothing may stand at to; both must be on
// one file system.
func (t *Tx) Move(from, to string) error { return t.move(from, to, "") }

// move is Move; folders above from that are empty then go, up to and with prune.
func (t *Tx) move(from, to, prune string) error {
	from, to = filepath.Clean(from), filepath.Clean(to)
	switch {
	case !t.Exists(from):
		return fmt.Errorf("move %s: %w", from, fs.ErrNotExist)
	case t.Exists(to):
		return fmt.Errorf("move to %s: %w", to, fs.ErrExist)
	case below(from, to) || below(to, from):
		return fmt.Errorf("move %s to %s: one lies in the other", from, to)
	}
	return t.stage(op{FileChange: FileChange{Op: OpMove}, path: to, from: from, prune: prune})
}

// stage appends o. A file written twice is one write: recovery must find one answer a path.
func (t *Tx) stage(o op) error {
	if t.closed {
		return errors.New("the change has ended")
	}
	if !filepath.IsAbs(o.path) {
		return fmt.Errorf("%s %s: not an absolute path", o.Op, o.path)
	}
	o.path, o.Subject = filepath.Clean(o.path), t.subject
	if o.Op != OpMove {
		for i, old := range slices.Backward(t.ops) {
			if old.Op == OpMove && (below(old.path, o.path) || below(old.from, o.path)) {
				break
			}
			if old.path == o.path {
				if old.Mode != 0 && o.Op == OpWrite {
					o.Mode = old.Mode
				}
				t.ops[i] = o
				return nil
			}
		}
	}
	t.ops = append(t.ops, o)
	return nil
}

// name is path as the journal has it.
func (l *Ledger) name(path string) string {
	if path == "" || !home.Within(l.home.Dir(), path) {
		return path
	}
	rel, err := filepath.Rel(l.home.Dir(), path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// Path is the absolute path of a name in the journal.
func (l *Ledger) Path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.home.Dir(), filepath.FromSlash(name))
}

package ledger

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"hermes/core"
	"hermes/core/home"
)

// commit carries out what tx staged: keep both versions, write the intent, change the files, write that
// it is done. The caller holds the lock.
func (l *Ledger) commit(tx *Tx) (Entry, error) {
	if err := tx.unchanged(); err != nil {
		return Entry{}, err
	}
	outside, err := l.prepare(tx)
	if err != nil || len(tx.ops) == 0 {
		return Entry{}, err
	}
	c := tx.change
	e := Entry{
		Actor: c.Actor, SessionID: c.SessionID, RunID: c.RunID, ReviewID: c.ReviewID, Taint: c.Taint,
		Action: c.Action, Subject: c.Subject, Reason: c.Reason, Undoes: tx.undoes, Parts: tx.parts,
	}
	for _, o := range tx.ops {
		e.Files = append(e.Files, o.FileChange)
	}
	normalise(&e)
	lines := make([]line, 0, len(outside)+1)
	for i := range outside {
		lines = append(lines, line{Kind: lineNoted, Entry: &outside[i]})
	}
	if err := l.write(append(lines, line{Kind: lineIntent, Entry: &e})...); err != nil {
		return Entry{}, err
	}
	l.at("intent")
	for i, o := range tx.ops {
		if err := l.do(o); err != nil {
			return Entry{}, l.takeBack(e, i, err)
		}
		l.at(fmt.Sprintf("file %d", i))
	}
	// The change is whole and durable without its last line: when that cannot be written (a full disk) the
	// next writer finds the files as intended and writes it.
	_ = l.write(outcome(lineDone, e.ID, ""))
	l.at("done")
	e.State = Done
	return e, nil
}

// normalise shortens what is the entry's own and lists further subjects.
func normalise(e *Entry) {
	note := func(s *string) {
		if *s == e.Subject {
			*s = ""
		} else if *s != "" && !slices.Contains(e.Also, *s) {
			e.Also = append(e.Also, *s)
		}
	}
	for i := range e.Files {
		note(&e.Files[i].Subject)
	}
	for i := range e.Parts {
		note(&e.Parts[i].Subject)
	}
	e.Before = digest(e.Files, func(f FileChange) string { return cmp.Or(f.Before, f.Link) })
	e.After = digest(e.Files, func(f FileChange) string { return f.After })
}

// takeBack undoes the first n+1 files of e after op n went wrong (it may have got through in part) and
// says so in the journal. When even that fails, the next writer settles it.
func (l *Ledger) takeBack(e Entry, n int, why error) error {
	err := &core.Error{Code: core.CodeOf(why), Op: e.Action, Subject: e.Subject, Err: why, Hint: core.HintOf(why)}
	for _, f := range slices.Backward(e.Files[:n+1]) {
		if back := l.revert(f); back != nil {
			err.Err = errors.Join(why, fmt.Errorf("take back %s: %w", f.Path, back))
			return err
		}
	}
	if werr := l.write(outcome(lineAborted, e.ID, why.Error())); werr != nil {
		err.Err = errors.Join(why, werr)
	}
	return err
}

// unchanged verifies that what tx read is still what stands on the disk.
func (t *Tx) unchanged() error {
	for path, hash := range t.seen {
		now, err := hashOf(path)
		if err != nil {
			return err
		}
		if now != hash {
			return changedMeanwhile(path)
		}
	}
	return nil
}

func changedMeanwhile(path string) error {
	return &core.Error{
		Code: core.CodeBusy, Op: "change", Subject: path, Err: errors.New("another program changed it at the same moment"),
		Hint: "Nothing was changed; try again.",
	}
}

// prepare fills in what stood there before, keeps both versions, drops operations that change nothing,
// and lists changes that were made outside.
func (l *Ledger) prepare(tx *Tx) (outside []Entry, err error) {
	var kept []op
	for i := range tx.ops {
		o := tx.ops[i]
		earlier := &Tx{ops: tx.ops[:i]}
		data, disk, there := earlier.locate(o.path)
		var changed bool
		if there && disk == "" && o.Op != OpMove { // written earlier in this change, and moved here since
			o.Path, o.Prune, o.Before = l.name(o.path), l.name(o.prune), Hash(data)
			changed, err = l.complete(&o, earlier)
		} else {
			changed, err = l.fill(&o, earlier, disk)
		}
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		if o.Op != OpMove && disk == o.path && o.Link == "" {
			if n, ok, err := l.noticed(o.Subject, o.path, o.Before); err != nil {
				return nil, err
			} else if ok {
				outside = append(outside, n)
			}
		}
		kept = append(kept, o)
	}
	tx.ops = kept
	l.at("blobs")
	return outside, nil
}

// fill completes o; earlier is the change up to it, disk where its present bytes are.
func (l *Ledger) fill(o *op, earlier *Tx, disk string) (changed bool, err error) {
	o.Path, o.From, o.Prune = l.name(o.path), l.name(o.from), l.name(o.prune)
	if o.Op == OpMove {
		o.Made = l.name(earlier.missingFolder(o.path))
		return true, nil
	}
	info, err := os.Lstat(disk)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, fmt.Errorf("%s %s: %w", o.Op, o.path, err)
	case info.IsDir() && stands(disk):
		return false, fmt.Errorf("%s %s: is a folder", o.Op, o.path)
	case info.IsDir():
	case info.Mode()&fs.ModeSymlink != 0 && o.Op == OpRemove:
		o.Link, err = os.Readlink(disk)
		return true, err
	default:
		data, err := os.ReadFile(disk) // a link is followed, as the write will
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if err == nil {
			if len(data) > MaxFile {
				return false, &core.Error{Code: core.CodeUsage, Op: string(o.Op), Subject: o.path, Err: fmt.Errorf("larger than %d MB", MaxFile>>20)}
			}
			o.Before, o.Mode = Hash(data), uint32(info.Mode().Perm())
			if o.Op == OpWrite && o.Before == Hash(o.data) {
				return false, nil
			}
			if err := l.put(data); err != nil {
				return false, err
			}
		}
	}
	return l.complete(o, earlier)
}

// complete fills in what stands there afterwards.
func (l *Ledger) complete(o *op, earlier *Tx) (changed bool, err error) {
	if o.Op == OpWrite {
		o.After, o.Made = Hash(o.data), l.name(earlier.missingFolder(o.path))
		return o.After != o.Before, l.put(o.data)
	}
	return o.Before != "", nil
}

// do carries out one operation. It looks once more: an editor takes no lock.
func (l *Ledger) do(o op) error {
	if o.Op == OpMove {
		if stands(o.path) {
			return fmt.Errorf("move to %s: %w", o.path, fs.ErrExist)
		}
		return move(o.from, o.path, o.prune)
	}
	if o.Link == "" {
		if now, err := hashOf(o.path); err != nil {
			return err
		} else if now != o.Before {
			return changedMeanwhile(o.path)
		}
	}
	if o.Op == OpRemove {
		return removeFile(o.path, o.prune)
	}
	if err := home.EnsureDir(filepath.Dir(o.path)); err != nil {
		return err
	}
	clearFolder(o.path)
	return home.WriteFile(o.path, o.data, fs.FileMode(o.Mode))
}

// clearFolder removes a folder that holds no files, so that something can take its place.
func clearFolder(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || stands(path) {
		return
	}
	_ = os.RemoveAll(path) // when it stays, what wants its place says so
}

// write appends lines to the journal, durably, and takes them into the index.
func (l *Ledger) write(lines ...line) error {
	last, newest, torn := l.index.last()
	now := l.now().UTC()
	month := max(now.Format("2006-01")+".jsonl", newest) // a clock set back must not reorder the months
	var out []byte
	if month != newest {
		head, err := line{Kind: lineHeader, Version: Version}.encode()
		if err != nil {
			return err
		}
		out = append(out, head...)
	} else if torn {
		out = append(out, '\n')
	}
	for _, ln := range lines {
		if ln.Kind == lineIntent || ln.Kind == lineNoted {
			last = nextID(now, last)
			ln.ID, ln.Time = last, now
		}
		raw, err := ln.encode()
		if err != nil {
			return err
		}
		out = append(out, raw...)
	}
	dir := l.home.Ledger()
	if err := home.Append(filepath.Join(dir, month), out, true); err != nil {
		return err
	}
	if month != newest {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return l.index.refresh(dir)
}

// nextID makes an id for now that is higher than last, whatever the clock says.
func nextID(now time.Time, last string) string {
	id := ulid.MustNew(ulid.Timestamp(now), rand.Reader)
	prev, err := ulid.ParseStrict(last)
	if err != nil || id.Compare(prev) > 0 {
		return id.String()
	}
	for i := len(prev) - 1; i >= 0; i-- {
		prev[i]++
		if prev[i] != 0 {
			break
		}
	}
	return prev.String()
}

// hashOf is the hash of a file, "" when there is none (or a folder without files). Links are followed.
func hashOf(path string) (string, error) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() && !stands(path) {
		return "", nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return Hash(data), nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// stands reports whether a file, or a folder with files in it, is at path.
func stands(path string) bool {
	files, err := walk(path)
	return err != nil || len(files) > 0
}

// missingFolder is the topmost folder above path that will have to be made; "" when all are there.
func (t *Tx) missingFolder(path string) string {
	missing := ""
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, disk, ok := t.locate(dir); ok && exists(disk) || t.Exists(dir) {
			break
		}
		missing = dir
	}
	return missing
}

// removeFile removes a file, then the folders above it that are empty now, up to and with prune.
func removeFile(path, prune string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return syncDir(pruneUp(filepath.Dir(path), prune))
}

// move renames, then removes the folders above from that are empty now, up to and with prune.
func move(from, to, prune string) error {
	if err := home.EnsureDir(filepath.Dir(to)); err != nil {
		return err
	}
	clearFolder(to)
	if err := os.Rename(from, to); err != nil {
		return err
	}
	left := pruneUp(filepath.Dir(from), prune)
	return errors.Join(syncDir(left), syncDir(filepath.Dir(to)))
}

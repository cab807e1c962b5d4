package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/text"
)

// pinFolder holds a small file for each pinned skill, so that pins have a history and can be undone. What
// counts is the usage file, which other programs write as well.
const pinFolder = ".pins"

// archivePlace is a free place in the archive for a skill whose folder is called dir.
func (l *Library) archivePlace(dir string) string {
	base := filepath.Join(l.Home(), archiveFolder, dir)
	place := base
	for t := l.opts.Now().UTC(); ; t = t.Add(time.Second) {
		if _, err := os.Lstat(place); err != nil {
			return place
		}
		place = base + "-" + t.Format("20060102150405")
	}
}

// Archive moves a skill out of the way; nothing is lost, and Restore brings it back to its place.
func (l *Library) Archive(ctx context.Context, by ledger.Change, name, reason string) (Outcome, error) {
	none := ""
	return l.Do(ctx, by, Op{Action: Delete, Name: name, AbsorbedInto: &none, Reason: reason}, nil)
}

// Archived is a skill in the archive.
type Archived struct {
	Name   string // of its folder in the archive; Restore takes it
	Folder string // absolute
	From   string // where it stood, below the library, with slashes; "" when that is not known
	Entry  Entry  // what its SKILL.md says
}

// ArchiveList lists what is archived, by name.
func (l *Library) ArchiveList() ([]Archived, error) {
	top := filepath.Join(l.Home(), archiveFolder)
	list, err := os.ReadDir(top)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &core.Error{Op: "list archived skills", Subject: top, Err: err}
	}
	origins := l.archivedFrom()
	var out []Archived
	for _, d := range list {
		folder := filepath.Join(top, d.Name())
		file := filepath.Join(folder, FileName)
		if info, err := os.Stat(file); !d.IsDir() || err != nil || !info.Mode().IsRegular() {
			continue
		}
		r := readRecord(file, l.opts.Now())
		out = append(out, Archived{
			Name: d.Name(), Folder: folder, From: origins[d.Name()],
			Entry: r.entry(found{root: Root{RootHome, l.Home()}, rel: d.Name(), folder: folder, file: file}),
		})
	}
	return out, nil
}

// archivedFrom maps names in the archive to where the ledger says they stood.
func (l *Library) archivedFrom() map[string]string {
	out := map[string]string{}
	if l.opts.Ledger == nil {
		return out
	}
	log, err := l.opts.Ledger.Log(ledger.Filter{Subject: kind + ":"})
	if err != nil {
		return out
	}
	lib, arch := l.journalName(l.Home())+"/", l.journalName(filepath.Join(l.Home(), archiveFolder))+"/"
	for _, e := range log { // newest first
		for _, f := range e.Files {
			name, ok := strings.CutPrefix(f.Path, arch)
			from, inside := strings.CutPrefix(f.From, lib)
			if _, known := out[name]; f.Op == ledger.OpMove && ok && inside && !known && !strings.HasPrefix(f.From, arch) {
				out[name] = from
			}
		}
	}
	return out
}

var stamped = text.NewPattern(`\A(.+)-\d{14}\z`)

// Restore brings an archived skill back to the category it came from. name is one that ArchiveList gives,
// where it stood ("category/name"), or the
// name without the time stamp: then the newest of that name. It never writes over anything.
func (l *Library) Restore(ctx context.Context, by ledger.Change, name string) (Entry, error) {
	list, err := l.ArchiveList()
	if err != nil {
		return Entry{}, err
	}
	a, ok := pickArchived(list, strings.TrimSpace(name))
	if !ok {
		r := &RefusedError{Code: RefusedUnknown, Name: name, Message: fmt.Sprintf("There is no archived skill %q.", name)}
		for _, x := range list {
			r.Available = append(r.Available, x.Name)
		}
		return Entry{}, r
	}
	dir := a.Name
	if m := stamped.Regexp().FindStringSubmatch(dir); m != nil && (a.From == "" || path.Base(a.From) == m[1]) {
		dir = m[1]
	}
	rel := dir
	if a.From != "" {
		rel = path.Join(path.Dir(a.From), dir)
	}
	by.Action, by.Subject = "restore", kind+":"+rel
	folder := filepath.Join(l.Home(), filepath.FromSlash(rel))
	var id string
	err = l.locked(ctx, func() error {
		active, err := l.Entries(ctx)
		if err != nil {
			return err
		}
		for _, e := range active {
			// Where it is known that both stood side by side they may again.
			if e.Root.Kind == RootHome && strings.EqualFold(e.Dir, dir) && (a.From == "" || strings.EqualFold(e.Rel, rel)) {
				return &RefusedError{Code: RefusedCollision, Name: dir, Message: fmt.Sprintf("%s cannot be restored: a skill of that name is active (%s). Archive that one first.", a.Name, e.Path)}
			}
		}
		e, err := l.opts.Ledger.Apply(ctx, by, func(tx *ledger.Tx) error { return tx.Move(a.Folder, folder) })
		id = e.ID
		return err
	})
	if err != nil {
		return Entry{}, err
	}
	l.note(l.Usage().Flush(ctx)) // what the ledger's news queued
	m, err := l.Find(ctx, folder)
	if err != nil {
		return Entry{}, err
	}
	l.emit(by, m.Entry, "restore", "", id, nil)
	return m.Entry, nil
}

// Forget removes an archived skill for good. Only the history still has it: undoing the change brings it back
// as long as the ledger keeps its versions.
func (l *Library) Forget(ctx context.Context, by ledger.Change, name string) (a Archived, id string, err error) {
	err = l.locked(ctx, func() error {
		list, err := l.ArchiveList()
		if err != nil {
			return err
		}
		var ok bool
		if a, ok = pickArchived(list, strings.TrimSpace(name)); !ok {
			return &RefusedError{Code: RefusedUnknown, Name: name, Message: fmt.Sprintf("There is no archived skill %q; archive it first.", name), Hint: "hermes skills list --archived shows what is in the archive"}
		}
		by.Action, by.Subject = "forget", kind+":"+firstOf(a.From, a.Name)
		e, err := l.opts.Ledger.Apply(ctx, by, func(tx *ledger.Tx) error { return tx.RemoveAll(a.Folder) })
		id = e.ID
		return err
	})
	return a, id, err
}

// PutBack writes the files of a skill that is neither in the library nor in the archive any more to where it
// stood. It never writes over anything.
func (l *Library) PutBack(ctx context.Context, by ledger.Change, rel string, files map[string][]byte) error {
	folder := filepath.Join(l.Home(), filepath.FromSlash(rel))
	by.Action, by.Subject = "restore", kind+":"+rel
	return l.locked(ctx, func() error {
		if _, err := os.Lstat(folder); err == nil {
			return &RefusedError{Code: RefusedCollision, Name: rel, Message: rel + " cannot be put back: something stands at " + folder + "."}
		}
		_, err := l.opts.Ledger.Apply(ctx, by, func(tx *ledger.Tx) error {
			for _, name := range slices.Sorted(maps.Keys(files)) {
				if err := tx.Write(filepath.Join(folder, filepath.FromSlash(name)), files[name], home.FileMode); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	})
}

func pickArchived(list []Archived, name string) (Archived, bool) {
	for _, fits := range []func(Archived) bool{
		func(a Archived) bool { return a.Name == name },
		func(a Archived) bool { return a.From == name },
	} {
		for _, a := range slices.Backward(list) {
			if fits(a) {
				return a, true
			}
		}
	}
	for _, a := range slices.Backward(list) { // by name, so the newest stamp is last
		if m := stamped.Regexp().FindStringSubmatch(a.Name); m != nil && m[1] == name {
			return a, true
		}
	}
	return Archived{}, false
}

// Pin keeps a skill from being deleted or archived by itself, and makes reviews propose instead of change.
func (l *Library) Pin(ctx context.Context, by ledger.Change, name string) (Entry, error) {
	return l.pin(ctx, by, name, true)
}

// Unpin takes a pin back.
func (l *Library) Unpin(ctx context.Context, by ledger.Change, name string) (Entry, error) {
	return l.pin(ctx, by, name, false)
}

func (l *Library) pin(ctx context.Context, by ledger.Change, name string, on bool) (Entry, error) {
	m, err := l.Find(ctx, name)
	if err != nil {
		return Entry{}, err
	}
	if m.Root.Kind != RootHome {
		return Entry{}, &RefusedError{Code: RefusedReadOnly, Name: m.Rel, Message: m.Name + " is not in your own library; hermes never changes it, so there is nothing to pin."}
	}
	by.Action, by.Subject = map[bool]string{true: "pin", false: "unpin"}[on], m.Subject()
	file := l.pinFile(m.Rel)
	data, err := json.Marshal(map[string]any{"skill": m.Rel, "pinned": true})
	if err != nil {
		return Entry{}, err
	}
	var id string
	err = l.locked(ctx, func() error {
		e, err := l.opts.Ledger.Apply(ctx, by, func(tx *ledger.Tx) error {
			switch {
			case on:
				return tx.Write(file, append(data, '\n'), home.FileMode)
			case tx.Exists(file):
				return tx.Remove(file)
			}
			return nil
		})
		id = e.ID
		return err
	})
	if err != nil {
		return Entry{}, err
	}
	if err := l.Usage().Update(ctx, m.Dir, func(r *Record) { r.Pinned = on }); err != nil {
		return Entry{}, err
	}
	l.emit(by, m.Entry, by.Action, "", id, nil)
	return m.Entry, nil
}

func (l *Library) pinFile(rel string) string {
	return filepath.Join(l.Home(), pinFolder, filepath.FromSlash(rel)+".json")
}

// follow makes the usage file follow when a skill was pinned, archived or restored through the ledger, or
// one of these was undone. What is queued is written with the next counts.
func (l *Library) follow(e ledger.Entry) {
	pins := l.journalName(filepath.Join(l.Home(), pinFolder)) + "/"
	archive := l.journalName(filepath.Join(l.Home(), archiveFolder)) + "/"
	for _, f := range e.Files {
		rel, pin := strings.CutPrefix(f.Path, pins)
		switch {
		case pin && f.Op != ledger.OpMove:
			event := unpinned
			if _, err := os.Stat(l.opts.Ledger.Path(f.Path)); err == nil {
				event = pinned
			}
			l.Usage().queue(path.Base(strings.TrimSuffix(rel, ".json")), event)
		case f.Op == ledger.OpMove && strings.HasPrefix(f.Path, archive):
			l.Usage().queue(path.Base(f.From), archived)
		case f.Op == ledger.OpMove && strings.HasPrefix(f.From, archive):
			l.Usage().queue(path.Base(f.Path), restored)
		}
	}
}

package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// noticed describes the change that somebody made to path through no door, when its present hash is not
// the one the journal left it with. A file the journal never saw counts as found.
func (l *Ledger) noticed(subject, path, now string) (Entry, bool, error) {
	name := l.name(path)
	head, known := l.index.head(name)
	if head == now {
		return Entry{}, false, nil
	}
	e := Entry{
		Actor: Outside, Action: "edit", Subject: subject, Reason: "changed on disk, not by hermes",
		Files: []FileChange{{Op: OpWrite, Path: name, Before: head, After: now}},
	}
	switch {
	case now == "":
		e.Action, e.Reason, e.Files[0].Op = "remove", "removed on disk, not by hermes", OpRemove
	case !known:
		e.Action, e.Reason = "found", "was on disk before hermes kept a journal of it"
	case head == "":
		e.Action, e.Reason = "create", "appeared on disk, not by hermes"
	}
	var before, after []byte
	if head != "" {
		if before, _ = l.Blob(head); before == nil && kindOf(subject) != "" {
			e.Reason += "; the version before is no longer kept"
		}
	}
	if now != "" {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return e, false, err
		}
		if Hash(data) != now {
			return e, false, changedMeanwhile(path)
		}
		if after = data; len(data) <= MaxFile {
			if err := l.put(data); err != nil {
				return e, false, err
			}
		}
	}
	if s := l.subject(kindOf(subject)); s != nil {
		e.Parts = s.Parts(subject, before, after)
	}
	normalise(&e)
	return e, true, nil
}

// Outside records changes of these files that came through no door: hand edits, a sync tool, another
// program. It returns what it recorded, and takes the lock only when there is something to record.
func (l *Ledger) Outside(ctx context.Context, subject string, paths ...string) ([]Entry, error) {
	if err := l.index.refresh(l.home.Ledger()); err != nil {
		return nil, err
	}
	differs := false
	for _, p := range paths {
		now, err := hashOf(p)
		if err != nil {
			return nil, err
		}
		head, _ := l.index.head(l.name(p))
		differs = differs || head != now
	}
	if !differs {
		return nil, nil
	}
	var found []Entry
	err := l.locked(ctx, func() error {
		var lines []line
		for _, p := range paths {
			now, err := hashOf(p)
			if err != nil {
				return err
			}
			e, ok, err := l.noticed(subject, p, now)
			if err != nil {
				return err
			}
			if ok {
				lines = append(lines, line{Kind: lineNoted, Entry: &e})
			}
		}
		if len(lines) == 0 {
			return nil
		}
		if err := l.write(lines...); err != nil {
			return err
		}
		for _, ln := range lines {
			ln.State = Done
			found = append(found, *ln.Entry)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		l.tell(e)
	}
	return found, nil
}

package skills

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core/home"
	"hermes/core/ledger"
)

// Version is one change in the life of a skill, as "hermes skills history" prints it.
type Version struct {
	ID        string       `json:"id"` // of the change in the ledger
	Time      time.Time    `json:"time"`
	Actor     ledger.Actor `json:"actor"`
	SessionID string       `json:"session_id"`
	ReviewID  string       `json:"review_id,omitempty"`
	Action    string       `json:"action"`
	Reason    string       `json:"reason"`
	Hash      string       `json:"hash"` // of SKILL.md afterwards; "" when there is none
}

// History tells the life of a skill, newest change first. name may also be one of a skill that is archived.
func (l *Library) History(ctx context.Context, name string) ([]Version, error) {
	subject, err := l.subjectOf(ctx, name)
	if err != nil {
		return nil, err
	}
	log, err := l.opts.Ledger.Log(ledger.Filter{Subject: subject})
	if err != nil {
		return nil, err
	}
	var out []Version
	last := ""
	for _, e := range slices.Backward(log) {
		for _, f := range e.Files {
			if strings.HasSuffix(f.Path, "/"+FileName) && f.Op != ledger.OpMove {
				last = f.After
			}
		}
		out = append(out, Version{
			ID: e.ID, Time: e.Time, Actor: e.Actor, SessionID: e.SessionID, ReviewID: e.ReviewID, Action: e.Action, Reason: e.Reason, Hash: last,
		})
	}
	slices.Reverse(out)
	return out, nil
}

// Edits counts the changes of each skill's text since then, by whomever, by the name of its folder. Pins and moves
// are none, nor is what came with the program.
func (l *Library) Edits(since time.Time) (map[string]int, error) {
	log, err := l.opts.Ledger.Log(ledger.Filter{Subject: kind + ":"})
	if err != nil {
		return nil, err
	}
	pins := l.journalName(filepath.Join(l.Home(), pinFolder)) + "/"
	out := map[string]int{}
	for _, e := range log {
		edited := func(f ledger.FileChange) bool { return f.Op != ledger.OpMove && !strings.HasPrefix(f.Path, pins) }
		if !e.Time.Before(since) && e.Actor != ledger.Hub && slices.ContainsFunc(e.Of(kind).Files, edited) {
			out[path.Base(strings.TrimPrefix(e.Subject, kind+":"))]++
		}
	}
	return out, nil
}

// subjectOf is the ledger's name of a skill, active or archived.
func (l *Library) subjectOf(ctx context.Context, name string) (string, error) {
	m, err := l.Find(ctx, name)
	if err == nil {
		return m.Subject(), nil
	}
	if list, lerr := l.ArchiveList(); lerr == nil {
		if a, ok := pickArchived(list, strings.TrimSpace(name)); ok && a.From != "" {
			return kind + ":" + a.From, nil
		}
	}
	return "", err
}

// Diff shows what changed in a skill between two changes of its history, named as History or the ledger names
// them; to "" is now, from "" the beginning. "" is no difference.
func (l *Library) Diff(ctx context.Context, name, from, to string) (string, error) {
	subject, err := l.subjectOf(ctx, name)
	if err != nil {
		return "", err
	}
	for _, id := range []*string{&from, &to} {
		if *id == "" {
			continue
		}
		e, err := l.change(subject, name, *id)
		if err != nil {
			return "", err
		}
		*id = e.ID
	}
	return l.opts.Ledger.Diff(subject, from, to)
}

// change is one of the changes of a subject.
func (l *Library) change(subject, name, id string) (ledger.Entry, error) {
	e, err := l.opts.Ledger.Entry(id)
	if err != nil {
		return e, err
	}
	if !e.About(subject) {
		return e, &RefusedError{Code: RefusedUnknown, Name: name, Message: fmt.Sprintf("Change %s is not one of %s. See hermes skills history %s.", id, name, name)}
	}
	return e, nil
}

// Rollback makes the files of a skill what they were after change id. Files that came later go. It is a
// change like any other and can be undone.
func (l *Library) Rollback(ctx context.Context, by ledger.Change, name, id string) (Entry, string, error) {
	m, err := l.Find(ctx, name)
	if err != nil {
		return Entry{}, "", err
	}
	e, err := l.change(m.Subject(), m.Dir, id)
	if err != nil {
		return Entry{}, "", err
	}
	by.Subject, by.Action = m.Subject(), "rollback"
	if by.Reason == "" {
		by.Reason = "back to " + e.ID
	}
	var done string
	err = l.locked(ctx, func() error {
		then, err := l.opts.Ledger.Version(m.Subject(), e.ID)
		if err != nil {
			return err
		}
		now, err := l.opts.Ledger.Version(m.Subject(), "")
		if err != nil {
			return err
		}
		skill := l.journalName(m.Path)
		if then[skill] == "" {
			return &RefusedError{Code: RefusedMissing, Name: m.Rel, Message: "At that change there was no SKILL.md at " + m.Path + ". Nothing was changed."}
		}
		c, err := l.opts.Ledger.Apply(ctx, by, func(tx *ledger.Tx) error { return l.rollback(tx, m.Entry, then, now) })
		done = c.ID
		return err
	})
	if err != nil {
		return Entry{}, "", err
	}
	if done != "" {
		l.Usage().Bump(ctx, m.Dir, Patched)
	}
	l.emit(by, m.Entry, "rollback", "", done, nil)
	return m.Entry, done, nil
}

// rollback stages the files of then in place of those of now; both map names of the journal to hashes.
func (l *Library) rollback(tx *ledger.Tx, e Entry, then, now map[string]string) error {
	for name, want := range then {
		file := l.opts.Ledger.Path(name)
		if !home.Within(e.Folder, file) || want == "" {
			continue
		}
		data, err := l.opts.Ledger.Blob(want)
		if err != nil {
			return &RefusedError{Code: RefusedMissing, Name: e.Rel, Message: fmt.Sprintf("That version of %s is no longer kept. Nothing was changed.", name)}
		}
		if err := tx.Write(file, data, home.FileMode); err != nil {
			return err
		}
	}
	for name := range now {
		file := l.opts.Ledger.Path(name)
		if then[name] == "" && home.Within(e.Folder, file) && tx.Exists(file) && filepath.Base(file) != "" {
			if err := removeFile(tx, file, e.Folder); err != nil {
				return err
			}
		}
	}
	return nil
}

package skills

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/redact"
	"hermes/core/text"
)

// Outcome says what a change did.
type Outcome struct {
	Plan     *Plan
	LedgerID string
	Entry    Entry  // as it is now; of delete as it was
	Archived string // where a deleted skill went, absolute
}

// lockFile is the lock of the library; it is taken before the ledger's.
const lockFile = ".library.lock"

// retries is how often a patch is planned anew because the file changed between plan and change.
const retries = 20

// Do plans op and makes the change. gate sees each plan before it is made and may stop it with an error; it
// may be called again when the file changed meanwhile. Without a gate a change that would need a person's
// word is refused, unless it is the person's own.
func (l *Library) Do(ctx context.Context, by ledger.Change, op Op, gate func(context.Context, *Plan) error) (Outcome, error) {
	for i := 0; ; i++ {
		p, err := l.Plan(ctx, by, op)
		if err != nil {
			return Outcome{}, err
		}
		if gate == nil {
			gate = unattended(by)
		}
		if err := gate(ctx, p); err != nil {
			return Outcome{}, err
		}
		out, err := l.Make(ctx, p)
		var r *RefusedError
		if errors.As(err, &r) && r.Code == RefusedStale && op.Action == Patch && i < retries {
			continue // the passage is looked for again in what stands there now
		}
		return out, err
	}
}

// unattended is the gate where nobody can be asked and nothing is kept for later.
func unattended(by ledger.Change) func(context.Context, *Plan) error {
	return func(_ context.Context, p *Plan) error {
		switch {
		case by.Actor == ledger.You:
			return nil
		case p.Held != "":
			return &RefusedError{Code: RefusedReadOnly, Name: p.Entry.Rel, Message: fmt.Sprintf("This change has to wait for the user (%s), and nobody keeps it here. Nothing was changed.", p.Held)}
		case p.Verdict.Decision != DecisionAllow:
			return &RefusedError{Code: RefusedGuard, Name: p.Entry.Rel, Message: "The scan found something dangerous. Nothing was changed.", Report: p.Verdict.Report, Findings: p.Verdict.Findings}
		}
		return nil
	}
}

// Make carries out a plan, if everything still stands as it was planned on; otherwise the error is a
// *RefusedError of code stale. Do is what most callers want.
func (l *Library) Make(ctx context.Context, p *Plan) (Outcome, error) {
	by := p.by
	by.Subject, by.Action = p.Entry.Subject(), string(p.Action)
	if p.Reason != "" {
		by.Reason = text.Cut(oneLine(p.Reason), 200)
	}
	if by.Reason == "" {
		by.Reason = p.describe()
	}
	out := Outcome{Plan: p, Entry: p.Entry, Archived: p.move}
	err := l.locked(ctx, func() error {
		if p.Action == Create {
			list, err := l.Entries(ctx)
			if err != nil {
				return err
			}
			if r := l.collision(p, list, p.Entry.Folder); r != nil {
				return r
			}
		}
		e, err := l.opts.Ledger.Apply(ctx, by, func(tx *ledger.Tx) error { return p.stage(tx) })
		out.LedgerID = e.ID
		return err
	})
	if err != nil {
		return Outcome{}, changedMeanwhile(err, p)
	}
	l.after(ctx, &out)
	return out, nil
}

// changedMeanwhile makes the ledger's word on a race one of ours.
func changedMeanwhile(err error, p *Plan) error {
	if core.CodeOf(err) != core.CodeBusy {
		return err
	}
	var r *RefusedError
	if errors.As(err, &r) {
		return err
	}
	var e *core.Error
	if errors.As(err, &e) && e.Op == "lock" {
		return err
	}
	return stale(p, "a file")
}

func stale(p *Plan, file string) *RefusedError {
	return &RefusedError{Code: RefusedStale, Name: p.Entry.Rel, Message: fmt.Sprintf("%s of %s was changed at the same moment by somebody else. View it again, then repeat the change. Nothing was changed.", file, p.Entry.Name)}
}

// stage puts the plan into tx after comparing once more.
func (p *Plan) stage(tx *ledger.Tx) error {
	if p.move != "" {
		if !tx.Exists(p.Entry.Folder) {
			return stale(p, "the folder")
		}
		return tx.Move(p.Entry.Folder, p.move)
	}
	for _, c := range p.files {
		now, err := tx.Read(c.path)
		if err != nil && !os.IsNotExist(unwrapPath(err)) {
			return err
		}
		if err != nil {
			now = nil
		} else if now == nil {
			now = []byte{}
		}
		if hash(now) != hash(c.before) {
			return stale(p, c.rel)
		}
		if c.after != nil {
			if err := tx.Write(c.path, c.after, home.FileMode); err != nil {
				return err
			}
			continue
		}
		if err := removeFile(tx, c.path, p.Entry.Folder); err != nil {
			return err
		}
	}
	return nil
}

// unwrapPath finds the cause that os.IsNotExist knows.
func unwrapPath(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return os.ErrNotExist
	}
	return err
}

// removeFile removes a file, and its folder with it when nothing else is in there.
func removeFile(tx *ledger.Tx, file, top string) error {
	dir := filepath.Dir(file)
	list, err := os.ReadDir(dir)
	if err == nil && len(list) == 1 && dir != top {
		return tx.RemoveAll(dir)
	}
	return tx.Remove(file)
}

// describe is the plan in one line for the ledger.
func (p *Plan) describe() string {
	switch p.Action {
	case Create:
		return text.Cut(p.Entry.Description, 120)
	case Patch:
		return text.Cut(oneLine(*p.Old), 60) + " → " + text.Cut(oneLine(*p.New), 60)
	case Delete:
		if p.AbsorbedInto != nil && *p.AbsorbedInto != "" {
			return "absorbed into " + *p.AbsorbedInto
		}
		return "archived"
	default:
		return string(p.Action) + " " + p.changed()
	}
}

// changed is the one file the plan changes, below the skill's folder.
func (p *Plan) changed() string {
	if len(p.files) == 1 {
		return p.files[0].rel
	}
	return ""
}

// NewSecret tells whether the change brings in a key or password that was not there before.
func (p *Plan) NewSecret() bool {
	var shapes redact.Redactor
	marks := func(data []byte) int { return strings.Count(shapes.Redact(string(data)), redact.Mark) }
	for _, c := range p.files {
		if marks(c.after) > marks(c.before) {
			return true
		}
	}
	return false
}

// Changed is the file the plan changes, below the skill's folder; "" when it is the whole skill.
func (p *Plan) Changed() string { return p.changed() }

// After is what the changed file will hold; nil when it goes, or when the plan changes no single file.
func (p *Plan) After() []byte {
	if len(p.files) == 1 {
		return p.files[0].after
	}
	return nil
}

// locked runs f under the library's lock.
func (l *Library) locked(ctx context.Context, f func() error) (err error) {
	if l.opts.Ledger == nil {
		return &core.Error{Op: "change skills", Err: errors.New("this library is only read")}
	}
	if err := home.EnsureDir(l.Home()); err != nil {
		return err
	}
	lock, err := ledger.Lock(ctx, filepath.Join(l.Home(), lockFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return f()
}

// after keeps the counters and tells of the change. What fails here does not undo the change; the usage
// tells of it when it is flushed.
func (l *Library) after(ctx context.Context, out *Outcome) {
	p, key := out.Plan, out.Entry.Dir
	agent := p.by.Actor != ledger.You && p.by.Actor != ledger.Hub
	switch p.Action {
	case Create:
		l.note(l.Usage().Update(ctx, key, func(r *Record) {
			*r = newRecord(l.opts.Now())
			if agent {
				r.CreatedBy = ByAgent
			}
		}))
	case Delete:
		l.removeEmpty(filepath.Dir(out.Entry.Folder))
		l.note(l.Usage().Flush(ctx)) // what the ledger's news queued
	default:
		l.Usage().Bump(ctx, key, Patched)
	}
	if list, err := l.Entries(ctx); err == nil && p.Action != Delete {
		for _, e := range list {
			if e.Path == out.Entry.Path {
				out.Entry = e
			}
		}
	}
	l.emit(p.by, out.Entry, string(p.Action), p.changed(), out.LedgerID, p.Warnings)
}

// note keeps a failure of the counters for whoever flushes them.
func (l *Library) note(err error) {
	if err == nil {
		return
	}
	u := l.Usage()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.problem = errors.Join(u.problem, err)
}

// removeEmpty removes a category that lost its last skill.
func (l *Library) removeEmpty(dir string) {
	for dir != l.Home() && home.Within(l.Home(), dir) {
		if os.Remove(dir) != nil {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// emit tells of a change.
func (l *Library) emit(by ledger.Change, e Entry, action, file, id string, warnings []Warning) {
	if l.opts.Emit == nil || id == "" {
		return
	}
	channel := core.ChannelChat
	if by.Actor == ledger.Review || by.Actor == ledger.Curator {
		channel = core.ChannelLearning
	}
	c := &core.SkillChanged{
		Meta: core.Meta{SessionID: by.SessionID, RunID: by.RunID, Channel: channel},
		Name: e.Name, Category: e.Category, Action: action, File: file, LedgerID: id, Actor: string(by.Actor),
	}
	for _, w := range warnings {
		c.Warnings = append(c.Warnings, string(w.Code))
	}
	l.opts.Emit(c)
}

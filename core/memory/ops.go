package memory

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/text"
)

// Action is what an operation does.
type Action string

// The actions.
const (
	Add     Action = "add"
	Replace Action = "replace"
	Remove  Action = "remove"
)

// Op is one operation on one store. ID names the entry exactly and wins over Old, which is a part of it.
type Op struct {
	Action Action
	Text   string // of add and replace: the whole new entry
	Old    string // of replace and remove: finds the entry
	ID     string // the same, by fingerprint
}

// Outcome says what a change did.
type Outcome struct {
	Target   Target
	LedgerID string // "" when nothing had to change
	Used     int    // code points afterwards
	Limit    int
	Entries  int
	Message  string
	Replaced map[int]string // 1-based number of the operation → the whole entry before
	Removed  map[int]string // the same
	Backup   string         // copy of a file that was not written by these rules; "" when none was needed
	Warnings []string       // what is allowed but worth a word: near-duplicates, text like an order
}

// Do carries out ops on t as one change: all or none, judged on the end state. by says who; its action,
// subject and reason may be left empty. The error is a *RefusedError when a rule said no.
func (s *Store) Do(ctx context.Context, by ledger.Change, t Target, ops ...Op) (Outcome, error) {
	if err := s.usable(t); err != nil {
		return Outcome{}, err
	}
	ops = slices.Clone(ops)
	if err := prepare(t, ops); err != nil {
		return Outcome{}, err
	}
	out := Outcome{Target: t, Limit: s.Limit(t)}
	action, reason := describe(ops)
	by.Subject, by.Action = t.Subject(), action
	if by.Reason == "" {
		by.Reason = reason
	}
	err := s.locked(ctx, []Target{t}, func() error {
		e, err := s.opts.Ledger.Apply(ctx, by, func(tx *ledger.Tx) error {
			st, err := s.readTx(tx, t)
			if err != nil {
				return err
			}
			return s.stage(tx, by, st, ops, &out)
		})
		out.LedgerID = e.ID
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	s.emit(by, out, action)
	return out, nil
}

// prepare normalises the operations and refuses what can be refused without looking at the disk.
func prepare(t Target, ops []Op) error {
	if len(ops) == 0 {
		return &RefusedError{Code: RefusedBatch, Target: t, Message: "There are no operations. Give action and content, or a list of operations.", Plain: "There is nothing to change."}
	}
	for i := range ops {
		o := &ops[i]
		o.Text, o.Old = Normalise(o.Text), Normalise(o.Old)
		if id, ok := strings.CutPrefix(o.Old, "id:"); ok && o.ID == "" && len(id) == 12 && strings.Trim(id, "0123456789abcdef") == "" {
			o.ID = id
		}
		var r *RefusedError
		switch o.Action {
		case Add, Replace:
			r = check(t, o.Text)
			if r != nil && r.Code == RefusedEmpty && o.Action == Replace {
				r.Message = "content is empty. To delete an entry use action remove with old_text."
				r.Plain = "The new text is empty."
				r.Hint = "To delete an entry, remove it."
			}
		case Remove:
		default:
			r = &RefusedError{Code: RefusedAction, Target: t, Message: fmt.Sprintf("There is no action %q. The actions are add, replace and remove.", o.Action)}
		}
		if r != nil {
			return numbered(r, ops, i)
		}
	}
	return nil
}

// numbered says which operation of a batch was refused.
func numbered(r *RefusedError, ops []Op, i int) *RefusedError {
	if len(ops) > 1 {
		r.Op = i + 1
		format := "Operation %d of %d (%s): %s Nothing was changed."
		if r.Plain != "" {
			r.Plain = fmt.Sprintf(format, i+1, len(ops), ops[i].Action, r.Plain)
		}
		r.Message = fmt.Sprintf(format, i+1, len(ops), ops[i].Action, r.Message)
	}
	return r
}

// describe names a change for the ledger.
func describe(ops []Op) (action, reason string) {
	if len(ops) > 1 {
		return "update", fmt.Sprintf("%d operations", len(ops))
	}
	o := ops[0]
	what := o.Text
	if o.Action == Remove {
		what = o.Old
	}
	return string(o.Action), quote(what, 100)
}

// stage works out the end state and stages it.
func (s *Store) stage(tx *ledger.Tx, by ledger.Change, st state, ops []Op, out *Outcome) error {
	w := work{store: s, target: out.Target, by: by.Actor, old: st, now: slices.Clone(st.entries), was: map[string]string{}, out: out}
	for i := range ops {
		if r := w.apply(ops, i); r != nil {
			if r.Code == RefusedFreeForm {
				r.Backup = s.backup(tx.Exists, out.Target, st)
			}
			return numbered(r, ops, i)
		}
	}
	if len(ops) > 1 && len(w.now) == 0 && len(st.entries) > 0 {
		return &RefusedError{Code: RefusedBatch, Target: out.Target, Message: "The batch would leave the store empty. Nothing was changed. To empty it on purpose remove the last entry in a call of its own."}
	}
	out.Used, out.Entries = size(w.now), len(w.now)
	if out.Used > out.Limit && out.Used > size(st.entries) {
		return s.overflow(out.Target, st.entries, out.Used, ops)
	}
	out.Warnings = w.warnings()
	out.Message = w.message(ops)
	return s.put(tx, out.Target, st, w.now, w.was, out)
}

// put stages entries as the new content of t. was tells which entry each new one replaced, by id.
func (s *Store) put(tx *ledger.Tx, t Target, st state, now []string, was map[string]string, out *Outcome) error {
	if slices.Equal(st.entries, now) {
		return nil
	}
	tx.On(t.Subject())
	if !st.exact {
		out.Backup = backupName(s.Path(t), time.Now().Unix(), tx.Exists)
		if err := tx.Write(out.Backup, st.raw, 0o600); err != nil {
			return err
		}
	}
	for _, p := range parts(st.entries, now, was) {
		tx.Part(p.Key, p.Was)
	}
	return tx.Write(s.Path(t), []byte(join(now)), 0o600)
}

// parts tells what differs between two lists, by id.
func parts(old, now []string, was map[string]string) []ledger.Part {
	before, after := ids(old), ids(now)
	var out []ledger.Part
	used := map[string]bool{}
	for _, e := range now {
		id := ID(e)
		if before[id] {
			continue
		}
		p := ledger.Part{Key: id, Was: was[id]}
		if !before[p.Was] || after[p.Was] || used[p.Was] {
			p.Was = ""
		}
		used[p.Was] = true
		out = append(out, p)
	}
	for _, e := range old {
		if id := ID(e); !after[id] && !used[id] {
			out = append(out, ledger.Part{Was: id})
		}
	}
	return out
}

func ids(entries []string) map[string]bool {
	out := make(map[string]bool, len(entries))
	for _, e := range entries {
		out[ID(e)] = true
	}
	return out
}

// work is a batch in progress.
type work struct {
	store  *Store
	target Target
	by     ledger.Actor
	old    state
	now    []string
	was    map[string]string // id of a new entry → id of the one it replaced
	added  []string
	out    *Outcome
}

func (w *work) apply(ops []Op, i int) *RefusedError {
	o := ops[i]
	if o.Action == Add {
		if !slices.Contains(w.now, o.Text) {
			w.now = append(w.now, o.Text)
			w.added = append(w.added, o.Text)
		}
		return nil
	}
	at, r := w.locate(o)
	if r != nil {
		return r
	}
	old := w.now[at]
	if w.by != ledger.You && text.Len(old) > w.out.Limit {
		return &RefusedError{
			Code: RefusedFreeForm, Target: w.target,
			Message: fmt.Sprintf("%s holds text that is no list of entries (one piece is longer than the whole limit), so it was not changed: replacing would destroy it. Tell the user; do not try again.", w.target.File()),
			Plain:   fmt.Sprintf("%s holds text that is no list of entries: one piece is longer than the whole limit.", w.target.File()),
			Hint:    "Open " + w.store.Path(w.target) + " and put a line with only § between the facts.",
		}
	}
	if o.Action == Remove {
		w.now = slices.Delete(w.now, at, at+1)
		w.note(&w.out.Removed, i, old)
		return nil
	}
	w.note(&w.out.Replaced, i, old)
	if o.Text == old {
		return nil
	}
	if same := slices.Index(w.now, o.Text); same >= 0 { // it says what another entry says: one stays
		w.now = slices.Delete(w.now, at, at+1)
		return nil
	}
	w.now[at] = o.Text
	w.added = append(w.added, o.Text)
	first := ID(old)
	if earlier, ok := w.was[first]; ok {
		first = earlier
	}
	w.was[ID(o.Text)] = first
	return nil
}

func (w *work) note(m *map[int]string, i int, old string) {
	if *m == nil {
		*m = map[int]string{}
	}
	(*m)[i+1] = old
}

// warnings are words on what was added.
func (w *work) warnings() []string {
	var out []string
	tokens := tokenise(w.now)
	for _, a := range w.added {
		at := slices.Index(w.now, a)
		if at < 0 {
			continue
		}
		if j, _ := nearest(tokens, at); j >= 0 {
			other, _ := shown(w.target, w.now[j])
			out = append(out, fmt.Sprintf("%q says nearly the same as the entry %q; if so, merge them.", quote(a, 60), quote(other, 80)))
		}
		if looksLikeOrder(a) {
			out = append(out, fmt.Sprintf("%q reads like an order; a fact serves better (\"the user prefers …\"), because it yields to context.", quote(a, 60)))
		}
		if looksLikeProcedure(a) {
			out = append(out, fmt.Sprintf("%q reads like a procedure; those belong in a skill.", quote(a, 60)))
		}
	}
	return out
}

func (w *work) message(ops []Op) string {
	if slices.Equal(w.old.entries, w.now) {
		return "Nothing had to change: memory says this already. No duplicate was added."
	}
	if len(ops) > 1 {
		return fmt.Sprintf("%d operations done in %s.", len(ops), w.target.File())
	}
	return map[Action]string{Add: "Added to ", Replace: "Replaced in ", Remove: "Removed from "}[ops[0].Action] + w.target.File() + "."
}

// backup copies a file as it is for a person to repair, "" when that fails. It is the one write outside
// the ledger: the change it belongs to does not take place. Asking again makes no second copy.
func (s *Store) backup(exists func(string) bool, t Target, st state) string {
	older, err := filepath.Glob(s.Path(t) + ".bak.*")
	if err != nil {
		return ""
	}
	for _, name := range older {
		if b, err := os.ReadFile(name); err == nil && bytes.Equal(b, st.raw) {
			return name
		}
	}
	name := backupName(s.Path(t), time.Now().Unix(), exists)
	if err := home.WriteFile(name, st.raw, home.FileMode); err != nil {
		return ""
	}
	return name
}

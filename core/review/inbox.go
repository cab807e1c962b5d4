package review

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
)

// Inbox keeps the proposals of one home, a file each. It is safe for concurrent use, also by several
// processes: a proposal is accepted once, under its lock.
type Inbox struct {
	home     home.Home
	book     *Book
	appliers map[string]core.Applier
	now      func() time.Time
}

var _ core.Holder = (*Inbox)(nil)

// NewInbox returns the inbox of h. appliers know the stores by name ("memory", "skills").
func NewInbox(h home.Home, b *Book, appliers map[string]core.Applier) *Inbox {
	return &Inbox{home: h, book: b, appliers: appliers, now: time.Now}
}

// Waiting is a proposal with what has to be known about it today.
type Waiting struct {
	core.Proposal

	// Refused is the earlier refusal of the same lesson, if any.
	Refused *Refusal `json:"refused,omitempty"`
	// Foreign says that another program staged it; it can be read and rejected here, not accepted.
	Foreign bool   `json:"foreign,omitempty"`
	Path    string `json:"path"`
}

// Gist is what a proposal for memory is about, in one line: the text it would write, else what it looks for; "" of
// other stores, whose subject says it.
func (w Waiting) Gist() string {
	if w.Store != core.StoreMemory {
		return ""
	}
	var a struct {
		OldText    string `json:"old_text"`
		Operations []struct {
			OldText string `json:"old_text"`
		} `json:"operations"`
	}
	texts := textsIn(string(w.Arguments))
	if len(texts) == 0 && json.Unmarshal(w.Arguments, &a) == nil {
		texts = []string{a.OldText}
		for _, o := range a.Operations {
			texts = append(texts, o.OldText)
		}
	}
	return text.OneLine(strings.Join(texts, " · "))
}

// errNoProposal is an id that names nothing.
var errNoProposal = errors.New("no such proposal")

// Hold keeps p.
func (i *Inbox) Hold(ctx context.Context, p core.Proposal) (kept core.Proposal, note string, err error) {
	if i.appliers[p.Store] == nil {
		return p, "", &core.Error{Op: "keep proposal", Subject: p.Store, Err: errors.New("no such store")}
	}
	have, _, err := i.List()
	if err != nil {
		return p, "", err
	}
	for _, w := range have {
		if w.Store == p.Store && string(w.Arguments) == string(p.Arguments) {
			return w.Proposal, "The same change waits for the person already, as proposal " + w.ID + ". Do not repeat it.", nil
		}
	}
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	p.ID = hex.EncodeToString(id[:])
	if p.Created.IsZero() {
		p.Created = i.now().UTC()
	}
	if err := i.save(p); err != nil {
		return p, "", err
	}
	note = heldNote(p)
	if before, found, err := i.book.Before(p.Store, lessonsOf(p)...); err == nil && found {
		note += fmt.Sprintf(" The person %s the same lesson on %s; it is marked so.", before.How, before.Time.Local().Format(time.DateOnly))
	}
	return p, note, nil
}

// heldNote tells the model what became of its change.
func heldNote(p core.Proposal) string {
	why := map[core.Held]string{
		core.HeldApproval:    "changes wait for the person's approval here",
		core.HeldDangerous:   "the guard found something dangerous in it",
		core.HeldTainted:     "this conversation has read text from outside (" + firstLine(p.Taint) + ")",
		core.HeldPinned:      "the skill is pinned",
		core.HeldHandWritten: "a person wrote this skill",
	}[p.Held]
	if why == "" {
		why = string(p.Held)
	}
	return "Not written yet: " + why + ". It is kept as proposal " + p.ID + " for the person to accept or reject. Do not try to write it another way."
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

func (i *Inbox) path(store, id string) string {
	return filepath.Join(i.home.Pending(), store, id+".json")
}

func (i *Inbox) save(p core.Proposal) error {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return &core.Error{Op: "keep proposal", Err: err}
	}
	path := i.path(p.Store, p.ID)
	for _, dir := range []string{i.home.Pending(), filepath.Dir(path)} {
		if err := home.EnsureDir(dir); err != nil {
			return err
		}
	}
	return home.WriteFile(path, append(b, '\n'), home.FileMode)
}

// List returns what waits, oldest first. problems name the files that could not be read.
func (i *Inbox) List() (list []Waiting, problems []string, err error) {
	for _, store := range []string{core.StoreMemory, core.StoreSkills} {
		files, err := os.ReadDir(filepath.Join(i.home.Pending(), store))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, &core.Error{Op: "list proposals", Err: err}
		}
		for _, f := range files {
			if filepath.Ext(f.Name()) != ".json" || strings.HasPrefix(f.Name(), ".") {
				continue
			}
			w, err := i.read(store, strings.TrimSuffix(f.Name(), ".json"))
			if err != nil {
				problems = append(problems, err.Error())
				continue
			}
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b Waiting) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return list, problems, nil
}

// foreign is a change staged by another program that shares the home.
type foreign struct {
	Subsystem string          `json:"subsystem"`
	Summary   string          `json:"summary"`
	Origin    string          `json:"origin"`
	CreatedAt float64         `json:"created_at"` // seconds since 1970
	Payload   json.RawMessage `json:"payload"`
}

func (i *Inbox) read(store, id string) (Waiting, error) {
	w := Waiting{Path: i.path(store, id)}
	raw, err := os.ReadFile(w.Path)
	if err != nil {
		return w, &core.Error{Op: "read proposal", Err: err}
	}
	if err := json.Unmarshal(raw, &w.Proposal); err != nil {
		return w, &core.Error{Op: "read proposal", Subject: w.Path, Err: err, Hint: "Remove the file, or reject it: hermes reviews reject " + id}
	}
	var f foreign
	if w.Arguments == nil && json.Unmarshal(raw, &f) == nil && f.Payload != nil {
		w.Foreign, w.Arguments, w.Subject, w.Actor = true, f.Payload, f.Summary, f.Origin
		w.Created, w.Held = time.Unix(int64(f.CreatedAt), 0).UTC(), core.HeldApproval
	}
	w.ID, w.Store = id, store // the name of the file counts
	if before, found, err := i.book.Before(store, lessonsOf(w.Proposal)...); err == nil && found {
		w.Refused = &before
	}
	return w, nil
}

// Get finds a proposal by its id or the beginning of it.
func (i *Inbox) Get(id string) (Waiting, error) {
	list, _, err := i.List()
	if err != nil {
		return Waiting{}, err
	}
	var hits []Waiting
	for _, w := range list {
		if w.ID == id {
			return w, nil
		}
		if id != "" && strings.HasPrefix(w.ID, id) {
			hits = append(hits, w)
		}
	}
	if len(hits) == 1 {
		return hits[0], nil
	}
	e := &core.Error{Code: core.CodeNotFound, Op: "find proposal", Subject: id, Err: errNoProposal, Hint: "hermes reviews list shows what waits."}
	if len(hits) > 1 {
		e.Err = fmt.Errorf("%d proposals begin so", len(hits))
	}
	return Waiting{}, e
}

// Accepted is what accepting did.
type Accepted struct {
	Proposal core.Proposal `json:"proposal"`
	LedgerID string        `json:"ledger_id"`
	Diff     string        `json:"diff"`
}

// Accept makes the change of a proposal and takes it off the list. edited replaces its arguments; nil takes
// them as they are, and then the change must still be exactly the one shown.
func (i *Inbox) Accept(ctx context.Context, id string, edited json.RawMessage) (Accepted, error) {
	w, err := i.Get(id)
	if err != nil {
		return Accepted{}, err
	}
	if w.Foreign {
		return Accepted{}, &core.Error{
			Code: core.CodeDenied, Op: "accept proposal", Subject: w.ID, Err: errors.New("another program staged it"),
			Hint: "Accept it there, or reject it here.",
		}
	}
	a := i.appliers[w.Store]
	if a == nil {
		return Accepted{}, &core.Error{Op: "accept proposal", Subject: w.ID, Err: errors.New("the store " + w.Store + " is switched off")}
	}
	var out Accepted
	err = home.WithLock(ctx, filepath.Join(i.home.Pending(), w.Store, ".lock"), func() error {
		p := w.Proposal
		if _, err := os.Stat(w.Path); err != nil {
			return &core.Error{Code: core.CodeNotFound, Op: "accept proposal", Subject: w.ID, Err: errNoProposal, Hint: "Somebody decided it meanwhile."}
		}
		if edited != nil {
			p.Arguments, p.Base = edited, nil
		}
		diff, err := a.Preview(ctx, p)
		if err != nil {
			return err
		}
		if edited == nil && !SameChange(diff, p.Diff) {
			return stale(p, diff)
		}
		out.LedgerID, err = a.Apply(ctx, p)
		if err != nil {
			return err
		}
		out.Proposal, out.Diff = p, diff
		if err := os.Remove(w.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &core.Error{Op: "clear proposal", Err: err, Hint: "The change was made; reject what is left of the proposal."}
		}
		return i.book.Allow(ctx, p.Store, lessonsOf(p)...)
	})
	return out, err
}

// stale refuses a proposal whose ground has moved: accepting it would now make the change diff.
func stale(p core.Proposal, diff string) error {
	e := &core.Error{
		Code: core.CodeBusy, Op: "accept proposal", Subject: p.ID, Err: fmt.Errorf("stale: %s has changed since, so this would now change something else than shown", p.Subject),
		Hint: "Look at it again and accept it edited, or reject it.",
	}
	if diff == "" {
		e.Err, e.Hint = fmt.Errorf("stale: %s says this already, so there is nothing left to change", p.Subject), "Reject it."
	}
	return e
}

// Edit replaces the arguments of a waiting proposal and returns it with the diff they make now. They are
// checked before anything is kept.
func (i *Inbox) Edit(ctx context.Context, id string, arguments json.RawMessage) (Waiting, error) {
	return i.Retarget(ctx, id, arguments, "")
}

// Retarget is Edit for arguments that are about another subject; "" keeps it.
func (i *Inbox) Retarget(ctx context.Context, id string, arguments json.RawMessage, subject string) (Waiting, error) {
	w, err := i.Get(id)
	if err != nil {
		return Waiting{}, err
	}
	w.Arguments, w.Base = arguments, nil
	if subject != "" {
		w.Subject = subject
	}
	if a := i.appliers[w.Store]; a != nil && !w.Foreign {
		if w.Diff, err = a.Preview(ctx, w.Proposal); err != nil {
			return Waiting{}, err
		}
	}
	return w, i.save(w.Proposal)
}

// Preview is the diff that accepting a proposal makes now; it refuses what Accept would refuse.
func (i *Inbox) Preview(ctx context.Context, id string) (string, error) {
	w, err := i.Get(id)
	if err != nil {
		return "", err
	}
	a := i.appliers[w.Store]
	if a == nil || w.Foreign {
		return w.Diff, nil
	}
	diff, err := a.Preview(ctx, w.Proposal)
	if err == nil && !SameChange(diff, w.Diff) {
		err = stale(w.Proposal, diff)
	}
	return diff, err
}

// Withdraw takes a proposal off the list that its maker has put another one in the place of. Nobody refused it.
func (i *Inbox) Withdraw(ctx context.Context, id string) error {
	w, err := i.Get(id)
	if err != nil {
		return err
	}
	return home.WithLock(ctx, filepath.Join(i.home.Pending(), w.Store, ".lock"), func() error {
		if err := os.Remove(w.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &core.Error{Op: "withdraw proposal", Subject: w.ID, Err: err}
		}
		return nil
	})
}

// Reject takes a proposal off the list and remembers that its lesson is not wanted.
func (i *Inbox) Reject(ctx context.Context, id, reason string) (core.Proposal, error) {
	w, err := i.Get(id)
	if err != nil {
		return core.Proposal{}, err
	}
	r := Refusal{Store: w.Store, Subject: w.Subject, How: "refused", Reason: reason}
	if err := i.book.RefuseAll(ctx, r, lessonsOf(w.Proposal)...); err != nil {
		return core.Proposal{}, err
	}
	if err := os.Remove(w.Path); err != nil {
		return core.Proposal{}, &core.Error{Op: "reject proposal", Subject: w.ID, Err: err}
	}
	return w.Proposal, nil
}

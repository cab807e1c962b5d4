package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes/core"
)

// Filter chooses entries. Empty fields choose all.
type Filter struct {
	Subject   string // exact, or "kind:" for all of a kind
	SessionID string
	RunID     string
	ReviewID  string
	Actor     Actor
	Path      string // a file, absolute or as in the journal
	Since     time.Time
	Until     time.Time
	Unsettled bool // also aborted and open changes
	Limit     int  // newest ones; 0 for all
}

// Log returns the changes that match f, newest first. It takes no lock.
func (l *Ledger) Log(f Filter) ([]Entry, error) {
	if err := l.index.refresh(l.home.Ledger()); err != nil {
		return nil, err
	}
	path := l.name(f.Path)
	var out []Entry
	for _, e := range slices.Backward(l.index.all()) {
		if f.Limit > 0 && len(out) == f.Limit {
			break
		}
		if f.matches(e) && (path == "" || e.touches(path)) {
			out = append(out, e)
		}
	}
	return out, nil
}

func (f Filter) matches(e Entry) bool {
	return (f.Unsettled || e.State == Done) &&
		(f.Subject == "" || e.About(f.Subject)) &&
		(f.SessionID == "" || e.SessionID == f.SessionID) &&
		(f.RunID == "" || e.RunID == f.RunID) &&
		(f.ReviewID == "" || e.ReviewID == f.ReviewID) &&
		(f.Actor == "" || e.Actor == f.Actor) &&
		(f.Since.IsZero() || !e.Time.Before(f.Since)) &&
		(f.Until.IsZero() || e.Time.Before(f.Until))
}

func (e Entry) touches(name string) bool {
	return slices.ContainsFunc(e.Files, func(f FileChange) bool {
		return f.Path == name || f.Op == OpMove && (strings.HasPrefix(name, f.Path+"/") || strings.HasPrefix(name, f.From+"/") || name == f.From)
	})
}

// Entry returns the change with this id, or the only one whose id ends or begins with it (at least six
// characters; ends differ sooner).
func (l *Ledger) Entry(id string) (Entry, error) {
	if err := l.index.refresh(l.home.Ledger()); err != nil {
		return Entry{}, err
	}
	var hit []Entry
	want := strings.ToUpper(strings.TrimSpace(id))
	for _, e := range l.index.all() {
		if e.ID == want {
			return e, nil
		}
		if len(want) >= 6 && (strings.HasPrefix(e.ID, want) || strings.HasSuffix(e.ID, want)) {
			hit = append(hit, e)
		}
	}
	switch len(hit) {
	case 1:
		return hit[0], nil
	case 0:
		return Entry{}, &core.Error{Code: core.CodeNotFound, Op: "find change", Subject: id, Err: errors.New("no such change"), Hint: "See hermes ledger log."}
	}
	return Entry{}, &core.Error{Code: core.CodeUsage, Op: "find change", Subject: id, Err: fmt.Errorf("%d changes match", len(hit)), Hint: "Give the whole id."}
}

// Damaged is the number of journal lines that could not be read.
func (l *Ledger) Damaged() (int, error) {
	err := l.index.refresh(l.home.Ledger())
	l.index.mu.Lock()
	defer l.index.mu.Unlock()
	return l.index.damaged, err
}

// Trail returns the changes that made the part key of subjects of kind what it is, newest first: its
// last addition, replacement or removal, and on back through what it replaced.
func (l *Ledger) Trail(kind, key string) ([]Entry, error) {
	all, err := l.Log(Filter{Subject: kind + ":"})
	if err != nil {
		return nil, err
	}
	var out []Entry
	keys := map[string]bool{key: true}
	for _, e := range all {
		hit := false
		for _, p := range e.Of(kind).Parts {
			if p.Key != "" && keys[p.Key] || p.Was != "" && keys[p.Was] {
				hit = true
				if p.Was != "" {
					keys[p.Was] = true
				}
			}
		}
		if hit {
			out = append(out, e)
		}
	}
	return out, nil
}

// Origins maps each part of subject to the change that last wrote it, for parts that have one.
func (l *Ledger) Origins(subject string) (map[string]Entry, error) {
	all, err := l.Log(Filter{Subject: subject})
	if err != nil {
		return nil, err
	}
	out := map[string]Entry{}
	for _, e := range all {
		for _, p := range e.Parts {
			if p.subject(e) != subject || p.Key == "" {
				continue
			}
			if _, ok := out[p.Key]; !ok {
				out[p.Key] = e
			}
		}
	}
	return out, nil
}

// Version maps the files of subject to their hashes as they were after change id ("" for now); files
// that were not there are missing. Only files that changes have touched are known.
func (l *Ledger) Version(subject, id string) (map[string]string, error) {
	all, err := l.Log(Filter{Subject: subject})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	first := map[string]bool{}
	for _, e := range slices.Backward(all) {
		past := id == "" || e.ID <= id
		for _, f := range e.Files {
			if f.subject(e) != subject {
				continue
			}
			if f.Op == OpMove {
				if past {
					rename(out, f)
				}
				continue
			}
			if past {
				out[f.Path] = f.After
			} else if !first[f.Path] && out[f.Path] == "" {
				out[f.Path] = f.Before // not touched until later: as it was found then
			}
			first[f.Path] = true
		}
	}
	for name, hash := range out {
		if hash == "" {
			delete(out, name)
		}
	}
	return out, nil
}

func rename(files map[string]string, f FileChange) {
	for name, hash := range files {
		if name == f.From || strings.HasPrefix(name, f.From+"/") {
			delete(files, name)
			files[f.Path+strings.TrimPrefix(name, f.From)] = hash
		}
	}
}

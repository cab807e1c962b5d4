package memory

import (
	"context"
	"errors"
	"fmt"

	"hermes/core"
	"hermes/core/ledger"
)

// Moment is one change in the life of an entry. Text is what it said afterwards ("" when it was
// removed), Was what it said before ("" when it was added).
type Moment struct {
	Change ledger.Entry `json:"change"`
	Target Target       `json:"store"`
	ID     string       `json:"id,omitempty"`
	Text   string       `json:"text,omitempty"`
	WasID  string       `json:"was_id,omitempty"`
	Was    string       `json:"was,omitempty"`
}

// History tells the life of the entry id through everything it replaced, newest first; "" tells it of
// all entries. Texts that are no longer kept are empty.
func (s *Store) History(id string) ([]Moment, error) {
	var changes []ledger.Entry
	var err error
	if id == "" {
		changes, err = s.opts.Ledger.Log(ledger.Filter{Subject: kind + ":"})
	} else {
		changes, err = s.opts.Ledger.Trail(kind, id)
	}
	if err != nil {
		return nil, err
	}
	chain := map[string]bool{id: true}
	out := []Moment{}
	for _, c := range changes {
		for _, p := range c.Of(kind).Parts {
			if id != "" && !chain[p.Key] && !chain[p.Was] {
				continue
			}
			if p.Was != "" {
				chain[p.Was] = true
			}
			subject := p.Subject
			if subject == "" {
				subject = c.Subject
			}
			m := Moment{Change: c, Target: Target(subject[len(kind)+1:]), ID: p.Key, WasID: p.Was}
			m.Text, m.Was = s.version(c, m.Target, p.Key, true), s.version(c, m.Target, p.Was, false)
			out = append(out, m)
		}
	}
	return out, nil
}

// version is the text of an entry in the file after (or before) a change; "" when it is not known.
func (s *Store) version(c ledger.Entry, t Target, id string, after bool) string {
	if id == "" {
		return ""
	}
	for _, e := range s.versions(c, t, after) {
		if ID(e) == id {
			return e
		}
	}
	return ""
}

func (s *Store) versions(c ledger.Entry, t Target, after bool) []string {
	for _, f := range c.Files {
		if s.opts.Ledger.Path(f.Path) != s.Path(t) {
			continue
		}
		hash := f.Before
		if after {
			hash = f.After
		}
		if hash == "" {
			return nil
		}
		raw, err := s.opts.Ledger.Blob(hash)
		if err != nil {
			return nil
		}
		entries, _, _ := parse(raw) // what is not UTF-8 has no entries
		return entries
	}
	return nil
}

// Deleted lists entries that once stood in a store and do not now, newest first, each once: what Restore
// can bring back. What was replaced counts too.
func (s *Store) Deleted() ([]Moment, error) {
	all, err := s.History("")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, t := range s.Enabled() {
		st, err := s.read(t)
		if err != nil {
			return nil, err
		}
		for _, e := range st.entries {
			seen[ID(e)] = true
		}
	}
	out := []Moment{}
	for _, m := range all {
		if m.WasID != "" && m.Was != "" && !seen[m.WasID] {
			seen[m.WasID] = true
			out = append(out, m)
		}
	}
	return out, nil
}

// Restore adds an earlier entry again, to the store it stood in. It obeys the rules of any addition: the
// limit, the scan.
func (s *Store) Restore(ctx context.Context, by ledger.Change, id string) (Outcome, error) {
	moments, err := s.History(id)
	if err != nil {
		return Outcome{}, err
	}
	for _, m := range moments {
		e := ""
		switch id {
		case m.WasID:
			e = m.Was
		case m.ID:
			e = m.Text
		}
		if e == "" {
			continue
		}
		if by.Reason == "" {
			by.Reason = "restore " + quote(e, 80)
		}
		return s.Do(ctx, by, m.Target, Op{Action: Add, Text: e})
	}
	return Outcome{}, &core.Error{
		Code: core.CodeNotFound, Op: "restore entry", Subject: id, Err: errors.New("no such entry in the history"),
		Hint: fmt.Sprintf("See hermes memory history; ids have %d characters.", len(ID(""))),
	}
}

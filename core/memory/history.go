package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/ledger"
)

// Moment is one change in the life of an entry. Text is what it said afterwards ("" when it was
// removed), Was what it said before ("" when it was added). A text that is no longer kept is empty beside its
// id; Purged says that it held a secret which was removed.
type Moment struct {
	Change ledger.Entry `json:"change"`
	Target Target       `json:"store"`
	ID     string       `json:"id,omitempty"`
	Text   string       `json:"text,omitempty"`
	WasID  string       `json:"was_id,omitempty"`
	Was    string       `json:"was,omitempty"`
	Purged bool         `json:"purged,omitempty"`
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
			t, _ := target(c, p)
			m := Moment{Change: c, Target: t, ID: p.Key, WasID: p.Was}
			m.Text, m.Was = s.version(c, m.Target, p.Key, true), s.version(c, m.Target, p.Was, false)
			m.Purged = m.ID != "" && m.Text == "" && s.purged(c, m.Target, true) || m.WasID != "" && m.Was == "" && s.purged(c, m.Target, false)
			out = append(out, m)
		}
	}
	return out, nil
}

// Added are the texts that change e brought into the stores, as far as they are kept: entries as they are, not
// lines of a file.
func (s *Store) Added(e ledger.Entry) []string {
	var out []string
	for _, p := range e.Of(kind).Parts {
		t, known := target(e, p)
		if text := s.version(e, t, p.Key, true); known && text != "" {
			out = append(out, text)
		}
	}
	return out
}

// target is the store that part p of change e is about.
func target(e ledger.Entry, p ledger.Part) (t Target, known bool) {
	subject := p.Subject
	if subject == "" {
		subject = e.Subject
	}
	name, known := strings.CutPrefix(subject, kind+":")
	return Target(name), known
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

// purged tells whether a secret was removed from the file as it was after (or before) a change.
func (s *Store) purged(c ledger.Entry, t Target, after bool) bool {
	return slices.ContainsFunc(s.versions(c, t, after), func(e string) bool { return strings.Contains(e, ledger.Purged) })
}

// Missing is what stands for the text of an entry that is no longer known.
func (m Moment) Missing() string {
	if m.Purged {
		return "(purged: it held a secret)"
	}
	return "(its text is no longer kept)"
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
		st, _ := s.read(t) // what cannot be read holds nothing that is known
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

package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hermes/core/ledger"
	"hermes/core/text"
	"hermes/core/threat"
)

// FlagCode names something worth knowing about an entry.
type FlagCode string

// The flags.
const (
	FlagBlocked     FlagCode = "blocked"           // kept out of prompts
	FlagHidden      FlagCode = "hidden-characters" // invisible characters that ordinary writing does not need
	FlagSuspicious  FlagCode = "suspicious"        // a pattern that is shown, not blocked
	FlagNear        FlagCode = "near-duplicate"    // says nearly the same as Of
	FlagInstruction FlagCode = "instruction"       // reads like an order
	FlagProcedure   FlagCode = "procedure"         // reads like steps: a skill
	FlagStale       FlagCode = "stale"             // about a moment that went by, or old
	FlagOver        FlagCode = "over-limit"        // of a store: nothing can be added
	FlagUnreadable  FlagCode = "unreadable"        // of a store: it is not in prompts
)

// staleAfter is the age from which an entry deserves a look.
const staleAfter = 365 * 24 * time.Hour

// Flag is one remark on an entry.
type Flag struct {
	Code    FlagCode `json:"code"`
	Message string   `json:"message"`
	Of      string   `json:"of,omitempty"`      // id of the other entry
	Pattern string   `json:"pattern,omitempty"` // id of the threat pattern
	Decoded string   `json:"decoded,omitempty"`
}

// Origin is where an entry came from, as far as the ledger knows.
type Origin struct {
	Actor     ledger.Actor `json:"actor"`
	Time      time.Time    `json:"time"`
	SessionID string       `json:"session_id"`
	RunID     string       `json:"run_id,omitempty"`
	ReviewID  string       `json:"review_id,omitempty"`
	LedgerID  string       `json:"ledger_id"`
	Reason    string       `json:"reason,omitempty"`
}

// Entry is one fact as it stands. Text is raw: it may hold what is blocked in prompts.
type Entry struct {
	ID     string  `json:"id"`
	Text   string  `json:"text"`
	Chars  int     `json:"chars"` // code points, without a separator
	Flags  []Flag  `json:"flags"`
	Origin *Origin `json:"origin,omitempty"`
}

// Blocked reports whether the entry is kept out of prompts.
func (e Entry) Blocked() bool {
	for _, f := range e.Flags {
		if f.Code == FlagBlocked {
			return true
		}
	}
	return false
}

// Sheet is one store as a person sees it.
type Sheet struct {
	Target  Target  `json:"-"`
	Path    string  `json:"path"`
	Used    int     `json:"used"` // code points, separators included
	Limit   int     `json:"limit"`
	Entries []Entry `json:"entries"`
	// Inexact says that the file holds more than its entries (repeated ones, stray separators): the next
	// change keeps a copy of it.
	Inexact bool `json:"inexact,omitempty"`
	// Problem says why hand edits could not be recorded (a read-only home); the entries are right anyway.
	Problem string `json:"problem,omitempty"`
	// Unreadable says why the file cannot be read: what it holds is not known, and it is left alone.
	Unreadable string `json:"unreadable,omitempty"`
}

// Flags are the remarks on the store as a whole.
func (s Sheet) Flags() []Flag {
	switch {
	case s.Unreadable != "":
		return []Flag{{Code: FlagUnreadable, Message: s.Unreadable}}
	case s.Used > s.Limit:
		return []Flag{{Code: FlagOver, Message: fmt.Sprintf("%s characters, %s too many: nothing can be added", usage(s.Used, s.Limit), text.Thousands(s.Used-s.Limit))}}
	}
	return nil
}

// Sheets reads the stores that are in use. One that cannot be read is there, says so, and takes no other down.
func (s *Store) Sheets(ctx context.Context) ([]Sheet, error) {
	var out []Sheet
	for _, t := range s.Enabled() {
		sheet, err := s.Sheet(ctx, t)
		var r *RefusedError
		switch {
		case errors.As(err, &r) && r.Code == RefusedUnreadable:
			sheet = Sheet{Target: t, Path: s.Path(t), Limit: s.Limit(t), Entries: []Entry{}, Unreadable: r.Error()}
		case err != nil:
			return nil, err
		}
		out = append(out, sheet)
	}
	return out, nil
}

// Sheet reads one store with flags and origins. Hand edits found on the way are recorded.
func (s *Store) Sheet(ctx context.Context, t Target) (Sheet, error) {
	if err := s.usable(t); err != nil {
		return Sheet{}, err
	}
	st, err := s.read(t)
	if err != nil {
		return Sheet{}, err
	}
	problem := ""
	if err := s.Notice(ctx, t); err != nil {
		problem = err.Error()
	}
	origins, err := s.opts.Ledger.Origins(t.Subject())
	if err != nil {
		return Sheet{}, err
	}
	out := Sheet{Target: t, Path: s.Path(t), Used: size(st.entries), Limit: s.Limit(t), Inexact: !st.exact, Problem: problem, Entries: []Entry{}}
	tokens := tokenise(st.entries)
	for i, e := range st.entries {
		v := Entry{ID: ID(e), Text: e, Chars: text.Len(e)}
		if o, ok := origins[v.ID]; ok {
			v.Origin = &Origin{Actor: o.Actor, Time: o.Time, SessionID: o.SessionID, RunID: o.RunID, ReviewID: o.ReviewID, LedgerID: o.ID, Reason: o.Reason}
		}
		v.Flags = flags(st.entries, tokens, i, v.Origin)
		out.Entries = append(out.Entries, v)
	}
	return out, nil
}

// Notice records what changed in t's file through no door. It takes a lock only when something did.
func (s *Store) Notice(ctx context.Context, t Target) error {
	found, err := s.opts.Ledger.Outside(ctx, t.Subject(), s.Path(t))
	if err != nil {
		return err
	}
	for _, e := range found {
		st, err := s.read(t)
		if err != nil {
			return err
		}
		s.emit(ledger.Change{Actor: ledger.Outside}, Outcome{Target: t, LedgerID: e.ID, Used: size(st.entries), Limit: s.Limit(t), Entries: len(st.entries)}, "outside")
	}
	return nil
}

// flags are the remarks on entry at.
func flags(entries []string, tokens []map[string]bool, at int, origin *Origin) []Flag {
	e := entries[at]
	out := scanFlags(e)
	if j, score := nearest(tokens, at); j >= 0 {
		out = append(out, Flag{Code: FlagNear, Of: ID(entries[j]), Message: fmt.Sprintf("shares %d%% of its words with %q", int(score*100), quote(entries[j], 60))})
	}
	if looksLikeOrder(e) {
		out = append(out, Flag{Code: FlagInstruction, Message: "reads like an order; a fact yields to context, an order does not"})
	}
	if looksLikeProcedure(e) {
		out = append(out, Flag{Code: FlagProcedure, Message: "reads like steps; procedures belong in a skill"})
	}
	switch {
	case looksPassing(e):
		out = append(out, Flag{Code: FlagStale, Message: "speaks of a moment that goes by"})
	case origin != nil && time.Since(origin.Time) > staleAfter:
		out = append(out, Flag{Code: FlagStale, Message: "not touched for more than a year"})
	}
	return out
}

// control are the characters that no writing needs.
func control(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// scanFlags are the remarks of the scanner, the worst first.
func scanFlags(e string) []Flag {
	out := []Flag{}
	if i := strings.IndexFunc(e, control); i >= 0 {
		r, _ := utf8.DecodeRuneInString(e[i:])
		out = append(out, Flag{Code: FlagHidden, Message: fmt.Sprintf("holds a control character, U+%04X", r)})
	}
	seen := map[string]bool{}
	for _, f := range threat.Scan(e, threat.Strict) {
		code := FlagSuspicious
		switch {
		case f.Severity == threat.Block:
			code = FlagBlocked
		case strings.HasPrefix(f.ID, "invisible_") || strings.HasPrefix(f.ID, "hidden_") || strings.HasPrefix(f.ID, "variation_"):
			code = FlagHidden
		}
		if seen[f.ID] {
			continue
		}
		seen[f.ID] = true
		flag := Flag{Code: code, Pattern: f.ID, Decoded: f.Decoded, Message: f.ID + ": " + text.Cut(text.OneLine(f.Excerpt), 80)}
		if code == FlagBlocked {
			out = append([]Flag{flag}, out...)
		} else {
			out = append(out, flag)
		}
	}
	return out
}

// Announce emits what change e, made through the ledger itself (an undo), did to memory.
func (s *Store) Announce(e ledger.Entry) {
	for _, t := range Targets() {
		if !e.About(t.Subject()) {
			continue
		}
		st, err := s.read(t)
		if err != nil {
			continue // the next look at the store says so
		}
		by := ledger.Change{Actor: e.Actor, SessionID: e.SessionID, RunID: e.RunID}
		s.emit(by, Outcome{Target: t, LedgerID: e.ID, Used: size(st.entries), Limit: s.Limit(t), Entries: len(st.entries)}, e.Action)
	}
}

package curator

import (
	"fmt"
	"time"

	"hermes/skills"
)

// protected are skills that never age, whoever wrote them.
func protected() map[string]bool { return map[string]bool{"plan": true} }

// Move is what happens to a skill.
type Move string

// The moves.
const (
	Keep       Move = "keep"
	Seed       Move = "seed" // it has no record: its clock starts now
	MarkStale  Move = "stale"
	Reactivate Move = "reactivate"
	Archive    Move = "archive"
)

// Step is what a run does, or would do, with one skill.
type Step struct {
	Name   string `json:"name"` // "category/folder"
	Move   Move   `json:"move"`
	Reason string `json:"reason"`
	Days   int    `json:"days"` // since it was last active
	From   string `json:"from,omitempty"`
	Error  string `json:"error,omitempty"` // why it was not done
}

// rules are what the decision depends on.
type rules struct {
	now     time.Time
	stale   time.Duration
	archive time.Duration
	cron    map[string]bool // names in scheduled jobs
}

// decide says what happens to a skill.
func (r rules) decide(e skills.Entry, o skills.Origin, known bool) Step {
	s := Step{Name: e.Rel, Move: Keep, From: o.Record.State}
	switch {
	case o.Pinned:
		s.Reason = "pinned"
		return s
	case protected()[e.Dir]:
		s.Reason = "protected"
		return s
	case r.cron[e.Dir], r.cron[e.Name], r.cron[e.Rel]:
		s.Reason = "a scheduled job needs it"
		return s
	case !known || o.Record.Created.IsZero() && o.Record.LastActive().IsZero():
		s.Move, s.Reason = Seed, "no record yet: its time starts now"
		return s
	}
	at := o.Record.LastActive()
	if at.IsZero() {
		at = o.Record.Created // never used: it has the whole time from its creation to be found
	}
	age := max(r.now.Sub(at), 0) // a time in the future is now
	s.Days = int(age / (24 * time.Hour))
	switch {
	case age >= r.archive:
		s.Move, s.Reason = Archive, fmt.Sprintf("not used for %d days", s.Days)
	case age >= r.stale && o.Record.State != skills.StateStale:
		s.Move, s.Reason = MarkStale, fmt.Sprintf("not used for %d days", s.Days)
	case age < r.stale && o.Record.State == skills.StateStale:
		s.Move, s.Reason = Reactivate, "used again"
	default:
		s.Reason = fmt.Sprintf("last active %d days ago", s.Days)
	}
	return s
}

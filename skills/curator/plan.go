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

// exempt says why a skill never goes by itself; "" when it may.
func (r rules) exempt(e skills.Entry, o skills.Origin) string {
	switch {
	case o.Pinned:
		return "pinned"
	case protected()[e.Dir]:
		return "protected"
	case r.cron[e.Dir], r.cron[e.Name], r.cron[e.Rel]:
		return "a scheduled job needs it"
	}
	return ""
}

// decide says what happens to a skill.
func (r rules) decide(e skills.Entry, o skills.Origin, known bool) Step {
	s := Step{Name: e.Rel, Move: Keep, From: o.Record.State}
	if s.Reason = r.exempt(e, o); s.Reason != "" {
		return s
	}
	switch {
	case !known || o.Record.Created.IsZero() && o.Record.LastActive().IsZero():
		s.Move, s.Reason = Seed, "no record yet: its time starts now"
		return s
	}
	at := o.Record.LastActive()
	if at.IsZero() {
		at = o.Record.Created // never used: it has the whole time from its creation to be found
	}
	back := o.Record.Restored.After(at)
	if back {
		at = o.Record.Restored // or from when a person brought it back: what was undone is not done again at once
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
		s.Reason = "last active " + ago(s.Days)
		if back {
			s.Reason = "brought back " + ago(s.Days)
		}
	}
	return s
}

// ago is a number of days in words.
func ago(days int) string {
	switch days {
	case 0:
		return "today"
	case 1:
		return "yesterday"
	}
	return fmt.Sprintf("%d days ago", days)
}

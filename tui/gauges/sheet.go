package gauges

import (
	"time"

	"hermes/core/text"
)

// Sheet is one memory store as the pane shows it. Texts are raw; the pane neutralises what it draws.
type Sheet struct {
	Name    string // "MEMORY", "USER"
	Used    int    // code points, separators included
	Limit   int    // code points
	Entries []Entry
	// Problem says what is wrong with the store as a whole; "" when nothing is.
	Problem string
	// Unreadable says why nothing else is known about the store; "" when it could be read.
	Unreadable string
}

// Entry is one fact of a store, in the order of the file.
type Entry struct {
	ID      string
	Text    string // as on disk, also when it is kept out of prompts
	Chars   int    // code points
	Blocked bool   // kept out of prompts
	Near    bool   // says nearly the same as another entry
	// Notes are the remarks on the entry, a line each ("near-duplicate of entry 2").
	Notes  []string
	Origin Origin
}

// Origin is where an entry came from; its zero value is unknown.
type Origin struct {
	Actor     string // "you", "agent", "review" …
	Time      time.Time
	SessionID string
	Reason    string
}

// warm and hot are the percentages from which a gauge changes its step.
const (
	warm = 70
	hot  = 90
)

// step is how full a store is.
type step int

const (
	calm step = iota
	isWarm
	isHot
)

// sign tells the step without colour.
func (s step) sign() string { return [...]string{"", "!", "!!"}[s] }

// most is where percentages end: beyond it the figures tell more.
const most = 999

// share returns how much of n parts is used, rounded down, at most most/100 times n; a store without a
// limit is empty. Amounts beyond huge are none that a file can have.
func (s Sheet) share(n int) int {
	const huge = 1 << 40
	used, limit := int64(s.Used), min(int64(s.Limit), huge)
	if limit <= 0 || used <= 0 {
		return 0
	}
	used = min(used, limit*most/100+1)
	return int(used * int64(n) / limit)
}

// percent is rounded down, so that 100 means full.
func (s Sheet) percent() int { return min(s.share(100), most) }

func (s Sheet) step() step {
	switch p := s.percent(); {
	case p >= hot:
		return isHot
	case p >= warm:
		return isWarm
	default:
		return calm
	}
}

// figures is "1,834/2,200".
func (s Sheet) figures() string { return text.Thousands(s.Used) + "/" + text.Thousands(s.Limit) }

// tally counts what is worth knowing about entries.
type tally struct{ all, fresh, blocked, near int }

func (t tally) add(o tally) tally {
	return tally{t.all + o.all, t.fresh + o.fresh, t.blocked + o.blocked, t.near + o.near}
}

// count looks at the entries of s from session: those it saved are not in its prompt yet.
func (s Sheet) count(session string) tally {
	t := tally{all: len(s.Entries)}
	for _, e := range s.Entries {
		if e.fresh(session) {
			t.fresh++
		}
		if e.Blocked {
			t.blocked++
		}
		if e.Near {
			t.near++
		}
	}
	return t
}

// fresh tells an entry that session saved itself. Blocked ones reach no prompt and are not counted.
func (e Entry) fresh(session string) bool {
	return session != "" && e.Origin.SessionID == session && !e.Blocked
}

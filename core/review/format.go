package review

import (
	"cmp"
	"strings"
	"time"

	"hermes/core"
)

// Version is the version of review_state.json and of the records that this program writes. Newer ones are
// read, never written.
//
//	1  first version
const Version = 1

// Trigger says why a review runs.
type Trigger string

// The triggers.
const (
	ByMemory Trigger = "memory"        // enough user turns without a word for memory
	BySkills Trigger = "skills"        // enough model steps without a change of a skill
	ByBoth   Trigger = "memory+skills" // both
	ByAsking Trigger = "asked"         // a person asked for it
	ByTime   Trigger = "time"          // it was due
)

// join is what both triggers make together; asking wins.
func (t Trigger) join(o Trigger) Trigger {
	switch {
	case t == "" || t == o || o == ByAsking:
		return o
	case o == "" || t == ByAsking:
		return t
	}
	return ByBoth
}

// TurnRef names a finished turn that no review has seen.
type TurnRef struct {
	SessionID string    `json:"session_id"`
	RunID     string    `json:"run_id"`
	Time      time.Time `json:"time"`
	Taint     string    `json:"taint,omitempty"` // where foreign text in it came from
}

// Refusal is a lesson that a person refused or took back.
type Refusal struct {
	Store   string    `json:"store"` // "memory" or "skills"
	Subject string    `json:"subject"`
	Lesson  string    `json:"lesson"` // the lines it would have added
	How     string    `json:"how"`    // "refused" or "undone"
	Reason  string    `json:"reason,omitempty"`
	Time    time.Time `json:"time"`
}

// Spent is what learning cost on one day.
type Spent struct {
	Tokens int64   `json:"tokens"` // input and output
	USD    float64 `json:"usd"`
}

// State says where a review stands.
type State string

// The states.
const (
	Queued    State = "queued"
	Running   State = "running"
	Saved     State = "saved"    // something was learned
	Proposed  State = "proposed" // nothing was written yet: it waits in the inbox
	Nothing   State = "nothing"  // there was nothing to save
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Why is how a review that did not come to a good end ended, in words; "" for others.
func (r Record) Why() string {
	if r.State != Failed && r.State != Cancelled {
		return ""
	}
	if r.Error == "" || strings.HasPrefix(r.Error, string(r.State)) {
		return cmp.Or(r.Error, string(r.State))
	}
	return string(r.State) + ": " + r.Error
}

// Ended tells whether s is final.
func (s State) Ended() bool { return s != Queued && s != Running }

// Step is one call of a review.
type Step struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"` // as the model wrote them, cut
	OK        bool   `json:"ok"`
	Refused   bool   `json:"refused,omitempty"` // by a rule of this package; the tool did not run
	Result    string `json:"result"`            // cut
	Summary   string `json:"summary,omitempty"`
	Diff      string `json:"diff,omitempty"`
}

// What a background agent does.
const (
	KindReview  = "review"
	KindSummary = "summary" // of a past session, for a search
	KindCheck   = "check"   // of what a lesson wrote
	KindCurator = "curator" // upkeep of skills
)

// IsReview tells whether a kind is that of reviews; records of old have none.
func IsReview(kind string) bool { return kind == "" || kind == KindReview }

// Record is one review as it is kept. Its JSON is also what "hermes reviews show" prints.
type Record struct {
	Version    int        `json:"version"`
	ID         string     `json:"id"`
	Kind       string     `json:"kind"` // KindReview, KindSummary …
	SessionID  string     `json:"session_id"`
	RunID      string     `json:"run_id,omitempty"` // the turn that triggered it
	Trigger    Trigger    `json:"trigger"`
	Focus      string     `json:"focus,omitempty"`
	State      State      `json:"state"`
	Model      string     `json:"model,omitempty"`
	Calls      int        `json:"calls"`
	MaxCalls   int        `json:"max_calls"`
	Requests   int        `json:"requests"`
	StartedAt  time.Time  `json:"started_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	DurationMS int64      `json:"duration_ms"`
	Usage      core.Usage `json:"usage"`
	Cost       core.Cost  `json:"cost"`
	Steps      []Step     `json:"steps,omitempty"`
	Saved      int        `json:"saved"`         // changes made
	Did        []string   `json:"did,omitempty"` // the changes in a few words each: "+1 user fact", "patch deploy"
	Held       int        `json:"held"`          // proposals left in the inbox
	Note       string     `json:"note,omitempty"`
	Error      string     `json:"error,omitempty"`
	Digested   int        `json:"digested,omitempty"` // turns of other sessions it looked at
	PID        int        `json:"pid,omitempty"`      // of the process that runs it
}

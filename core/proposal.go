package core

import (
	"context"
	"encoding/json"
	"time"
)

// ReviewMark is how the instruction of a background review begins. No transcript may hold it.
const ReviewMark = "[Review. The work above is finished"

// The stores a proposal may be for.
const (
	StoreMemory = "memory"
	StoreSkills = "skills"
)

// Held names why a change waits for a person.
type Held string

// The reasons.
const (
	HeldApproval    Held = "approval"     // memory.write_approval or skills.write_approval is on
	HeldDangerous   Held = "dangerous"    // the guard's verdict, and nobody there to ask
	HeldTainted     Held = "tainted"      // the turn read the web or a folder that is not trusted
	HeldPinned      Held = "pinned"       // the skill is pinned
	HeldHandWritten Held = "hand-written" // a person wrote the skill
)

// Proposal is a change to what was learned that waits for a person. It holds the tool call as it was
// made: accepting it runs the same call again with all gates of the tool, in the person's name.
type Proposal struct {
	ID        string          `json:"id"`        // given by the inbox
	Store     string          `json:"store"`     // "memory" or "skills"
	Action    string          `json:"action"`    // of the tool: "add", "create", "patch" …
	Subject   string          `json:"subject"`   // as in the ledger: "memory:user", "skill:devops/deploy"
	Arguments json.RawMessage `json:"arguments"` // of the tool call
	Diff      string          `json:"diff"`      // unified; exactly what accepting it changes
	// Base holds the SHA-256 (hex) of each file the proposal was made against, by its path below the home;
	// "" for a file that was not there. A file that differs now makes the proposal stale.
	Base     map[string]string `json:"base"`
	Held     Held              `json:"held"`
	Reason   string            `json:"reason,omitempty"`   // one line: why it should be changed
	Findings []string          `json:"findings,omitempty"` // of the guard, a line each

	Actor     string    `json:"actor"` // as in the ledger: "agent", "review"
	SessionID string    `json:"session_id,omitempty"`
	RunID     string    `json:"run_id,omitempty"`
	CallID    string    `json:"call_id,omitempty"`
	ReviewID  string    `json:"review_id,omitempty"`
	Taint     string    `json:"taint,omitempty"` // where foreign text came from
	Created   time.Time `json:"created"`
}

// Holder keeps proposals: the inbox of package review.
type Holder interface {
	// Hold keeps p and returns it with its ID. note tells the model what became of its wish, also when a
	// person refused the same before.
	Hold(ctx context.Context, p Proposal) (kept Proposal, note string, err error)
}

// Applier knows one store of what is learned.
type Applier interface {
	// Preview checks p against what is on disk now and returns the diff that Apply would make. A file that
	// changed since p was made is an error of class CodeBusy that names it.
	Preview(ctx context.Context, p Proposal) (diff string, err error)
	// Apply makes the change in the person's name, keeping its origin, and returns its ledger id.
	Apply(ctx context.Context, p Proposal) (change string, err error)
}

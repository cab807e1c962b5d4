package core

import "encoding/json"

// The events of what is learned.
type (
	// MemoryChanged says that a memory file was changed, by whomever. The prompt of the running session
	// does not change; the next session sees it.
	MemoryChanged struct {
		Meta

		Store    string `json:"store"`   // "memory" or "user"
		Used     int    `json:"used"`    // code points, separators included
		Limit    int    `json:"limit"`   // code points
		Entries  int    `json:"entries"` // how many
		Action   string `json:"action"`  // "add", "replace", "remove", "update", "tidy", "restore", "undo", "outside"
		LedgerID string `json:"ledger_id"`
		Actor    string `json:"actor"` // as in the ledger: "you", "agent", "review" …
	}

	// SkillChanged says that a skill was changed, by whomever. The prompt of the running session does not
	// change; the next session sees it.
	SkillChanged struct {
		Meta

		Name     string   `json:"name"`
		Category string   `json:"category,omitempty"`
		Action   string   `json:"action"`         // "create", "patch", "edit", "delete", "write_file", "remove_file", "archive", "restore", "rollback", "undo" …
		File     string   `json:"file,omitempty"` // below the skill's folder, when one file was changed
		LedgerID string   `json:"ledger_id"`
		Actor    string   `json:"actor"`
		Warnings []string `json:"warnings,omitempty"` // codes
	}

	// SkillLoaded says that the model was given a skill, or one of its files.
	SkillLoaded struct {
		Meta

		Name     string `json:"name"`
		Category string `json:"category,omitempty"`
		File     string `json:"file,omitempty"`    // "" for SKILL.md
		By       string `json:"by"`                // "tool", "slash", "flag"
		Version  string `json:"version,omitempty"` // hash of its SKILL.md
	}

	// ReviewStarted says that a background agent began, or waits for its turn.
	ReviewStarted struct {
		Meta

		ReviewID string `json:"review_id"`
		Kind     string `json:"kind"`    // "review", "curator", "learn", "summary"
		Trigger  string `json:"trigger"` // "memory", "skills", "memory+skills", "asked"
		Focus    string `json:"focus,omitempty"`
		State    string `json:"state"` // "queued", "running"
		MaxCalls int    `json:"max_calls"`
	}

	// ReviewStep is one call of a background agent.
	ReviewStep struct {
		Meta

		ReviewID string          `json:"review_id"`
		Calls    int             `json:"calls"` // so far, this one included
		Tool     string          `json:"tool"`
		Args     json.RawMessage `json:"arguments,omitempty"`
		OK       *bool           `json:"ok,omitempty"` // absent while it runs
		Summary  string          `json:"summary,omitempty"`
	}

	// ReviewEnded says how a background agent ended.
	ReviewEnded struct {
		Meta

		ReviewID string `json:"review_id"`
		Kind     string `json:"kind"`
		State    string `json:"state"` // "saved", "proposed", "nothing", "failed", "cancelled"
		Saved    int    `json:"saved"` // changes made
		Held     int    `json:"held"`  // proposals left in the inbox
		Calls    int    `json:"calls"`
		Duration int64  `json:"duration_ms"`
		Usage    Usage  `json:"usage"`
		Cost     Cost   `json:"cost"`
		Note     string `json:"note,omitempty"`  // its last words, cut
		Error    string `json:"error,omitempty"` // why it failed
	}

	// ProposalAdded says that a change waits in the inbox.
	ProposalAdded struct {
		Meta

		ProposalID string `json:"proposal_id"`
		Store      string `json:"store"`
		Action     string `json:"action"`
		Subject    string `json:"subject"`
		Held       Held   `json:"held"`
		Waiting    int    `json:"waiting"` // proposals in the inbox now
	}
)

// Type returns the JSON name of the event.
func (*SkillChanged) Type() string { return "skill_changed" }

// Type returns the JSON name of the event.
func (*SkillLoaded) Type() string { return "skill_loaded" }

// Type returns the JSON name of the event.
func (*ReviewStarted) Type() string { return "review_started" }

// Type returns the JSON name of the event.
func (*ReviewStep) Type() string { return "review_step" }

// Type returns the JSON name of the event.
func (*ReviewEnded) Type() string { return "review_ended" }

// Type returns the JSON name of the event.
func (*ProposalAdded) Type() string { return "proposal_added" }

// Type returns the JSON name of the event.
func (*MemoryChanged) Type() string { return "memory_changed" }

package core

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
)

// Type returns the JSON name of the event.
func (*MemoryChanged) Type() string { return "memory_changed" }

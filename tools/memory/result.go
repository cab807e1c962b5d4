package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"hermes/core"
	"hermes/core/memory"
	"hermes/core/text"
)

// The words that end a try.
const (
	saved = "This change is complete and on disk; the next session's prompt has it. Do not repeat or verify it."
	stop  = "Stop retrying: memory was not changed in four tries of this turn. Answer the user now; the fact can be saved in a later turn, when there is room."
)

// success is the answer to a change. The entries are not echoed: that led models to repeat the change.
type success struct {
	Success  bool           `json:"success"`
	Done     bool           `json:"done"`
	Target   string         `json:"target"`
	Usage    string         `json:"usage"`
	Count    int            `json:"entry_count"`
	Message  string         `json:"message"`
	Replaced string         `json:"replaced_entry,omitempty"`
	Removed  string         `json:"removed_entry,omitempty"`
	ReplaceN map[int]string `json:"replaced_entries,omitempty"` // 1-based operation → whole old entry
	RemoveN  map[int]string `json:"removed_entries,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Backup   string         `json:"drift_backup,omitempty"`
	Note     string         `json:"note"`
}

// failure is the answer when nothing was changed.
type failure struct {
	Success bool     `json:"success"`
	Done    bool     `json:"done,omitempty"`
	Error   string   `json:"error"`
	Usage   string   `json:"usage,omitempty"` // "used/limit"
	Entries []string `json:"current_entries,omitempty"`
	Matches []string `json:"matches,omitempty"`
	Decoded string   `json:"decoded,omitempty"`
	Backup  string   `json:"drift_backup,omitempty"`
	Remedy  string   `json:"remediation,omitempty"`
}

// holding is the answer when the change waits for the person.
type holding struct {
	Success bool   `json:"success"`
	Done    bool   `json:"done"`
	Held    bool   `json:"held"`
	Target  string `json:"target"`
	Message string `json:"message"`
}

// done answers a change that went through.
func (m *Memory) done(o memory.Outcome, batch bool) core.ToolResult {
	s := success{
		Success: true, Done: true, Target: string(o.Target), Count: o.Entries, Message: o.Message, Note: saved, Warnings: o.Warnings, Backup: o.Backup,
		Usage: fmt.Sprintf("%d%% — %s chars", memory.Percent(o.Used, o.Limit), usage(o.Used, o.Limit)),
	}
	if batch {
		s.ReplaceN, s.RemoveN = shown(o.Target, o.Replaced), shown(o.Target, o.Removed)
	} else {
		s.Replaced, s.Removed = shown(o.Target, o.Replaced)[1], shown(o.Target, o.Removed)[1]
	}
	if o.Backup != "" {
		s.Message += " The file held text that is no list of entries; a copy was kept."
	}
	return result(true, s, &core.ToolDetail{Summary: fmt.Sprintf("%s %s", o.Message, s.Usage), Path: m.opts.Store.Path(o.Target)})
}

// shown keeps texts that try to steer the agent out of the answer.
func shown(t memory.Target, old map[int]string) map[int]string {
	out := map[int]string{}
	for _, n := range slices.Sorted(maps.Keys(old)) {
		out[n] = memory.Shown(t, old[n])
	}
	return out
}

func usage(used, limit int) string { return text.Thousands(used) + "/" + text.Thousands(limit) }

// result encodes v as the one line the model reads.
func result(ok bool, v any, d *core.ToolDetail) core.ToolResult {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return core.ToolResult{Content: "the answer could not be written: " + err.Error(), Detail: d}
	}
	return core.ToolResult{OK: ok, Content: string(bytes.TrimRight(b.Bytes(), "\n")), Detail: d}
}

// tries is how many failures of a turn are answered with how to do better.
const tries = 3

// budget counts the failures of the present turn of each session.
type budget struct {
	mu    sync.Mutex
	turns map[string]*turn
}

type turn struct {
	run      string
	failures int
	told     bool
}

// of is the session's present turn. Callers hold mu.
func (b *budget) of(run core.ToolRun) *turn {
	if b.turns == nil {
		b.turns = map[string]*turn{}
	}
	t := b.turns[run.SessionID]
	if t == nil || t.run != run.RunID {
		t = &turn{run: run.RunID}
		b.turns[run.SessionID] = t
	}
	return t
}

// fail counts one failure: over tells that there were too many, first that the person was not told yet.
func (b *budget) fail(run core.ToolRun) (over, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.of(run)
	t.failures++
	over = t.failures > tries
	first = over && !t.told
	t.told = t.told || over
	return over, first
}

// reset starts the count anew after a success.
func (b *budget) reset(run core.ToolRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of(run).failures = 0
}

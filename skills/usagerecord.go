package skills

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// The states of a skill.
const (
	StateActive   = "active"
	StateStale    = "stale"
	StateArchived = "archived"
)

// ByAgent is the CreatedBy of what the agent wrote; "installed" comes from the hub, "" from a person.
const ByAgent = "agent"

// Record is what is kept of one skill. Zero times are never.
type Record struct {
	CreatedBy   string
	UseCount    int
	ViewCount   int
	PatchCount  int
	LastUsed    time.Time
	LastViewed  time.Time
	LastPatched time.Time
	// Generation counts patches; LastReused is what it was when the skill was last used.
	Generation int
	LastReused int
	Created    time.Time
	State      string
	Pinned     bool
	Archived   time.Time
	// Restored is when a person last brought it back; its clock starts anew then.
	Restored time.Time
}

func newRecord(now time.Time) Record { return Record{Created: now, State: StateActive} }

// LastActive is when the skill was last used, viewed or changed; zero for never.
func (r *Record) LastActive() time.Time {
	last := r.LastUsed
	for _, t := range []time.Time{r.LastViewed, r.LastPatched} {
		if t.After(last) {
			last = t
		}
	}
	return last
}

func (r *Record) bump(b bump) {
	switch b.event {
	case Viewed:
		r.ViewCount++
		r.LastViewed = later(r.LastViewed, b.at)
		fallthrough
	case Used:
		r.UseCount++
		r.LastUsed = later(r.LastUsed, b.at)
		r.LastReused = r.Generation
	case Patched:
		r.PatchCount++
		r.Generation++
		r.LastPatched = later(r.LastPatched, b.at)
	case pinned, unpinned:
		r.Pinned = b.event == pinned
		return
	case archived:
		r.State, r.Archived = StateArchived, b.at
		return
	case restored:
		r.State, r.Archived, r.Restored = StateActive, time.Time{}, later(r.Restored, b.at)
		return
	}
	if r.State == StateStale {
		r.State = StateActive
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// decodeRecord reads what other programs may have written with other types; what makes no sense counts as
// absent, for that field only.
func decodeRecord(f map[string]json.RawMessage) Record {
	r := Record{
		CreatedBy: str(f["created_by"]), UseCount: count(f["use_count"]), ViewCount: count(f["view_count"]), PatchCount: count(f["patch_count"]),
		LastUsed: moment(f["last_used_at"]), LastViewed: moment(f["last_viewed_at"]), LastPatched: moment(f["last_patched_at"]),
		Generation: count(f["patch_generation"]), LastReused: count(f["last_reused_patch_generation"]), Created: moment(f["created_at"]),
		State: str(f["state"]), Pinned: truth(f["pinned"]), Archived: moment(f["archived_at"]),
		Restored: moment(f["restored_at"]),
	}
	if r.CreatedBy == "" && truth(f["agent_created"]) {
		r.CreatedBy = ByAgent
	}
	if r.State != StateStale && r.State != StateArchived {
		r.State = StateActive
	}
	return r
}

// fields are the record as the file has it.
func (r *Record) fields() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	set := func(name string, v any) {
		if raw, err := plain(v); err == nil {
			out[name] = raw
		}
	}
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	at := func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return t.UTC().Format("2006-01-02T15:04:05.000000-07:00")
	}
	set("created_by", orNull(r.CreatedBy))
	set("use_count", r.UseCount)
	set("view_count", r.ViewCount)
	set("patch_count", r.PatchCount)
	set("last_used_at", at(r.LastUsed))
	set("last_viewed_at", at(r.LastViewed))
	set("last_patched_at", at(r.LastPatched))
	set("patch_generation", r.Generation)
	set("last_reused_patch_generation", r.LastReused)
	set("created_at", at(r.Created))
	set("state", r.State)
	set("pinned", r.Pinned)
	set("archived_at", at(r.Archived))
	if !r.Restored.IsZero() { // a key of ours: it is there only when it says something
		set("restored_at", at(r.Restored))
	}
	return out
}

func str(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func truth(raw json.RawMessage) bool {
	var b bool
	return json.Unmarshal(raw, &b) == nil && b
}

func count(raw json.RawMessage) int {
	var f float64
	if s := str(raw); s != "" {
		raw = json.RawMessage(strings.TrimSpace(s))
	}
	if json.Unmarshal(raw, &f) != nil || f < 0 || f > math.MaxInt32 {
		return 0
	}
	return int(f)
}

// moment reads ISO text with or without an offset, and seconds since 1970.
func moment(raw json.RawMessage) time.Time {
	s := str(raw)
	if s == "" {
		s = string(raw)
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && f > 0 && f < 1e11 {
		return time.UnixMicro(int64(f * 1e6)).UTC()
	}
	return time.Time{}
}

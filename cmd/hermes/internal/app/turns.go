package app

import (
	"slices"
	"strings"
	"sync"

	"hermes/core"
	"hermes/core/review"
)

// turns notes what the session's turns do that learning has to know: which learning tools they used
// themselves, and whether text from outside was read.
type turns struct {
	mu    sync.Mutex
	used  review.Used
	taint []string
}

// watch hears the session's events.
func (t *turns) watch(e core.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := e.(type) {
	case *core.RunStarted:
		t.used = review.Used{}
	case *core.ToolEnded:
		if e.OK && e.Tool == "memory" {
			t.used.Memory = true
		}
		if e.OK && e.Tool == "skill_manage" {
			t.used.Skills = true
		}
		t.add(e.Detail)
	}
}

// recall takes up what an earlier process saw.
func (t *turns) recall(records []core.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range records {
		t.add(r.Detail)
	}
}

// add notes where foreign text came from. The caller holds mu.
func (t *turns) add(d *core.ToolDetail) {
	if d == nil || d.Taint == "" {
		return
	}
	for line := range strings.SplitSeq(d.Taint, "\n") {
		if !slices.Contains(t.taint, line) && len(t.taint) < 20 {
			t.taint = append(t.taint, line)
		}
	}
}

// last is what the turn that just ended did.
func (t *turns) last() review.Used {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.used
	u.Taint = strings.Join(t.taint, "\n")
	return u
}

// tainted names where foreign text in the conversation came from, "" when there is none.
func (t *turns) tainted() string { return t.last().Taint }

package chat_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes/core"
)

// A run that a crash or a kill left without its end says so and can be repeated; one that has its
// answer does not.
func TestReplay_cutRun(t *testing.T) {
	t.Parallel()
	begin := core.Record{Type: core.RecordRunStarted}
	end := core.Record{Type: core.RecordRunEnded, Reason: string(core.EndAnswered)}
	said := func(m core.Message) core.Record { return core.Record{Type: core.RecordMessage, Message: &m} }
	you := said(core.Message{ID: "m1", Role: core.RoleUser, Content: "question"})
	answered := said(core.Message{ID: "m2", Role: core.RoleAssistant, Content: "answer"})
	partial := said(core.Message{ID: "m2", Role: core.RoleAssistant, Content: "answ", Incomplete: true})
	calls := said(core.Message{ID: "m2", Role: core.RoleAssistant, ToolCalls: []core.ToolCall{{ID: "c1", Name: "terminal", Arguments: "{}"}}})
	for _, tc := range []struct {
		name  string
		past  []core.Record
		cuts  int
		retry bool
	}{
		{"before the answer", []core.Record{begin, you}, 1, true},
		{"in the answer", []core.Record{begin, you, partial}, 1, true},
		{"during a call", []core.Record{begin, you, calls}, 1, true},
		{"answered", []core.Record{begin, you, answered, end}, 0, false},
		{"a fork at the answer", []core.Record{begin, you, answered}, 0, false},
		{"undone since", []core.Record{begin, you, {Type: core.RecordUndo, Target: "m1"}}, 0, false},
		{"followed by another turn", []core.Record{begin, you, begin, answered, end}, 1, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, _ := newPane(80, 24)
			p.Replay(tc.past)
			p.AddNotice(core.Notice{Level: core.LevelInfo, Text: "told when the session opened"})
			if n := strings.Count(ansi.Strip(p.View()), "cut off: this turn was not finished"); n != tc.cuts || p.CanRetry() != tc.retry {
				t.Errorf("said %d times, can retry: %v\n%s", n, p.CanRetry(), ansi.Strip(p.View()))
			}
		})
	}
}

// What another process may be working on has no end yet: a reader does not call it cut off.
func TestReplay_readOnly(t *testing.T) {
	t.Parallel()
	p, _ := newPane(80, 24)
	p.SetReadOnly()
	p.Replay([]core.Record{
		{Type: core.RecordRunStarted},
		{Type: core.RecordMessage, Message: &core.Message{ID: "m1", Role: core.RoleUser, Content: "question"}},
	})
	if s := ansi.Strip(p.View()); strings.Contains(s, "cut off") {
		t.Error(s)
	}
}

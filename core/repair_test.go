package core_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
)

func call(ids ...string) core.Message {
	m := core.Message{Role: core.RoleAssistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, core.ToolCall{ID: id, Name: "t", Arguments: "{}"})
	}
	return m
}

func result(id, text string) core.Message {
	return core.Message{Role: core.RoleTool, ToolCallID: id, ToolName: "t", Content: text}
}

func user(text string) core.Message { return core.Message{Role: core.RoleUser, Content: text} }

// Interrupted between call and result, in every shape a transcript may have (OPEN-PR-07).
func TestOpenPR07_repairMessages(t *testing.T) {
	t.Parallel()
	lost := func(id string) core.Message { return result(id, core.InterruptedResult) }
	tests := map[string]struct{ in, want []core.Message }{
		"valid stays": {
			[]core.Message{user("u"), call("a", "b"), result("a", "1"), result("b", "2"), user("v")},
			[]core.Message{user("u"), call("a", "b"), result("a", "1"), result("b", "2"), user("v")},
		},
		"first of three finished": {
			[]core.Message{call("a", "b", "c"), result("a", "1"), user("go on")},
			[]core.Message{call("a", "b", "c"), result("a", "1"), lost("b"), lost("c"), user("go on")},
		},
		"call is the last line":   {[]core.Message{call("a")}, []core.Message{call("a"), lost("a")}},
		"orphan result":           {[]core.Message{user("u"), result("x", "1")}, []core.Message{user("u")}},
		"duplicate result":        {[]core.Message{call("a"), result("a", "1"), result("a", "2")}, []core.Message{call("a"), result("a", "1")}},
		"results out of order":    {[]core.Message{call("a", "b"), result("b", "2"), result("a", "1")}, []core.Message{call("a", "b"), result("a", "1"), result("b", "2")}},
		"result behind a message": {[]core.Message{call("a"), user("u"), result("a", "1")}, []core.Message{call("a"), result("a", "1"), user("u")}},
		"one id twice in a message": {
			[]core.Message{call("a", "a", "b"), result("a", "1"), result("b", "2")},
			[]core.Message{call("a", "b"), result("a", "1"), result("b", "2")},
		},
		"ids start anew": {
			[]core.Message{call("0"), result("0", "1"), call("0"), result("0", "2")},
			[]core.Message{call("0"), result("0", "1"), call("0"), result("0", "2")},
		},
		"a lost result is not taken from a later call": {
			[]core.Message{call("0"), call("0"), result("0", "2")},
			[]core.Message{call("0"), lost("0"), call("0"), result("0", "2")},
		},
		"empty answer": {[]core.Message{user("u"), {Role: core.RoleAssistant}, user("v")}, []core.Message{user("u"), user("v")}},
		"incomplete with calls": {
			[]core.Message{{Role: core.RoleAssistant, Content: "half", Incomplete: true, ToolCalls: call("a").ToolCalls}},
			[]core.Message{{Role: core.RoleAssistant, Content: "half", Incomplete: true}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := core.RepairMessages(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(got, core.RepairMessages(got)); diff != "" {
				t.Errorf("not idempotent: %s", diff)
			}
		})
	}
}

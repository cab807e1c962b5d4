//go:build !windows

package main

import (
	"strings"
	"testing"
)

// A fork holds a copy of its parent; what it took from there is counted once.
func TestE2E_insightsCountForksOnce(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - when: {user: list, turn: 0}
    reply: {tool_calls: [{name: todo, arguments: {todos: []}}], usage: {prompt: 100, completion: 10}}
  - {reply: {text: "the answer", usage: {prompt: 100, completion: 10}}}
`)
	w := newWorld(t, env...)
	w.config(t, "skills: {creation_nudge_interval: 0}\n")
	if o := w.hermes(t, "", "run", "list it"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	type figures struct {
		Sessions int
		Messages map[string]int
		Usage    struct{ Input, Requests int }
		Tools    []struct{ Calls int }
	}
	before := tells[figures](t, w.hermes(t, "", "insights", "--json"))
	if before.Sessions != 1 || before.Messages["user"] != 1 || before.Usage.Requests != 2 || len(before.Tools) != 1 {
		t.Fatalf("%+v", before)
	}
	id := tells[struct {
		Sessions []struct {
			ID string `json:"id"`
		}
	}](t, w.hermes(t, "", "sessions", "list", "--json")).Sessions[0].ID
	if o := w.hermes(t, "", "sessions", "fork", id); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	after := tells[figures](t, w.hermes(t, "", "insights", "--json"))
	if after.Sessions != 2 || after.Messages["user"] != 1 || after.Usage != before.Usage || len(after.Tools) != 1 || after.Tools[0].Calls != before.Tools[0].Calls {
		t.Errorf("%+v, before the fork %+v", after, before)
	}
	if o := w.hermes(t, "", "insights"); !strings.Contains(o.out, "Mon  ") || !strings.Contains(o.out, " h  █") {
		t.Errorf("%s", o.out)
	}
}

//go:build !windows

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// What the agent remembers is in the next session's prompt, never in the running one; the person lists it,
// sees where it came from and takes it back.
func TestE2E_memory(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
strict: true
rules:
  - {when: {turn: 0, user: remember}, reply: {tool_calls: [{name: memory, arguments: {action: add, target: user, content: "Likes 龙井 tea."}}]}}
  - {reply: {text: "noted"}}
`)
	w := newWorld(t, env...)
	for _, args := range [][]string{{"run", "remember it"}, {"run", "--resume", "last", "again"}, {"run", "another day"}} {
		if o := w.hermes(t, "", args...); o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	rs := srv.Requests()
	if !strings.Contains(rs[len(rs)-1].System(), "Likes 龙井 tea.") {
		t.Error("the next session does not know it")
	}
	for _, r := range rs[:len(rs)-1] {
		if r.System() != rs[0].System() {
			t.Error("the prompt of the running session moved")
		}
	}
	o := w.hermes(t, "", "memory", "list", "--json")
	var list struct {
		Stores map[string]struct {
			Used, Limit int
			Entries     []struct {
				ID, Text string
				Origin   struct{ Actor string }
			}
		}
	}
	if err := json.Unmarshal([]byte(o.out), &list); err != nil {
		t.Fatalf("%v %+v", err, o)
	}
	user := list.Stores["user"]
	if len(user.Entries) != 1 || user.Used != 13 || user.Limit != 1375 || user.Entries[0].Origin.Actor != "agent" {
		t.Fatalf("%+v", user)
	}
	for _, c := range []struct {
		code int
		args []string
	}{
		{0, []string{"memory", "add", "memory", "The registry is reg.example.org"}},
		{1, []string{"memory", "add", "memory", strings.Repeat("漢", 2300)}},
		{2, []string{"memory", "add", "nowhere", "x"}},
		{0, []string{"memory", "replace", "memory", "reg.example", "The registry is reg2.example.org"}},
		{0, []string{"memory", "check"}},
		{0, []string{"memory", "history"}},
		{0, []string{"ledger", "log", "memory:"}},
		{0, []string{"memory", "remove", "user", user.Entries[0].ID}},
		{0, []string{"memory", "restore", user.Entries[0].ID}},
	} {
		if o := w.hermes(t, "", c.args...); o.code != c.code {
			t.Errorf("%v: %+v", c.args, o)
		}
	}
	o = w.hermes(t, "", "ledger", "log", "memory:", "--json")
	var log struct {
		Changes []struct{ ID, Actor, Action string }
	}
	if err := json.Unmarshal([]byte(o.out), &log); err != nil || len(log.Changes) != 5 {
		t.Fatalf("%v %+v", err, o)
	}
	last := log.Changes[0].ID
	inner := world{home: w.home, dir: w.dir, env: append(slices.Clone(w.env), "HERMES_AGENT=s1")}
	if o = inner.hermes(t, "", "ledger", "undo", last); o.code != 1 || !strings.Contains(o.err, "agent") {
		t.Errorf("an agent undoes: %+v", o)
	}
	if o = w.hermes(t, "", "ledger", "show", last); o.code != 0 || !strings.Contains(o.out, "龙井") {
		t.Errorf("%+v", o)
	}
	if o = w.hermes(t, "", "ledger", "undo", last); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if o = w.hermes(t, "", "memory", "list"); strings.Contains(o.out, "龙井") || !strings.Contains(o.out, "reg2.example.org") {
		t.Errorf("%+v", o)
	}
}

//go:build !windows

package main

import (
	"strings"
	"testing"
	"time"
)

// A review is due after the third turn and its server does not answer. The person goes on at once, their
// background job lives, quitting is quick, and nothing of the review is in the transcript, the search or the
// title.
func TestE2E_OpenCU04_reviewStaysApart(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
strict: true
rules:
  - when: {user: "[Review."}
    reply: {fault: {stall: true}}
  - when: {user: "turn 3", turn: 0}
    reply: {tool_calls: [{name: terminal, arguments: {command: "sleep 60", background: true}}]}
  - when: {user: "turn 5", turn: 0}
    reply: {tool_calls: [{name: process, arguments: {action: list}}]}
  - when: {user: "turn 5", result: "running"}
    reply: {text: "the job lives"}
  - {reply: {text: "answer to {{user}}"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 3}\n")
	x := w.start(t, 120, 40)
	say := func(text string) {
		x.keys(text)
		x.see("› " + text)
		x.keys(enter)
	}
	for _, text := range []string{"turn 1", "turn 2", "turn 3"} {
		say(text)
		x.see("answer to " + text)
	}
	eventually(t, "the review asks its model", func() bool {
		rs := srv.Requests()
		return len(rs) > 0 && strings.HasPrefix(rs[len(rs)-1].User(), "[Review.")
	})
	say("turn 4")
	x.see("answer to turn 4")
	say("turn 5")
	x.see("the job lives")
	start := time.Now()
	x.keys(ctrlC)
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("quitting took %v", took)
	}
	for _, r := range srv.Requests() {
		if strings.HasPrefix(r.User(), "turn") && strings.Contains(string(r.Body), "[Review.") {
			t.Error("a turn of the person holds the review")
		}
	}
	for _, name := range w.list(t, "sessions") {
		if strings.HasSuffix(name, ".jsonl") && strings.Contains(w.read(t, "sessions", name), "[Review") {
			t.Error("the transcript holds the review")
		}
	}
	if o := w.hermes(t, "", "sessions", "search", "looked back review agent cluster"); strings.Contains(o.out, "[Review") {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "sessions", "list"); !strings.Contains(o.out, "turn 1") || strings.Contains(o.out, "Review") {
		t.Errorf("%+v", o)
	}
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Reviews) != 1 || l.Reviews[0].State != "cancelled" || l.Counters.Unreviewed != 5 {
		t.Errorf("%+v", l)
	}
}

//go:build !windows

package main

import (
	"strings"
	"testing"
)

// With an auxiliary model a search gives summaries; what they cost is learning's. Off, nothing is asked;
// on, the session's own model does it.
func TestE2E_sessionSearchSummaries(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
models: [scripted, teller]
rules:
  - {when: {system: "You summarise one past session"}, reply: {text: "Problem: the pelican was stuck [m1]. Solved: TIDETABLE [m2]."}}
  - {when: {turn: 0, user: last time}, reply: {tool_calls: [{name: session_search, arguments: {query: pelican}}]}}
  - {when: {turn: 1}, reply: {text: "found: {{result}}"}}
  - {reply: {text: "noted"}}
`)
	for _, tt := range []struct {
		name, config, model string
	}{
		{"auto without a model", "", ""},
		{"auto", "auxiliary: {session_search: {model: teller}}\n", "teller"},
		{"off", "auxiliary: {session_search: {model: teller}}\nsession_search: {summarize: off}\n", ""},
		{"on", "session_search: {summarize: on}\n", "scripted"},
	} {
		w := newWorld(t, env...)
		w.config(t, tt.config)
		if o := w.hermes(t, "", "run", "the pelican is stuck", "--review=off"); o.code != 0 {
			t.Fatalf("%s: %+v", tt.name, o)
		}
		before := len(srv.Requests())
		o := w.hermes(t, "", "run", "what was it last time?", "--json", "--review=off")
		if o.code != 0 || !strings.Contains(o.out, "the pelican is stuck") {
			t.Fatalf("%s: no excerpt: %+v", tt.name, o)
		}
		asked := ""
		for _, r := range srv.Requests()[before:] {
			if strings.Contains(r.System(), "You summarise") {
				asked = r.Model
			}
		}
		if asked != tt.model || strings.Contains(o.out, "TIDETABLE") != (tt.model != "") {
			t.Errorf("%s: asked %q, want %q: %s", tt.name, asked, tt.model, o.out)
		}
		learning := 0
		for _, e := range find(events(t, o.out), "usage") {
			if e["purpose"] == "learning" {
				learning++
			}
		}
		if (learning > 0) != (tt.model != "") {
			t.Errorf("%s: %d requests counted as learning", tt.name, learning)
		}
		if o = w.hermes(t, "", "reviews", "list", "--json"); strings.Contains(o.out, `"kind":"summary"`) != (tt.model != "") {
			t.Errorf("%s: the list of background agents: %s", tt.name, o.out)
		}
	}
}

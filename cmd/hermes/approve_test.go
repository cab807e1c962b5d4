//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// press answers the approval dialog with key and waits for text: the dialog ignores keys until it has been
// quiet for a moment, so the key is repeated while it stands.
func (x *terminal) press(key, text string) {
	x.t.Helper()
	until := time.NewTimer(patience)
	defer until.Stop()
	tick := time.NewTicker(600 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(x.screen(), text) {
		select {
		case <-tick.C:
			if strings.Contains(x.screen(), "deny") {
				x.keys(key)
			}
		case <-x.changed:
		case <-until.C:
			x.t.Fatalf("%q does not lead to %q:\n%s", key, text, x.screen())
		}
	}
}

// A person refuses, approves once, approves always, finds the stored rule and takes it back.
func TestE2E_approvals(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
strict: true
rules:
  - {when: {turn: 0, user: try}, capture: {n: {from: user, regexp: 'try (\w+)'}}, reply: {tool_calls: [{name: terminal, arguments: {command: "chmod 777 {{n}}"}}]}}
  - {when: {turn: 1, result: "said no"}, reply: {text: "as you wish, {{user}}"}}
  - {reply: {text: "after {{user}}"}}
`)
	w := newWorld(t, env...)
	for _, n := range []string{"one", "two", "three", "four"} {
		if err := os.WriteFile(filepath.Join(w.dir, n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mode := func(n string, want os.FileMode) {
		t.Helper()
		if fi, err := os.Stat(filepath.Join(w.dir, n)); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", n, fi.Mode(), want, err)
		}
	}
	x := w.start(t, 120, 40)
	x.see("Ctrl+X ?")
	x.keys("try one" + enter)
	x.see("chmod 777 one", "once", "always", "deny")
	x.press("d", "as you wish, try one")
	x.idle()
	mode("one", 0o600)
	x.keys("try two" + enter)
	x.see("chmod 777 two", "once")
	x.press("o", "after try two")
	x.idle()
	mode("two", 0o777)
	x.keys("try three" + enter)
	x.see("chmod 777 three", "always")
	x.press("a", "after try three")
	x.idle()
	mode("three", 0o777)
	x.keys("try four" + enter)
	x.see("after try four")
	x.idle()
	mode("four", 0o777)
	x.keys(ctrlC + ctrlC)
	x.exits(0)

	o := w.hermes(t, "", "approvals", "list")
	if o.code != 0 || strings.Count(o.out, "\n") != 1 || !strings.Contains(o.out, "terminal:") {
		t.Fatalf("stored rule: %+v", o)
	}
	if o = w.hermes(t, "", "approvals", "revoke", "1"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if o = w.hermes(t, "", "approvals", "revoke", "1"); o.code != 3 {
		t.Errorf("%+v", o)
	}
	if o = w.hermes(t, "", "run", "try four", "--json"); len(find(events(t, o.out), "tool_ended")) != 1 || find(events(t, o.out), "tool_ended")[0]["ok"] == true {
		t.Errorf("the revoked rule still holds: %s", o.out)
	}
}

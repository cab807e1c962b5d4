//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person watches a review work in its pane while they type the next message, opens it, takes its change
// back, and the file is what it was.
func TestE2E_watchReview(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
strict: true
rules:
  - when: {user: "[Review.", turn: 0}
    reply: {first_delay: 700ms, tool_calls: [{name: memory, arguments: {action: add, target: user, content: "短い答えを好む。"}}]}
  - when: {user: "[Review."}
    reply: {first_delay: 700ms, text: "Kept a preference."}
  - {reply: {text: "answer to {{user}}"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1}\n")
	if err := os.MkdirAll(filepath.Join(w.home, "memories"), 0o700); err != nil {
		t.Fatal(err)
	}
	const before = "Uses a split keyboard"
	if err := os.WriteFile(filepath.Join(w.home, "memories", "USER.md"), []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	x := w.start(t, 120, 40)
	x.see("Next review in 1 turn")
	x.keys("first")
	x.see("› first")
	x.keys(enter)
	x.see("answer to first", "#1 memory 0/8 calls")
	x.keys("while it works I write on")
	x.see("› while it works I write on", "1/8 calls")
	x.see("✓ #1 memory +1 user fact")
	if got := w.read(t, "memories", "USER.md"); got != before+"\n§\n短い答えを好む。" {
		t.Fatalf("USER.md = %q", got)
	}
	x.keys("\x18r")
	x.see("after enough turns", "+短い答えを好む。", "Kept a preference.", "✓ 1 memory user", "u undo change")
	x.keys("u")
	x.see("add memory:user — taken back")
	if got := w.read(t, "memories", "USER.md"); got != before {
		t.Errorf("USER.md = %q", got)
	}
	x.keys("u")
	x.see("this change is taken back already")
	x.keys("\x1b")
	x.see("› while it works I write on")
	x.keys("\x18.")
	x.see("learning is paused", "learning paused")
	x.keys(enter)
	x.see("answer to while it works")
	x.idle()
	if l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json")); len(l.Reviews) != 1 || !l.Counters.Paused {
		t.Errorf("%+v", l)
	}
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}

// Going on to a new session while a review runs neither waits for it nor ends it: it goes on beside the new one,
// seen there.
func TestE2E_newSessionDuringReview(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
strict: true
rules:
  - when: {user: "[Review.", turn: 0}
    reply: {first_delay: 1s, tool_calls: [{name: memory, arguments: {action: add, target: user, content: "Prefers short answers"}}]}
  - when: {user: "[Review."}
    reply: {first_delay: 1s, text: "Kept a preference."}
  - {reply: {text: "answer to {{user}}"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1}\n")
	x := w.start(t, 120, 40)
	x.keys("first")
	x.see("› first")
	x.keys(enter)
	x.see("answer to first", "#1 memory 0/8 calls")
	x.keys("\x18n")
	x.gone("answer to first")
	x.see("#1 memory", "/8 calls") // the new session is there, the review still works
	x.see("✓ #1 memory +1 user fact")
	if got := w.read(t, "memories", "USER.md"); got != "Prefers short answers" {
		t.Errorf("USER.md = %q", got)
	}
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Reviews) != 1 || l.Reviews[0].State != "saved" || l.Reviews[0].Error != "" {
		t.Errorf("%+v", l.Reviews)
	}
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}

// Quitting ends such a review as well, at once, and says why.
func TestE2E_quitWithReviewOfALeftSession(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - {when: {user: "[Review."}, reply: {fault: {stall: true}}}
  - {reply: {text: "answer to {{user}}"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1}\n")
	x := w.start(t, 120, 40)
	x.keys("first")
	x.see("› first")
	x.keys(enter)
	x.see("answer to first", "#1 memory 0/8 calls")
	x.keys("\x18n")
	x.gone("answer to first")
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Reviews) != 1 || l.Reviews[0].State != "cancelled" || l.Reviews[0].Error != "hermes was closed" {
		t.Errorf("%+v", l.Reviews)
	}
}

// With approval on, a proposal waits; the person edits it in their editor, sees the new difference, accepts it.
func TestE2E_editProposal(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
strict: true
rules:
  - when: {user: "[Review."}
    turns:
      - {tool_calls: [{name: memory, arguments: {action: add, target: memory, content: "Lives in Oslo"}}, {name: memory, arguments: {action: add, target: memory, content: "Drinks oolong"}}]}
      - {text: "Kept two facts."}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	editor := filepath.Join(w.dir, "editor.sh")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nsed -i.bak 's/Lives in Oslo/住在奥斯陆 (Oslo)/' \"$1\"\n"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	w.env = append(w.env, "EDITOR="+editor)
	w.config(t, "memory: {nudge_interval: 1, write_approval: true}\n")
	x := w.start(t, 100, 50)
	x.keys("hello")
	x.see("› hello")
	x.keys(enter)
	x.see("the answer", "2 changes wait for you")
	x.keys("\x18r")
	x.see("+Lives in Oslo", "waits because")
	x.keys("e")
	x.see("changed; a accepts it", "+住在奥斯陆 (Oslo)")
	x.keys("m")
	x.see("for the other store now", "add memory:user")
	// What others add meanwhile does not make it stale.
	if o := w.hermes(t, "", "memory", "add", "user", "Reads on the train"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	x.keys("a")
	x.see("accepted: add memory:user")
	if got := w.read(t, "memories", "USER.md"); got != "Reads on the train\n§\n住在奥斯陆 (Oslo)" {
		t.Errorf("USER.md = %q", got)
	}
	x.see("+Drinks oolong")
	x.keys("x")
	x.see("x again rejects")
	x.keys("x")
	x.see("rejected, and remembered")
	if got := w.read(t, "memories", "MEMORY.md"); got != "" {
		t.Errorf("MEMORY.md = %q", got)
	}
	if l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json")); len(l.Proposals) != 0 {
		t.Errorf("%+v", l)
	}
	if s := w.read(t, "review_state.json"); !strings.Contains(s, "Drinks oolong") {
		t.Errorf("not remembered: %s", s)
	}
}

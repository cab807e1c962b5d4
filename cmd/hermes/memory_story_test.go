//go:build !windows

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A person's memory is full: the model meets the limit and makes room itself, the person cleans up by
// keyboard. What was shown is what stands on the disk, the ledger tells who did what, and only the next
// session's prompt knows it.
func TestE2E_memoryCleanUp(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
strict: true
rules:
  - {when: {turn: 0, user: editor}, reply: {tool_calls: [{name: memory, arguments: {action: add, target: user, content: "Edits with helix 编辑器."}}]}}
  - {when: {turn: 1, user: editor, result: "1,364/1,375"}, reply: {tool_calls: [{name: memory, arguments: {action: replace, target: user, old_text: "Edits with vim", content: "Edits with helix."}}]}}
  - {when: {turn: 2, user: editor}, reply: {text: "noted: helix"}}
  - {reply: {text: "heard: {{user}}"}}
`)
	w := newWorld(t, env...)
	const vim, answers, replies, registry = "Edits with vim now.", "Prefers short answers in chats", "Prefers short replies in chats", "The registry is reg.example.org"
	long := "Works on the digest 每周新闻摘要. "
	long += strings.Repeat("x", 1364-len([]rune(long))-3*4-len(vim+answers+replies+registry))
	for _, add := range [][2]string{
		{"user", vim},
		{"user", answers},
		{"user", replies},
		{"user", long},
		{"user", registry},
		{"memory", "The cluster is k8s-东京"},
		{"memory", "Old: the cluster was minikube"},
	} {
		if o := w.hermes(t, "", "memory", "add", add[0], add[1]); o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	file := func(name string) string {
		b, err := os.ReadFile(filepath.Join(w.home, "memories", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if n := len([]rune(file("USER.md"))); n != 1364 {
		t.Fatalf("USER.md has %d characters, the test wants 1,364 (99 %%)", n)
	}

	x := w.start(t, 120, 40)
	x.see("Memory", "1,364/1,375", "99%")
	x.keys("my editor is helix" + enter)
	x.see("noted: helix", "1,362/1,375")
	x.idle()
	x.keys(ctrlX + "m")
	x.see("Memory clean-up", "like 3", "like 2", "k8s-东京")
	// USER is the right column: merge the two preferences into one.
	x.keys("\t" + "jj")
	x.keys("m")
	x.see("merge 2 entries into one of USER.md")
	x.keys("\x15" + "\x7f" + ", 中文也可" + enter) // the second line goes
	x.see("1 change not written")
	x.keys("G" + "t") // the registry is a fact of the environment
	x.see("1 entry moved to MEMORY.md")
	x.keys("h" + "g" + "d") // the wrong one …
	x.see("3 changes not written")
	x.keys("u") // … is brought back
	x.see("2 changes not written")
	x.keys("g" + "j" + "d")
	x.see("3 changes not written")
	before := file("USER.md") + file("MEMORY.md")
	x.keys("w")
	x.see("write this as one change?", "2 merged", "moved to", "deleted")
	if file("USER.md")+file("MEMORY.md") != before {
		t.Fatal("written before it was confirmed")
	}
	x.keys("y")
	x.see("written as one change", "u takes it back")
	x.gone("not written")
	if got, want := file("MEMORY.md"), "The cluster is k8s-东京\n§\n"+registry; got != want {
		t.Errorf("MEMORY.md:\n%q\n%q", got, want)
	}
	if got, want := file("USER.md"), "Edits with helix.\n§\n"+answers+", 中文也可\n§\n"+long; got != want {
		t.Errorf("USER.md:\n%q\n%q", got, want)
	}
	x.keys("q")
	x.gone("Memory clean-up")
	x.keys("and now?" + enter)
	x.see("heard: and now?")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)

	rs := srv.Requests()
	for _, r := range rs {
		if r.System() != rs[0].System() || !strings.Contains(r.System(), vim) {
			t.Error("the prompt of the running session moved")
		}
	}
	if o := w.hermes(t, "", "run", "another day"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	next := srv.Requests()[len(rs)].System()
	for _, want := range []string{"Edits with helix.", answers + ", 中文也可", registry} {
		if !strings.Contains(next, want) {
			t.Errorf("the next prompt lacks %q", want)
		}
	}
	for _, gone := range []string{"minikube", "short replies", "vim"} {
		if strings.Contains(next, gone) {
			t.Errorf("the next prompt still holds %q", gone)
		}
	}
	memoryLedger(t, w)
}

// memoryLedger checks what the ledger tells of the clean-up.
func memoryLedger(t *testing.T, w world) {
	t.Helper()
	o := w.hermes(t, "", "ledger", "log", "memory:", "--json")
	var log struct {
		Changes []struct {
			ID, Actor, Action, Subject string
			SessionID                  string `json:"session_id"`
			Also                       []string
		}
	}
	if err := json.Unmarshal([]byte(o.out), &log); err != nil || len(log.Changes) != 9 {
		t.Fatalf("%v %+v", err, o)
	}
	tidy, replace := log.Changes[0], log.Changes[1]
	if tidy.Actor != "you" || tidy.Action != "tidy" || len(tidy.Also) != 1 || tidy.SessionID == "" || tidy.SessionID != replace.SessionID {
		t.Errorf("%+v", tidy)
	}
	if replace.Actor != "agent" || replace.Action != "replace" || replace.Subject != "memory:user" {
		t.Errorf("%+v", replace)
	}
	if o = w.hermes(t, "", "ledger", "show", tidy.ID); o.code != 0 || !strings.Contains(o.out, "minikube") || !strings.Contains(o.out, "中文也可") {
		t.Errorf("%+v", o)
	}
	if o = w.hermes(t, "", "memory", "history"); o.code != 0 || !strings.Contains(o.out, "minikube") {
		t.Errorf("%+v", o)
	}
	if o = w.hermes(t, "", "ledger", "undo", tidy.ID); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if o = w.hermes(t, "", "memory", "list"); !strings.Contains(o.out, "minikube") || !strings.Contains(o.out, "short replies") {
		t.Errorf("undo did not bring both stores back: %+v", o)
	}
}

// What nothing refers to any more leaves the ledger, once a day, at the end of a session.
func TestE2E_ledgerIsPruned(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {reply: {text: ok}}\n")
	w := newWorld(t, env...)
	run := func(args ...string) {
		t.Helper()
		if o := w.hermes(t, "", args...); o.code != 0 {
			t.Fatalf("%v: %+v", args, o)
		}
	}
	if err := os.MkdirAll(w.home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home, ".no-bundled-skills"), nil, 0o600); err != nil { // they are a change of their own
		t.Fatal(err)
	}
	run("run", "nothing learned yet")
	if _, err := os.Stat(filepath.Join(w.home, "ledger")); err == nil {
		t.Error("pruning made a ledger")
	}
	run("memory", "add", "user", "a fact")
	orphan := filepath.Join(w.home, "ledger", "blobs", strings.Repeat("ab", 32))
	mark := filepath.Join(w.home, "ledger", ".pruned")
	old := time.Now().AddDate(-1, 0, 0)
	age := func(path string) {
		t.Helper()
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	there := func() bool { _, err := os.Stat(orphan); return err == nil }
	if err := os.WriteFile(orphan, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	age(orphan)
	run("run", "first")
	if there() {
		t.Error("the old version is still there")
	}
	if err := os.WriteFile(orphan, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	age(orphan)
	run("run", "the same day")
	if !there() {
		t.Error("pruned twice a day")
	}
	age(mark)
	run("run", "the next day")
	if there() {
		t.Error("not pruned the next day")
	}
	run("memory", "history")
}

//go:build !windows

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Six turns in which everything changes that a prompt is made of: a fact is saved, a skill is written, time
// passes, all skill files are touched, reviews run. System message and tools stay byte for byte, every request
// begins with the one before, a review's with the chat's; the next session sees what was learned.
func TestE2E_OpenPR08_prefixIsStable(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
strict: true
rules:
  - when: {user: "[Review."}
    reply: {text: "Nothing to save."}
  - when: {user: "turn 2", turn: 0}
    reply: {tool_calls: [{name: memory, arguments: {action: add, target: user, content: "Likes 龙井 tea"}}]}
  - when: {user: "turn 3", turn: 0}
    reply: {tool_calls: [{name: skill_manage, arguments: {action: create, name: tea, category: kitchen, content: "---\nname: tea\ndescription: Make tea as it is done here.\n---\n# Tea\n## When to Use\nBefore four.\n"}}]}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "skills: {creation_nudge_interval: 3}\nmemory: {nudge_interval: 3}\n")
	for i, text := range []string{"turn 1", "turn 2", "turn 3", "turn 4", "turn 5", "turn 6"} {
		if text == "turn 5" {
			later := time.Now().Add(time.Hour)
			err := filepath.WalkDir(filepath.Join(w.home, "skills"), func(p string, _ fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				return os.Chtimes(p, later, later)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"run", text}
		if i > 0 {
			args = []string{"run", "--resume", "last", text}
		}
		if o := w.hermes(t, "", args...); o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	rs := srv.Requests()
	chat, reviewed := "", 0
	for i, r := range rs {
		if !bytes.Equal(r.Messages[0].Raw, rs[0].Messages[0].Raw) || !bytes.Equal(r.Fields["tools"], rs[0].Fields["tools"]) {
			t.Errorf("request %d has another prompt or other tools", i+1)
		}
		all := strings.TrimSuffix(string(r.Fields["messages"]), "]")
		if !strings.HasPrefix(all, chat) {
			t.Errorf("request %d does not begin with the one before", i+1)
		}
		if strings.HasPrefix(r.User(), "[Review.") {
			reviewed++
			continue
		}
		chat = all
	}
	if reviewed == 0 {
		t.Error("no review ran")
	}
	if o := w.hermes(t, "", "run", "another session"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	rs = srv.Requests()
	last := ""
	for _, r := range rs {
		if r.User() == "another session" {
			last = r.System()
		}
	}
	if !strings.Contains(last, "Likes 龙井 tea") || !strings.Contains(last, "- tea: Make tea") {
		t.Error("the next session does not see what was learned")
	}
}

// The order in which skills came onto the disk does not show in the prompt.
func TestE2E_OpenPR08_orderOnDisk(t *testing.T) {
	t.Parallel()
	var prompts []string
	for _, order := range [][]string{{"a/one", "b/two", "a/three", "日本/四"}, {"日本/四", "a/three", "b/two", "a/one"}} {
		srv, env := model(t, "rules:\n  - {reply: {text: \"the answer\"}}\n")
		w := newWorld(t, env...)
		for _, rel := range order {
			folder := filepath.Join(w.home, "skills", filepath.FromSlash(rel))
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(rel)
			if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte("---\nname: "+name+"\ndescription: What "+name+" does.\n---\n# x\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if o := w.hermes(t, "", "run", "hello"); o.code != 0 {
			t.Fatalf("%+v", o)
		}
		s := srv.Requests()[0].System()
		i := strings.Index(s, "one: What one does")
		if i < 0 {
			t.Fatal("the skill is not in the prompt")
		}
		from := strings.LastIndex(s[:i], "<")
		prompts = append(prompts, s[from:i+400])
	}
	if prompts[0] != prompts[1] {
		t.Errorf("%s\n---\n%s", prompts[0], prompts[1])
	}
}

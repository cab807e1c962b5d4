//go:build !windows

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person finds, by a two-character Chinese word and then by a path, a session three sessions ago, reads
// it at the place and goes on from there in a fork.
func TestE2E_findReadFork(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
strict: true
rules:
  - {when: {user: delegate, turn: 0}, reply: {tool_calls: [{name: delegate_task, arguments: {task: "look at the lake 西湖"}}]}}
  - {when: {user: "look at the lake"}, reply: {text: "the sub-agent saw 西湖"}}
  - {when: {user: deploy}, reply: {text: "run scripts/deploy.sh twice"}}
  - {reply: {text: "heard: {{user}}"}}
`)
	w := newWorld(t, env...)
	run := func(args ...string) string {
		t.Helper()
		o := w.hermes(t, "", args...)
		if o.code != 0 {
			t.Fatalf("%v: %+v", args, o)
		}
		return o.out
	}
	run("run", "周末去杭州看西湖")
	run("run", "--resume", "last", "how do I deploy?")
	run("run", "--resume", "last", "后来呢 zwölftens")
	run("run", "成都火锅很辣")
	run("run", "delegate this")
	run("run", "the last one")

	x := w.start(t, 120, 40)
	x.see("Chat")
	x.keys(ctrlX + "s")
	x.see("Sessions", "周末去杭州看西湖", "1 sub-agent hidden")
	x.keys("/" + "西湖")
	x.see("messages match", "heard: 周末去杭州看西湖", "hermes")
	x.keys(enter + "a") // sub-agents, too
	x.see("task: look at the lake")
	x.keys("a")
	x.gone("task: look at the lake")
	x.keys("/" + "\x15" + "杭州")
	x.see("2 messages match", "▌ you")
	x.keys(enter)
	x.keys(enter)
	x.see("read only", "后来呢 zwölftens", "n N move")
	x.keys(esc)
	x.gone("n N move")
	x.keys(esc)
	x.gone("read only")
	x.see("/ 杭州")

	x.keys("/" + "\x15" + "scripts/deploy.sh")
	x.see("1 message matches", "▌ hermes", "run scripts/deploy.sh twice")
	x.keys(enter)
	x.keys(enter)
	x.see("read only", "how do I deploy?", "1 of 1")
	x.keys("f")
	x.see("Chat ─ fork of", "how do I deploy?", "scripts/deploy.sh", "Memory")
	x.gone("zwölftens") // what came later is not in the fork
	x.keys("and a third time?" + enter)
	x.see("heard: and a third time?")
	x.idle()
	rs := srv.Requests()
	body := string(rs[len(rs)-1].Body)
	if !strings.Contains(body, "周末去杭州看西湖") || !strings.Contains(body, "scripts/deploy.sh twice") || strings.Contains(body, "zwölftens") {
		t.Error("the fork sends something else than what stands before the place")
	}
	// Renamed, exported and deleted from the list, at the smallest usual size.
	x.resize(80, 24)
	x.keys(ctrlX + "s")
	x.see("1 sub-agent hidden", "the last one")
	x.keys("jr" + "\x15" + "最后一个" + enter)
	x.see("最后一个")
	x.keys("e")
	x.see("exported to")
	x.keys("dy")
	x.gone("最后一个")
	x.keys("q")
	x.gone("Sessions")
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	if files, err := filepath.Glob(filepath.Join(w.dir, "hermes-*.md")); err != nil || len(files) != 1 {
		t.Errorf("exports: %v %v", files, err)
	}

	aroundMessage(t, w, run)
}

// aroundMessage: sessions show --around gives the place that a search named.
func aroundMessage(t *testing.T, w world, run func(...string) string) {
	t.Helper()
	var r struct {
		Sessions []struct {
			SessionID string `json:"session_id"`
			Hits      []struct {
				MessageID string `json:"message_id"`
			}
		}
	}
	if err := json.Unmarshal([]byte(run("sessions", "search", "zwölftens", "role:user", "--json")), &r); err != nil || len(r.Sessions) != 1 {
		t.Fatalf("%v %+v", err, r)
	}
	id, msg := r.Sessions[0].SessionID, r.Sessions[0].Hits[0].MessageID
	var e struct {
		Around        string
		Before, After int
		Messages      []struct{ ID, Content string }
	}
	if err := json.Unmarshal([]byte(run("sessions", "show", id, "--around", msg, "--context", "1", "--json")), &e); err != nil {
		t.Fatal(err)
	}
	if len(e.Messages) != 3 || e.Messages[1].ID != msg || e.Around != msg || e.Before != 3 || e.After != 0 {
		t.Errorf("%+v", e)
	}
	out := run("sessions", "show", id, "--around", msg, "--context", "0")
	if !strings.Contains(out, "◀") || !strings.Contains(out, "… 4 messages before") || !strings.Contains(out, "… 1 messages after") || strings.Contains(out, "deploy") {
		t.Error(out)
	}
	for code, args := range map[int][]string{3: {"--around", "m99"}, 2: {"--around", msg, "--context", "-1"}} {
		if o := w.hermes(t, "", append([]string{"sessions", "show", id}, args...)...); o.code != code || !strings.Contains(o.err, "→") && code == 3 {
			t.Errorf("%v: %+v", args, o)
		}
	}
}

// Deleting the index under the open view heals by itself, and what is said about it is true.
func TestE2E_searchHeals(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {reply: {text: 'heard: {{user}}'}}\n")
	w := newWorld(t, env...)
	if o := w.hermes(t, "", "run", "东京塔很高"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	x := w.start(t, 100, 30)
	x.see("Chat")
	x.keys(ctrlX + "s/" + "东京")
	x.see("2 messages match")
	x.keys("塔")
	x.see("2 messages match", "/ 东京塔")
	if err := os.RemoveAll(filepath.Join(w.home, "index")); err != nil {
		t.Fatal(err)
	}
	x.keys("很")
	x.see("2 messages match", "/ 东京塔很")
	x.keys("x")
	x.see("no message matches", "no sessions match")
	x.keys(esc)
	x.see("/ searches everything")
	x.keys("q")
	x.gone("Sessions")
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}

//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/cmd/hermes/internal/app"
)

// learnedWorld is the home that the rehearsal leaves, with a model that is never asked.
func learnedWorld(t *testing.T) world {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	rehearse(t, app.RehearsalOptions{Story: "k8s", Home: home})
	w := world2(t, home)
	_, env := model(t, "rules:\n  - {reply: {text: ok}}\n")
	w.env = append(w.env, env...)
	return w
}

// editedBy makes a shell line the person's editor; $1 is the file.
func (w world) editedBy(t *testing.T, line string) world {
	t.Helper()
	path := filepath.Join(w.dir, "editor.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+line+"\n"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	w.env = append(w.env[:len(w.env):len(w.env)], "EDITOR="+path)
	return w
}

// After the rehearsal a person walks what was learned: timeline, graph, list; corrects a memory in their editor,
// pins the skill, cannot archive it, unpins and archives it, and takes that back.
func TestE2E_walkTheJourney(t *testing.T) {
	t.Parallel()
	w := learnedWorld(t).editedBy(t, `printf 'Leads the platform team. 平台组长。\n' > "$1"`)
	x := w.start(t, 120, 40)
	x.see("Ctrl+X ?")
	x.keys(ctrlX + "j")
	x.see("[1 Timeline]", "1 skill · 2 memories · 1 link", "▌ ", "memory ·") // at what was learned last
	x.keys("g")
	x.see("▌", "flask-k8s-deploy", "2× · devops", "before: 1 turn, 12.0 calls", "version 1: 1 turn, 9.0 calls", "version 2: 1 turn, 6.0 calls", "patch by review")
	x.keys("2")
	x.see("[2 Graph]", "[D]", "◆", "D devops", "▸ memory “Cluster: registry")
	x.keys("o")
	x.see("[◆]", "▸ skill flask-k8s-deploy: shared words")
	x.keys("3")
	x.see("[3 List]", "Skill flask-k8s-deploy in devops, written by the agent", "Skill plan is not on the map: bundled with the program.")
	x.keys("/platform" + enter)
	x.see("1 of 3", "> Memory “Runs the platform team")
	x.keys("e")
	x.see("changed: in the prompt from the next session", "> Memory “Leads the platform team. 平台组长。”")
	if got := w.read(t, "memories", "USER.md"); got != "Leads the platform team. 平台组长。" {
		t.Errorf("USER.md = %q", got)
	}
	x.see("replace by you") // its history is read
	x.keys("u")
	x.see("Take back “replace” by you")
	x.keys("y")
	x.see("taken back: replace", "Runs the platform team")
	if got := w.read(t, "memories", "USER.md"); !strings.HasPrefix(got, "Runs the platform team") {
		t.Errorf("USER.md = %q", got)
	}
	x.keys(esc)
	x.gone("Esc shows all")
	x.keys("/flask" + enter)
	x.see("/ flask", "> Skill flask-k8s-deploy")
	x.keys("p")
	x.see("pinned: it is not archived or deleted", "p unpin")
	x.keys("d")
	x.see("is pinned and stays; p unpins it")
	x.keys("p")
	x.see("no longer pinned", "p pin")
	x.keys("d")
	x.see("Archive flask-k8s-deploy?")
	x.keys("y")
	x.see("archived: devops/flask-k8s-deploy; u brings it back", "0 skills")
	if _, err := os.Stat(filepath.Join(w.home, "skills", "devops", "flask-k8s-deploy")); err == nil {
		t.Error("the skill is still there")
	}
	x.keys("u")
	x.see("restored: devops/flask-k8s-deploy", "1 skill ")
	if _, err := os.Stat(filepath.Join(w.home, "skills", "devops", "flask-k8s-deploy", "SKILL.md")); err != nil {
		t.Error(err)
	}
	x.keys("x")
	x.see("written: ", "hermes-journey.html")
	if b, err := os.ReadFile(filepath.Join(w.dir, "hermes-journey.html")); err != nil || !strings.Contains(string(b), "flask-k8s-deploy") {
		t.Errorf("the page: %v", err)
	}
	x.keys("q")
	x.gone("Esc close")
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	x.restored()
}

// A refused edit of a skill says why, keeps what was written, and the next edit goes on with it.
func TestE2E_journeyRefusedEdit(t *testing.T) {
	t.Parallel()
	w := learnedWorld(t).editedBy(t, `if grep -q HALF "$1"; then sed -i.bak 's/HALF/---/' "$1"; else sed -i.bak '1s/---/HALF/' "$1"; fi; echo "One more line." >> "$1"`)
	before := w.read(t, "skills", "devops", "flask-k8s-deploy", "SKILL.md")
	x := w.start(t, 120, 40)
	x.see("Ctrl+X ?")
	x.keys(ctrlX + "j")
	x.see("▌ ") // at what was learned last
	x.keys("g")
	x.see("version 2: 1 turn")
	x.keys("e")
	x.see("✗", "e goes on with what you wrote")
	if got := w.read(t, "skills", "devops", "flask-k8s-deploy", "SKILL.md"); got != before {
		t.Errorf("a refused edit was written: %q", got)
	}
	x.keys("e")
	x.see("saved: devops/flask-k8s-deploy")
	if got := w.read(t, "skills", "devops", "flask-k8s-deploy", "SKILL.md"); got != before+"One more line.\nOne more line.\n" {
		t.Errorf("%q", got)
	}
}

// OPEN-JO-02: while the view is open another program removes an earlier entry. What is deleted then is the entry
// that was selected; and an entry that is gone is refused, never another one.
func TestE2E_OpenJO02_idsStand(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {reply: {text: ok}}\n")
	w := newWorld(t, env...)
	for _, s := range []string{"first fact", "第二条事实", "third fact", "fourth fact"} {
		if o := w.hermes(t, "", "memory", "add", "memory", s); o.code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	x := w.start(t, 80, 24)
	x.see("Ctrl+X ?")
	x.keys(ctrlX + "j")
	x.see("4 memories")
	x.keys("/third" + enter)
	x.see("1 of 4", "▌")
	x.keys("d")
	x.see("Delete “third fact”?")
	if o := w.hermes(t, "", "memory", "remove", "memory", "first fact"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	x.keys("y")
	x.see("deleted", "2 memories")
	if got := w.read(t, "memories", "MEMORY.md"); got != "第二条事实\n§\nfourth fact" {
		t.Fatalf("MEMORY.md = %q", got)
	}
	x.keys(esc)
	x.gone("Esc shows all")
	x.keys("/fourth" + enter)
	x.see("1 of 2", "▌")
	x.keys("d")
	x.see("Delete “fourth fact”?")
	if o := w.hermes(t, "", "memory", "replace", "memory", "fourth fact", "a fourth fact that was changed"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	x.keys("y")
	x.see("changed or removed elsewhere meanwhile", "a fourth fact that was changed")
	if got := w.read(t, "memories", "MEMORY.md"); got != "第二条事实\n§\na fourth fact that was changed" {
		t.Errorf("MEMORY.md = %q", got)
	}
}

// OPEN-JO-01 and a fresh home: a friendly first page; then the insights and the curator of the same home.
func TestE2E_journeyFirstPage(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {reply: {text: hello}}\n")
	w := newWorld(t, env...)
	x := w.start(t, 80, 24)
	x.see("Ctrl+X ?")
	x.keys("/journey" + enter)
	x.see("Nothing was learned yet.", "/review")
	x.keys("3")
	x.see("[3 List]", "Nothing was learned yet.")
	x.keys("q")
	x.gone("Esc close")
	x.keys(ctrlX + "i")
	x.see("Insights", "[30 days]")
	x.keys("9")
	x.see("[90 days]")
	x.keys("q")
	x.gone("Esc close")
	x.keys("/curator" + enter)
	x.see("What a run would do now", "Nothing to do.")
	x.keys(".")
	x.see("paused: it does not run by itself", ". resume")
	x.keys("r")
	x.see("r again runs it")
	x.keys("r")
	x.see("done: Nothing to do.")
	x.keys(esc)
	x.gone("Esc close")
}

// OPEN-JO-01: what the agent just wrote in front of the person is on the map at once, unused as it is.
func TestE2E_OpenJO01_freshSkill(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - turns:
      - tool_calls:
          - name: skill_manage
            arguments:
              action: create
              name: fresh-idea
              category: notes
              content: "---\nname: fresh-idea\ndescription: Keep ideas fresh\n---\n# Fresh idea\n\n## When to Use\n\nWhen an idea comes.\n\n## Procedure\n\n1. Write it down.\n"
      - {text: "It is written down."}
`)
	w := newWorld(t, env...)
	x := w.start(t, 120, 40)
	x.keys("keep it")
	x.see("› keep it")
	x.keys(enter)
	x.see("It is written down.")
	x.idle()
	x.keys(ctrlX + "j")
	x.see("1 skill · 0 memories", "fresh-idea", "by the agent · never used", "create by agent", "Write it down.")
}

// The insights of the rehearsal's home show the outcome by version, and R takes the skill back to the version
// before, whose pitfall is gone with it.
func TestE2E_insightsRollback(t *testing.T) {
	t.Parallel()
	w := learnedWorld(t)
	if !strings.Contains(w.read(t, "skills", "devops", "flask-k8s-deploy", "SKILL.md"), "ALLOWED_HOSTS") {
		t.Fatal("the second session taught no pitfall")
	}
	x := w.start(t, 100, 50)
	x.see("Ctrl+X ?")
	x.keys(ctrlX + "i")
	x.see("3 sessions, 3 messages of yours", "terminal", "flask-k8s-deploy", "before it", "12.0 · 2.0 ✗", "9.0 · 1.0 ✗", "6.0 · 0.0 ✗", "Monday")
	x.keys("R")
	x.see("R again takes flask-k8s-deploy back to version 1")
	x.keys("R")
	x.see("flask-k8s-deploy is back at its version of")
	if strings.Contains(w.read(t, "skills", "devops", "flask-k8s-deploy", "SKILL.md"), "ALLOWED_HOSTS") {
		t.Error("the skill still holds what came with its second version")
	}
}

// A person runs the curator on a skill that nobody used for years, and takes the run back.
func TestE2E_curatorView(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {reply: {text: ok}}\n")
	w := newWorld(t, env...)
	folder := filepath.Join(w.home, "skills", "devops", "old-backup")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(folder, "SKILL.md"):              "---\nname: old-backup\ndescription: Back up the 旧 registry\n---\n# Old backup\n\n## When to Use\n\nNever.\n",
		filepath.Join(w.home, "skills", ".usage.json"): `{"old-backup":{"created_by":"agent","created_at":"2020-01-01T00:00:00+00:00","last_used_at":"2020-02-01T00:00:00+00:00","use_count":2,"state":"active"}}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x := w.start(t, 80, 24)
	x.see("Ctrl+X ?")
	x.keys("/curator" + enter)
	x.see("✗ archive", "devops/old-backup", "not used for")
	x.keys("n")
	x.see("dry run, nothing was changed: 1 archived.")
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	x.keys("r")
	x.see("r again runs it: 1 archived.")
	x.keys("r")
	x.see("done: 1 archived", "The last run")
	if _, err := os.Stat(folder); err == nil {
		t.Error("it was not archived")
	}
	x.keys("R")
	x.see("R again takes the last run back")
	x.keys("R")
	x.see("taken back: 1 archived")
	if _, err := os.Stat(filepath.Join(folder, "SKILL.md")); err != nil {
		t.Error(err)
	}
	x.keys("\x1b")
	x.gone("It never deletes")
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	// By itself it runs when it is due and nobody worked; it tells, and stands among the background agents.
	for name, text := range map[string]string{
		".curator_state": `{"last_run_at":"2020-01-01T00:00:00Z"}`,
		".usage.json":    `{"old-backup":{"created_by":"agent","last_used_at":"2020-02-01T00:00:00+00:00","use_count":2,"restored_at":"2020-03-01T00:00:00+00:00"}}`,
	} {
		if err := os.WriteFile(filepath.Join(w.home, "skills", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x = w.start(t, 120, 40)
	x.see("the curator looked at the skills nobody used: 1 archived", "curator archive devops/old-back")
	if _, err := os.Stat(folder); err == nil {
		t.Error("it was not archived")
	}
	x.keys(ctrlX + "r")
	x.see("it was due, and nobody worked")
	x.keys("U")
	x.see("U again takes back all")
	x.keys("U")
	x.see("taken back: 1 archived", "#2 curator taken back")
	if _, err := os.Stat(filepath.Join(folder, "SKILL.md")); err != nil {
		t.Error(err)
	}
}

// A skill that another program changes while the person edits it is not overwritten: the edit is refused, and the
// map and the text are read again.
func TestE2E_journeyEditMeetsChange(t *testing.T) {
	t.Parallel()
	w := learnedWorld(t)
	skill := filepath.Join(w.home, "skills", "devops", "flask-k8s-deploy", "SKILL.md")
	w = w.editedBy(t, `echo "From elsewhere." >> "`+skill+`"; echo "From here." >> "$1"`)
	x := w.start(t, 120, 40)
	x.see("Ctrl+X ?")
	x.keys(ctrlX + "j")
	x.see("▌ ") // at what was learned last
	x.keys("g")
	x.see("version 2: 1 turn")
	x.keys("e")
	x.see("✗", "e goes on with what you wrote")
	if got := w.read(t, "skills", "devops", "flask-k8s-deploy", "SKILL.md"); !strings.HasSuffix(got, "From elsewhere.\n") || strings.Contains(got, "From here.") {
		t.Errorf("%q", got)
	}
}

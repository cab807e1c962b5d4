//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ferrySkill = "---\nname: ferry-times\ndescription: 渡し舟の時刻表を調べて、乗り場と料金と所要時間を比べ、一番早い便を選んで予約する。雨の日や台風のときは欠航の知らせも確かめる。渡し舟に乗るときに使う。\n---\n\n# 渡し舟\n\n## When to Use\n\nWhen somebody takes the ferry.\n\n1. Ask for the pier.\n"

// A skill that the model writes appears in the pane as new; the browser finds it in its own script, tells its
// history, rolls it back, pins it and then does not archive it; the next session is told of it.
func TestE2E_skillsPane(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
strict: true
rules:
  - when: {user: "learn it"}
    turns:
      - {tool_calls: [{name: skill_manage, arguments: {action: create, name: ferry-times, category: travel, content: `+quoteYAML(ferrySkill)+`}}]}
      - {tool_calls: [{name: skill_manage, arguments: {action: patch, name: ferry-times, old_string: "Ask for the pier.", new_string: "桟橋を聞く。"}}]}
      - {text: "It is kept."}
  - {reply: {text: "answer to {{user}}"}}
`)
	w := newWorld(t, env...)
	w.config(t, "review: {enabled: false}\n")
	x := w.start(t, 120, 40)
	x.see("Skills", "shown", "hermes-workspace")
	x.keys("learn it")
	x.see("› learn it")
	x.keys(enter)
	x.see("It is kept.", "+⚠ ferry-times", "+1", "/60")

	x.keys("\x18k/")
	x.see("in the prompt")
	x.keys("時刻")
	x.see("/ 時刻")
	x.keys(enter)
	x.see("▌ ⚠ ferry-times", "1 of ", "the model does not see", "guard: safe", "桟橋を聞く。")
	x.keys("\t")
	x.see("▸", "patch now", "create", "+1. 桟橋を聞く。")
	x.keys("n")
	x.see("+1. Ask for the pier.")
	x.keys("R")
	x.see("R again makes it what it was")
	x.keys("R")
	x.see("rolled back; the next session sees it")
	file := w.read(t, "skills", "travel", "ferry-times", "SKILL.md")
	if file != ferrySkill {
		t.Errorf("SKILL.md:\n%s", file)
	}
	x.see("rollback now")

	x.keys("p")
	x.see("pinned: it is not archived", "travel · pinned")
	x.keys("dd")
	x.see("it is pinned; p takes the pin back")
	if w.read(t, "skills", "travel", "ferry-times", "SKILL.md") == "" {
		t.Error("it is gone")
	}
	x.keys("s")
	x.see("A shorter description of ferry-times", "before:", "after:")
	x.keys(enter)
	x.see("saved: travel/ferry-times")
	if file := w.read(t, "skills", "travel", "ferry-times", "SKILL.md"); !strings.Contains(file, "description: \"") || !strings.Contains(file, "1. Ask for the pier.\n") {
		t.Errorf("SKILL.md:\n%s", file)
	}
	x.keys("p")
	x.see("no longer pinned")
	x.keys("d")
	x.see("d again archives it")
	x.keys("d")
	x.see("archived: travel/ferry-times", "1 archived")
	x.see("▌   ferry-times")
	x.keys("u")
	x.see("restored: travel/ferry-times")
	x.keys("q")
	x.see("you     learn it")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)

	// The next session is told of it; its command brings its text as a message, which shows short.
	x = w.start(t, 100, 50)
	x.see("10 shown")
	x.keys("\x183Gk")
	x.see("▌  ⚠ ferry-times")
	x.keys("q/ferry")
	x.see("/ferry-times [text]")
	x.keys(enter)
	x.keys("to the island")
	x.see("› /ferry-times to the island")
	x.keys(enter)
	x.see("you     /ferry-times to the island", "answer to", "● ⚠ ferry-times")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	reqs := srv.Requests()
	last := reqs[len(reqs)-1]
	body := string(last.Body)
	for _, want := range []string{"ferry-times: ", "Ask for the pier.", "to the island"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in the request", want)
		}
	}

	// What the session loaded is known when it goes on, and its message shows short again.
	x = w.start(t, 100, 50, "--continue")
	x.see("Chat ─ /ferry-times to the island", "10 shown")
	x.keys("\x183Gk")
	x.see("▌● ⚠ ferry-times")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}

// A text that is no skill is refused with the reason, stays with the person, and is what the next edit begins
// with.
func TestE2E_editSkill(t *testing.T) {
	t.Parallel()
	_, env := model(t, "strict: true\nrules:\n  - {reply: {text: \"answer\"}}\n")
	w := newWorld(t, env...)
	dir := filepath.Join(w.home, "skills", "notes", "会議メモ")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const before = "---\nname: 会議メモ\ndescription: 会議のメモを整理する。\n---\n\n# 会議メモ\n\n## When to Use\n\n会議のあと。\n"
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	editor := filepath.Join(w.dir, "editor.sh") // first it breaks the file, then it mends what it broke
	script := "#!/bin/sh\nif grep -q BROKEN \"$1\"; then sed -i.bak -e 's/^BROKEN$/---/' -e 's/会議のあと。/会議のすぐあと。/' \"$1\"; else sed -i.bak '1s/^---$/BROKEN/' \"$1\"; fi\n"
	if err := os.WriteFile(editor, []byte(script), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	w.env = append(w.env, "EDITOR="+editor)
	x := w.start(t, 100, 50)
	x.see("会議メモ")
	x.keys("/skills 会議")
	x.see("› /skills 会議")
	x.keys(enter)
	x.see("▌   会議メモ", "会議のあと。", "written by you")
	x.keys("e")
	x.see("e goes on with what you", "no frontmatter")
	if got := w.read(t, "skills", "notes", "会議メモ", "SKILL.md"); got != before {
		t.Errorf("refused, but written:\n%s", got)
	}
	x.keys("e")
	x.see("saved: notes/会議メモ", "会議のすぐあと。")
	if got := w.read(t, "skills", "notes", "会議メモ", "SKILL.md"); got != strings.Replace(before, "会議のあと", "会議のすぐあと", 1) {
		t.Errorf("SKILL.md:\n%s", got)
	}
	x.keys("q")
	x.see("scripted ·", "› ")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}

// A skill that needs a variable asks for it, masked; what is typed is kept, hidden from the model, and seen by
// commands once the skill is loaded. "Not now" is an answer.
func TestE2E_skillNeedsVariable(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-ferry-token"
	srv, env := model(t, `
strict: true
rules:
  - when: {user: "go"}
    turns:
      - {tool_calls: [{name: skill_view, arguments: {name: ferry}}]}
      - {tool_calls: [{name: terminal, arguments: {command: 'echo "token has ${#FERRY_TOKEN} characters"'}}]}
      - {text: "done {{user}}"}
  - when: {user: "tram"}
    turns:
      - {tool_calls: [{name: skill_view, arguments: {name: tram}}, {name: skill_view, arguments: {name: thief}}]}
      - {tool_calls: [{name: terminal, arguments: {command: 'echo "token has ${#FERRY_TOKEN}, key has ${#OPENAI_API_KEY} characters"'}}]}
      - {text: "done {{user}}"}
`)
	w := newWorld(t, env...)
	dir := filepath.Join(w.home, "skills", "travel", "ferry")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: ferry\ndescription: Ferries.\nrequired_environment_variables: [{name: FERRY_TOKEN, prompt: The token of the ferry company, required_for: the timetable}]\n---\n\n# Ferry\n\n## When to Use\n\nAlways.\n"
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x := w.start(t, 120, 40)
	x.keys("go once")
	x.see("› go once")
	x.keys(enter)
	x.see("The skill travel/ferry needs FERRY_TOKEN for the timetable.", "The token of the ferry company", "Esc not now")
	x.keys("\x1b")
	x.see("done go once", "token has 0 characters")
	if got := string(srv.Requests()[1].Body); !strings.Contains(got, "setup_needed") {
		t.Error("the model was not told that it is missing")
	}
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)

	x = w.start(t, 120, 40)
	x.keys("go twice")
	x.see("› go twice")
	x.keys(enter)
	x.see("needs FERRY_TOKEN", "Enter keeps it")
	x.keys(secret)
	x.see("› ••••••••••••••••••")
	x.keys(enter)
	x.see("done go twice", "token has 18 characters")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)

	// Another skill has to be allowed, too, and the key of a provider is given to none.
	for name, variable := range map[string]string{"tram": "FERRY_TOKEN", "thief": "OPENAI_API_KEY"} {
		p := filepath.Join(w.home, "skills", "travel", name, "SKILL.md")
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(strings.NewReplacer("ferry\n", name+"\n", "FERRY_TOKEN", variable).Replace(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.env = append(w.env, "OPENAI_API_KEY=sk-the-provider")
	x = w.start(t, 120, 40)
	x.keys("tram")
	x.see("› tram")
	x.keys(enter)
	x.see("The skill travel/tram needs FERRY_TOKEN for the timetable, which is set already.", "a number or Enter answers")
	x.keys("1")
	x.see("done tram", "token has 18, key has 0 characters")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	if got := w.read(t, ".env"); !strings.Contains(got, "FERRY_TOKEN="+secret) {
		t.Errorf(".env: %q", got)
	}
	for _, r := range srv.Requests() {
		if strings.Contains(string(r.Body), secret) {
			t.Error("the model was sent the secret")
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if strings.Contains(x.raw.String(), secret) {
		t.Error("the secret was on the screen")
	}
}

// A skill that the person invokes asks for what it needs as one that the model loads does: the variable, and
// each setting once. What was answered is not asked in the next session.
func TestE2E_invokedSkillAsks(t *testing.T) {
	t.Parallel()
	srv, env := model(t, "strict: true\nrules:\n  - reply: {text: \"served\"}\n")
	w := newWorld(t, env...)
	w.config(t, "review: {enabled: false}\n")
	dir := filepath.Join(w.home, "skills", "kitchen", "tea")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: tea\ndescription: 泡茶。\nrequired_environment_variables: [TEA_SHOP_TOKEN]\nmetadata:\n  hermes:\n    config:\n" +
		"    - {key: tea.pot, description: Which pot to use, default: 蓝色}\n    - {key: tea.leaves, description: Which leaves to use}\n---\n# 茶\n## When to Use\nAlways.\n"
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x := w.start(t, 120, 40)
	x.see("shown", "泡茶。")
	x.keys("/tea")
	x.see("/tea [text]")
	x.keys(enter)
	x.keys("for two")
	x.see("› /tea for two")
	x.keys(enter)
	x.see("The skill kitchen/tea needs TEA_SHOP_TOKEN.", "Esc not now")
	x.keys("t0ken-of-the-shop")
	x.see("› •••••••••••••••••")
	x.keys(enter)
	x.see("asks once for a setting: tea.pot", "Which pot to use", "keep 蓝色", "a number or Enter answers")
	x.keys("1")
	x.see("asks once for a setting: tea.leaves", "Which leaves to use", "Enter answers")
	x.keys("龙井")
	x.see("› 龙井")
	x.keys(enter)
	x.see("served")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	body := string(srv.Requests()[0].Body)
	for _, want := range []string{"tea.pot = 蓝色", "tea.leaves = 龙井", "for two"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in the request", want)
		}
	}
	if strings.Contains(body, "t0ken-of-the-shop") || !strings.Contains(w.read(t, ".env"), "TEA_SHOP_TOKEN=t0ken-of-the-shop") {
		t.Error("the token is not where it belongs")
	}
	x = w.start(t, 120, 40)
	x.see("shown", "泡茶。")
	x.keys("/tea")
	x.see("/tea [text]")
	x.keys(enter)
	x.keys("again")
	x.see("› /tea again")
	x.keys(enter)
	x.see("served")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	if reqs := srv.Requests(); !strings.Contains(string(reqs[len(reqs)-1].Body), "tea.leaves = 龙井") {
		t.Error("the setting is gone")
	}
}

// quoteYAML writes s as a YAML string on one line.
func quoteYAML(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

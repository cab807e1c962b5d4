//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// config writes the home's config.yaml.
func (w world) config(t *testing.T, yaml string) {
	t.Helper()
	if err := writeConfig(w.home, yaml); err != nil {
		t.Fatal(err)
	}
}

func writeConfig(home, yaml string) error {
	return errors.Join(os.MkdirAll(home, 0o700), os.WriteFile(filepath.Join(home, "config.yaml"), []byte(yaml), 0o600))
}

// read returns a file of the home, "" when there is none.
func (w world) read(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{w.home}, parts...)...))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

// list names what is in a folder of the home.
func (w world) list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(w.home, dir))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// eventually asks until yes, each time at the price of whatever ask does.
func eventually(t *testing.T, what string, ask func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if ask() {
			return
		}
	}
	t.Errorf("never: %s", what)
}

// tells decodes the JSON that a command printed.
func tells[T any](t *testing.T, o outcome) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(o.out), &v); err != nil {
		t.Fatalf("%v in %+v", err, o)
	}
	return v
}

type reviewList struct {
	Reviews []struct {
		ID, State, Error string
		Trigger          string
		Calls, Requests  int
		Digested         int
		Changes          []struct {
			LedgerID string `json:"ledger_id"`
			Subject  string
		}
	}
	Proposals []struct{ ID, Held, Diff string }
	Counters  struct {
		UserTurns  int `json:"user_turns"`
		ModelSteps int `json:"model_steps"`
		Unreviewed int
		Paused     bool
	}
}

// Two short sessions add up to a review. It continues the conversation byte for byte, sees the other
// session as a digest, writes memory, leaves nothing in the transcript, and can be undone.
func TestE2E_reviewLearns(t *testing.T) {
	t.Parallel()
	srv, env := model(t, `
strict: true
rules:
  - when: {user: "[Review."}
    turns:
      - {tool_calls: [{name: terminal, arguments: {command: "rm -rf /"}}, {name: memory, arguments: {action: add, target: user, content: "Prefers short answers"}}]}
      - {text: "Kept a preference."}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 2}\n")
	if o := w.hermes(t, "", "run", "first thing: keep it short, please"); o.code != 0 || strings.Contains(o.err, "review") {
		t.Fatalf("%+v", o)
	}
	o := w.hermes(t, "", "run", "second thing")
	if o.code != 0 || strings.TrimSpace(o.out) != "the answer" || !strings.Contains(o.err, "review: saved 1") {
		t.Fatalf("%+v", o)
	}
	rs := srv.Requests()
	if len(rs) != 4 {
		t.Fatalf("%d requests", len(rs))
	}
	chat, review := string(rs[1].Fields["messages"]), string(rs[2].Fields["messages"])
	if !strings.HasPrefix(review, strings.TrimSuffix(chat, "]")) {
		t.Errorf("the review does not continue the conversation:\n%.300s\n%.300s", chat, review)
	}
	if !bytes.Equal(rs[1].Fields["tools"], rs[2].Fields["tools"]) {
		t.Error("the tools differ")
	}
	for _, want := range []string{"<other_sessions>", "first thing: keep it short", "8 tool calls"} {
		if !strings.Contains(rs[2].User(), want) {
			t.Errorf("the instruction lacks %q", want)
		}
	}
	if last := string(rs[3].Fields["messages"]); !strings.Contains(last, "terminal does not act in a review") {
		t.Errorf("the forbidden call was not refused: %s", last[len(last)-600:])
	}
	if got := w.read(t, "memories", "USER.md"); got != "Prefers short answers" {
		t.Errorf("USER.md = %q", got)
	}
	for _, name := range w.list(t, "sessions") {
		if strings.HasSuffix(name, ".jsonl") && strings.Contains(w.read(t, "sessions", name), "[Review") {
			t.Errorf("the review is in the transcript %s", name)
		}
	}

	if o := w.hermes(t, "", "run", "--review=off", "what is new?"); !strings.Contains(o.err, "since your last session: +1 fact") {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "run", "--review=off", "and now?"); strings.Contains(o.err, "since your last session") {
		t.Errorf("%+v", o)
	}
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Reviews) != 1 || l.Reviews[0].State != "saved" || l.Reviews[0].Calls != 1 || l.Reviews[0].Digested != 1 ||
		len(l.Reviews[0].Changes) != 1 || l.Counters.UserTurns != 2 || l.Counters.Unreviewed != 2 {
		t.Fatalf("%+v", l)
	}
	if o := w.hermes(t, "", "reviews", "show", "last"); !strings.Contains(o.out, "+Prefers short answers") || !strings.Contains(o.out, "refused or failed") {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "reviews", "undo", "last"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if got := w.read(t, "memories", "USER.md"); got != "" {
		t.Errorf("after undo USER.md = %q", got)
	}
	if o := w.hermes(t, "", "reviews", "list"); !strings.Contains(o.out, "taken back") {
		t.Errorf("%+v", o)
	}
	// What was taken back is not learned again unasked, and both are told.
	o = w.hermes(t, "", "run", "third thing")
	if !strings.Contains(o.err, "refused or took back") || strings.Contains(o.err, "saved 1") {
		t.Errorf("%+v", o)
	}
	rs = srv.Requests()
	if last := string(rs[len(rs)-1].Fields["messages"]); !strings.Contains(last, "the person has undone this lesson") {
		t.Errorf("the review is not told: %s", last[len(last)-600:])
	}
	if got := w.read(t, "memories", "USER.md"); got != "" {
		t.Errorf("USER.md = %q", got)
	}
}

// With approval on, a review proposes; the person accepts an edited version or rejects.
func TestE2E_reviewProposes(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
strict: true
rules:
  - when: {user: "[Review."}
    turns:
      - {tool_calls: [{name: memory, arguments: {action: add, target: memory, content: "Likes tabs in Go code"}}, {name: memory, arguments: {action: add, target: user, content: "Lives in Oslo"}}]}
      - {text: "Kept two."}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1, write_approval: true}\n")
	if o := w.hermes(t, "", "run", "hello"); o.code != 0 || !strings.Contains(o.err, "2 in the inbox") {
		t.Fatalf("%+v", o)
	}
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Proposals) != 2 || l.Proposals[0].Held != "approval" || w.read(t, "memories", "MEMORY.md")+w.read(t, "memories", "USER.md") != "" {
		t.Fatalf("%+v", l)
	}
	if o := w.hermes(t, "", "doctor"); !strings.Contains(o.out, "2 proposals wait for you") {
		t.Errorf("%+v", o)
	}
	inner := w
	inner.env = append(append([]string{}, w.env...), "HERMES_AGENT=s1")
	if o := inner.hermes(t, "", "reviews", "accept", l.Proposals[0].ID); o.code != 1 || !strings.Contains(o.err, "agent") {
		t.Errorf("an agent accepts: %+v", o)
	}
	o := w.hermes(t, `{"target":"user","operations":[{"action":"add","content":"Likes tabs"}]}`, "reviews", "accept", l.Proposals[0].ID, "--edited", "-")
	if o.code != 0 || w.read(t, "memories", "USER.md") != "Likes tabs" {
		t.Errorf("%+v %q", o, w.read(t, "memories", "USER.md"))
	}
	if o := w.hermes(t, "", "reviews", "reject", l.Proposals[1].ID, "--reason", "private"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "reviews", "reject", l.Proposals[1].ID); o.code != 3 {
		t.Errorf("twice: %+v", o)
	}
	if l = tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json")); len(l.Proposals) != 0 {
		t.Errorf("%+v", l)
	}
}

// Whatever a review model does wrong is bounded, shown as failed with the reason, and leaves the answer
// alone.
func TestE2E_reviewGoesWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, replies, state, reason string }{
		{"prose", `[{text: "What a nice conversation that was."}]`, "failed", "prose"},
		{"nothing", `[{text: "Nothing to save."}]`, "nothing", ""},
		{"refusal of the server", `[{fault: {status: 400, error: {message: "no reviews here", type: invalid_request_error}}}]`, "failed", "no reviews here"},
		{"dies mid-stream", `[{text: "I will", fault: {error: {message: "upstream gone"}, after: 2}}]`, "failed", "upstream gone"},
		{"forbidden tools only", `[{tool_calls: [{name: write_file, arguments: {path: x, content: y}}]}, {tool_calls: [{name: terminal, arguments: {command: ls}}]}, {text: "done"}]`, "failed", "refused or failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, env := model(t, `
rules:
  - {when: {user: "[Review."}, turns: `+c.replies+`}
  - {reply: {text: "the answer"}}
`)
			w := newWorld(t, env...)
			w.config(t, "memory: {nudge_interval: 1}\n")
			o := w.hermes(t, "", "run", "hello")
			if o.code != 0 || strings.TrimSpace(o.out) != "the answer" {
				t.Fatalf("%+v", o)
			}
			l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
			if len(l.Reviews) != 1 || l.Reviews[0].State != c.state || !strings.Contains(l.Reviews[0].Error, c.reason) {
				t.Errorf("%+v %+v", l, o)
			}
		})
	}
}

// A review that never stops is stopped: eight calls act, the rest is refused, and then it ends.
func TestE2E_reviewLoops(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - {when: {user: "[Review."}, reply: {tool_calls: [{name: memory, arguments: {action: add, target: memory, content: "fact number {{request}} about the cluster {{request}}"}}]}}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1}\n")
	if o := w.hermes(t, "", "run", "hello"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
	if len(l.Reviews) != 1 || l.Reviews[0].State != "saved" || l.Reviews[0].Calls != 8 || len(l.Reviews[0].Changes) != 8 || l.Reviews[0].Requests > 14 {
		t.Errorf("%+v", l)
	}
}

// The line at the start of a session tells what the prompt has now that it had not before: what came and went
// again in between is not in it, a shipped skill is not new because it was changed.
func TestE2E_sinceTheLastSession(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {reply: {text: the answer}}\n")
	w := newWorld(t, env...)
	w.config(t, "review: {enabled: false}\n")
	skill := func(name, about string) {
		t.Helper()
		file := filepath.Join(w.home, "skills", name, "SKILL.md")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("---\nname: "+filepath.Base(name)+"\ndescription: "+about+"\n---\n\n# Do it\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	must := func(args ...string) outcome {
		t.Helper()
		o := w.hermes(t, "", args...)
		if o.code != 0 {
			t.Fatalf("%v: %+v", args, o)
		}
		return o
	}
	skill("tea", "Make tea.")
	must("run", "one")
	must("memory", "add", "user", "Lives in Oslo")
	must("memory", "remove", "user", "Oslo")
	skill("brief", "Come and go.")
	must("skills", "list")
	must("run", "--resume", "last", "two") // looks at the skills of the session that is there already
	must("skills", "archive", "brief")
	must("skills", "archive", "tea")
	plan, err := filepath.Glob(filepath.Join(w.home, "skills", "*", "plan", "SKILL.md"))
	if err != nil || len(plan) != 1 {
		t.Fatalf("%v %v", plan, err)
	}
	f, err := os.OpenFile(plan[0], os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("\nAsk first.\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	skill("coffee", "Make coffee.")
	o := must("run", "three")
	_, line, _ := strings.Cut(o.err, "since your last session: ")
	line, _, _ = strings.Cut(line, "\n")
	for _, want := range []string{"−tea", "plan v1 → v2", "coffee new (v1)"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q lacks %q", line, want)
		}
	}
	for _, not := range []string{"brief", "fact"} {
		if strings.Contains(line, not) {
			t.Errorf("%q tells of %q", line, not)
		}
	}
}

// The person decides when learning runs: off, paused, later, by hand.
func TestE2E_reviewWhen(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - when: {user: "[Review."}
    turns:
      - {tool_calls: [{name: memory, arguments: {action: add, target: memory, content: "The port is 8080"}}]}
      - {text: "Kept the port."}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "memory: {nudge_interval: 1}\n")
	count := func() int {
		t.Helper()
		return len(tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json")).Reviews)
	}
	if o := w.hermes(t, "", "run", "one", "--review=off"); o.code != 0 || count() != 0 {
		t.Fatalf("off: %+v, %d reviews", o, count())
	}
	if o := w.hermes(t, "", "run", "one", "--review=sometimes"); o.code != 2 {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "reviews", "pause"); o.code != 0 || !strings.Contains(o.out, "paused") {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "run", "two"); o.code != 0 || count() != 0 {
		t.Errorf("paused: %+v", o)
	}
	if o := w.hermes(t, "", "reviews", "run", "--focus", "the port"); o.code != 0 || !strings.Contains(o.out, "saved 1") || count() != 1 {
		t.Errorf("by hand: %+v", o)
	}
	w.hermes(t, "", "reviews", "resume")
	if o := w.hermes(t, "", "run", "three", "--review=background"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	eventually(t, "the review in the background ends", func() bool {
		l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json"))
		return len(l.Reviews) == 2 && l.Reviews[0].State == "nothing" && l.Reviews[0].Trigger == "memory" && l.Reviews[1].Trigger == "asked"
	})
}

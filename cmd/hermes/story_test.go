//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const storyModel = `
strict: true
key: sk-e2e-0123456789abcdef
models: [scripted-large, scripted-small]
chunk: 8
delay: 2ms
rules:
  - {when: {user: danger, turn: 0}, reply: {text: "This needs your word.", tool_calls: [{name: terminal, arguments: {command: "chmod -R 777 sub && for i in 1 2 3; do echo tick $i 漢字; sleep 0.2; done"}}]}}
  - {when: {user: danger, turn: 1, result: "tick 3"}, reply: {text: "It ticked **three** times."}}
  - {when: {user: danger, turn: 1}, reply: {text: "It did not run: {{result}}"}}
  - {when: {user: long}, reply: {text: "This answer never comes to its end.", fault: {after: 3, stall: true}}}
  - {reply: {text: "You said: {{user}}"}}
`

// A first day: onboarding, a question, an approval with live output, an interrupt, quit, resume.
func TestE2E_aFirstDay(t *testing.T) {
	t.Parallel()
	srv, _ := model(t, storyModel)
	w := newWorld(t)
	if err := os.Mkdir(filepath.Join(w.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	x := w.start(t, 120, 40)
	x.see("Which model provider?")
	if _, err := os.Stat(w.home); err == nil {
		t.Error("the home exists before a choice was made")
	}
	x.keys(strings.Repeat("\x1b[B", 9) + enter)
	x.see("Address of the server")
	x.keys(srv.URL() + enter)
	x.see("Key for")
	x.keys("sk-e2e-0123456789abcdef")
	x.see("•••")
	if strings.Contains(x.screen(), "sk-e2e") {
		t.Error("the key is shown")
	}
	x.keys(enter)
	x.see("scripted-small")
	x.keys(enter)
	x.see("config.yaml")
	x.keys(enter)
	x.see("Chat", "Tools", "scripted-large")
	x.keys("hello 東京" + enter)
	x.see("You said: hello 東京")

	x.keys("danger" + enter)
	x.see("chmod -R 777 sub", "once", "deny")
	x.press("o", "tick 1")
	x.see("It ticked three times.")
	if fi, err := os.Stat(filepath.Join(w.dir, "sub")); err != nil || fi.Mode().Perm() != 0o777 {
		t.Error("the approved command did not run")
	}

	x.keys("long" + enter)
	x.see("This answer")
	x.keys(esc)
	x.see("interrupted")
	x.keys("after" + enter)
	x.see("You said: after")
	x.idle()
	x.keys(ctrlC)
	x.see("again")
	x.keys(ctrlC)
	x.exits(0)

	b, err := os.ReadFile(filepath.Join(w.home, ".env"))
	if err != nil || !strings.Contains(string(b), "sk-e2e-0123456789abcdef") {
		t.Errorf(".env: %q %v", b, err)
	}
	if c, err := os.ReadFile(filepath.Join(w.home, "config.yaml")); err != nil || strings.Contains(string(c), "sk-e2e") {
		t.Errorf("config.yaml: %q %v", c, err)
	}

	x = w.start(t, 90, 30, "--continue")
	x.see("You said: after", "It ticked three times.")
	x.keys("and again" + enter)
	x.see("You said: and again")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	for _, q := range srv.Requests() {
		if strings.Contains(string(q.Body), "sk-e2e") {
			t.Error("the key is in a request")
		}
	}
}

func TestE2E_demo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.start(t, 120, 40)
	x.see("Which model provider?")
	x.keys("d")
	x.see("demo model (scripted)", "Session 1 of 3", "Deploy the Flask app", "demo/flask-app")
	x.keys(enter)
	x.see("12 calls · 2 ✗", "answers at http://hello.apps.lan")
	x.idle()
	x.keys("what is the weather?" + enter)
	x.see("I only know how to play this story")
	x.idle()
	x.see("✓ #1 skills")
	x.keys("\x18n")
	x.see("Session 2 of 3", "Now the Django shop", "demo/django-shop")
	x.keys("zzz")
	x.see("zzz")
	x.keys("\x18n") // nothing was asked: the story waits
	x.gone("zzz")
	x.see("Session 2 of 3", "Now the Django shop")
	x.keys(enter)
	x.press("o", "answers at http://shop.apps.lan")
	x.see("9 calls · 1 ✗")
	x.idle()
	x.see("✓ #2 skills") // leaving the session ends a review that still runs
	x.keys("\x18n")
	x.see("Session 3 of 3", "› And the FastAPI service")
	x.keys(enter)
	x.see("6 calls")
	x.idle()
	x.keys("\x18n")
	x.see("The story is over", "12 calls, 2 errors", "9 calls, 1 error", "6 calls, 0")
	x.keys(ctrlC + ctrlC + ctrlC)
	x.exits(0)
	if _, err := os.Stat(w.home); err == nil {
		t.Error("the demo wrote into the person's home")
	}
	left, err := filepath.Glob(filepath.Join(envOf(w.env, "TMPDIR"), "hermes-rehearsal-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("the demo left %v", left)
	}
}

func envOf(env []string, name string) string {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

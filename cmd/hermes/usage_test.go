//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Wrong words end with code 2, say what the command takes, and start nothing.
func TestE2E_wrongWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for line, want := range map[string]string{
		"memory replace memory":                 "STORE OLD NEW",
		"memory add":                            "STORE TEXT",
		"memory add memory -x":                  "--",
		"memory list all":                       `"all"`,
		"memory forget":                         `"forget"`,
		"version --long":                        "hermes version --help",
		"sessions search tea --limit many":      "a whole number is expected",
		"sessions search tea --limit -1":        "1 or more",
		"sessions search tea --role bogus":      "user, assistant or tool",
		"sessions search tea --since 2026-13-4": "2d, 3w",
	} {
		o := w.hermes(t, "", strings.Fields(line)...)
		if o.code != 2 || !strings.Contains(o.err, want) || strings.Contains(o.err, "strconv") {
			t.Errorf("%s: %+v", line, o)
		}
	}
}

func TestE2E_brokenConfigRunsOnDefaults(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
rules:
  - {when: {turn: 0, user: remember}, reply: {tool_calls: [{name: memory, arguments: {action: add, target: memory, content: Likes tea}}]}}
  - {reply: {text: ok}}
`)
	w := newWorld(t, env...)
	text := "memory:\n  write_approval: true\nagent:\n\tmax_turns: 3\n"
	if err := os.MkdirAll(w.home, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.home, "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := w.hermes(t, "", "run", "x")
	if o.code != 0 || o.out != "ok\n" || !strings.Contains(o.err, "config.yaml:4") || !strings.Contains(o.err, "→") {
		t.Errorf("%+v", o)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != text {
		t.Errorf("the broken file was touched: %q %v", b, err)
	}
	// The file that cannot be read asks for approval: nothing is learned without it.
	if o = w.hermes(t, "", "run", "remember", "--review=off"); o.code != 0 || w.read(t, "memories", "MEMORY.md") != "" {
		t.Errorf("%+v", o)
	}
	if l := tells[reviewList](t, w.hermes(t, "", "reviews", "list", "--json")); len(l.Proposals) != 1 {
		t.Errorf("%+v", l)
	}
	if o = w.hermes(t, "", "config", "set", "agent.max_turns", "5"); o.code != 1 || !strings.Contains(o.err, "config.yaml") {
		t.Errorf("set on a broken file: %+v", o)
	}
}

//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot work later is said when it is set, and what stands in the way is named before a remedy that
// would not help.
func TestE2E_wrongSettings(t *testing.T) {
	t.Parallel()
	srv, env := model(t, "models: [scripted, other]\nrules:\n  - {reply: {text: 'the answer'}}\n")
	w := newWorld(t, env...)
	for _, tt := range []struct {
		args []string
		code int
		err  string // what standard error says; "" for nothing
	}{
		{[]string{"config", "set", "keys.pane.next", "bogus"}, 2, "bogus"},
		{[]string{"config", "set", "keys.pane.next", "x"}, 2, "types text"},
		{[]string{"config", "set", "keys.pane.nex", "ctrl+o"}, 2, "pane.next"},
		{[]string{"config", "set", "keys.pane.next", "[ctrl+x w, f2]"}, 0, ""},
		{[]string{"config", "set", "keys.pane.next", "[]"}, 0, ""},
		{[]string{"model", "set", "nobody-has-it"}, 0, "does not list"},
		{[]string{"model", "set", "other"}, 0, ""},
	} {
		o := w.hermes(t, "", tt.args...)
		if o.code != tt.code || !strings.Contains(o.err, tt.err) || tt.err == "" && o.err != "" {
			t.Errorf("%v: %+v", tt.args, o)
		}
	}
	if o := w.hermes(t, "", "config", "get"); strings.Contains(o.out, "bogus") || strings.Contains(o.out, "pane.nex\"") {
		t.Errorf("a key that cannot work was stored: %s", o.out)
	}

	broken := newWorld(t)
	config := "model: {default: scripted, base_url: " + srv.URL() + "\n" // the brace is missing
	if err := os.MkdirAll(broken.home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken.home, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := broken.hermes(t, "", "run", "x"); o.code != 4 || !strings.Contains(o.err, "config.yaml:") || !strings.Contains(o.err, "Fix the line") {
		t.Errorf("%+v", o)
	}
}

// The doctor and the list name a transcript that is none.
func TestE2E_damagedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := filepath.Join(w.home, "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const id = "20260101-000000-aaaaaa"
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte("garbage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"doctor"}, {"sessions", "list"}} {
		if o := w.hermes(t, "", args...); !strings.Contains(o.out, id) || !strings.Contains(o.out, "no readable header") {
			t.Errorf("%v: %+v", args, o)
		}
	}
}

// A part of an id names a session in a query as in every command, and one that names none is said.
func TestE2E_searchInASession(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules:\n  - {reply: {text: 'the answer'}}\n")
	w := newWorld(t, env...)
	if o := w.hermes(t, "", "run", "where is 西湖"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	files, err := filepath.Glob(filepath.Join(w.home, "sessions", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	id := strings.TrimSuffix(filepath.Base(files[0]), ".jsonl")
	for _, name := range []string{id, id[:8], "last"} {
		if o := w.hermes(t, "", "sessions", "search", "session:"+name+" 西湖"); o.code != 0 || !strings.Contains(o.out, id) {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if o := w.hermes(t, "", "sessions", "search", "session:nope 西湖"); o.code != 3 || !strings.Contains(o.err, "no such session") {
		t.Errorf("%+v", o)
	}
}

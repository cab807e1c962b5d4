//go:build !windows

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A secret that leaked into a conversation, a file that the agent changed, and memory is gone from every file of
// the home after one command, and what is left still works.
func TestE2E_purge(t *testing.T) {
	t.Parallel()
	const secret = `pw "geheim" <東京> 4711`
	_, env := model(t, `
rules:
  - when: {user: keep, turn: 0}
    reply:
      tool_calls:
        - {name: read_file, arguments: {path: notes.txt}}
        - {name: write_file, arguments: {path: notes.txt, content: "clean\n"}}
        - {name: memory, arguments: '{"action":"add","target":"memory","content":"The code is pw \"geheim\" <東京> 4711"}'}
  - {reply: {text: "the answer"}}
`)
	w := newWorld(t, env...)
	w.config(t, "trusted_dirs: ["+w.dir+"]\n")
	if err := os.WriteFile(filepath.Join(w.dir, "notes.txt"), []byte("secret: "+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := w.hermes(t, "", "run", "keep "+secret); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	w.hermes(t, "", "sessions", "search", "geheim") // fills the index
	// A skill that an agent wrote long ago holds it, goes to the archive, and with it into a backup.
	old := filepath.Join(w.home, "skills", "old")
	if err := os.MkdirAll(old, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(old, "SKILL.md"):                 "---\nname: old\ndescription: d\n---\n# Old\n\n## When to Use\nWith " + secret + ".\n",
		filepath.Join(w.home, "skills", ".usage.json"): `{"old":{"created_by":"agent","use_count":1,"last_used_at":"2020-01-01T00:00:00Z"}}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if o := w.hermes(t, "", "curator", "run"); o.code != 0 || !strings.Contains(o.out, "backup:") {
		t.Fatalf("%+v", o)
	}
	if len(holders(t, w.home)) < 4 {
		t.Fatalf("the secret is only in %v: this tests nothing", holders(t, w.home))
	}
	if o := w.hermes(t, secret+"\n", "ledger", "purge"); o.code != 0 || !strings.Contains(o.out, "other files") {
		t.Errorf("%+v", o)
	}
	if left := holders(t, w.home); len(left) > 0 {
		t.Errorf("it is still in %v", left)
	}
	if backups, err := filepath.Glob(filepath.Join(w.home, "skills", ".curator_backups", "*")); err != nil || len(backups) > 0 {
		t.Errorf("%v %v", backups, err)
	}
	if o := w.hermes(t, "", "run", "--resume", "last", "go on"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "sessions", "search", "redacted"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if got := w.read(t, "memories", "MEMORY.md"); !strings.Contains(got, "The code is [redacted") {
		t.Errorf("%q", got)
	}
}

// holders are the files below dir that hold the secret, in any spelling.
func holders(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if s := string(b); strings.Contains(s, "geheim") {
			out = append(out, strings.TrimPrefix(path, dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// How short a secret may be is counted in characters, whatever they are; what is found nowhere is said with the
// code for it, and history says where something was.
func TestCommand_purge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if o := w.hermes(t, "", "memory", "add", "memory", "The code is 長城長城長"); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	for _, c := range []struct {
		secret string
		args   []string
		code   int
		say    string
	}{
		{"", nil, 2, "hermes: the secret is missing"},
		{"長城長城長\n", nil, 2, "5 characters"},
		{"nowhere-at-all\n", nil, 3, "nowhere in this home"},
		{"長城長城長\n", []string{"--short"}, 0, ""},
		{"長城長城長\n", []string{"--short"}, 3, "nowhere"},
		{"abc\n", []string{"--short"}, 2, "shorter than 4"},
	} {
		if o := w.hermes(t, c.secret, append([]string{"ledger", "purge"}, c.args...)...); o.code != c.code || !strings.Contains(o.err, c.say) || strings.Contains(o.err, "EOF") {
			t.Errorf("%q %v: %+v", c.secret, c.args, o)
		}
	}
	if o := w.hermes(t, "", "memory", "history"); o.code != 0 || !strings.Contains(o.out, "purged") {
		t.Errorf("%+v", o)
	}
}

//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the browser does, the shell does: the index as the model sees it, a shorter description, an edit that
// is refused and kept, and the one way to lose a skill for good.
func TestCommand_skillsWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const long = "Make tea the way it is made in this house. Use when the user asks for tea before four in the afternoon."
	file := filepath.Join(w.home, "skills", "kitchen", "tea", "SKILL.md")
	put := func(p, content string) {
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := func() string {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	before := "---\nname: tea\ndescription: " + long + "\n---\n# 茶\n## When to Use\nx\n"
	put(file, before)
	var index struct {
		Text                      string
		Characters, Tokens, Shown int
		Budget                    int `json:"token_budget"`
	}
	w.object(t, &index, 0, "skills", "index", "--json")
	if !strings.Contains(index.Text, "    - tea: Make tea the way it is made in this house. Use when the u...\n") || index.Characters != len(index.Text) || index.Tokens == 0 || index.Budget == 0 || index.Shown != 1 {
		t.Errorf("%+v", index)
	}

	var short struct {
		Before, After string
		Written       bool
	}
	w.object(t, &short, 0, "skills", "shorten", "tea", "--json")
	if short.Written || text() != before || short.After == "" || len(short.After) > 60 || !strings.HasSuffix(short.Before, "...") {
		t.Errorf("%+v", short)
	}
	w.object(t, &short, 0, "skills", "shorten", "tea", "--write", "--json")
	if want := strings.Replace(before, long, `"`+short.After+`"`, 1); !short.Written || text() != want {
		t.Errorf("%+v\n%s", short, text())
	}
	if o := w.hermes(t, "", "skills", "shorten", "tea", strings.Repeat("茶", 61)); o.code != 2 || !strings.Contains(o.err, "61 characters") {
		t.Errorf("%+v", o)
	}
	if o := w.hermes(t, "", "skills", "shorten", "tea", "茶: 泡茶"); o.code != 0 || !strings.Contains(text(), `description: "茶: 泡茶"`) {
		t.Errorf("%+v\n%s", o, text())
	}

	now := text()
	if o := w.hermes(t, "no frontmatter\n", "skills", "edit", "tea", "--file", "-"); o.code == 0 || !strings.Contains(o.err, "frontmatter") || text() != now {
		t.Errorf("%+v", o)
	}
	editor := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho broken > \"$1\"\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	withEditor := w
	withEditor.env = append(w.env[:len(w.env):len(w.env)], "EDITOR="+editor, "TMPDIR="+t.TempDir())
	o := withEditor.hermes(t, "", "skills", "edit", "tea")
	_, kept, _ := strings.Cut(o.err, "--file ")
	kept, _, _ = strings.Cut(kept, "\n")
	if b, err := os.ReadFile(kept); o.code == 0 || err != nil || string(b) != "broken\n" || text() != now {
		t.Errorf("%+v %q %v", o, kept, err)
	}
	if o := w.hermes(t, strings.Replace(now, "\nx\n", "\n四時前\n", 1), "skills", "edit", "tea", "--file", "-"); o.code != 0 || !strings.Contains(text(), "四時前") {
		t.Errorf("%+v", o)
	}

	// A name that two skills have is refused with the names that tell them apart.
	put(filepath.Join(w.home, "skills", "tea", "SKILL.md"), before)
	var refused struct {
		Error struct {
			Code    string
			Matches []string
		}
	}
	w.object(t, &refused, 2, "skills", "show", "tea", "--json")
	if len(refused.Error.Matches) != 2 || !strings.HasPrefix(refused.Error.Matches[0], "kitchen/tea ") || !strings.HasPrefix(refused.Error.Matches[1], "home:tea ") {
		t.Errorf("%+v", refused)
	}
	if o := w.hermes(t, "", "skills", "show", "tea"); !strings.Contains(o.err, "\n  home:tea ") {
		t.Errorf("%+v", o)
	}

	// Only what is archived can be deleted, only when confirmed, and even that can be undone.
	for _, c := range []struct {
		code int
		args []string
	}{
		{3, []string{"delete", "kitchen/tea", "--yes"}},
		{0, []string{"archive", "home:tea"}},
		{0, []string{"restore", "tea"}},
		{0, []string{"archive", "kitchen/tea"}},
		{1, []string{"delete", "tea"}},
		{0, []string{"list", "--archived"}},
	} {
		if o := w.hermes(t, "", append([]string{"skills"}, c.args...)...); o.code != c.code {
			t.Errorf("%v: %+v", c.args, o)
		}
	}
	var gone struct {
		ID string `json:"ledger_id"`
	}
	w.object(t, &gone, 0, "skills", "delete", "tea", "--yes", "--json")
	archive := filepath.Join(w.home, "skills", ".archive", "tea")
	if _, err := os.Stat(archive); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if o := w.hermes(t, "", "ledger", "undo", gone.ID); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if b, err := os.ReadFile(filepath.Join(archive, "SKILL.md")); err != nil || !strings.Contains(string(b), "四時前") {
		t.Errorf("%s %v", b, err)
	}
	agent := w
	agent.env = append(w.env[:len(w.env):len(w.env)], "HERMES_AGENT=s1")
	for _, args := range [][]string{{"shorten", "tea", "x"}, {"edit", "tea", "--file", "-"}, {"delete", "tea", "--yes"}} {
		if o := agent.hermes(t, before, append([]string{"skills"}, args...)...); o.code != 1 {
			t.Errorf("an agent's shell may %v: %+v", args, o)
		}
	}
}

// A SKILL.md that is no file is no skill; check says so and fails, of the place that was asked about only.
func TestCommand_skillsOutOfReach(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	odd, fine := filepath.Join(w.home, "skills", "odd"), filepath.Join(w.home, "skills", "fine")
	for _, dir := range []string{filepath.Join(odd, "SKILL.md"), fine} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(fine, "SKILL.md"), []byte("---\nname: fine\ndescription: 茶を淹れる\n---\n# x\n## When to Use\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var checked struct{ Problems []string }
	w.object(t, &checked, 1, "skills", "check", "--json")
	if len(checked.Problems) != 1 || !strings.Contains(checked.Problems[0], filepath.Join(odd, "SKILL.md")) {
		t.Errorf("%+v", checked)
	}
	if o := w.hermes(t, "", "skills", "check"); o.code != 1 || !strings.Contains(o.out, "it is no file") {
		t.Errorf("%+v", o)
	}
	w.object(t, &checked, 0, "skills", "check", fine, "--json")
	if len(checked.Problems) != 0 {
		t.Errorf("%+v", checked)
	}
}

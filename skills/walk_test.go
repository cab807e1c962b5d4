package skills

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core/ledger"
)

func TestWalk_links(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	outside := t.TempDir()
	write(t, outside, "far/SKILL.md", skill("far", "linked"))
	secret := filepath.Join(outside, "passwords")
	write(t, outside, "passwords", "root:geheim\n")
	write(t, r.home.Skills(), "z/real/SKILL.md", skill("real", "real"))
	for _, l := range [][2]string{{r.home.Skills(), "a-loop"}, {filepath.Join(r.home.Skills(), "z"), "b-again"}, {filepath.Join(outside, "far"), "z/far"}, {"/does/not/exist", "dangling"}, {secret, "z/thief/SKILL.md"}, {filepath.Join(outside, "far", "SKILL.md"), "z/stowed/SKILL.md"}} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(r.home.Skills(), filepath.FromSlash(l[1]))), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(l[0], filepath.Join(r.home.Skills(), filepath.FromSlash(l[1]))); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	list, err := r.Entries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, fmt.Sprintf("%s %t", e.Rel, e.Linked))
	}
	if diff := cmp.Diff([]string{"z/far true", "z/real false", "z/stowed true"}, got); diff != "" {
		t.Error(diff)
	}
	// A skill that is a link to another kind of file is not read, and that is told.
	if v, err := r.View(t.Context(), "thief", ""); err == nil {
		t.Errorf("%+v", v)
	}
	if p := r.Problems(); len(p) != 1 || !strings.Contains(p[0].Error(), filepath.Join("thief", FileName)) {
		t.Errorf("%v", p)
	}
	before := tree(t, outside)
	for _, op := range []Op{
		{Action: Patch, Name: "far", Old: ptr("linked"), New: ptr("hit")},
		{Action: Create, Name: "far", Content: ptr(skill("far", "new"))},
		{Action: Delete, Name: "far"},
		{Action: WriteFile, Name: "far", File: "references/x.md", Body: ptr("x")},
	} {
		if _, err := r.Do(t.Context(), ledger.Change{Actor: ledger.Agent}, op, nil); err == nil {
			t.Errorf("%s went through", op.Action)
		}
	}
	if tree(t, outside) != before {
		t.Error("written through a link")
	}
}

// What is called SKILL.md and is no file is told, and holds nobody up.
func TestWalk_noFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	write(t, r.home.Skills(), "fine/SKILL.md", skill("fine", "d"))
	for _, name := range []string{"folder/SKILL.md", "dangling", "loop"} {
		if err := os.MkdirAll(filepath.Join(r.home.Skills(), name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"dangling": filepath.Join(t.TempDir(), "gone", FileName), "loop": FileName} {
		if err := os.Symlink(to, filepath.Join(r.home.Skills(), name, FileName)); err != nil {
			t.Skip(err)
		}
	}
	list, err := r.Entries(t.Context())
	if err != nil || len(list) != 1 || list[0].Dir != "fine" {
		t.Fatalf("%+v %v", list, err)
	}
	told := fmt.Sprint(r.Problems())
	for _, name := range []string{"folder", "dangling", "loop"} {
		if !strings.Contains(told, filepath.Join(r.home.Skills(), name, FileName)) {
			t.Errorf("nothing is said about %s: %s", name, told)
		}
	}
}

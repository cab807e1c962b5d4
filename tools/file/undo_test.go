package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/undo"
	"hermes/tools"
)

// keeping is a desk whose tools keep copies.
func keeping(t *testing.T) (*desk, *undo.Store) {
	t.Helper()
	d := newDesk(t)
	w, err := tools.NewWorkdir(d.root)
	if err != nil {
		t.Fatal(err)
	}
	store := undo.New(d.home, 0)
	d.reg = tools.New(tools.Options{Home: d.home}, New(Options{Workdir: w, Policy: tools.NewPolicy(d.home, d.root), Keeper: store})...)
	return d, store
}

// TestUndo_turn changes files with every file tool, edits one by hand, and takes the turn back.
func TestUndo_turn(t *testing.T) {
	t.Parallel()
	d, store := keeping(t)
	d.put("work/a.txt", "a1\r\na2\r\n")
	d.put("work/b.txt", "b1\n")
	d.put("work/gone.txt", "g\n")
	d.put("work/hand.txt", "h1\n")
	d.put("work/from.txt", "f\n")
	d.read("a.txt", 0, 0)
	for name, res := range map[string]core.ToolResult{
		"write": d.write("a.txt", "new\n"), "create": d.write("new/deep/n.txt", "n\n"), "replace": d.replace("b.txt", "b1", "b2"),
		"patch": d.patch("*** Delete File: gone.txt", "*** Update File: hand.txt", "-h1", "+h2", "*** Update File: from.txt", "*** Move to: to.txt"),
	} {
		if !res.OK || strings.Contains(res.Content, "undo") {
			t.Errorf("%s: %+v", name, res)
		}
	}
	d.put("work/hand.txt", "h3 by hand\n")
	r, err := store.Undo(t.Context(), "s1", false, "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]undo.Action{}
	for _, f := range r.Files {
		rel, _ := filepath.Rel(d.root, f.Path)
		got[filepath.ToSlash(rel)] = f.Action
	}
	want := map[string]undo.Action{
		"a.txt": undo.Restored, "b.txt": undo.Restored, "gone.txt": undo.Recreated, "from.txt": undo.Recreated, "to.txt": undo.Removed, "new/deep/n.txt": undo.Removed,
		"hand.txt": undo.Kept,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for f, want := range map[string]string{"a.txt": "a1\r\na2\r\n", "b.txt": "b1\n", "gone.txt": "g\n", "from.txt": "f\n", "hand.txt": "h3 by hand\n"} {
		if d.get("work/"+f) != want {
			t.Errorf("%s: %q", f, d.get("work/"+f))
		}
	}
	for _, f := range []string{"new", "to.txt"} {
		if _, err := os.Lstat(filepath.Join(d.root, f)); err == nil {
			t.Errorf("%s is still there", f)
		}
	}
	// After the undo the agent no longer knows the file.
	if res := d.write("a.txt", "again\n"); res.OK || !strings.Contains(res.Content, "changed since") {
		t.Errorf("%+v", res)
	}
}

// TestUndo_whenNoCopy says in the result that a change cannot be undone, and makes it all the same.
func TestUndo_whenNoCopy(t *testing.T) {
	t.Parallel()
	d, _ := keeping(t)
	if err := os.WriteFile(d.home.Undo(), nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	if res := d.write("f", "x\n"); !res.OK || !strings.Contains(res.Content, "cannot be undone later") || d.get("work/f") != "x\n" {
		t.Errorf("%+v", res)
	}
}

package undo_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/undo"
)

// site is a working folder and a store beside it.
type site struct {
	*undo.Store

	t    *testing.T
	home home.Home
	root string
}

func newSite(t *testing.T, limit int64) *site {
	t.Helper()
	top, err := home.ResolvePath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, home: home.At(filepath.Join(top, "home")), root: filepath.Join(top, "work")}
	s.Store = undo.New(s.home, limit)
	if err := os.MkdirAll(s.root, 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

func (s *site) put(name, content string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// state lists the files of the working folder with their content.
func (s *site) state() string {
	s.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(s.root, func(p string, d os.DirEntry, err error) error {
		if err != nil || p == s.root {
			return err
		}
		rel, _ := filepath.Rel(s.root, p)
		switch {
		case d.IsDir():
			fmt.Fprintf(&b, "%s/ ", filepath.ToSlash(rel))
		case d.Type()&os.ModeSymlink != 0:
			target, err := os.Readlink(p)
			fmt.Fprintf(&b, "%s->%s ", filepath.ToSlash(rel), target)
			return err
		default:
			data, err := os.ReadFile(p)
			fmt.Fprintf(&b, "%s=%s ", filepath.ToSlash(rel), data)
			return err
		}
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
	return strings.TrimSpace(b.String())
}

// write is what a file tool does; content "" removes.
func (s *site) write(run, name, content string) {
	s.t.Helper()
	e := core.FileEdit{Path: s.path(name)}
	if content != "" {
		sum := sha256.Sum256([]byte(content))
		e.After = hex.EncodeToString(sum[:])
	}
	settle, err := s.Keep(core.ToolRun{SessionID: "s1", RunID: run}, []core.FileEdit{e})
	if err != nil {
		s.t.Error(err)
	}
	if content != "" {
		s.put(name, content)
	} else if err := os.Remove(s.path(name)); err != nil {
		s.t.Error(err)
	}
	if err := settle(); err != nil {
		s.t.Error(err)
	}
}

// command is what the terminal does.
func (s *site) command(run string, names []string, do func()) {
	s.t.Helper()
	var edits []core.FileEdit
	for _, n := range names {
		edits = append(edits, core.FileEdit{Path: s.path(n), Open: true})
	}
	settle, err := s.Keep(core.ToolRun{SessionID: "s1", RunID: run}, edits)
	if err != nil {
		s.t.Error(err)
	}
	do()
	if err := settle(); err != nil {
		s.t.Error(err)
	}
}

// undo takes runs back and returns "action path: reason" for each file.
func (s *site) undo(dry bool, runs ...string) (string, undo.Report) {
	s.t.Helper()
	r, err := s.Undo(s.t.Context(), "s1", dry, runs...)
	if err != nil {
		s.t.Error(err)
	}
	var b strings.Builder
	for _, f := range r.Files {
		rel, _ := filepath.Rel(s.root, f.Path)
		fmt.Fprintf(&b, "%s %s", f.Action, filepath.ToSlash(rel))
		if f.Reason != "" {
			b.WriteString(": " + f.Reason)
		}
		if f.Note != "" {
			b.WriteString(" (note)")
		}
		b.WriteString("\n")
	}
	return b.String(), r
}

// TestUndo restores three files and leaves the one edited by hand.
func TestUndo(t *testing.T) {
	t.Parallel()
	s := newSite(t, 0)
	s.put("a", "a1")
	s.put("b", "b1")
	s.put("c", "c1")
	s.put("hand", "h1")
	s.write("r0", "a", "a2")
	s.write("r1", "a", "a3")
	s.write("r1", "a", "a4")
	s.write("r1", "b", "")
	s.write("r1", "new/deep/n", "n1")
	s.write("r1", "hand", "h2")
	s.write("r1", "c", "c2")
	s.write("r1", "c", "c1")
	s.put("hand", "h3")
	before := s.state()
	want := "restored a\nrecreated b\nremoved new/deep/n\nkept hand: it was changed since\nunchanged c\n"
	if got, r := s.undo(true, "r1"); got != want || !r.Dry || r.Redo != "" || s.state() != before {
		t.Errorf("dry: %s\n%s", cmp.Diff(want, got), s.state())
	}
	got, r := s.undo(false, "r1")
	if got != want {
		t.Error(cmp.Diff(want, got))
	}
	if diff := cmp.Diff("a=a2 b=b1 c=c1 hand=h3", s.state()); diff != "" {
		t.Error(diff)
	}
	if got, _ := s.undo(false, "r1"); got != "kept hand: it was changed since\n" {
		t.Errorf("again: %s", got)
	}
	if _, _ = s.undo(false, r.Redo); s.state() != before {
		t.Errorf("redo: %s", cmp.Diff(before, s.state()))
	}
	if runs, err := s.Runs("s1"); err != nil || len(runs) != 2 || runs[0].ID != "r0" || len(runs[1].Paths) != 1 {
		t.Errorf("%+v %v", runs, err)
	}
}

func TestUndo_later(t *testing.T) {
	t.Parallel()
	s := newSite(t, 0)
	s.put("a", "1")
	s.write("r1", "a", "2")
	s.write("r2", "a", "3")
	if got, _ := s.undo(false, "r1"); got != "kept a: another turn changed it; undo that one too\n" || s.state() != "a=3" {
		t.Errorf("%s %s", got, s.state())
	}
	if got, _ := s.undo(false, "r1", "r2"); got != "restored a\n" || s.state() != "a=1" {
		t.Errorf("%s %s", got, s.state())
	}
}

func TestUndo_commands(t *testing.T) {
	t.Parallel()
	s := newSite(t, 0)
	s.put("dir/x", "x1")
	s.put("y", "y1")
	s.write("r1", "z", "z1")
	s.command("r1", []string{"dir/x", "y"}, func() {
		_ = os.RemoveAll(s.path("dir"))
		s.put("y", "y2")
	})
	s.command("r1", nil, func() { s.put("z", "z1 formatted") }) // a formatter
	s.put("by hand", "mine")
	want := "removed z\nrecreated dir/x\nrestored y\n"
	if got, _ := s.undo(false, "r1"); got != want || s.state() != "by hand=mine dir/ dir/x=x1 y=y1" {
		t.Errorf("%s %s", cmp.Diff(want, got), s.state())
	}
	s.write("r2", "y", "y5")
	s.put("y", "y6") // between two edits
	s.write("r2", "y", "y7")
	if got, _ := s.undo(false, "r2"); got != "restored y (note)\n" || !strings.Contains(s.state(), "y=y1") {
		t.Errorf("%s %s", got, s.state())
	}
}

func TestUndo_crash(t *testing.T) {
	t.Parallel()
	s := newSite(t, 0)
	s.put("written", "1")
	s.put("planned", "1")
	s.put("by a command", "1")
	sum := sha256.Sum256([]byte("2"))
	run := core.ToolRun{SessionID: "s1", RunID: "r1"}
	_, err := s.Keep(run, []core.FileEdit{
		{Path: s.path("written"), After: hex.EncodeToString(sum[:])},
		{Path: s.path("planned"), After: hex.EncodeToString(sum[:])},
		{Path: s.path("by a command"), Open: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.put("written", "2")
	s.put("by a command", "2")
	journal := filepath.Join(s.home.Undo(), "s1.jsonl")
	f, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString(`{"kind":"before","id":"torn","pa`)
	_ = f.Close()
	s.Store = undo.New(s.home, 0) // the next process
	s.write("r1", "after", "x")
	got, _ := s.undo(false, "r1")
	want := "restored written\nunchanged planned\nkept by a command: hermes ended while a command worked on it, so nobody knows who changed it last\nremoved after\n"
	if got != want || s.state() != "by a command=2 planned=1 written=1" {
		t.Errorf("%s %s", cmp.Diff(want, got), s.state())
	}
}

func TestUndo_linksAndModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links and modes")
	}
	s := newSite(t, 0)
	s.put("target", "t1")
	s.put("run.sh", "r1")
	s.put("away/f", "f1")
	if err := os.Chmod(s.path("run.sh"), 0o751); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", s.path("l")); err != nil {
		t.Fatal(err)
	}
	s.command("r1", []string{"l", "target", "run.sh"}, func() {
		_ = os.Remove(s.path("l"))
		_ = os.Remove(s.path("run.sh"))
	})
	s.write("r1", "away/f", "f2")
	// The person moves the folder and leaves a link: what it leads to is not ours to change.
	if err := os.Rename(s.path("away"), s.path("moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("moved", s.path("away")); err != nil {
		t.Fatal(err)
	}
	got, r := s.undo(false, "r1")
	want := "recreated l\nunchanged target\nrecreated run.sh\nkept away/f: its folder leads somewhere else now\n"
	if got != want {
		t.Error(cmp.Diff(want, got))
	}
	if want := "away->moved l->target moved/ moved/f=f2 run.sh=r1 target=t1"; s.state() != want {
		t.Error(cmp.Diff(want, s.state()))
	}
	if info, err := os.Stat(s.path("run.sh")); err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("%v %v", info, err)
	}
	if got, _ := s.undo(false, r.Redo); !strings.Contains(got, "removed l\n") {
		t.Errorf("redo: %s", got)
	}
}

func TestUndo_gone(t *testing.T) {
	t.Parallel()
	s := newSite(t, 0)
	s.put("d/e/f", "1")
	s.write("r1", "d/e/f", "2")
	s.put("other", "1")
	s.write("r1", "other", "")
	if err := os.RemoveAll(s.path("d")); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.undo(false, "r1"); got != "kept d/e/f: it was removed since\nrecreated other\n" {
		t.Errorf("%s", got)
	}
	s.put("d/e/f", "1")
	s.write("r2", "d/e/f", "")
	if err := os.RemoveAll(s.path("d")); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.undo(false, "r2"); got != "recreated d/e/f\n" || !strings.Contains(s.state(), "d/e/f=1") {
		t.Errorf("a vanished folder: %s %s", got, s.state())
	}
}

func TestStore_limits(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1000)
	for i := range 20 {
		s.put("f", strings.Repeat(fmt.Sprint(i%10), 200+i))
		s.write(fmt.Sprint("r", i), "f", "x")
	}
	entries, err := os.ReadDir(filepath.Join(s.home.Undo(), "blobs"))
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("%v %v", info, err)
		}
		total += info.Size()
	}
	if err != nil || total > 1000 || total < 400 {
		t.Errorf("%d bytes kept, %v", total, err)
	}
	if got, _ := s.undo(false, "r19"); got != "restored f\n" {
		t.Errorf("the newest: %s", got)
	}
	s.put("f", "x")
	if got, _ := s.undo(false, "r0"); !strings.Contains(got, "pruned") {
		t.Errorf("the oldest: %s", got)
	}
	big, err := os.Create(s.path("big"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(undo.MaxFile + 1); err != nil {
		t.Fatal(err)
	}
	_ = big.Close()
	if _, err := s.Keep(core.ToolRun{SessionID: "s1", RunID: "big"}, []core.FileEdit{{Path: s.path("big")}}); err == nil {
		t.Error("a file that cannot be copied is not told")
	}
	_ = os.Remove(s.path("big"))
	if got, _ := s.undo(false, "big"); !strings.Contains(got, "there is no copy: larger than 16 MB") {
		t.Errorf("%s", got)
	}
	if err := s.Drop("s1"); err != nil {
		t.Error(err)
	}
	if got, _ := s.undo(false, "r0"); got != "" {
		t.Errorf("after the session was deleted: %s", got)
	}
	for _, id := range []string{"", "../x", "a/b", `a\b`, ".x"} {
		if _, err := s.Runs(id); err == nil {
			t.Errorf("session %q", id)
		}
	}
}

func TestUndo_dirtyJournal(t *testing.T) {
	t.Parallel()
	s := newSite(t, 0)
	if err := os.MkdirAll(s.home.Undo(), 0o700); err != nil {
		t.Fatal(err)
	}
	bad := `null
{"kind":"before","id":"1","run":"r1","path":"relative","before":{"is":"absent"},"after":{"is":"file"}}
{"kind":"before","id":"2","run":"r1","path":"/x"}
{"kind":"after","id":"9"}
{"kind":"before","id":"3","run":"r1","path":` + fmt.Sprintf("%q", s.path("f")) + `,"before":{"is":"file","hash":"../../../etc/passwd"},"after":{"is":"absent"}}
`
	if err := os.WriteFile(filepath.Join(s.home.Undo(), "s1.jsonl"), []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ := s.undo(false, "r1")
	if !strings.HasPrefix(got, "kept f: its copy ") || s.state() != "" {
		t.Errorf("%s %s", got, s.state())
	}
}

func BenchmarkKeep(b *testing.B) {
	dir := b.TempDir()
	s := undo.New(home.At(filepath.Join(dir, "h")), 0)
	p := filepath.Join(dir, "f")
	if err := os.WriteFile(p, []byte(strings.Repeat("line\n", 5000)), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		settle, err := s.Keep(core.ToolRun{SessionID: "s", RunID: "r"}, []core.FileEdit{{Path: p, After: "x"}})
		if err != nil {
			b.Fatal(err)
		}
		_ = settle()
	}
}

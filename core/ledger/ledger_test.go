package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core/home"
)

// files is a Subject whose files are plain text.
type files struct{ kind string }

func (f files) Kind() string { return f.kind }

func (f files) Lock(context.Context, []string) (func() error, error) {
	return func() error { return nil }, nil
}

func (f files) Revert(tx *Tx, e Entry) (bool, error) { return RevertFiles(tx, e) }

func (f files) Parts(string, []byte, []byte) []Part { return nil }

func open(tb testing.TB, dir string) *Ledger {
	tb.Helper()
	l := New(home.At(dir))
	l.Register(files{"skill"}, files{"memory"})
	if err := l.Open(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return l
}

var byAgent = Change{Actor: Agent, Action: "write", Subject: "skill:a", SessionID: "s1", Reason: "test"}

// write makes one change of file contents; nil text removes.
func write(tb testing.TB, l *Ledger, c Change, set map[string]string) Entry {
	tb.Helper()
	e, err := l.Apply(tb.Context(), c, func(tx *Tx) error {
		for _, name := range sorted(set) {
			path := l.Path(name)
			if set[name] == "" {
				if err := tx.Remove(path); err != nil {
					return err
				}
				continue
			}
			if err := tx.Write(path, []byte(set[name]), 0o600); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func sorted(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	for i := range out {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// tree reads all files below dir but the ledger's own.
func tree(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if rel == "ledger" {
			return fs.SkipDir
		}
		if !d.IsDir() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			out[filepath.ToSlash(rel)] = string(b)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func wantTree(tb testing.TB, l *Ledger, want map[string]string) {
	tb.Helper()
	if diff := cmp.Diff(want, tree(tb, l.home.Dir())); diff != "" {
		tb.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestApply_writesJournalAndVersions(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	var heard []string
	l.OnChange(func(e Entry) { heard = append(heard, e.ID) })
	one := write(t, l, byAgent, map[string]string{"skills/a/SKILL.md": "one\n"})
	two := write(t, l, byAgent, map[string]string{"skills/a/SKILL.md": "two\n", "skills/a/references/x.md": "x"})
	if none := write(t, l, byAgent, map[string]string{"skills/a/SKILL.md": "two\n"}); none.ID != "" {
		t.Errorf("a change of nothing is recorded as %s", none.ID)
	}
	wantTree(t, l, map[string]string{"skills/a/SKILL.md": "two\n", "skills/a/references/x.md": "x"})

	again := open(t, l.home.Dir())
	log, err := again.Log(Filter{Subject: "skill:a"})
	if err != nil {
		t.Fatal(err)
	}
	if len(log) != 2 || log[0].ID != two.ID || log[1].ID != one.ID || two.ID <= one.ID {
		t.Fatalf("%+v", log)
	}
	if diff := cmp.Diff([]string{one.ID, two.ID}, heard); diff != "" {
		t.Error(diff)
	}
	if log[1].Before != "" || log[1].After != Hash([]byte("one\n")) || log[1].SessionID != "s1" || log[1].Reason != "test" {
		t.Errorf("%+v", log[1])
	}
	if log[0].Files[1].Made != "skills/a/references" {
		t.Errorf("made %q", log[0].Files[1].Made)
	}
	if b, err := again.Blob(log[1].After); err != nil || string(b) != "one\n" {
		t.Errorf("%q %v", b, err)
	}
	for _, p := range []string{"ledger/" + one.Time.Format("2006-01") + ".jsonl", "ledger/blobs/" + log[1].After} {
		if info, err := os.Stat(l.Path(p)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", p, info, err)
		}
	}
}

func TestApply_whenRefusedNothingHappens(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	boom := errors.New("boom")
	_, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error {
		_ = tx.Write(l.Path("skills/a"), []byte("x"), 0o600)
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = l.Apply(ctx, byAgent, func(tx *Tx) error {
		cancel()
		return tx.Write(l.Path("skills/a"), []byte("x"), 0o600)
	})
	if err == nil {
		t.Error("a cancelled change went through")
	}
	if _, err := l.Apply(t.Context(), Change{Actor: You, Subject: "skill:a"}, nil); err == nil {
		t.Error("a change without action went through")
	}
	wantTree(t, l, map[string]string{})
}

// The second of two files cannot be written: the first goes back, the journal says why.
func TestApply_whenOneFileFailsAllGoBack(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	write(t, l, byAgent, map[string]string{"a": "old"})
	l.step = func(s string) {
		if s == "intent" {
			if err := errors.Join(os.Mkdir(l.Path("b"), 0o700), os.WriteFile(l.Path("b/theirs"), nil, 0o600)); err != nil {
				t.Error(err)
			}
		}
	}
	_, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error {
		return errors.Join(tx.Write(l.Path("a"), []byte("new"), 0o600), tx.Write(l.Path("b"), []byte("new"), 0o600), tx.Write(l.Path("c"), []byte("new"), 0o600))
	})
	if err == nil {
		t.Fatal("went through")
	}
	l.step = nil
	wantTree(t, l, map[string]string{"a": "old", "b/theirs": ""})
	log, _ := l.Log(Filter{Unsettled: true})
	if log[0].State != Aborted || log[0].Note == "" {
		t.Errorf("%+v", log[0])
	}
	write(t, l, byAgent, map[string]string{"a": "newer"})
}

// An editor saves between reading and writing: its bytes stay.
func TestApply_whenTheFileChangesMeanwhile(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"locked", "blobs", "intent"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			l := open(t, t.TempDir())
			write(t, l, byAgent, map[string]string{"a": "old"})
			armed := when
			l.step = func(s string) {
				if s == armed && when != "locked" {
					armed = ""
					_ = os.WriteFile(l.Path("a"), []byte("editor"), 0o600)
				}
			}
			_, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error {
				b, err := tx.Read(l.Path("a"))
				if when == "locked" {
					_ = os.WriteFile(l.Path("a"), []byte("editor"), 0o600)
				}
				return errors.Join(err, tx.Write(l.Path("a"), append(b, '+'), 0o600))
			})
			if err == nil {
				t.Error("the change went through")
			}
			wantTree(t, l, map[string]string{"a": "editor"})
		})
	}
}

func TestTx_readsWhatIsStaged(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	write(t, l, byAgent, map[string]string{"skills/a/SKILL.md": "1", "skills/a/x": "x"})
	_, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error {
		p := l.Path
		if err := tx.Move(p("skills/a"), p("skills/.archive/a")); err != nil {
			return err
		}
		if tx.Exists(p("skills/a/SKILL.md")) || !tx.Exists(p("skills/.archive/a/x")) {
			t.Error("the move is not seen")
		}
		if err := tx.Write(p("skills/.archive/a/SKILL.md"), []byte("2"), 0o600); err != nil {
			return err
		}
		if err := tx.Remove(p("skills/.archive/a/x")); err != nil {
			return err
		}
		if b, err := tx.Read(p("skills/.archive/a/SKILL.md")); string(b) != "2" || err != nil {
			t.Errorf("%q %v", b, err)
		}
		if _, err := tx.Read(p("skills/.archive/a/x")); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTree(t, l, map[string]string{"skills/.archive/a/SKILL.md": "2"})
	log, _ := l.Log(Filter{Path: l.Path("skills/a/SKILL.md")})
	if len(log) != 2 {
		t.Errorf("%d changes of the moved file", len(log))
	}
}

func TestOutside(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	p := l.Path("m")
	if err := os.WriteFile(p, []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := write(t, l, Change{Actor: Agent, Action: "write", Subject: "memory:m"}, map[string]string{"m": "by hand\nand more\n"})
	if err := os.WriteFile(p, []byte("editor\nand more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := l.Outside(t.Context(), "memory:m", p)
	if err != nil || len(found) != 1 {
		t.Fatalf("%v %v", found, err)
	}
	if again, err := l.Outside(t.Context(), "memory:m", p); err != nil || len(again) != 0 {
		t.Errorf("noticed twice: %v %v", again, err)
	}
	if err := os.Remove(p); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Outside(t.Context(), "memory:m", p); err != nil {
		t.Fatal(err)
	}
	log, _ := l.Log(Filter{})
	var got []string
	for _, e := range log {
		got = append(got, string(e.Actor)+" "+e.Action)
	}
	if diff := cmp.Diff([]string{"outside remove", "outside edit", "agent write", "outside found"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := l.Undo(t.Context(), Change{Actor: You}, false, log[0].ID); err != nil {
		t.Error(err)
	}
	wantTree(t, l, map[string]string{"m": "editor\nand more\n"})
	if _, err := l.Undo(t.Context(), Change{Actor: You}, false, log[3].ID); err == nil {
		t.Error("a found file was undone")
	}
	d, err := l.Diff("memory:m", e.ID, log[1].ID)
	if err != nil || !strings.Contains(d, "-by hand\n+editor\n") {
		t.Errorf("%s %v", d, err)
	}
}

func TestBlame(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	one := write(t, l, byAgent, map[string]string{"d/a": "1\n2\n3\n"})
	two := write(t, l, byAgent, map[string]string{"d/a": "1\nzwei\n3\n"})
	if _, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error { return tx.Move(l.Path("d"), l.Path("e")) }); err != nil {
		t.Fatal(err)
	}
	three := write(t, l, byAgent, map[string]string{"e/a": "0\n1\nzwei\n3\n"})
	lines, err := l.Blame(l.Path("e/a"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range lines {
		got = append(got, b.Text+" "+b.ID)
	}
	if diff := cmp.Diff([]string{"0 " + three.ID, "1 " + one.ID, "zwei " + two.ID, "3 " + one.ID}, got); diff != "" {
		t.Error(diff)
	}
}

// Goroutines on several ledgers of one home: nothing is lost.
func TestApply_concurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for w := range 4 {
		l := open(t, dir)
		wg.Go(func() {
			for i := range 15 {
				_, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error {
					b, err := tx.Read(l.Path("a"))
					if err != nil && !errors.Is(err, fs.ErrNotExist) {
						return err
					}
					return tx.Write(l.Path("a"), fmt.Appendf(b, "%d.%d\n", w, i), 0o600)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	l := open(t, dir)
	if n := strings.Count(tree(t, dir)["a"], "\n"); n != 60 {
		t.Errorf("%d lines", n)
	}
	if log, _ := l.Log(Filter{}); len(log) != 60 {
		t.Errorf("%d entries", len(log))
	}
}

func TestPreview_showsAndChangesNothing(t *testing.T) {
	t.Parallel()
	h := home.At(t.TempDir())
	l := New(h)
	path := filepath.Join(h.Dir(), "memories", "MEMORY.md")
	c := Change{Actor: You, Action: "add", Subject: "memory:memory"}
	stage := func(tx *Tx) error { return tx.Write(path, []byte("one\ntwo\n"), 0o600) }
	diff, err := l.Preview(t.Context(), c, stage)
	if err != nil || !strings.Contains(diff, "b/memories/MEMORY.md") || !strings.Contains(diff, "+two") {
		t.Fatalf("Preview = %q, %v", diff, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the file was written: %v", err)
	}
	if log, err := l.Log(Filter{Unsettled: true}); err != nil || len(log) != 0 {
		t.Fatalf("the journal tells of it: %v, %v", log, err)
	}
	if _, err := l.Apply(t.Context(), c, stage); err != nil {
		t.Fatal(err)
	}
	if diff, err := l.Preview(t.Context(), c, stage); err != nil || diff != "" {
		t.Errorf("Preview of what is there already = %q, %v", diff, err)
	}
}

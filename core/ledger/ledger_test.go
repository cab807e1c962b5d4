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
	"time"

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

func open(t testing.TB, dir string) *Ledger {
	t.Helper()
	l := New(home.At(dir))
	l.Register(files{"skill"}, files{"memory"})
	if err := l.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

var byAgent = Change{Actor: Agent, Action: "write", Subject: "skill:a", SessionID: "s1", Reason: "test"}

// write makes one change of file contents; nil text removes.
func write(t testing.TB, l *Ledger, c Change, set map[string]string) Entry {
	t.Helper()
	e, err := l.Apply(t.Context(), c, func(tx *Tx) error {
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
		t.Fatal(err)
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
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
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
		t.Fatal(err)
	}
	return out
}

func wantTree(t testing.TB, l *Ledger, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, tree(t, l.home.Dir())); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
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
			if err := os.Mkdir(l.Path("b"), 0o700); err != nil {
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
	wantTree(t, l, map[string]string{"a": "old"})
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

func TestUndo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		changes []map[string]string
		move    [2]string // after the changes
		undo    []int     // indexes
		merge   bool
		want    map[string]string // nil: refused, as before
		verdict Verdict
	}{
		"last":             {changes: []map[string]string{{"a": "1\n"}, {"a": "2\n"}}, undo: []int{1}, want: map[string]string{"a": "1\n"}, verdict: Clean},
		"creation":         {changes: []map[string]string{{"d/e/a": "1\n"}}, undo: []int{0}, want: map[string]string{}, verdict: Clean},
		"removal":          {changes: []map[string]string{{"d/e/a": "1\n"}, {"d/e/a": ""}}, undo: []int{1}, want: map[string]string{"d/e/a": "1\n"}, verdict: Clean},
		"overlap":          {changes: []map[string]string{{"a": "1\n"}, {"a": "2\n"}, {"a": "3\n"}}, undo: []int{1}, verdict: Conflicts},
		"elsewhere":        {changes: []map[string]string{{"a": "1\nx\nz\n"}, {"a": "2\nx\nz\n"}, {"a": "2\nx\n3\n"}}, undo: []int{1}, merge: true, want: map[string]string{"a": "1\nx\n3\n"}, verdict: Merged},
		"merge not wanted": {changes: []map[string]string{{"a": "1\nx\nz\n"}, {"a": "2\nx\nz\n"}, {"a": "2\nx\n3\n"}}, undo: []int{1}, verdict: Merged},
		"whole session":    {changes: []map[string]string{{"a": "1\n", "b": "b"}, {"a": "2\n"}, {"b": ""}, {"a": "3\n", "c": "c"}}, undo: []int{1, 2, 3}, want: map[string]string{"a": "1\n", "b": "b"}, verdict: Clean},
		"all":              {changes: []map[string]string{{"a": "1\n", "b": "b"}, {"a": "2\n"}, {"b": ""}}, undo: []int{0, 2, 1}, want: map[string]string{}, verdict: Clean},
		"a move":           {changes: []map[string]string{{"d/a": "1\n"}}, move: [2]string{"d", "x/d"}, undo: []int{1}, want: map[string]string{"d/a": "1\n"}, verdict: Clean},
		"moved since":      {changes: []map[string]string{{"d/a": "1\n"}, {"d/a": "2\n"}}, move: [2]string{"d", "x"}, undo: []int{1}, verdict: Conflicts},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, t.TempDir())
			var ids []string
			for _, c := range tt.changes {
				ids = append(ids, write(t, l, byAgent, c).ID)
			}
			if tt.move[0] != "" {
				e, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error { return tx.Move(l.Path(tt.move[0]), l.Path(tt.move[1])) })
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, e.ID)
			}
			var undo []string
			for _, i := range tt.undo {
				undo = append(undo, ids[i])
			}
			before := tree(t, l.home.Dir())
			p, err := l.PlanUndo(t.Context(), undo...)
			if err != nil || p.Verdict != tt.verdict {
				t.Errorf("plan %+v, %v", p, err)
			}
			wantTree(t, l, before)
			e, err := l.Undo(t.Context(), Change{Actor: You}, tt.merge, undo...)
			if tt.want == nil {
				if err == nil {
					t.Error("not refused")
				}
				wantTree(t, l, before)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantTree(t, l, tt.want)
			if _, err := l.Undo(t.Context(), Change{Actor: You}, true, undo...); err == nil {
				t.Error("undone twice")
			}
			// Undoing the undo brings everything back.
			if _, err := l.Undo(t.Context(), Change{Actor: You}, tt.merge, e.ID); err != nil {
				t.Fatal(err)
			}
			wantTree(t, l, before)
		})
	}
}

func TestUndo_conflictNamesTheLaterChange(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	one := write(t, l, byAgent, map[string]string{"a": "1\n"})
	two := write(t, l, byAgent, map[string]string{"a": "2\n"})
	_, err := l.Undo(t.Context(), Change{Actor: You}, true, one.ID)
	var c *Conflict
	if !errors.As(err, &c) || !strings.Contains(err.Error(), two.ID) {
		t.Errorf("%v", err)
	}
}

func TestUndoIDs_ofSession(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	write(t, l, Change{Actor: You, Action: "write", Subject: "skill:a"}, map[string]string{"a": "mine"})
	one := write(t, l, byAgent, map[string]string{"b": "1"})
	two := write(t, l, byAgent, map[string]string{"b": "2"})
	if _, err := l.Undo(t.Context(), Change{Actor: You, SessionID: "s1"}, false, two.ID); err != nil {
		t.Fatal(err)
	}
	ids, err := l.UndoIDs(Filter{SessionID: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{one.ID}, ids); diff != "" {
		t.Error(diff)
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

func TestPrune_keepsTheLastChanges(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	now := time.Now()
	l.now = func() time.Time { return now }
	write(t, l, Change{Actor: Agent, Action: "write", Subject: "skill:quiet"}, map[string]string{"q": "quiet 1"})
	write(t, l, Change{Actor: Agent, Action: "write", Subject: "skill:quiet"}, map[string]string{"q": "quiet 2"})
	for i := range 60 {
		write(t, l, byAgent, map[string]string{"a": fmt.Sprint("text ", i)})
	}
	if p, err := l.Prune(t.Context(), Policy{}); err != nil || p.Removed != 0 {
		t.Fatalf("%+v %v", p, err)
	}
	now = now.Add(KeepAge + time.Hour)
	p, err := l.Prune(t.Context(), Policy{})
	if err != nil || p.Removed != 9 { // versions 0 to 8: the 50th change from the end goes from 9 to 10
		t.Fatalf("%+v %v", p, err)
	}
	for text, kept := range map[string]bool{"quiet 1": true, "text 8": false, "text 9": true, "text 59": true} {
		if _, err := l.Blob(Hash([]byte(text))); (err == nil) != kept {
			t.Errorf("%s: %v", text, err)
		}
	}
	if p, err := l.Prune(t.Context(), Policy{Bytes: 1}); err != nil || p.Removed != 0 {
		t.Errorf("size went before the last changes: %+v %v", p, err)
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	const secret = `s3cr"et<value>`
	c := byAgent
	c.Reason = "uses " + secret
	one := write(t, l, c, map[string]string{"a": "key " + secret + "\n", "b": "b"})
	write(t, l, byAgent, map[string]string{"a": "key gone\n"})
	other := open(t, l.home.Dir())
	if _, err := other.Log(Filter{}); err != nil {
		t.Fatal(err)
	}
	write(t, l, byAgent, map[string]string{"b": secret})
	res, err := l.Purge(t.Context(), secret, purgerFunc(func() int { return 3 }))
	if err != nil || res.Versions != 2 || res.Others != 3 || len(res.Still) != 0 && res.Still[0] != "b" {
		t.Fatalf("%+v %v", res, err)
	}
	err = filepath.WalkDir(l.home.Ledger(), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, _ := os.ReadFile(p)
			if strings.Contains(string(b), "s3cr") {
				t.Errorf("%s still holds it", p)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := other.Entry(one.ID) // a reader that had read the old journal
	if err != nil || e.Reason != "uses "+Purged {
		t.Errorf("%+v %v", e, err)
	}
	for _, f := range e.Files {
		if _, err := other.Blob(f.After); err != nil {
			t.Error(err)
		}
	}
	if _, err := l.Purge(t.Context(), "abc"); err == nil {
		t.Error("three letters were purged")
	}
	write(t, l, byAgent, map[string]string{"a": "on we go\n"})
}

type purgerFunc func() int

func (f purgerFunc) Purge(context.Context, string) (int, error) { return f(), nil }

func TestJournal_tornAndForeignLines(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	e := write(t, l, byAgent, map[string]string{"a": "1"})
	path := l.Path("ledger/" + e.Time.Format("2006-01") + ".jsonl")
	if err := home.Append(path, []byte("{\"kind\":\"mystery\",\"id\":\"x\"}\nnot json\n{\"kind\":\"inte"), true); err != nil {
		t.Fatal(err)
	}
	again := open(t, l.home.Dir())
	write(t, again, byAgent, map[string]string{"a": "2"})
	for _, r := range []*Ledger{l, again, open(t, l.home.Dir())} {
		log, err := r.Log(Filter{})
		if err != nil || len(log) != 2 {
			t.Errorf("%d entries, %v", len(log), err)
		}
		if n, _ := r.Damaged(); n != 2 {
			t.Errorf("%d damaged lines", n)
		}
	}
}

func TestJournal_whenNewerIsReadNotWritten(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	e := write(t, l, byAgent, map[string]string{"a": "1"})
	if err := home.Append(l.Path("ledger/"+e.Time.Format("2006-01")+".jsonl"), []byte(`{"kind":"header","version":2}`+"\n"), true); err != nil {
		t.Fatal(err)
	}
	_, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error { return tx.Write(l.Path("a"), []byte("2"), 0o600) })
	if err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Error(err)
	}
	if log, err := l.Log(Filter{}); err != nil || len(log) != 1 {
		t.Error(log, err)
	}
}

func TestJournal_monthsAndClock(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	now := time.Date(2026, 3, 31, 23, 59, 59, 0, time.UTC)
	l.now = func() time.Time { return now }
	one := write(t, l, byAgent, map[string]string{"a": "1"})
	now = now.Add(2 * time.Second)
	two := write(t, l, byAgent, map[string]string{"a": "2"})
	now = now.Add(-time.Hour) // the clock is set back
	three := write(t, l, byAgent, map[string]string{"a": "3"})
	if one.ID >= two.ID || two.ID >= three.ID {
		t.Errorf("ids %s %s %s", one.ID, two.ID, three.ID)
	}
	names, _ := journals(l.home.Ledger())
	if diff := cmp.Diff([]string{"2026-03.jsonl", "2026-04.jsonl"}, names); diff != "" {
		t.Error(diff)
	}
	log, err := open(t, l.home.Dir()).Log(Filter{Limit: 1})
	if err != nil || log[0].ID != three.ID {
		t.Error(log, err)
	}
	if e, err := l.Entry(three.ID[18:]); err != nil || e.ID != three.ID {
		t.Error(e, err)
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

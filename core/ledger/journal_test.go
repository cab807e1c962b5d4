package ledger

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core/home"
)

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
	if err != nil || res.Versions != 2 || res.Others != 3 || res.Files != 1 || len(res.Still) != 0 {
		t.Fatalf("%+v %v", res, err)
	}
	err = filepath.WalkDir(l.home.Dir(), func(p string, d fs.DirEntry, err error) error {
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
	if found, err := l.Outside(t.Context(), "skill:a", l.Path("a"), l.Path("b")); err != nil || len(found) != 0 {
		t.Errorf("the cleaned files look foreign: %+v %v", found, err)
	}
	write(t, l, byAgent, map[string]string{"a": "on we go\n"})
}

type purgerFunc func() int

func (f purgerFunc) Purge(context.Context, string) (int, error) { return f(), nil }

// Whatever stands in a journal, reading it neither panics nor hides the lines around it.
func FuzzJournal(f *testing.F) {
	for _, s := range []string{
		"", "null", "{}", `{"kind":"intent"}`, `{"kind":"done"}`, `{"kind":"done","id":"x"}`, `{"kind":"header","version":9}`, `{"kind":"noted","id":"z","files":[{"op":"move","from":"a","path":"b"}]}`,
		`{"kind":"intent","id":"z","subject":"nocolon","parts":[{"key":"k"}],"files":[{}]}` + "\n" + `{"kind":"done","id":"z"}`, "\x00\xff{", `{"kind":"done","id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "ledger"), 0o700); err != nil {
			t.Fatal(err)
		}
		const good = `{"kind":"noted","id":"01ARZ3NDEKTSV4RRFFQ69G5FAA","action":"edit","subject":"skill:a","actor":"outside"}`
		text := good + "\n" + string(raw) + "\n"
		if err := os.WriteFile(filepath.Join(dir, "ledger", "2026-11.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l := New(home.At(dir))
		log, err := l.Log(Filter{Unsettled: true})
		if err != nil || len(log) == 0 || log[len(log)-1].ID != "01ARZ3NDEKTSV4RRFFQ69G5FAA" {
			t.Fatalf("%+v %v", log, err)
		}
		for _, s := range []string{"skill:a", log[0].Subject} {
			if _, err := l.Version(s, ""); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.Trail("skill", "k"); err != nil {
			t.Fatal(err)
		}
	})
}

// Readers take no lock: a writer that holds it for long does not stop them.
func TestLog_whileAWriterHoldsTheLock(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	write(t, l, byAgent, map[string]string{"a": "1"})
	other := open(t, l.home.Dir())
	_, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error {
		log, err := other.Log(Filter{})
		if err != nil || len(log) != 1 {
			t.Errorf("%v %v", log, err)
		}
		if _, err := other.Blame(l.Path("a")); err != nil {
			t.Error(err)
		}
		return tx.Write(l.Path("a"), []byte("2"), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The journal of version 1 as first written keeps loading.
func TestFormat_version1(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	src := filepath.Join("..", "..", "testdata", "formats", "ledger-v1")
	if err := os.CopyFS(filepath.Join(dir, "ledger"), os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
	l := open(t, dir)
	log, err := l.Log(Filter{Unsettled: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range log {
		got = append(got, fmt.Sprintf("%s %s %s %s %s", e.ID[20:], e.Actor, e.Action, e.Subject, e.State))
	}
	want := []string{
		"0F0004 you undo memory:user done",
		"0F0003 agent add memory:user aborted",
		"0F0002 agent replace memory:user done",
		"0F0001 outside found memory:user done",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n, _ := l.Damaged(); n != 0 || log[2].Parts[0].Was != "1c8b9d7c0b5e" || log[0].Undoes[0] != log[2].ID {
		t.Errorf("%d damaged, %+v", n, log)
	}
}

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

package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/core"
)

// raw appends a line as it is.
func (s *shelf) raw(id, line string) {
	s.t.Helper()
	f, err := os.OpenFile(s.home.Transcript(id), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := f.WriteString(line); err != nil {
		s.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		s.t.Fatal(err)
	}
}

func TestSync_oddMessages(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("odd", core.RoleUser, "before pelican")
	s.raw("odd", `{"type":"message","time":"2026-11-01T00:00:00Z","message":{"id":"n1","role":"user","content":"nul\u0000 heron and lone \ud800 ibis \udc00"}}`+"\n")
	s.raw("odd", "\x00\x00\x00\x00\n")
	s.raw("odd", "{\"type\":\"message\",\"mess\n")
	s.raw("odd", `{"type":"message","message":null}`+"\n"+`[1,2]`+"\n"+"null\n")
	s.raw("odd", "{\"type\":\"message\",\"time\":\"2026-11-01T00:00:00Z\",\"message\":{\"id\":\"n2\",\"role\":\"user\",\"content\":\"bad \xff\xfe bytes stork\"}}\n")
	s.say("odd", core.RoleUser, "after egret")
	s.raw("odd", `{"type":"message","time":"2026-11-01T00:00:00Z","message":{"id":"n3","role":"user","content":"half a cr`)
	x := s.index()
	for _, q := range []string{"pelican", "heron", "ibis", "stork", "egret"} {
		if r := wantFound(t, x, q, "odd"); r.Limited != "" {
			t.Errorf("%s: %q", q, r.Limited)
		}
	}
	wantFound(t, x, "half", "")
	s.raw("odd", `ane"}}`+"\n")
	wantFound(t, x, "crane", "odd") // the line was completed
}

func TestSync_hugeMessage(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("huge", core.RoleUser, "pelican "+strings.Repeat("lorem ipsum dolor ", 20<<20/18)+" heron")
	s.say("huge", core.RoleTool, strings.Repeat("x", 20<<20))
	s.say("huge", core.RoleUser, "after egret")
	x := s.index()
	start := time.Now()
	for _, q := range []string{"pelican", "egret", `"ipsum dolor lorem"`} {
		wantFound(t, x, q, "huge")
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

// A damaged transcript is mended by leaving lines out, and grows again before anybody searches: offsets of
// old are worth nothing then.
func TestSync_rewrittenInPlace(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("a", core.RoleUser, "first pelican")
	s.raw("a", "{\"damaged line\n")
	s.say("a", core.RoleUser, "second heron")
	x := s.index()
	wantFound(t, x, "heron", "a")
	b, err := os.ReadFile(s.home.Transcript("a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.home.Transcript("a"), []byte(strings.Replace(string(b), "{\"damaged line\n", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.say("a", core.RoleUser, "third egret, so long that the file is longer than it was before it was mended")
	for _, q := range []string{"pelican", "heron", "egret"} {
		if r := wantFound(t, x, q, "a"); r.Total != 1 {
			t.Errorf("%s: %d", q, r.Total)
		}
	}
}

// Undone and retried messages leave, whether the index saw them before or not.
func TestSync_undone(t *testing.T) {
	t.Parallel()
	for _, eager := range []bool{true, false} {
		s := newShelf(t)
		x := s.index()
		look := func(q, want string) {
			if eager {
				wantFound(t, x, q, want)
			}
		}
		s.say("a", core.RoleUser, "kept pelican")
		first := s.say("a", core.RoleUser, "gone heron")
		s.say("a", core.RoleAssistant, "gone too: ibis")
		look("heron", "a")
		s.append("a", core.Record{Type: core.RecordUndo, Time: time.Now(), Target: first})
		s.say("a", core.RoleUser, "later egret")
		void := s.say("a", core.RoleAssistant, "void stork")
		look("stork", "a")
		s.append("a", core.Record{Type: core.RecordDiscard, Time: time.Now(), Target: void})
		s.append("a", core.Record{Type: core.RecordTitle, Time: time.Now(), Title: "first avocet"})
		look("avocet", "a")
		s.append("a", core.Record{Type: core.RecordTitle, Time: time.Now(), Title: "second curlew"})
		for q, want := range map[string]string{"pelican": "a", "heron": "", "ibis": "", "egret": "a", "stork": "", "avocet": "", "curlew": "a"} {
			wantFound(t, x, q, want)
			hits, _, err := x.scan(t.Context(), Parse(q, time.Now()), Options{Now: time.Now()})
			if err != nil || q != "avocet" && (len(hits) > 0) != (want != "") {
				t.Errorf("eager %v: scan %q: %v %v", eager, q, hits, err)
			}
		}
	}
}

// Somebody deletes index/ while a program searches: it heals without a word to the model of "no results".
func TestIndex_deletedUnderARunningProgram(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for i := range 30 {
		s.say(fmt.Sprint("s", i%3), core.RoleUser, fmt.Sprint("pelican ", i))
	}
	x := s.index()
	wantFound(t, x, "pelican", "s0 s1 s2")
	for i := range 3 {
		if err := os.RemoveAll(s.home.Index()); err != nil {
			t.Fatal(err)
		}
		s.say(fmt.Sprint("n", i), core.RoleUser, fmt.Sprint("a heron and number", i))
		wantFound(t, x, "pelican", "s0 s1 s2")
		wantFound(t, x, fmt.Sprint("number", i), fmt.Sprint("n", i))
		if _, err := os.Stat(x.engine.dir); err != nil {
			t.Error("the index was not made again")
		}
	}
	// Also while somebody is in the middle of using it.
	if _, err := x.engine.lease(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(s.home.Index()); err != nil {
		t.Fatal(err)
	}
	s.say("last", core.RoleUser, "an egret")
	r := wantFound(t, x, "egret", "last")
	t.Logf("limited: %q", r.Limited)
	x.engine.release()
	wantFound(t, x, "pelican", "s0 s1 s2")
}

// Where the index cannot be made, search goes through the transcripts and says so.
func TestIndex_cannotBeMade(t *testing.T) {
	t.Parallel()
	makers := map[string]func(t *testing.T, dir string){
		"a file in its place": func(t *testing.T, dir string) {
			t.Helper()
			if err := os.WriteFile(dir, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"read-only": func(t *testing.T, dir string) {
			t.Helper()
			if os.Geteuid() <= 0 {
				t.Skip("permissions do not bind this user")
			}
			if err := os.MkdirAll(dir, 0o500); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, spoil := range makers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t)
			s.say("a", core.RoleUser, "a pelican")
			spoil(t, s.home.Index())
			x := s.index()
			if r := wantFound(t, x, "pelican", "a"); !strings.Contains(r.Limited, "searched directly") {
				t.Errorf("%q", r.Limited)
			}
			if err := os.RemoveAll(s.home.Index()); err != nil {
				t.Fatal(err)
			}
			if r := wantFound(t, x, "pelican", "a"); r.Limited != "" {
				t.Errorf("%q", r.Limited)
			}
		})
	}
}

// While the index is built by somebody else in this program, a search does not wait for the end.
func TestSearch_duringABuild(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("a", core.RoleUser, "a pelican")
	s.say("b", core.RoleUser, "a heron")
	x := s.index()
	building, finish := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := x.Rebuild(t.Context(), func(p Progress) {
			if p.Done == 1 {
				close(building)
				<-finish
			}
		})
		done <- err
	}()
	<-building
	r := wantFound(t, x, "heron", "b")
	if !r.Building || !strings.Contains(r.Limited, "50 %") {
		t.Errorf("%+v", r)
	}
	close(finish)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if r = wantFound(t, x, "heron", "b"); r.Building || r.Limited != "" {
		t.Errorf("%+v", r)
	}
}

// A whole folder below it: the index knows only files that end in .jsonl.
func TestSync_otherFiles(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.say("a", core.RoleUser, "a pelican")
	if err := os.Mkdir(filepath.Join(s.home.Sessions(), "dir.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.home.Sessions(), "notes.txt"), []byte("pelican"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantFound(t, s.index(), "pelican", "a")
}

func FuzzPlace(f *testing.F) {
	f.Add("20261130_120000_ab12cd", int64(12345), uint32(1e9), byte('m'))
	f.Add("a/b", int64(0), uint32(0), byte('T'))
	f.Fuzz(func(t *testing.T, session string, offset int64, at uint32, k byte) {
		want := place{session: session, offset: max(offset, 0), at: at, kind: kind(k)}
		if k == '/' {
			return
		}
		if got, ok := parsePlace(want.String()); !ok || got != want {
			t.Fatalf("%+v became %+v (%v) by %q", want, got, ok, want.String())
		}
		if p, ok := parsePlace(session); ok && p.String() == "" {
			t.Fatal("a name without a text")
		}
	})
}

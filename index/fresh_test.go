package index

import (
	"fmt"
	"os"
	"testing"
	"time"

	"hermes/core"
)

// While nothing changed, a search looks at a few files only; what changed in any of them is found at once,
// and what changed in one that nobody had touched for long within a second.
func TestFresh(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	old := time.Now().Add(-time.Hour)
	for i := range 3 * hotFiles {
		id := fmt.Sprintf("s%02d", i)
		s.say(id, core.RoleUser, "pelican")
		if err := os.Chtimes(s.home.Transcript(id), old, old.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(s.home.Sessions(), old, old); err != nil { // the folder is not of this moment
		t.Fatal(err)
	}
	x := s.index()
	if _, r := found(t, x, "pelican", Options{}); r.Total != 3*hotFiles {
		t.Fatalf("%+v", r)
	}
	if !x.current() {
		t.Error("the next search would look at everything again")
	}
	hot := fmt.Sprintf("s%02d", 3*hotFiles-1)
	s.say(hot, core.RoleUser, "heron")
	wantFound(t, x, "heron", hot)
	s.say("new", core.RoleUser, "egret")
	wantFound(t, x, "egret", "new")
	s.say("s00", core.RoleUser, "ibis") // not one of the hot ones
	for start := time.Now(); ; {
		got, _ := found(t, x, "ibis", Options{})
		if got == "s00" {
			break
		}
		if time.Since(start) > sightAge+5*time.Second {
			t.Fatal("not found in time")
		}
	}
	if err := os.Remove(s.home.Transcript(hot)); err != nil {
		t.Fatal(err)
	}
	wantFound(t, x, "heron", "")
}

// A rare word in an old session and a common one in many new messages: with OR both are found, and one long
// session does not fill the whole answer.
func TestSearch_choosesAmongMany(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	said := func(id string, days, n int, text string) {
		at := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
		for i := range n {
			m := core.Message{ID: fmt.Sprint("m", i), Role: core.RoleUser, Content: text}
			s.append(id, core.Record{Type: core.RecordMessage, Time: at.Add(time.Duration(i) * time.Second), Message: &m})
		}
	}
	said("long", 0, 3_000, "common words here")
	for i := range 6 {
		said(fmt.Sprint("short", i), 10+i, 2, "common words here")
	}
	said("rare", 300, 1, "a pelican")
	said("titled", 300, 1, "nothing")
	s.append("titled", core.Record{Type: core.RecordTitle, Time: time.Now().Add(-300 * 24 * time.Hour), Title: "Common ground"})
	x := s.index()
	got, r := found(t, x, "common", Options{})
	if len(r.Sessions) != 8 || r.Total != 3_013 || r.Sessions[0].SessionID != "titled" {
		t.Errorf("%q of %d", got, r.Total)
	}
	if r.Limited == "" {
		t.Error("it does not say that not all were ranked")
	}
	wantFound(t, x, "common OR pelican", "titled long short0 short1 short2 short3 short4 short5 rare")
	if _, r = found(t, x, "common session:long", Options{PerHit: 50}); len(r.Sessions) != 1 || len(r.Sessions[0].Hits) != 50 {
		t.Errorf("%+v", r.Total)
	}
	// A phrase none of the first candidates holds is looked for among the others.
	said("phrase", 301, 1, "here words")
	wantFound(t, x, `"here words"`, "phrase")
}

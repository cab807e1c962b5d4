package skills

import (
	"os"
	"strings"
	"testing"

	"hermes/core/ledger"
)

func TestRecordOutside(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.must(t, Op{Action: Create, Name: "a", Content: ptr(skill("a", "first"))})
	r.must(t, Op{Action: Create, Name: "b", Content: ptr(skill("b", "first"))})
	r.must(t, Op{Action: Create, Name: "c", Content: ptr(skill("c", "first"))})
	r.must(t, Op{Action: Delete, Name: "c"})
	write(t, r.home.Skills(), "unknown/SKILL.md", skill("unknown", "never touched"))
	count := func() int {
		if err := r.RecordOutside(t.Context()); err != nil {
			t.Fatal(err)
		}
		log, err := r.ledger.Log(ledger.Filter{Actor: ledger.Outside})
		if err != nil {
			t.Fatal(err)
		}
		return len(log)
	}
	if n := count(); n != 0 {
		t.Fatalf("%d changes without one", n)
	}
	write(t, r.home.Skills(), "a/SKILL.md", skill("a", "by hand"))
	if err := os.RemoveAll(r.entry(t, "b").Folder); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 2 {
		t.Errorf("%d changes", n)
	}
	if n := count(); n != 2 {
		t.Error("recorded twice")
	}
	history, err := r.History(t.Context(), "a")
	if err != nil || len(history) != 2 || history[0].Actor != ledger.Outside {
		t.Fatalf("%+v %v", history, err)
	}
	if _, err := r.ledger.Undo(t.Context(), ledger.Change{Actor: ledger.You}, false, history[0].ID); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.entry(t, "a").Description, "first") {
		t.Error("the edit was not undone")
	}
}

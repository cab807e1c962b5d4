package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core/ledger"
	"hermes/core/memory"
)

// The whole way: a full profile, an add that fails, the recovery by the model, the clean-up by the
// person, the next session's prompt, and a ledger that tells it all and takes it back.
func TestStory_fullProfile(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	var entries []string
	for i := range 9 {
		entries = append(entries, fmt.Sprintf("fact %d %s", i, strings.Repeat("漢", 142)))
	}
	var ops []string
	for _, e := range entries {
		ops = append(ops, fmt.Sprintf(`{"action":"add","content":%q}`, e))
	}
	if a := r.call(t, `{"target":"user","operations":[`+strings.Join(ops, ",")+`]}`); a.Usage != "99% — 1,365/1,375 chars" {
		t.Fatalf("%+v", a)
	}
	frozen := r.store.Snapshot(t.Context())

	a := r.call(t, `{"target":"user","action":"add","content":"prefers short answers"}`)
	if a.Success || len(a.Entries) != 9 || a.Usage != "1,365/1,375" {
		t.Fatalf("%+v", a)
	}
	a = r.call(t, `{"target":"user","operations":[{"action":"replace","old_text":"fact 0","content":"fact 0, short"},{"action":"add","content":"prefers short answers"}]}`)
	if !a.Success {
		t.Fatal(a.Error)
	}

	// The person merges two, moves one, deletes one.
	id := memory.ID
	items := []memory.DraftItem{{Text: "facts 1 and 2", From: []string{id(entries[1]), id(entries[2])}}}
	base := []string{id("fact 0, short")}
	for _, e := range entries[1:] {
		base = append(base, id(e))
	}
	base = append(base, id("prefers short answers"))
	for _, e := range append([]string{"fact 0, short"}, append(entries[5:], "prefers short answers")...) {
		items = append(items, memory.DraftItem{ID: id(e)})
	}
	res, err := r.store.Tidy(t.Context(), ledger.Change{Actor: ledger.You}, memory.Draft{
		User: &memory.DraftSheet{Base: base, Items: items}, Memory: &memory.DraftSheet{Items: []memory.DraftItem{{ID: id(entries[3])}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(append([]string{"facts 1 and 2", "fact 0, short"}, append(entries[5:9:9], "prefers short answers")...), "\n§\n")
	if diff := cmp.Diff(want, r.raw(t, memory.User)); diff != "" || r.raw(t, memory.Memory) != entries[3] {
		t.Errorf("%s %q", diff, r.raw(t, memory.Memory))
	}
	next := r.store.Snapshot(t.Context())
	if !strings.Contains(next.User, "facts 1 and 2") || strings.Contains(frozen.User, "facts 1 and 2") || !strings.Contains(next.Memory, entries[3]) {
		t.Error("the prompts are wrong")
	}

	log, err := r.ledger.Log(ledger.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range log {
		told = append(told, string(e.Actor)+" "+e.Action)
	}
	if diff := cmp.Diff([]string{"you tidy", "agent update", "agent update"}, told); diff != "" || log[0].ID != res.LedgerID {
		t.Error(diff)
	}
	// All of the session, the clean-up behind it first.
	ids, err := r.ledger.UndoIDs(ledger.Filter{SessionID: "s1"})
	if err != nil || len(ids) != 2 {
		t.Fatal(ids, err)
	}
	if _, err := r.ledger.Undo(t.Context(), ledger.Change{Actor: ledger.You}, true, ids...); err == nil {
		t.Error("what the person merged since was undone")
	}
	if _, err := r.ledger.Undo(t.Context(), ledger.Change{Actor: ledger.You}, false, append(ids, res.LedgerID)...); err != nil {
		t.Fatal(err)
	}
	if r.raw(t, memory.User) != "" || r.raw(t, memory.Memory) != "" {
		t.Errorf("%q %q", r.raw(t, memory.User), r.raw(t, memory.Memory))
	}
}

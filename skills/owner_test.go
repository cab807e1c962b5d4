package skills

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hermes/core"
	"hermes/core/ledger"
)

// What a review may do, by where the skill comes from.
func TestPlan_reviews(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	root := r.home.Skills()
	for _, n := range []string{"hand", "shipped", "bought", "own", "pinned"} {
		write(t, root, n+"/SKILL.md", skill(n, "d"))
	}
	write(t, root, ".bundled_manifest", "shipped:abc\n")
	write(t, root, ".hub/lock.json", `{"version":1,"installed":{"bought":{}}}`)
	for _, n := range []string{"own", "pinned"} {
		if err := r.Usage().Update(t.Context(), n, func(rec *Record) { rec.CreatedBy = ByAgent }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Pin(t.Context(), ledger.Change{Actor: ledger.You}, "pinned"); err != nil {
		t.Fatal(err)
	}
	review := ledger.Change{Actor: ledger.Review, ReviewID: "v1"}
	patch := func(by ledger.Change, name string) (*Plan, error) {
		return r.Plan(t.Context(), by, Op{Action: Patch, Name: name, Old: ptr("Fetch"), New: ptr("Get")})
	}
	for name, want := range map[string]core.Held{"hand": core.HeldHandWritten, "own": "", "pinned": core.HeldPinned} {
		if p, err := patch(review, name); err != nil || p.Held != want {
			t.Errorf("%s: %v %v", name, p, err)
		}
	}
	for name, want := range map[string]string{"shipped": "came with hermes", "bought": "installed from elsewhere"} {
		if _, err := patch(review, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if p, err := patch(byAgent, name); err != nil || p.Held != "" {
			t.Errorf("%s in the foreground: %v", name, err)
		}
	}
	tainted := byAgent
	tainted.Taint = "web: https://example.org"
	if p, err := patch(tainted, "own"); err != nil || p.Held != core.HeldTainted {
		t.Errorf("%v", err)
	}
	if _, err := r.Plan(t.Context(), byAgent, Op{Action: Delete, Name: "pinned"}); err == nil || !strings.Contains(err.Error(), "pinned") {
		t.Errorf("%v", err)
	}
	if _, err := r.Plan(t.Context(), review, Op{Action: Delete, Name: "own"}); err == nil || !strings.Contains(err.Error(), "absorbed_into") {
		t.Errorf("%v", err)
	}
	// Without anybody who keeps proposals nothing is written.
	curator := ledger.Change{Actor: ledger.Curator}
	for _, n := range []string{"hand", "pinned", "shipped"} {
		if _, err := r.Archive(t.Context(), curator, n, "unused"); err == nil {
			t.Errorf("%s was archived by itself", n)
		}
	}
	write(t, root, "own-two/SKILL.md", skill("own-two", "d"))
	if err := r.Usage().Update(t.Context(), "own-two", func(rec *Record) { rec.CreatedBy = ByAgent }); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Archive(t.Context(), curator, "own-two", "unused"); err != nil {
		t.Error(err)
	}
	// A usage file that cannot be read fails closed.
	write(t, root, ".usage.json", `{"a":`)
	if _, err := patch(review, "own"); err == nil || !strings.Contains(err.Error(), "left alone") {
		t.Errorf("%v", err)
	}
}

func TestPin_isUndone(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	write(t, r.home.Skills(), "a/b/SKILL.md", skill("b", "d"))
	pinnedNow := func() bool {
		o, err := r.Origin(r.entry(t, "b"))
		if err != nil {
			t.Fatal(err)
		}
		return o.Pinned
	}
	if _, err := r.Pin(t.Context(), ledger.Change{Actor: ledger.You}, "b"); err != nil || !pinnedNow() {
		t.Fatal(err)
	}
	log, err := r.ledger.Log(ledger.Filter{Subject: "skill:a/b"})
	if err != nil || len(log) != 1 || log[0].Action != "pin" {
		t.Fatal(log, err)
	}
	if _, err := r.ledger.Undo(t.Context(), ledger.Change{Actor: ledger.You}, false, log[0].ID); err != nil || pinnedNow() {
		t.Error(err)
	}
	if _, err := r.Pin(t.Context(), ledger.Change{Actor: ledger.You}, "b"); err != nil || !pinnedNow() {
		t.Fatal(err)
	}
	if _, err := r.Unpin(t.Context(), ledger.Change{Actor: ledger.You}, "b"); err != nil || pinnedNow() {
		t.Error(err)
	}
}

// OPEN-CU-02
func TestCase_restoreTakesTheRightOne(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	root := r.home.Skills()
	for dir, name := range map[string]string{".archive/git-helpers": "git-helpers", ".archive/foo-20260101120000": "foo", ".archive/foo-20260102-120000": "foo-20260102-120000", ".archive/bar": "baz", "foo": "foo"} {
		write(t, root, dir+"/SKILL.md", skill(name, "d"))
	}
	you := ledger.Change{Actor: ledger.You}
	before := tree(t, root)
	for _, n := range []string{"git", "foo"} {
		if _, err := r.Restore(t.Context(), you, n); err == nil {
			t.Errorf("%s was restored", n)
		}
	}
	if tree(t, root) != before {
		t.Error("something moved")
	}
	if _, err := r.Archive(t.Context(), you, "foo", "make room"); err != nil {
		t.Fatal(err)
	}
	for {
		list, err := r.ArchiveList()
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, a := range list {
			left = append(left, a.Name)
		}
		if len(left) == 0 {
			break
		}
		e, err := r.Restore(t.Context(), you, left[0])
		if err != nil && strings.HasPrefix(left[0], "foo") {
			break // an older foo beside the active one: refused, not overwritten
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec, err := r.Usage().Records(); err != nil || rec[e.Dir].State != StateActive {
			t.Errorf("%+v %v", rec, err)
		}
	}
}

func TestApplier(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Guard = wary{DecisionAsk} })
	file := write(t, r.home.Skills(), "x/SKILL.md", skill("x", "d"))
	args := json.RawMessage(`{"action":"patch","name":"x","old_string":"Fetch.","new_string":"Fetch, evil."}`)
	var a Arguments
	if err := json.Unmarshal(args, &a); err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan(t.Context(), ledger.Change{Actor: ledger.Review, SessionID: "s1", ReviewID: "v1"}, a.Op())
	if err != nil || plan.Verdict.Decision != DecisionAsk || plan.Held != core.HeldHandWritten {
		t.Fatal(plan, err)
	}
	p := plan.Proposal(args, core.HeldDangerous)
	ap := r.Applier()
	diff, err := ap.Preview(t.Context(), p)
	if err != nil || diff != p.Diff || !strings.Contains(diff, "+Step 1. Fetch, evil.") {
		t.Errorf("%v %s", err, diff)
	}
	write(t, r.home.Skills(), "x/SKILL.md", skill("x", "d")+"more\n")
	if _, err := ap.Preview(t.Context(), p); core.CodeOf(err) != core.CodeBusy || !strings.Contains(err.Error(), "skills/x/SKILL.md") {
		t.Errorf("%v", err)
	}
	write(t, r.home.Skills(), "x/SKILL.md", skill("x", "d"))
	id, err := ap.Apply(t.Context(), p)
	if err != nil || !strings.Contains(read(t, file), "evil") {
		t.Fatal(err)
	}
	e, err := r.ledger.Entry(id)
	if err != nil || e.Actor != ledger.You || e.ReviewID != "v1" || e.SessionID != "s1" || e.Reason == "" {
		t.Errorf("%+v %v", e, err)
	}
	// A new skill, accepted, counts as the agent's; accepted twice it is stale.
	args = json.RawMessage(`{"action":"create","name":"fresh","content":` + fmt.Sprintf("%q", skill("fresh", "d")) + `}`)
	if err := json.Unmarshal(args, &a); err != nil {
		t.Fatal(err)
	}
	if plan, err = r.Plan(t.Context(), byAgent, a.Op()); err != nil {
		t.Fatal(err)
	}
	p = plan.Proposal(args, core.HeldTainted)
	if _, err := ap.Apply(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if o, err := r.Origin(r.entry(t, "fresh")); err != nil || o.By != OriginAgent {
		t.Errorf("%+v %v", o, err)
	}
	if _, err := ap.Apply(t.Context(), p); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("%v", err)
	}
}

// Changes of another skill, and ids that name nothing, are no versions of this one.
func TestDiff_takesItsOwnChangesOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.must(t, Op{Action: Create, Name: "tea", Content: ptr(skill("tea", "Make tea"))})
	other := r.must(t, Op{Action: Create, Name: "ship", Content: ptr(skill("ship", "Ship it"))})
	r.must(t, Op{Action: Patch, Name: "tea", Old: ptr("Make tea"), New: ptr("Make good tea")})
	h, err := r.History(t.Context(), "tea")
	if err != nil || len(h) != 2 {
		t.Fatalf("%+v %v", h, err)
	}
	short := h[1].ID[len(h[1].ID)-8:]
	if d, err := r.Diff(t.Context(), "tea", short, ""); err != nil || !strings.Contains(d, "+description: Make good tea") {
		t.Errorf("%q %v", d, err)
	}
	if d, err := r.Diff(t.Context(), "tea", h[0].ID, ""); err != nil || d != "" {
		t.Errorf("%q %v", d, err)
	}
	for _, id := range []string{other.LedgerID, "zzzzzzzz", "1"} {
		if d, err := r.Diff(t.Context(), "tea", id, ""); err == nil {
			t.Errorf("%s: %q", id, d)
		}
	}
}

// Of two skills of one name each comes back to where it stood; what a file says of its name proves no origin.
func TestRestore_besideATwin(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	root := r.home.Skills()
	write(t, root, "a/twin/SKILL.md", skill("twin", "One"))
	write(t, root, "b/twin/SKILL.md", skill("twin", "Two"))
	write(t, root, "planx/SKILL.md", skill("plan", "Not the shipped one"))
	write(t, root, ".bundled_manifest", "plan:00\n")
	if o, err := r.Origin(r.entry(t, "planx")); err != nil || o.By != OriginHand {
		t.Errorf("%+v %v", o, err)
	}
	you := ledger.Change{Actor: ledger.You}
	for _, place := range []string{"a/twin", "b/twin"} {
		if _, err := r.Archive(t.Context(), you, place, ""); err != nil {
			t.Fatal(err)
		}
		back, err := r.Restore(t.Context(), you, place)
		if err != nil || back.Rel != place {
			t.Errorf("%s: %+v %v", place, back, err)
		}
	}
}

package memory_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/core/review"
	toolmemory "hermes/tools/memory"
)

// inbox is a home whose memory tool writes to the inbox only.
func inbox(t *testing.T) (*memory.Store, *review.Inbox, *toolmemory.Memory, *ledger.Ledger) {
	t.Helper()
	h := home.At(t.TempDir())
	l := ledger.New(h)
	store := memory.New(memory.Options{Home: h, Ledger: l})
	l.Register(store.Subject())
	box := review.NewInbox(h, review.NewBook(h), map[string]core.Applier{core.StoreMemory: toolmemory.Applier{Store: store}})
	tool := toolmemory.New(toolmemory.Options{Store: store, Gate: toolmemory.Inbox{
		Store: store, Holder: box, Why: func(ledger.Change) core.Held { return core.HeldApproval },
	}})
	return store, box, tool, l
}

func callMemory(t *testing.T, tool *toolmemory.Memory, args string) core.ToolResult {
	t.Helper()
	return tool.Run(t.Context(), core.ToolRun{SessionID: "s1", RunID: "r1", CallID: "c1", Arguments: json.RawMessage(args), Output: func(string) {}})
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

func TestInbox_acceptWritesWhatWasShown(t *testing.T) {
	t.Parallel()
	store, box, tool, l := inbox(t)
	r := callMemory(t, tool, `{"target":"user","action":"add","content":"likes green tea"}`)
	if !r.OK || !strings.Contains(r.Content, "Not written yet") {
		t.Fatalf("result: %v %s", r.OK, r.Content)
	}
	if got := read(t, store.Path(memory.User)); got != "" {
		t.Fatalf("USER.md was written: %q", got)
	}
	list, problems, err := box.List()
	if err != nil || len(problems) > 0 || len(list) != 1 || !strings.Contains(list[0].Diff, "+likes green tea") {
		t.Fatalf("List = %+v %v %v", list, problems, err)
	}
	done, err := box.Accept(t.Context(), list[0].ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, store.Path(memory.User)); got != "likes green tea" {
		t.Errorf("USER.md = %q", got)
	}
	e, err := l.Entry(done.LedgerID)
	if err != nil || e.Actor != ledger.You || e.SessionID != "s1" {
		t.Errorf("ledger: %+v, %v", e, err)
	}
	if list, _, _ := box.List(); len(list) != 0 {
		t.Errorf("the proposal is still there: %+v", list)
	}
}

func TestInbox_invalidIsRefusedBeforeItIsStaged(t *testing.T) {
	t.Parallel()
	_, box, tool, _ := inbox(t)
	for _, args := range []string{
		`{"target":"user","action":"add","content":"` + strings.Repeat("x", 1376) + `"}`,
		`{"target":"user","action":"replace","old_text":"nowhere","content":"x"}`,
		`{"target":"user","action":"add","content":"a\n§\nb"}`,
	} {
		if r := callMemory(t, tool, args); r.OK {
			t.Errorf("%.60s was kept: %s", args, r.Content)
		}
	}
	if list, _, _ := box.List(); len(list) != 0 {
		t.Errorf("inbox: %+v", list)
	}
}

func TestInbox_staleIsRefused(t *testing.T) {
	t.Parallel()
	store, box, tool, _ := inbox(t)
	you := ledger.Change{Actor: ledger.You}
	for _, s := range []string{"editor is vim", "shell is zsh"} {
		if _, err := store.Do(t.Context(), you, memory.Memory, memory.Op{Action: memory.Add, Text: s}); err != nil {
			t.Fatal(err)
		}
	}
	callMemory(t, tool, `{"target":"memory","action":"replace","old_text":"vim","content":"editor is helix"}`)
	list, _, _ := box.List()
	if len(list) != 1 {
		t.Fatalf("inbox: %+v", list)
	}
	// Another entry changes: the proposal still says the same.
	if _, err := store.Do(t.Context(), you, memory.Memory, memory.Op{Action: memory.Replace, Old: "zsh", Text: "shell is fish"}); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Preview(t.Context(), list[0].ID); err != nil {
		t.Errorf("Preview after an unrelated change: %v", err)
	}
	// Its own entry changes: accepting would now replace something that was never shown.
	if _, err := store.Do(t.Context(), you, memory.Memory, memory.Op{Action: memory.Replace, Old: "vim", Text: "editor is vim 9"}); err != nil {
		t.Fatal(err)
	}
	before := read(t, store.Path(memory.Memory))
	if _, err := box.Accept(t.Context(), list[0].ID, nil); err == nil || !strings.Contains(err.Error(), "stale") {
		t.Errorf("Accept = %v, want a refusal as stale", err)
	}
	if got := read(t, store.Path(memory.Memory)); got != before {
		t.Errorf("MEMORY.md changed: %q", got)
	}
	edited := json.RawMessage(`{"target":"user","operations":[{"action":"add","content":"edits with helix"}]}`)
	if _, err := box.Accept(t.Context(), list[0].ID, edited); err != nil {
		t.Fatal(err)
	}
	if got := read(t, store.Path(memory.User)); got != "edits with helix" {
		t.Errorf("edited, moved to the other store: USER.md = %q", got)
	}
}

// What waits for one store is decided one by one: each addition leaves the others as they were shown, and a
// refusal is about its own entry, not about the neighbours.
func TestInbox_severalOfOneStore(t *testing.T) {
	t.Parallel()
	store, box, tool, _ := inbox(t)
	const long = "The user writes in Chinese, number 20, and likes tea a lot."
	if _, err := store.Do(t.Context(), ledger.Change{Actor: ledger.You}, memory.User, memory.Op{Action: memory.Add, Text: long}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"fact one 一号", "fact two 二号", "fact three 三号"} {
		callMemory(t, tool, `{"target":"user","action":"add","content":"`+s+`"}`)
	}
	list, _, _ := box.List()
	if len(list) != 3 {
		t.Fatalf("inbox: %+v", list)
	}
	for _, w := range list {
		if strings.Contains(w.Diff, "-"+long) || strings.Contains(w.Diff, "No newline") {
			t.Errorf("a kept entry is shown as changed:\n%s", w.Diff)
		}
	}
	if _, err := box.Reject(t.Context(), list[1].ID, ""); err != nil {
		t.Fatal(err)
	}
	for _, w := range []review.Waiting{list[0], list[2]} {
		if got, err := box.Get(w.ID); err != nil || got.Refused != nil {
			t.Errorf("marked as refused: %+v, %v", got.Refused, err)
		}
		if _, err := box.Accept(t.Context(), w.ID, nil); err != nil {
			t.Errorf("Accept: %v", err)
		}
	}
	if got, want := read(t, store.Path(memory.User)), long+"\n§\nfact one 一号\n§\nfact three 三号"; got != want {
		t.Errorf("USER.md = %q, want %q", got, want)
	}
	callMemory(t, tool, `{"target":"user","action":"add","content":"The user writes in Chinese, number 21, and likes tea a lot."}`)
	list, _, _ = box.List()
	if len(list) != 1 || list[0].Refused != nil {
		t.Errorf("the neighbour of a refused entry counts as refused: %+v", list)
	}
}

// A proposal whose text came into the store meanwhile has nothing left to change, and says so.
func TestInbox_alreadyThere(t *testing.T) {
	t.Parallel()
	store, box, tool, _ := inbox(t)
	callMemory(t, tool, `{"target":"user","action":"add","content":"likes green tea"}`)
	if _, err := store.Do(t.Context(), ledger.Change{Actor: ledger.You}, memory.User, memory.Op{Action: memory.Add, Text: "likes green tea"}); err != nil {
		t.Fatal(err)
	}
	list, _, _ := box.List()
	if _, err := box.Accept(t.Context(), list[0].ID, nil); err == nil || !strings.Contains(err.Error(), "says this already") {
		t.Errorf("Accept = %v", err)
	}
}

func TestInbox_rejectedStaysRejected(t *testing.T) {
	t.Parallel()
	_, box, tool, _ := inbox(t)
	callMemory(t, tool, `{"target":"user","action":"add","content":"prefers answers in French, always"}`)
	list, _, _ := box.List()
	if _, err := box.Reject(t.Context(), list[0].ID, "no"); err != nil {
		t.Fatal(err)
	}
	r := callMemory(t, tool, `{"target":"user","action":"add","content":"always prefers answers in French"}`)
	if !strings.Contains(r.Content, "refused the same lesson") {
		t.Errorf("the model is not told: %s", r.Content)
	}
	list, _, _ = box.List()
	if len(list) != 1 || list[0].Refused == nil {
		t.Errorf("the person is not told: %+v", list)
	}
}

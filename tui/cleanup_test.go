package tui

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/tui/cleanup"
	"hermes/tui/layout"
	"hermes/tui/tuitest"
)

// realMemory is the store of a throw-away home behind the port.
type realMemory struct {
	*memory.Store
	ledger *ledger.Ledger
	// mu is held by calls, so that the folder is not taken away under one.
	mu *sync.Mutex
}

func newMemory(t *testing.T) realMemory {
	t.Helper()
	h := home.At(t.TempDir())
	l := ledger.New(h)
	s := memory.New(memory.Options{Home: h, Ledger: l})
	l.Register(s.Subject())
	r := realMemory{Store: s, ledger: l, mu: &sync.Mutex{}}
	t.Cleanup(r.mu.Lock) // forever: commands that come late find nothing to do
	return r
}

func (r realMemory) by() ledger.Change { return ledger.Change{Actor: ledger.You, SessionID: "s1"} }

func (r realMemory) add(t *testing.T, target memory.Target, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := r.Do(t.Context(), r.by(), target, memory.Op{Action: memory.Add, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
}

func (r realMemory) Sheets(ctx context.Context) ([]memory.Sheet, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []memory.Sheet
	for _, t := range memory.Targets() {
		s, err := r.Sheet(ctx, t)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (r realMemory) Background(context.Context) (cleanup.Background, error) {
	return cleanup.Background{Requests: map[string]int{memory.ID("one 東京"): 7}, Titles: map[string]string{"s1": "the first"}}, nil
}

func (r realMemory) Tidy(ctx context.Context, d memory.Draft) (memory.Tidied, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Store.Tidy(ctx, r.by(), d)
}

func (r realMemory) History(_ context.Context, id string) ([]memory.Moment, error) {
	return r.Store.History(id)
}

func (r realMemory) Deleted(context.Context) ([]memory.Moment, error) { return r.Store.Deleted() }

func (r realMemory) file(t *testing.T, target memory.Target) string {
	t.Helper()
	b, err := os.ReadFile(r.Path(target))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// storedPort answers with one transcript.
type storedPort struct{ *ports }

func (p storedPort) Transcript(_ context.Context, id string) (Transcript, error) {
	if id == "gone" {
		return Transcript{}, &core.Error{Code: core.CodeNotFound, Op: "open session", Subject: id, Err: errFake, Hint: "list them"}
	}
	msg := func(m core.Message) core.Record {
		return core.Record{Type: core.RecordMessage, RunID: "r" + m.ID[1:2], Message: &m, Time: newClock().now()}
	}
	recs := []core.Record{}
	for i := range 9 {
		recs = append(recs, msg(core.Message{ID: fmt.Sprintf("u%d", i), Role: core.RoleUser, Content: fmt.Sprintf("question %d 问题", i)}))
		if i == 4 {
			recs = append(recs,
				msg(core.Message{ID: "c4", Role: core.RoleAssistant, ToolCalls: []core.ToolCall{{ID: "call4", Name: "memory", Arguments: `{"action":"add","content":"one 東京"}`}}}),
				msg(core.Message{ID: "t4", Role: core.RoleTool, ToolCallID: "call4", ToolName: "memory", Content: "saved"}))
		}
		recs = append(recs, msg(core.Message{ID: fmt.Sprintf("a%d", i), Role: core.RoleAssistant, Content: fmt.Sprintf("answer %d\n\n%s", i, strings.Repeat("西湖 words ", 40))}))
	}
	return Transcript{ID: id, Title: "the session " + id, Records: recs}, p.note("transcript " + id)
}

func (p storedPort) Around(_ context.Context, session, message string) ([]PreviewLine, error) {
	return []PreviewLine{{Who: "you", Text: "before"}, {Who: "hermes", Text: "here it is: 西湖 " + message, Here: true}, {Who: "you", Text: "after"}}, p.note("around " + session + " " + message)
}

// cleanRig is a rig with a real memory and the clean-up open on it.
func cleanRig(t *testing.T, w, h int) (*rig, realMemory) {
	t.Helper()
	mem := newMemory(t)
	mem.add(t, memory.Memory, "one 東京", "two", "three")
	mem.add(t, memory.User, "first", "second")
	p, c := newPorts(), newClock()
	ws := p.workspace("s1")
	ws.Memory, ws.Cleaner, ws.Transcripts = &memoryPort{sheets: memorySheets()}, mem, storedPort{p}
	r := startRig(t, New(Options{Workspace: ws, Setup: setupPort{p}, Now: c.now, Theme: "dark", Version: "0.1"}), p, c, w, h)
	r.until("the sheets", func() bool { return r.m.memory.Badge() != "" })
	r.keys("ctrl+x", "m")
	r.until("the clean-up", func() bool { return strings.Contains(r.plain(), "one 東京") })
	return r, mem
}

// The whole journey by keys: merge, move, delete, undo, restore; nothing on the disk before the word is
// given, then exactly what was shown, as one change.
func TestCleanup_journey(t *testing.T) {
	t.Parallel()
	r, mem := cleanRig(t, 120, 40)
	before := mem.file(t, memory.Memory)
	r.keys("space", "space", "m", "enter") // one and two
	r.keys("G", "d", "u")                  // three stays
	r.keys("l", "d", "j", "t")             // first goes, second moves
	r.shows("3 changes not written", "»", "&", "−")
	if mem.file(t, memory.Memory) != before {
		t.Fatal("written before it was confirmed")
	}
	r.keys("w")
	r.shows("write this as one change?", "2 merged", "moved to", "deleted")
	r.keys("y")
	r.until("the change", func() bool { return strings.Contains(r.plain(), "written as one change") })
	if got := mem.file(t, memory.Memory); got != "one 東京\ntwo\n§\nthree\n§\nsecond" {
		t.Errorf("MEMORY.md: %q", got)
	}
	if got := mem.file(t, memory.User); got != "" {
		t.Errorf("USER.md: %q", got)
	}
	log, err := mem.ledger.Log(ledger.Filter{Subject: "memory:", Limit: 1})
	if err != nil || len(log) != 1 || log[0].Action != "tidy" || len(log[0].Subjects()) != 2 {
		t.Fatalf("%v %+v", err, log)
	}
	r.until("fresh sheets", func() bool {
		return !strings.Contains(r.plain(), "not written") && strings.Contains(r.plain(), "0/1,375")
	})
	r.keys("R")
	r.until("the deleted ones", func() bool { return strings.Contains(r.plain(), "Restore an entry") })
	r.text("first")
	r.keys("enter")
	r.shows("restored in the draft", "1 change not written")
	r.keys("q", "w", "y")
	r.until("the end", func() bool { return !r.m.covered() })
	if got := mem.file(t, memory.User); got != "first" {
		t.Errorf("USER.md: %q", got)
	}
	r.shows("memory: written as one change")
}

// A change made elsewhere while the draft is open is brought in, and one made between the last look and
// the writing is kept; what became impossible is refused and shown.
func TestCleanup_elsewhere(t *testing.T) {
	t.Parallel()
	r, mem := cleanRig(t, 120, 40)
	r.keys("d")
	mem.add(t, memory.Memory, "from elsewhere")
	r.run(r.m.applyEvent(&core.MemoryChanged{}))
	r.until("the change", func() bool { return strings.Contains(r.plain(), "changed elsewhere: +1 ·") })
	r.shows("from elsewhere", "1 change not written")
	mem.add(t, memory.User, "at the last moment")
	r.keys("w", "y")
	r.until("the word", func() bool { return strings.Contains(r.plain(), "1 entry that came meanwhile kept") })
	if got := mem.file(t, memory.Memory) + "|" + mem.file(t, memory.User); got != "two\n§\nthree\n§\nfrom elsewhere|first\n§\nsecond\n§\nat the last moment" {
		t.Errorf("%q", got)
	}

	r.until("fresh sheets", func() bool {
		return strings.Contains(r.plain(), "3 entries") && !strings.Contains(r.plain(), "not written")
	})
	r.keys("g", "e")
	r.text("!")
	r.keys("enter")
	if _, err := mem.Do(t.Context(), mem.by(), memory.Memory, memory.Op{Action: memory.Remove, Old: "two"}); err != nil {
		t.Fatal(err)
	}
	r.keys("w", "y")
	r.until("the refusal", func() bool { return strings.Contains(r.plain(), "changed or removed meanwhile") })
	r.until("the present", func() bool { return strings.Contains(r.plain(), "your text stands as a new one") })
	if got := mem.file(t, memory.Memory); got != "three\n§\nfrom elsewhere" {
		t.Errorf("%q", got)
	}
	r.keys("w", "y")
	r.until("the text", func() bool { return strings.Contains(r.plain(), "written as one change") })
	if got := mem.file(t, memory.Memory); got != "two!\n§\nthree\n§\nfrom elsewhere" {
		t.Errorf("%q", got)
	}
}

func TestCleanup_doors(t *testing.T) {
	t.Parallel()
	r, _ := cleanRig(t, 120, 40)
	r.until("the price", func() bool {
		return strings.Contains(r.plain(), "6 characters · <1% of the store × 7 requests = 42 sent")
	})
	r.keys("H")
	r.until("the history", func() bool { return strings.Contains(r.plain(), "History of MEMORY, entry 1") })
	r.shows("you · add in MEMORY.md · session s1", "+ one 東京")
	r.keys("esc", "v")
	r.shows("MEMORY, entry 1", "Esc closes")
	r.keys("esc", "y")
	r.shows("copied")
	r.keys("enter") // its session
	r.until("the session", func() bool { return strings.Contains(r.plain(), "the session s1") })
	r.keys("esc", "esc")
	if r.m.covered() {
		t.Fatal("still open")
	}
	// Enter in the pane, a click on its gauges, and the command all lead here.
	r.keys("ctrl+x", "4", "enter")
	if !r.m.covered() {
		t.Error("Enter in the pane does not open it")
	}
	r.keys("esc")
	body, _ := r.m.scr.lay.Body(layout.Memory)
	r.send(tea.MouseClickMsg{X: body.X + 2, Y: body.Y, Button: tea.MouseLeft})
	if !r.m.covered() {
		t.Error("a click on the gauges does not open it")
	}
	r.keys("esc", "q")
	r.text("/memory")
	r.keys("enter")
	if !r.m.covered() {
		t.Error("/memory does not open it")
	}
}

// A session opens at the call that saved the entry.
func TestTranscript_origin(t *testing.T) {
	t.Parallel()
	r, _ := cleanRig(t, 120, 40)
	r.run(r.m.readOrigin("s9", "r4", "one 東京"))
	r.until("the session", func() bool {
		return strings.Contains(r.plain(), "the session s9") && strings.Contains(r.plain(), "memory")
	})
	r.shows("question 4 问题", "saved")
	r.keys("d")
	r.keys("f")
	r.called("fork s9 u4")
}

// Switching sessions would drop a draft: it is refused with the way out.
func TestCleanup_guardsItsDraft(t *testing.T) {
	t.Parallel()
	r, _ := cleanRig(t, 120, 40)
	r.keys("d")
	r.run(r.m.readSession(place{session: "s9"}))
	r.until("the session", func() bool { return strings.Contains(r.plain(), "the session s9") })
	r.keys("r")
	r.shows("holds changes that are not written")
	r.keys("esc")
	r.shows("1 change not written")
}

func TestTranscript_problems(t *testing.T) {
	t.Parallel()
	r, _ := cleanRig(t, 80, 24)
	r.run(r.m.readSession(place{session: "gone"}))
	r.until("the failure", func() bool { return strings.Contains(r.plain(), "no route to host") })
	r.shows("→ list them")
	r.keys("j", "f", "esc")
	r.shows("Memory clean-up")
}

func TestGolden_stored(t *testing.T) {
	t.Parallel()
	for _, size := range sizes() {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			r, _ := cleanRig(t, size[0], size[1])
			r.run(r.m.readSession(place{session: "s9", message: "a4", words: "西湖"}))
			r.until("the session", func() bool { return strings.Contains(r.plain(), "of 9") })
			tuitest.Fills(t, r.screen(), size[0], size[1])
			tuitest.Golden(t, fmt.Sprintf("transcript-%dx%d", size[0], size[1]), r.screen())
			if size[0] == 120 {
				tuitest.GoldenColour(t, "colour/transcript-dark", r.screen())
			}
		})
	}
}

// Gauges are read again when a turn ends, when the terminal is looked at and when the pane gets the keys.
func TestMemory_refreshes(t *testing.T) {
	t.Parallel()
	r, port := memoryRig(t, 120, 40)
	want := port.count()
	for _, step := range []func(){
		func() {
			r.run(r.m.applyEvent(&core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered}))
		},
		func() { r.send(tea.FocusMsg{}) },
		func() { r.keys("ctrl+x", "4") },
	} {
		step()
		want++
		r.until("a read", func() bool { return port.count() == want && !r.m.ws.memory.active })
	}
	if diff := cmp.Diff(want, port.count()); diff != "" {
		t.Error(diff)
	}
}

// A click selects in both views; a second one on a session or a hit is Enter.
func TestClick_stored(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		r, _ := cleanRig(t, size[0], size[1])
		click := func(text string) {
			t.Helper()
			for y, line := range strings.Split(r.plain(), "\n") {
				if x := strings.Index(line, text); x >= 0 {
					r.send(tea.MouseClickMsg{X: tuitest.Cells(line[:x]), Y: y, Button: tea.MouseLeft})
					return
				}
			}
			t.Fatalf("no %q on the screen", text)
		}
		click("three")
		r.shows("MEMORY, entry 3")
		click("second")
		r.shows("USER, entry 2")
		r.keys("esc")

		f, _ := findRig(t, size[0], size[1])
		r = f
		click("an other")
		r.until("its preview", func() bool { return strings.Contains(r.plain(), "s8") })
		r.keys("/")
		r.text("西湖")
		r.until("the hit", func() bool { return strings.Contains(r.plain(), "1 message matches") })
		click("words 西湖 words")
		click("words 西湖 words")
		r.until("the session", func() bool { return strings.Contains(r.plain(), "the session s9") })
	}
}

package chat_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/chat"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func newPane(w, h int) (*chat.Pane, *card.Log) {
	log := card.NewLog()
	p := chat.New(theme.New(theme.Dark), log, now)
	p.SetSize(w, h)
	p.Focus()
	return p, log
}

func apply(p *chat.Pane, log *card.Log, events ...core.Event) {
	for _, e := range events {
		p.Apply(e, log.Apply(e))
	}
}

func user(i int) core.Event {
	return &core.RunStarted{Message: core.Message{ID: fmt.Sprint("u", i), Role: core.RoleUser, Content: fmt.Sprintf("question %03d", i)}}
}

func answer(i int, text string) core.Event {
	return &core.MessageEnded{Message: core.Message{ID: fmt.Sprint("a", i), Role: core.RoleAssistant, Content: text}}
}

// Paging to the top and back shows every entry once, in order, and lets go of what is far.
func TestPane_pages(t *testing.T) {
	t.Parallel()
	p, log := newPane(80, 24)
	for i := range 500 {
		apply(p, log, user(i), answer(i, "answer\n\n"+strings.Repeat("text ", i%40)))
	}
	seen := map[string]bool{}
	collect := func() {
		view := p.View()
		tuitest.Fits(t, view, 80, 24)
		for line := range strings.SplitSeq(ansi.Strip(view), "\n") {
			if _, q, ok := strings.Cut(line, "question "); ok {
				seen[q[:3]] = true
			}
		}
	}
	collect()
	for range 1000 {
		p.Scroll(-p.Page())
		collect()
		if p.TopItem() == 0 {
			break
		}
	}
	if len(seen) != 500 {
		t.Errorf("%d of 500 questions seen", len(seen))
	}
	if p.Warm() > 450 {
		t.Errorf("%d entries hold lines", p.Warm())
	}
	for range 1000 {
		p.Scroll(p.Page())
		if p.Badge() == "" {
			break
		}
	}
	if p.Badge() != "" || !strings.Contains(p.View(), "question 499") {
		t.Error("paging down does not end at the end")
	}
}

func TestPane_void(t *testing.T) {
	t.Parallel()
	p, log := newPane(80, 24)
	apply(p, log, user(1), &core.TextDelta{MessageID: "a1", Text: "first try"},
		&core.MessageEnded{Message: core.Message{ID: "a1", Role: core.RoleAssistant, Content: "first try"}, Void: true},
		&core.TextDelta{MessageID: "a2", Text: "second"}, answer(2, "second try"))
	view := p.View()
	if strings.Contains(view, "first try") || !strings.Contains(ansi.Strip(view), "second try") {
		t.Error(ansi.Strip(view))
	}
}

func TestPane_retryRepeatsNoMessage(t *testing.T) {
	t.Parallel()
	p, log := newPane(80, 24)
	apply(p, log, user(1), &core.RunEnded{Reason: core.EndError, Error: &core.RunError{Message: "cut"}})
	if !p.CanRetry() {
		t.Fatal("cannot retry")
	}
	apply(p, log, user(1), &core.RunEnded{Reason: core.EndError, Error: &core.RunError{Message: "cut"}})
	apply(p, log, &core.RunStarted{Model: "m"}, answer(1, "ok"), &core.RunEnded{Reason: core.EndAnswered})
	view := ansi.Strip(p.View())
	if n, who := strings.Count(view, "question 001"), strings.Count(view, "you "); n != 1 || who != 1 || p.CanRetry() {
		t.Errorf("the question stands there %d times, the person %d times:\n%s", n, who, view)
	}
}

func TestPane_selectionAndCopy(t *testing.T) {
	t.Parallel()
	p, log := newPane(80, 24)
	apply(p, log, user(1), answer(1, "**raw** text"),
		&core.ToolStarted{CallID: "c1", Tool: "terminal", Arguments: `{"command":"ls"}`},
		&core.ToolEnded{CallID: "c1", OK: true, Result: strings.Repeat("file\n", 30)})
	p.Read(true)
	if text, _ := p.Copy(); !strings.HasPrefix(text, "file\n") || p.SelectedCall() == nil {
		t.Errorf("copied %q", text)
	}
	before := strings.Count(p.View(), "file")
	p.Toggle()
	if after := strings.Count(p.View(), "file"); after <= before {
		t.Errorf("opening shows %d lines, %d before", after, before)
	}
	p.Select(-1)
	if text, _ := p.Copy(); text != "**raw** text" || p.SelectedMessage() != "a1" {
		t.Errorf("copied %q of %q", text, p.SelectedMessage())
	}
	p.Select(-1)
	if text, _ := p.Copy(); text != "question 001" {
		t.Errorf("copied %q", text)
	}
	p.Select(99)
	tuitest.Fits(t, p.View(), 80, 24)
}

// A large paste does not fill the transcript until it is opened, and endless lines cost little.
func TestPane_longTexts(t *testing.T) {
	t.Parallel()
	p, log := newPane(80, 24)
	long := strings.Repeat("line 行\n", 10_000)
	apply(p, log, &core.RunStarted{Message: core.Message{ID: "u1", Role: core.RoleUser, Content: long}})
	p.Read(true)
	if s := p.View(); !strings.Contains(s, "more characters") {
		t.Error(ansi.Strip(s))
	}
	p.Toggle()
	if s := p.View(); strings.Contains(s, "more characters") {
		t.Error("it does not open")
	}
	if text, _ := p.Copy(); text != long {
		t.Error("copying gives not all")
	}
	endless := strings.Repeat("endless 行 ", 100_000)
	apply(p, log, answer(1, endless), &core.ToolStarted{CallID: "c1", Tool: "terminal"}, &core.ToolOutput{CallID: "c1", Text: endless})
	start := time.Now()
	tuitest.Fits(t, p.View(), 80, 24)
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("one frame took %v", d)
	}
}

// Whatever is opened, selected and scrolled, the view has its size.
func TestPane_fits(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {5, 3}, {20, 6}, {38, 8}, {64, 20}, {118, 37}} {
		p, log := newPane(size[0], size[1])
		for i := range 12 {
			apply(p, log, user(i), &core.ReasoningDelta{MessageID: fmt.Sprint("a", i), Text: "思考\nthinking"}, answer(i, "東京 | `code`\n\n- item"))
		}
		apply(p, log, &core.QueueChanged{Queue: []string{"一", "二", "三", "四", "五"}})
		p.Composer().SetText("東京\nline\n\n\n\n\n\n\n\n\n\n\nend")
		for range 30 {
			p.Read(true)
			p.Select(-1)
			p.Toggle()
			tuitest.Fits(t, p.View(), size[0], size[1])
			if x, y, ok := p.Cursor(); ok && (x >= size[0] || y >= size[1]) {
				t.Fatalf("%v: cursor %d,%d", size, x, y)
			}
		}
		p.ToggleAll()
		p.Top()
		tuitest.Fits(t, p.View(), size[0], size[1])
	}
}

// A notice with more to say opens and closes.
func TestNotice_opens(t *testing.T) {
	t.Parallel()
	p, _ := newPane(60, 12)
	p.AddNotice(core.Notice{Level: core.LevelInfo, Text: "in the prompt since your last session: +1 fact", Detail: "add memory:user by review\n@@ -0,0 +1 @@\n+好む Prefers short answers\n"})
	p.Read(true)
	if v := ansi.Strip(p.View()); !strings.Contains(v, "+1 fact ▸") || strings.Contains(v, "Prefers") {
		t.Errorf("closed:\n%s", v)
	}
	if !p.Toggle() {
		t.Fatal("it does not open")
	}
	if v := ansi.Strip(p.View()); !strings.Contains(v, "+1 fact ▾") || !strings.Contains(v, "+好む Prefers short answers") {
		t.Errorf("open:\n%s", v)
	}
}

// An entry taller than the screen is read line by line before j and k go on to the next one.
func TestSelect_tallEntries(t *testing.T) {
	t.Parallel()
	p, log := newPane(60, 16)
	var long strings.Builder
	for i := range 60 {
		fmt.Fprintf(&long, "line %02d\n\n", i)
	}
	apply(p, log, user(0), answer(0, long.String()), user(1), answer(1, "done"))
	p.Read(true)
	p.Select(-1 << 30)
	seen := map[string]bool{}
	look := func() {
		for line := range strings.SplitSeq(ansi.Strip(p.View()), "\n") {
			if _, n, ok := strings.Cut(line, "line "); ok {
				seen[n[:2]] = true
			}
		}
	}
	steps := 0
	for ; steps < 100 && p.SelectedMessage() != "u1"; steps++ {
		p.Select(1)
		look()
	}
	if len(seen) != 60 || steps == 100 {
		t.Errorf("%d of 60 lines seen in %d steps down", len(seen), steps)
	}
	p.Select(-1 << 30)
	p.Select(1)
	p.View()
	p.Select(1) // a part of the way into the answer
	for steps = 0; steps < 100 && p.SelectedMessage() != "u0"; steps++ {
		p.Select(-1)
	}
	if steps != 2 {
		t.Errorf("%d steps back, want one to its beginning and one to the question", steps)
	}
}

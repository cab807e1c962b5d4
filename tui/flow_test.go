package tui

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

// Opening another session adopts it whole, closes the old one and keeps drafts apart.
func TestSwitchSession(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	r.p.setDraft("s2", "draft of two")
	r.p.rows = []SessionRow{{ID: "s1", Title: "one"}, {ID: "s2", Title: "二"}}
	ok := true
	r.p.past = []core.Record{
		{Type: core.RecordMessage, Message: &core.Message{ID: "m1", Role: core.RoleUser, Content: "past question"}},
		{Type: core.RecordMessage, Message: &core.Message{ID: "m2", Role: core.RoleAssistant, Content: "void answer"}},
		{Type: core.RecordDiscard, Target: "m2"},
		{Type: core.RecordMessage, Message: &core.Message{ID: "m3", Role: core.RoleAssistant, ToolCalls: []core.ToolCall{{ID: "c1", Name: "terminal", Arguments: `{"command":"ls"}`}}}},
		{Type: core.RecordMessage, OK: &ok, TookMS: 1500, Message: &core.Message{ID: "m4", Role: core.RoleTool, ToolCallID: "c1", Content: "a.txt"}},
		{Type: core.RecordMessage, Message: &core.Message{ID: "m5", Role: core.RoleAssistant, Content: "past **answer**", Incomplete: true}},
		{Type: core.RecordRunEnded, Reason: string(core.EndInterrupted)},
		{Type: core.RecordTitle, Title: "二 stored title"},
	}
	r.emit(started(), &core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered})
	r.text("draft of one")
	r.keys("ctrl+x", "s")
	r.until("rows", func() bool { return strings.Contains(r.screen(), "二") })
	r.keys("j", "enter")
	r.until("adopted", func() bool { return r.m.ws.Info.SessionID == "s2" })
	r.called("close s1")
	r.until("draft", func() bool { return r.m.chat.Composer().Text() == "draft of two" })
	if r.p.draft("s1") != "draft of one" {
		t.Errorf("draft of the old session: %q", r.p.draft("s1"))
	}
	s := ansi.Strip(r.screen())
	for _, want := range []string{"past question", "past answer", "1 call", "✓ terminal", "1.5s", "incomplete", "interrupted", "stored title"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing:\n%s", want, s)
		}
	}
	if strings.Contains(s, "void answer") {
		t.Error("a discarded message is shown")
	}
	// Events of the old session's feed no longer reach the screen.
	r.m.Update(eventsMsg{gen: r.m.ws.gen - 1, batch: []core.Event{&core.Notice{Text: "late news"}}})
	if strings.Contains(r.screen(), "late news") {
		t.Error("a late batch was shown")
	}
}

// What was typed in a session in which nothing was said goes along in the history: that session cannot
// be found again.
func TestSwitchSession_nothingSaid(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	r.text("未发送 unsent")
	r.keys("ctrl+x", "n")
	r.until("adopted", func() bool { return r.m.ws.Info.SessionID == "new" })
	r.called("history 未发送 unsent")
	r.called("close s1")
	r.wantText("")
	r.shows("Up brings it back")
	r.until("the history", func() bool { return len(r.m.chat.Composer().History()) == 3 })
	r.keys("up")
	r.wantText("未发送 unsent")
	if got := r.p.draft("s1"); got != "" {
		t.Errorf("a draft nobody finds: %q", got)
	}
}

func TestSwitchSession_notWhileRunning(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	r.emit(started())
	r.keys("ctrl+x", "n")
	if !strings.Contains(r.screen(), "Esc stops it") || len(r.p.called()) != 0 {
		t.Errorf("calls %q\n%s", r.p.called(), r.screen())
	}
}

func TestEvents_throughTheFeed(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	for range 300 {
		r.p.feed.Emit(&core.TextDelta{Meta: core.Meta{SessionID: "s1"}, MessageID: "m2", Text: "word "})
	}
	r.p.feed.Emit(&core.TextDelta{Meta: core.Meta{SessionID: "s1"}, MessageID: "m2", Text: "THE END"})
	r.until("the text", func() bool { return strings.Contains(ansi.Strip(r.screen()), "THE END") })
}

func TestQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.emit(started(), &core.QueueChanged{Meta: core.Meta{SessionID: "s1"}, Queue: []string{"one", "two"}})
	if s := r.screen(); !strings.Contains(s, "waiting  one") || !strings.Contains(s, "waiting  two") {
		t.Error("the queue is not shown")
	}
	r.keys("ctrl+x", "q", "enter")
	r.called("queue")
	if r.m.chat.Composer().Text() != "two" || len(r.p.queue) != 1 {
		t.Errorf("composer %q, queue %q", r.m.chat.Composer().Text(), r.p.queue)
	}
}

func TestDraft_isStored(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.text("half a thought")
	r.until("stored", func() bool {
		return r.p.draft("s1") == "half a thought"
	})
}

func TestOnboarding_saves(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	m := New(Options{Setup: setupPort{p}, Now: c.now})
	r := startRig(t, m, p, c, 80, 24)
	r.keys("enter")
	r.text("sk-secret")
	if strings.Contains(r.screen(), "sk-secret") {
		t.Error("the key is readable")
	}
	r.keys("enter")
	r.until("models", func() bool { return strings.Contains(r.screen(), "Which model?") })
	if len(r.p.called()) != 1 {
		t.Errorf("calls before the choice is made: %q", r.p.called())
	}
	r.keys("enter", "enter")
	r.called("save openai sk-secret gpt-5-mini")
	r.until("the workspace", func() bool { return r.m.ws.Info.SessionID == "first" && r.m.onboard == nil })
	tuitest.Fills(t, r.screen(), 80, 24)
}

func TestOnboarding_demoAndErrors(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	p.err = &core.Error{Code: core.CodeAuth, Op: "list models", Hint: "check the key", Err: errFake}
	r := startRig(t, New(Options{Setup: setupPort{p}, Now: c.now}), p, c, 80, 24)
	r.keys("enter", "x", "enter")
	r.until("the error", func() bool { return strings.Contains(r.screen(), "check the key") })
	r.keys("esc")
	p.mu.Lock()
	p.err = nil
	p.mu.Unlock()
	r.keys("d")
	r.until("the demo", func() bool { return r.m.ws.Info.SessionID == "demo" })
}

// Reading back while it streams is not disturbed, and what came is counted.
func TestScroll_staysWhileStreaming(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	storyRig(r)
	r.screen()
	r.keys("pgup", "pgup")
	before := strings.Split(ansi.Strip(r.screen()), "\n")[1:8]
	at := core.Meta{SessionID: "s1"}
	r.emit(&core.TextDelta{Meta: at, MessageID: "m20", Text: strings.Repeat("more text\n\n", 50)},
		&core.ToolStarted{Meta: at, CallID: "c20", Tool: "terminal"})
	s := ansi.Strip(r.screen())
	if got := strings.Split(s, "\n")[1:8]; strings.Join(got, "\n") != strings.Join(before, "\n") {
		t.Errorf("the view moved:\n%s\n---\n%s", strings.Join(before, "\n"), strings.Join(got, "\n"))
	}
	if !strings.Contains(s, "2 new") {
		t.Errorf("nothing says that there is more:\n%s", s)
	}
	r.keys("end")
	if s := ansi.Strip(r.screen()); strings.Contains(s, "new ·") || !strings.Contains(s, "more text") {
		t.Errorf("End does not follow again:\n%s", s)
	}
}

// Nothing ticks when nothing runs, and spinners stop with the run.
func TestIdle_noTicks(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	if r.m.tickIfBusy() != nil {
		t.Error("an idle screen ticks")
	}
	r.emit(started())
	if !r.m.run.ticking {
		t.Error("a running one does not")
	}
	r.emit(&core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered})
	r.m.Update(tickMsg{})
	if r.m.run.ticking {
		t.Error("ticks go on after the run")
	}
}

func TestPanic_inACommandEndsInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.p.mu.Lock()
	r.p.panic = true
	r.p.mu.Unlock()
	r.text("x")
	r.keys("enter")
	r.until("quit", func() bool { return r.quit })
	if core.HintOf(r.m.fatal) == "" {
		t.Errorf("fatal: %v", r.m.fatal)
	}
}

func TestStatusBar_dropsByPriority(t *testing.T) {
	t.Parallel()
	r := newRig(t, 200, 50)
	storyRig(r)
	r.emit(&core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered})
	for w, want := range map[int]string{
		120: "gpt-5-mini · ctx 11 % · cache 87 % · $0.031 · learning $0.002 · ~/src/app",
		85:  "gpt-5-mini · ctx 11 % · $0.031 · learning $0.002",
		62:  "gpt-5-mini · ctx 11 % · $0.031",
		44:  "gpt-5-mini",
	} {
		if got := ansi.Strip(r.m.statusBar(w)); !strings.HasPrefix(strings.TrimSpace(got), want+"  ") && !strings.HasPrefix(got, " "+want+" ") {
			t.Errorf("%d: %q, want %q", w, got, want)
		}
	}
	r.m.ws.Info.Model.Scripted, r.m.ws.Info.Yolo = true, true
	for _, w := range []int{40, 200} {
		if got := ansi.Strip(r.m.statusBar(w)); !strings.Contains(got, "YOLO") || (w > 100 && !strings.Contains(got, "demo model (scripted)")) {
			t.Errorf("%d: %q", w, got)
		}
	}
	r.m.toast(core.LevelError, strings.Repeat("very long 東京 news ", 20))
	tuitest.Fills(t, r.screen(), 200, 50)
}

// The bell rings when something wants the person while the terminal has not the focus.
func TestBell_onlyWhenAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	end := &core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered}
	if r.m.applyEvent(end) != nil {
		t.Error("it rings while the person looks")
	}
	r.send(tea.BlurMsg{})
	if cmd := r.m.applyEvent(end); cmd == nil {
		t.Error("it does not ring")
	} else if raw, ok := cmd().(tea.RawMsg); !ok || raw.Msg != "\x1b]9;hermes is done\a\a" {
		t.Errorf("%#v", raw)
	}
	r.m.ws.Info.Title = hostile
	if raw, _ := r.m.applyEvent(end)().(tea.RawMsg); strings.Count(raw.Msg.(string), "\x1b") != 1 || strings.Count(raw.Msg.(string), "\a") != 2 {
		t.Errorf("a title gets out: %q", raw.Msg)
	}
	r.send(tea.FocusMsg{})
	if r.m.applyEvent(end) != nil {
		t.Error("it rings although the person is back")
	}
}

// The terminal's answers choose the theme; nothing else does.
func TestTheme_fromTheTerminal(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	r := startRig(t, New(Options{Workspace: p.workspace("s1"), Now: c.now}), p, c, 80, 24)
	var got []theme.Kind
	for _, msg := range []tea.Msg{
		tea.BackgroundColorMsg{Color: color.White},
		tea.BackgroundColorMsg{Color: color.Black},
		tea.ColorProfileMsg{Profile: colorprofile.ANSI},
		tea.ColorProfileMsg{Profile: colorprofile.ASCII},
	} {
		r.send(msg)
		got = append(got, r.m.st.Kind)
	}
	if diff := cmp.Diff([]theme.Kind{theme.Light, theme.Dark, theme.Sixteen, theme.Plain}, got); diff != "" {
		t.Error(diff)
	}
}

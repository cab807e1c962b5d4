package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/tui/approval"
	"hermes/tui/keys"
	"hermes/tui/layout"
	"hermes/tui/tuitest"
)

func started() core.Event {
	return &core.RunStarted{Meta: core.Meta{SessionID: "s1"}, Message: core.Message{ID: "m1", Role: core.RoleUser, Content: "hi"}}
}

// The rule of Ctrl+C and Esc, state by state.
func TestCancelKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		running  bool
		draft    string
		overlay  bool
		key      string
		calls    string // the port call it must lead to
		draftOut string
		armed    bool
		open     int // overlays afterwards
	}{
		{name: "ctrl+c interrupts", running: true, key: "ctrl+c", calls: "interrupt"},
		{name: "ctrl+c interrupts before it clears", running: true, draft: "text", key: "ctrl+c", calls: "interrupt", draftOut: "text"},
		{name: "ctrl+c interrupts under an overlay", running: true, overlay: true, key: "ctrl+c", calls: "interrupt", open: 1},
		{name: "ctrl+c clears the draft", draft: "text", key: "ctrl+c"},
		{name: "ctrl+c arms", key: "ctrl+c", armed: true},
		{name: "ctrl+d on an empty draft arms", key: "ctrl+d", armed: true},
		{name: "ctrl+d deletes", draft: "text", key: "ctrl+d", draftOut: "text"},
		{name: "esc interrupts", running: true, key: "esc", calls: "interrupt"},
		{name: "esc keeps the draft", running: true, draft: "text", key: "esc", calls: "interrupt", draftOut: "text"},
		{name: "esc closes the overlay first", running: true, overlay: true, key: "esc"},
		{name: "esc does nothing when idle", draft: "text", key: "esc", draftOut: "text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 80, 24)
			if tc.running {
				r.emit(started())
			}
			r.m.chat.Composer().SetText(tc.draft)
			if tc.overlay {
				r.keys("ctrl+x", "?")
			}
			r.keys(tc.key)
			if tc.calls != "" {
				r.called(tc.calls)
			} else if got := r.p.called(); len(got) != 0 {
				t.Errorf("calls %q", got)
			}
			if got := r.m.chat.Composer().Text(); got != tc.draftOut {
				t.Errorf("draft %q, want %q", got, tc.draftOut)
			}
			if got := r.clock.now().Before(r.m.note.armed); got != tc.armed {
				t.Errorf("armed %v", got)
			}
			if len(r.m.layers) != tc.open {
				t.Errorf("%d overlays", len(r.m.layers))
			}
		})
	}
}

func TestQuit_needsTwoInTime(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"ctrl+c", "ctrl+d"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 80, 24)
			r.keys(key)
			r.clock.advance(3 * time.Second)
			r.keys(key)
			if r.quit {
				t.Fatal("quit although the first press was long ago")
			}
			r.keys("x", "backspace", key) // another key disarms
			if r.quit {
				t.Fatal("quit although another key came between")
			}
			r.keys(key)
			r.until("quit", func() bool { return r.quit })
		})
	}
}

func TestBindings(t *testing.T) {
	t.Parallel()
	if c := Bindings().Conflicts(); len(c) > 0 {
		t.Errorf("conflicts: %s", strings.Join(c, "; "))
	}
	for _, a := range bindings() {
		if a.Help == "" || (a.run == nil && !a.Note) {
			t.Errorf("%s lacks help or handler", a.ID)
		}
		if len(a.Keys) == 0 && a.Slash == "" {
			t.Errorf("%s cannot be reached", a.ID)
		}
	}
	for _, name := range strings.Fields("/help /quit /new /sessions /resume /rename /fork /export /model /retry /demo /clear") {
		if _, ok := Bindings().Command(name); !ok {
			t.Errorf("no command %s", name)
		}
	}
}

// Every key of the table does something or says why not, in its scope, without panic.
func TestBindings_allRun(t *testing.T) {
	t.Parallel()
	for _, a := range bindings() {
		if a.Note || a.ID == "app.quit" {
			continue
		}
		t.Run(a.ID, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 120, 40)
			storyRig(r)
			switch a.Scope {
			case keys.Transcript:
				r.keys("tab")
			case keys.List:
				r.keys("ctrl+x", "2")
			default:
			}
			for _, k := range a.Keys {
				if a.Scope == keys.Prefix {
					r.keys("ctrl+x")
				}
				r.keys(k)
			}
			if a.Slash != "" {
				r.m.layers = nil
				r.m.focusComposer()
				r.m.chat.Composer().SetText(a.Slash)
				r.keys("enter")
			}
			tuitest.Fills(t, r.screen(), 120, 40)
		})
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.until("history", func() bool { return r.p.feed != nil })
	r.text("東京 hello")
	r.keys("enter")
	r.called("send 東京 hello")
	r.called("history 東京 hello")
	if !r.m.chat.Composer().Empty() {
		t.Error("the composer was not cleared")
	}
	r.p.mu.Lock()
	r.p.err = &core.Error{Code: core.CodeAuth, Op: "send", Hint: "run hermes setup", Err: errFake}
	r.p.mu.Unlock()
	r.text("second")
	r.keys("enter")
	r.until("the draft is back", func() bool { return r.m.chat.Composer().Text() == "second" })
	if s := ansi.Strip(r.screen()); !strings.Contains(s, "no route to host") || !strings.Contains(s, "run hermes setup") {
		t.Errorf("error and remedy are not shown:\n%s", s)
	}
}

func TestPaste_neverSubmits(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	text := strings.Repeat("line\r\n", 10_000)
	r.send(tea.PasteMsg{Content: text})
	if !strings.Contains(ansi.Strip(r.screen()), "[paste 1: 10,000 lines]") {
		t.Error("the paste is not folded")
	}
	r.keys("!", "enter")
	r.called("send " + strings.ReplaceAll(text, "\r\n", "\n") + "!")
}

func TestSlash(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.m.chat.Composer().SetText("/export")
	r.keys("enter")
	r.until("why an empty session has nothing to export", func() bool { return strings.Contains(ansi.Strip(r.screen()), "nothing was said") })
	r.m.chat.Composer().Reset()
	said := core.Message{ID: "m1", Role: core.RoleUser, Content: "hello"}
	r.emit(&core.RunStarted{Meta: core.Meta{SessionID: "s1"}, Message: said}, &core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered})
	r.until("what was said", func() bool { return r.m.chat.Said() && !r.m.run.active })
	for _, text := range []string{"/path/to/file is broken", "/two\nlines"} {
		r.m.chat.Composer().SetText(text)
		r.keys("enter")
		r.called("send " + text)
	}
	r.m.chat.Composer().SetText("/nope")
	r.keys("enter")
	if r.m.chat.Composer().Text() != "/nope" || !strings.Contains(r.screen(), "/nope is not a command") {
		t.Error("an unknown command must stay and be named")
	}
	r.keys("ctrl+u")
	r.text("/exp")
	if !strings.Contains(r.screen(), "/export") {
		t.Error("no completion")
	}
	r.keys("tab")
	r.text("json")
	r.keys("enter")
	r.called("export s1 json")
	r.text("/rename 東京 trip")
	r.keys("enter")
	r.called("rename s1 東京 trip")
	r.text("/mod")
	r.keys("enter")
	r.called("models")
	r.until("models", func() bool { return strings.Contains(r.screen(), "gpt-5-mini") })
	r.keys("up", "enter")
	r.called("switch gpt-5")
	r.until("switched", func() bool { return r.m.ws.Info.Model.Model == "gpt-5" })
	r.text("/retry")
	r.keys("enter")
	if !strings.Contains(r.screen(), "the last turn ended well") {
		t.Error("no reason why retry is unavailable")
	}
}

func TestApproval(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.emit(story(r.clock)...)
	second := storyApproval()
	second.Approval.ID = "a2"
	r.emit(storyApproval(), second)
	if s := r.screen(); !strings.Contains(s, "Allow terminal?") || !strings.Contains(s, "␛[2K") || !strings.Contains(s, "1 of 2") {
		t.Errorf("dialog:\n%s", s)
	}
	r.keys("a") // typed before it could be read
	r.clock.advance(approval.Quiet)
	r.keys("o")
	r.called("answer a1 once")
	r.keys("d") // the second dialog has just appeared
	r.clock.advance(approval.Quiet)
	r.keys("esc")
	r.called("answer a2 deny")
	if len(r.m.layers) != 0 || r.p.has("interrupt") {
		t.Error("dialogs must be gone, the run must go on")
	}
	r.emit(storyApproval(), &core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndInterrupted})
	if len(r.m.layers) != 0 {
		t.Error("the dialog outlived its run")
	}
	r.emit(storyApproval(), &core.ApprovalDone{Meta: core.Meta{SessionID: "s1"}, ID: "a1", Decision: core.DecideDeny, Why: "timed out"})
	if len(r.m.layers) != 0 {
		t.Error("the dialog outlived its decision")
	}
}

func TestFocus(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	storyRig(r)
	type state struct {
		Pane    layout.Pane
		Reading bool
		Zoom    bool
	}
	var got []state
	for _, k := range [][]string{{"tab"}, {"tab"}, {"tab"}, {"shift+tab"}, {"ctrl+x", "2"}, {"q"}, {"ctrl+x", "1"}, {"esc"}, {"esc"}} {
		r.keys(k...)
		got = append(got, state{r.m.scr.focus, r.m.chat.Reading(), r.m.scr.zoom})
	}
	want := []state{
		{layout.Chat, true, false},
		{layout.Tools, false, false},
		{layout.Chat, false, false},
		{layout.Tools, false, false},
		{layout.Tools, false, true},
		{layout.Chat, false, true},
		{layout.Chat, false, false},
		{layout.Chat, false, false},
		{layout.Chat, false, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

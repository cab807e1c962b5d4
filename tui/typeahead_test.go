package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/approval"
	"hermes/tui/question"
	"hermes/tui/tuitest"
)

// wantText compares the composer's text.
func (r *rig) wantText(want string) {
	r.t.Helper()
	if got := r.m.chat.Composer().Text(); got != want {
		r.t.Errorf("the composer has %q, want %q", got, want)
	}
}

// early is a rig whose terminal has not said yet how large it is, and whose commands wait.
func early(t *testing.T) *rig {
	t.Helper()
	p, c := newPorts(), newClock()
	r := &rig{t: t, m: New(Options{Workspace: p.workspace("s1"), Now: c.now, Theme: "dark"}), p: p, clock: c, msgs: make(chan tea.Msg, 100)}
	r.m.ctx = t.Context()
	return r
}

// Who types while the program starts loses nothing: not before the size is known, not when draft and
// history come late.
func TestTypedAtTheStart(t *testing.T) {
	t.Parallel()
	r := early(t)
	start := r.m.Init()
	r.text("f")
	r.text("東")
	r.send(tuitest.Size(80, 24))
	r.keys("r", "s", "t")
	r.wantText("f東rst")
	r.shows("› f東rst")
	r.p.setDraft("s1", "what I was about to say 草稿")
	r.run(start)
	r.until("the draft", func() bool { return r.m.note.toast != "" })
	r.wantText("f東rst")
	r.keys("enter")
	r.called("send f東rst")
	r.until("the history", func() bool { return len(r.m.chat.Composer().History()) == 4 })
	r.wantText("") // a draft that comes after the first message does not stand there for the next Enter
	r.keys("up")
	r.wantText("f東rst")
	r.keys("up")
	r.wantText("what I was about to say 草稿")
	r.keys("up")
	r.wantText("newer")
}

// A draft that comes when the first message has been sent already is no second message.
func TestTypedAtTheStart_draftAfterSending(t *testing.T) {
	t.Parallel()
	r := early(t)
	start := r.m.Init()
	r.send(tuitest.Size(80, 24))
	r.text("hello")
	r.keys("enter")
	r.p.setDraft("s1", "invitation")
	r.run(start)
	r.until("the draft", func() bool { return r.m.note.toast != "" })
	r.wantText("")
}

// Keys typed while another session opens are for that one, Enter and pastes too.
func TestTypedWhileOpening(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.emit(started(), &core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered})
	r.text("old draft ")
	r.keys("ctrl+x")
	_, open := r.m.Update(tuitest.Key("n"))
	r.text("for the new 新")
	r.send(tea.PasteMsg{Content: " one"})
	r.keys("enter", "x")
	r.wantText("old draft ")
	r.run(open)
	r.called("send for the new 新 one")
	if r.m.ws.Info.SessionID != "new" {
		t.Errorf("session %q", r.m.ws.Info.SessionID)
	}
	r.wantText("x")
	r.until("the old draft stored", func() bool { return r.p.draft("s1") == "old draft " })
}

// When it does not open, or one does not want to wait, the words stay and nothing is sent.
func TestTypedWhileOpening_fails(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fails", "esc", "ctrl+c"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 80, 24)
			r.keys("ctrl+x")
			_, open := r.m.Update(tuitest.Key("n"))
			r.text("新 words")
			r.keys("enter", "y")
			switch name {
			case "fails":
				r.p.err = errFake
				r.run(open)
				r.until("the error", func() bool { return !r.m.held.on })
			default:
				r.keys("esc")
			}
			r.wantText("新 words")
			r.keys("!")
			r.wantText("新 words!")
		})
	}
}

// A dialog that opens under the typing hand takes no letter away and answers nothing; a key that was
// meant for it but came too early is not typed.
func TestDialogUnderTheHand(t *testing.T) {
	t.Parallel()
	at := core.Meta{SessionID: "s1"}
	for name, ask := range map[string]core.Event{
		"approval": &core.ApprovalAsked{Meta: at, Approval: core.Approval{ID: "a1", CallID: "c1", Tool: "terminal"}},
		"question": &core.QuestionAsked{Meta: at, Question: core.Question{ID: "q1", Text: "哪个？", Options: []string{"one", "two"}, FreeText: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 80, 24)
			r.text("do ")
			r.emit(started(), ask)
			for _, k := range []string{"s", "o", "d", "space", "東", "x", "backspace", "1", "enter"} {
				r.clock.advance(approval.Quiet / 2)
				r.keys(k)
			}
			r.send(tea.PasteMsg{Content: "京"})
			r.wantText("do sod 東1京")
			if len(r.m.layers) != 1 {
				t.Fatal("the dialog was answered")
			}
			r.clock.advance(question.Quiet)
			r.keys("j", "k") // now it listens
			r.wantText("do sod 東1京")
			r.emit(&core.ApprovalDone{ID: "a1"}, &core.QuestionDone{ID: "q1"})
			r.clock.advance(2 * time.Second)
			r.emit(ask)
			r.keys("o", "1")
			r.wantText("do sod 東1京")
		})
	}
}

// A window that is too small for a moment loses no words, sends nothing and answers nothing.
func TestTypedWhileTiny(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.text("ab")
	r.send(tuitest.Size(20, 5))
	r.keys("c", "backspace", "東", "enter")
	r.wantText("ab東")
	r.emit(started(), &core.ApprovalAsked{Approval: core.Approval{ID: "a1", CallID: "c1", Tool: "terminal"}})
	r.clock.advance(time.Minute)
	r.keys("o")
	if len(r.m.layers) != 1 {
		t.Fatal("an approval nobody sees was answered")
	}
	r.send(tuitest.Size(80, 24))
	r.keys("o")
	r.called("answer a1 once")
	r.wantText("ab東")
}

// A box that comes with the answer of a command takes no letters either, and is not answered by them.
func TestLateBoxUnderTheHand(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	storyRig(r)
	r.emit(&core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered})
	r.text("/undo")
	r.keys("esc", "enter", "t", "r")
	r.until("the question", func() bool { return len(r.m.layers) == 1 })
	r.keys("y", "enter", "東")
	r.wantText("try東")
	if r.p.has("undo") || len(r.m.layers) != 1 {
		t.Error("a letter of a text took a turn back")
	}
	r.clock.advance(approval.Quiet)
	r.keys("y")
	r.called("undo")
}

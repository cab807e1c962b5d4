package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/tui/tuitest"
)

// talkRig fills the chat with n turns; every tenth question names a place.
func talkRig(t *testing.T, w, h, n int) *rig {
	t.Helper()
	r := newRig(t, w, h)
	at := core.Meta{SessionID: "s1"}
	for i := range n {
		text := fmt.Sprintf("question %02d", i)
		if i%10 == 3 {
			text += " 東京 Tower"
		}
		r.emit(&core.RunStarted{Meta: at, Message: core.Message{ID: fmt.Sprint("u", i), Role: core.RoleUser, Content: text}},
			&core.MessageEnded{Meta: at, Message: core.Message{ID: fmt.Sprint("a", i), Role: core.RoleAssistant, Content: fmt.Sprintf("answer %02d\n\n%s", i, strings.Repeat("words 単語 ", 60))}},
			&core.RunEnded{Meta: at, Reason: core.EndAnswered})
	}
	return r
}

func (r *rig) settled() {
	r.t.Helper()
	r.until("the search", func() bool { return !strings.Contains(ansi.Strip(r.screen()), "searching …") })
}

func TestSearch(t *testing.T) {
	t.Parallel()
	r := talkRig(t, 80, 24, 40)
	r.keys("tab", "/")
	for _, k := range []string{"東", "京", " ", "t", "O"} {
		r.keys(k)
	}
	r.settled()
	r.shows("question 33 東京 Tower", "4 of 4")
	if c := r.m.View().Cursor; c == nil {
		t.Fatal("no cursor in the field")
	} else if line := strings.Split(ansi.Strip(r.screen()), "\n")[c.Y]; ansi.StringWidth(line[:strings.Index(line, "tO")+2]) != c.X {
		t.Errorf("the cursor is at %d of %q", c.X, line)
	}
	r.keys("enter") // the next one: around the end
	r.shows("question 03 東京 Tower", "1 of 4")
	r.keys("n", "n")
	r.shows("question 23 東京 Tower", "3 of 4")
	r.keys("N")
	r.shows("question 13 東京 Tower", "2 of 4 · n N move")
	if !strings.Contains(r.screen(), r.m.st.Match.Render("東京 To")) {
		t.Error("the match is not marked")
	}
	r.keys("esc")
	r.hides("of 4")
	if !r.m.chat.Reading() {
		t.Error("Esc left the transcript, too")
	}
	r.keys("/", "z", "z", "z")
	r.settled()
	r.shows("nothing found")
	r.keys("esc", "q")
	r.m.chat.Composer().SetText("/find question 07")
	r.keys("enter")
	r.settled()
	r.shows("question 07", "1 of 1")
}

// A match deep inside a long answer is scrolled to, and the next one in the same answer after it.
func TestSearch_insideOneAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "line %03d\n\n", i)
		if i == 50 || i == 150 {
			b.WriteString("a NEEDLE here\n\n")
		}
	}
	r.emit(&core.MessageEnded{Meta: core.Meta{SessionID: "s1"}, Message: core.Message{ID: "a", Role: core.RoleAssistant, Content: b.String()}})
	r.keys("tab", "/")
	r.text("needle")
	r.settled()
	r.shows("line 150", "NEEDLE")
	r.keys("up")
	r.shows("line 050", "NEEDLE")
	r.keys("n")
	r.shows("line 150", "NEEDLE")
}

func TestSearch_whileItStreams(t *testing.T) {
	t.Parallel()
	r := talkRig(t, 80, 24, 40)
	r.keys("tab", "/")
	r.text("question 03")
	r.settled()
	r.shows("question 03")
	r.emit(&core.TextDelta{Meta: core.Meta{SessionID: "s1"}, MessageID: "new", Text: strings.Repeat("news ", 500)})
	r.shows("question 03", "1 new")
}

func TestCopyParts(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	ws := p.workspace("s1")
	r := startRig(t, New(Options{Workspace: ws, Now: c.now, Clipboard: deskPort{p}, LinkOpener: deskPort{p}}), p, c, 100, 30)
	at := core.Meta{SessionID: "s1"}
	r.emit(&core.RunStarted{Meta: at, Message: core.Message{ID: "u", Role: core.RoleUser, Content: "question"}},
		&core.MessageEnded{Meta: at, Message: core.Message{ID: "a", Role: core.RoleAssistant, Content: "See https://example.com/東京?q=1, and src/app/main.go:12.\n\n```go\nfunc f() {}\n```\n\nand\n\n~~~\nb\n\nc\n~~~\n"}},
		&core.RunEnded{Meta: at, Reason: core.EndAnswered})
	r.keys("tab", "c")
	r.shows("Copy which code block?", "1  func f() {}  (1 lines)", "2  b  (3 lines)")
	r.keys("down", "enter")
	r.called("clipboard b\n\nc")
	r.keys("o")
	r.shows("https://example.com/東京?q=1", "src/app/main.go:12")
	r.keys("enter")
	r.called("open link https://example.com/東京?q=1")
	r.keys("V", "k", "y")
	r.until("both", func() bool {
		return strings.Contains(strings.Join(r.p.called(), "|"), "clipboard question\n\nSee https")
	})
}

func TestFold(t *testing.T) {
	t.Parallel()
	r := talkRig(t, 80, 40, 6)
	r.keys("tab", "g", "j", "z")
	r.shows("question 00", "1 entry folded")
	r.hides("answer 00")
	r.keys("j")
	if got := r.m.chat.SelectedMessage(); got != "u1" {
		t.Errorf("j went to %q", got)
	}
	r.keys("k", "z")
	r.shows("answer 00")
	r.keys("Z")
	r.shows("question 00", "question 04", "answer 05")
	r.hides("answer 04", "answer 00")
	r.keys("/") // a search opens what holds it
	r.text("answer 02")
	r.settled()
	r.keys("enter")
	r.shows("answer 02")
	r.hides("answer 03")
	r.keys("esc", "Z", "G")
	r.shows("answer 05")
	r.keys("g")
	r.shows("answer 00")
}

// OPEN-TU-02: the line at the top stays near through widths, also deep inside one long answer.
func TestResize_keepsTheLine(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "paragraph %03d %s\n\n", i, strings.Repeat("words 東京 ", 4))
	}
	r.emit(&core.MessageEnded{Meta: core.Meta{SessionID: "s1"}, Message: core.Message{ID: "a", Role: core.RoleAssistant, Content: b.String()}})
	r.keys("tab")
	for range 20 {
		r.keys("pgup")
	}
	top := func() int {
		s := ansi.Strip(r.screen())
		i := strings.Index(s, "paragraph ")
		n := 0
		_, _ = fmt.Sscanf(s[i+len("paragraph "):], "%03d", &n)
		return n
	}
	before := top()
	for _, size := range [][2]int{{60, 20}, {40, 12}, {20, 5}, {200, 60}, {60, 13}, {100, 30}} {
		r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if size[0] < 40 {
			continue
		}
		if got := top(); got < before-2 || got > before+2 {
			t.Errorf("%v: paragraph %d is on top, was %d", size, got, before)
		}
	}
	if got := top(); got != before {
		t.Errorf("back at the first size paragraph %d is on top, was %d", got, before)
	}
}

func TestUndo_dropsWhatIsSearched(t *testing.T) {
	t.Parallel()
	r := talkRig(t, 80, 24, 3)
	r.keys("tab", "/")
	r.text("question")
	r.settled()
	r.m.chat.Drop("u1")
	r.keys("enter", "n", "n", "N")
	tuitest.Fills(t, r.screen(), 80, 24)
	if diff := cmp.Diff(2, r.m.chat.Len()); diff != "" {
		t.Error(diff)
	}
}

// Where no clipboard is, as at the far end of SSH, the terminal's own takes the text, and that is no
// error. GNU screen passes on what is wrapped for it, in pieces it can hold.
func TestCopy_noClipboard(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	r := startRig(t, New(Options{Workspace: p.workspace("s1"), Now: c.now, Clipboard: farPort{deskPort{p}}, InScreen: true}), p, c, 100, 30)
	batch, ok := r.m.copyCmd(strings.Repeat("東京", 1000))().(tea.BatchMsg)
	if !ok || len(batch) != 4 {
		t.Fatalf("%d commands", len(batch))
	}
	raw, ok := batch[2]().(tea.RawMsg)
	if !ok {
		t.Fatal("nothing for screen")
	}
	pieces := strings.Split(strings.TrimSuffix(fmt.Sprint(raw.Msg), "\x1b\\"), "\x1b\\")
	var whole strings.Builder
	for _, piece := range pieces {
		if !strings.HasPrefix(piece, "\x1bP") || len(piece) > 768 {
			t.Errorf("a piece of %d bytes: %.20q", len(piece), piece)
		}
		whole.WriteString(strings.TrimPrefix(piece, "\x1bP"))
	}
	if whole.String() != ansi.SetSystemClipboard(strings.Repeat("東京", 1000)) {
		t.Error("the pieces are not the text")
	}
	r.send(batch[3]())
	r.shows("copied by the terminal (OSC 52)")
	r.hides("✗")
}

// In GNU screen the mouse stays with screen, and one is told.
func TestMouse_inScreen(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	r := startRig(t, New(Options{Workspace: p.workspace("s1"), Now: c.now, Mouse: true, InScreen: true}), p, c, 100, 30)
	r.shows("the mouse stays off in GNU screen", "PgUp and PgDn scroll")
	if v := r.m.View(); v.MouseMode != tea.MouseModeNone {
		t.Error("the mouse is taken")
	}
}

package tui

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/tui/layout"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func mouseRig(t *testing.T, w, h int) *rig {
	t.Helper()
	p, c := newPorts(), newClock()
	m := New(Options{
		Workspace: p.workspace("s1"), Now: c.now, Theme: "dark", Mouse: true, Clipboard: deskPort{p}, Layouts: layoutPort{p}, Dumps: deskPort{p},
	})
	return startRig(t, m, p, c, w, h)
}

func (r *rig) click(x, y int) {
	r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	r.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// find returns the cell where text stands.
func (r *rig) find(text string) (x, y int) {
	r.t.Helper()
	for y, line := range strings.Split(ansi.Strip(r.screen()), "\n") {
		if i := strings.Index(line, text); i >= 0 {
			return ansi.StringWidth(line[:i]), y
		}
	}
	r.t.Fatalf("no %q on the screen:\n%s", text, ansi.Strip(r.screen()))
	return 0, 0
}

func TestMouse(t *testing.T) {
	t.Parallel()
	r := mouseRig(t, 120, 40)
	storyRig(r)
	if r.m.View().MouseMode != tea.MouseModeCellMotion {
		t.Fatal("the mouse is not asked for")
	}
	r.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelUp})
	r.shows("scrolled")
	r.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
	r.hides("scrolled")
	x, y := r.find("write_file  k8s")
	r.click(x, y)
	if !r.m.chat.Reading() {
		t.Error("a click into the transcript does not read it")
	}
	side, _ := r.m.scr.lay.Body(layout.Tools)
	r.click(side.X+3, side.Y+1)
	if c, _ := r.m.tools.Selected(); r.m.scr.focus != layout.Tools || c != r.m.log.Calls()[1] {
		t.Errorf("focus %v, selected %v", r.m.scr.focus, c)
	}
	r.click(5, 37)
	if r.m.chat.Reading() || r.m.scr.focus != layout.Chat {
		t.Error("a click into the composer does not focus it")
	}
}

func TestMouse_tabs(t *testing.T) {
	t.Parallel()
	r := mouseRig(t, 50, 20)
	storyRig(r)
	x, y := r.find("2 Tools")
	r.click(x, y)
	if r.m.scr.focus != layout.Tools {
		t.Error("a click on a tab does not show it")
	}
	r.click(1, y)
	if r.m.scr.focus != layout.Chat {
		t.Error("a click on the first tab does not go back")
	}
}

func TestMouse_selects(t *testing.T) {
	t.Parallel()
	r := mouseRig(t, 120, 40)
	r.emit(&core.MessageEnded{Meta: core.Meta{SessionID: "s1"}, Message: core.Message{ID: "a", Role: core.RoleAssistant, Content: "first 東京 line\n\nsecond line\n\nthird line"}})
	x, y := r.find("東京")
	r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	r.send(tea.MouseMotionMsg{X: x + 10, Y: y + 2, Button: tea.MouseLeft})
	r.shows("second")
	r.send(tea.MouseReleaseMsg{X: x + 5, Y: y + 2, Button: tea.MouseLeft})
	if diff := cmp.Diff("東京 line\n\nsecond line", r.m.sel.text); diff != "" {
		t.Error(diff)
	}
	r.keys("ctrl+c")
	r.called("clipboard 東京 line\n\nsecond line")
	if r.m.sel.moved || r.clock.now().Before(r.m.note.armed) {
		t.Error("the selection stays, or quitting is armed")
	}
	// Dragging ends at the pane's edge; any key ends the selection.
	r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	r.send(tea.MouseReleaseMsg{X: 119, Y: 39, Button: tea.MouseLeft})
	if strings.Contains(r.m.sel.text, "Calls of") {
		t.Error("it took text of another pane")
	}
	r.keys("j")
	if r.m.sel.text != "" {
		t.Error("a key keeps the selection")
	}
}

// What streams does not move the words that are being marked; afterwards the end is followed again. Esc
// gives the selection up and interrupts nothing.
func TestMouse_selectsWhileStreaming(t *testing.T) {
	t.Parallel()
	at := core.Meta{SessionID: "s1"}
	for _, end := range []string{"ctrl+c", "esc"} {
		r := mouseRig(t, 120, 30)
		r.emit(started())
		n := 0
		more := func() {
			for range 10 {
				n++
				r.emit(&core.TextDelta{Meta: at, MessageID: "a", Text: fmt.Sprintf("line %d 東京\n\n", n)})
			}
		}
		more()
		more()
		x, y := r.find("line 15")
		r.click(x, y)
		more()
		r.shows("line 30") // a click alone holds nothing
		x, y = r.find("line 25")
		r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		more()
		r.send(tea.MouseMotionMsg{X: x + 11, Y: y, Button: tea.MouseLeft})
		more()
		r.send(tea.MouseReleaseMsg{X: x + 11, Y: y, Button: tea.MouseLeft})
		more()
		if nx, ny := r.find("line 25"); nx != x || ny != y || r.m.sel.text != "line 25 東京" {
			t.Errorf("the words moved from %d,%d to %d,%d; marked %q", x, y, nx, ny, r.m.sel.text)
		}
		r.keys(end)
		r.shows("line 60")
		if r.m.run.stops || r.m.sel.moved || r.p.has("interrupt") {
			t.Errorf("%s: the run is interrupted, or the selection stays", end)
		}
	}
}

// The mouse anywhere in any view: no panic, exact frames.
func TestMouse_everywhere(t *testing.T) {
	t.Parallel()
	for name, prepare := range views() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 100, 33)
			prepare(r)
			for i := range 400 {
				x, y := (i*37)%110-5, (i*11)%40-3
				switch i % 5 {
				case 0:
					r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
				case 1:
					r.send(tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft})
				case 2:
					r.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
				case 3:
					r.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelUp})
				default:
					r.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
				}
				tuitest.Fills(t, r.screen(), 100, 33)
				if t.Failed() {
					t.Fatalf("after %d events", i)
				}
			}
		})
	}
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	r := mouseRig(t, 120, 40)
	r.until("the stored layouts", func() bool { return r.m.layouts.states["130x40"].Side == 8 })
	width := func() int { b, _ := r.m.scr.lay.Body(layout.Tools); return b.W }
	usual := width()
	r.keys("ctrl+x", "<", "ctrl+x", "<")
	if width() != usual+8 {
		t.Fatalf("%d cells, was %d", width(), usual)
	}
	r.called("layouts saved")
	r.p.mu.Lock()
	stored := r.p.layouts
	r.p.mu.Unlock()
	if diff := cmp.Diff(map[string]LayoutState{"120x40": {Side: 8}, "130x40": {Side: 8}}, stored); diff != "" {
		t.Error(diff)
	}
	r.keys("ctrl+x", "=")
	if width() != usual {
		t.Error("not reset")
	}
	r.send(tuitest.Size(130, 40))
	if r.m.scr.side != 8 {
		t.Errorf("the layout of this size is not recalled: %d", r.m.scr.side)
	}
	r.keys("ctrl+x", "2", "ctrl+x", "z")
	r.send(tuitest.Size(120, 40))
	r.keys("ctrl+x", "z")
	r.send(tuitest.Size(130, 40))
	if !r.m.scr.zoom || r.m.scr.focus != layout.Tools {
		t.Error("zoom and its pane are not recalled")
	}
	r.keys("esc", "esc")
	if r.m.scr.zoom {
		t.Error("Esc does not end it")
	}
}

func TestLayouts_block(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 50)
	height := func() int { b, _ := r.m.scr.lay.Body(layout.Tools); return b.H }
	usual := height()
	r.keys("ctrl+x", "<")
	if height() != usual+2 {
		t.Errorf("%d lines, was %d", height(), usual)
	}
	for range 40 {
		r.keys("ctrl+x", ">")
	}
	r.keys("ctrl+x", "<") // the limit was not counted beyond
	if height() != 3+2 && height() != 3+1 {
		t.Errorf("%d lines after the limit", height())
	}
}

func TestDump(t *testing.T) {
	t.Parallel()
	r := mouseRig(t, 80, 24)
	storyRig(r)
	r.keys("ctrl+x", "D")
	r.until("the dump", func() bool { return strings.Contains(strings.Join(r.p.called(), ""), "dump ╭ Chat") })
	for _, c := range r.p.called() {
		if strings.HasPrefix(c, "dump ") && strings.ContainsRune(c, 0x1b) {
			t.Error("the dump holds escape sequences")
		}
	}
	r.until("where it is", func() bool { return strings.Contains(r.screen(), "~/.hermes/ui/screen.txt") })
}

func TestThemes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		option  string
		noColor bool
		profile colorprofile.Profile
		light   bool
		want    theme.Kind
	}{
		{"", false, colorprofile.TrueColor, false, theme.Dark},
		{"auto", false, colorprofile.TrueColor, true, theme.Light},
		{"dark", false, colorprofile.TrueColor, true, theme.Dark},
		{"light", false, colorprofile.TrueColor, false, theme.Light},
		{"contrast", false, colorprofile.TrueColor, false, theme.Contrast},
		{"contrast", false, colorprofile.TrueColor, true, theme.ContrastLight},
		{"16", false, colorprofile.TrueColor, false, theme.Sixteen},
		{"", false, colorprofile.ANSI, false, theme.Sixteen},
		{"16", false, colorprofile.TrueColor, true, theme.SixteenLight},
		{"", false, colorprofile.ASCII, false, theme.Plain},
		{"contrast", true, colorprofile.TrueColor, false, theme.Plain},
		{"plain", false, colorprofile.TrueColor, false, theme.Plain},
		{"nope", false, colorprofile.TrueColor, false, theme.Dark},
	} {
		p, c := newPorts(), newClock()
		r := startRig(t, New(Options{Workspace: p.workspace("s1"), Now: c.now, Theme: tc.option, NoColor: tc.noColor}), p, c, 120, 40)
		r.send(tea.ColorProfileMsg{Profile: tc.profile})
		back := tea.BackgroundColorMsg{Color: theme.Color("#000000")}
		if tc.light {
			back.Color = theme.Color("#ffffff")
		}
		r.send(back)
		if r.m.st.Kind != tc.want {
			t.Errorf("%+v: %s", tc, r.m.st.Kind)
		}
		storyRig(r)
		tuitest.Fills(t, r.screen(), 120, 40)
	}
}

func TestProgramStatus(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	at := core.Meta{SessionID: "s1"}
	state := func() string {
		if s := r.m.View().ProgramStatus; s != nil {
			return strings.TrimSpace(fmt.Sprint(s.State, " ", s.Kind))
		}
		return ""
	}
	want := func(s string) {
		t.Helper()
		if got := state(); got != s {
			t.Errorf("status %q, want %q", got, s)
		}
	}
	want("")
	r.send(tea.ProgramStatusSupportMsg{})
	want("idle")
	r.emit(started())
	want("working")
	r.emit(storyApproval())
	want("blocked permission")
	r.emit(&core.ApprovalDone{Meta: at, ID: "ap1", Decision: core.DecideOnce})
	r.m.dropAsks()
	r.emit(&core.QuestionAsked{Meta: at, Question: core.Question{ID: "q", Text: "?"}})
	want("blocked question")
	r.send(tea.BlurMsg{})
	r.emit(&core.RunEnded{Meta: at, Reason: core.EndAnswered})
	want("done")
	r.send(tea.FocusMsg{})
	want("idle")
	r.emit(started(), &core.RunEnded{Meta: at, Reason: core.EndError, Error: &core.RunError{Message: "x"}})
	want("error")
}

// The pacer needs a private field of the library: this fails when an upgrade takes it away.
func TestPacer_findsTheClock(t *testing.T) {
	t.Parallel()
	p := tea.NewProgram(New(Options{}))
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		t.Fatal("tea.Program has no ticker any more: idling costs a percent of a core again")
	}
	if newPacer(p) != nil {
		t.Error("a pacer of a program that does not run")
	}
	c := &pacer{ticker: time.NewTicker(time.Hour)}
	c.rest = time.AfterFunc(time.Hour, c.sleep)
	c.sleep()
	c.wake() // a resting clock goes on at once
	select {
	case <-c.ticker.C:
	case <-time.After(10 * time.Second):
		t.Error("the clock does not wake up")
	}
	c.stop()
	c.ticker.Stop()
	var none *pacer
	none.wake()
	none.stop()
}

// Every pane keeps its number in the tab line at any width: the figures go first, then the names.
func TestTabs_allNumbers(t *testing.T) {
	t.Parallel()
	for _, w := range []int{40, 46, 50, 59} {
		r := newRig(t, w, 16)
		storyRig(r)
		line, _, _ := strings.Cut(ansi.Strip(r.screen()), "\n")
		if !strings.HasPrefix(line, "▌1 Chat") || strings.Contains(line, "…") {
			t.Errorf("%d cells: %q", w, line)
		}
		for _, p := range r.m.panes() {
			number := fmt.Sprintf(" %d ", int(p))
			if p != layout.Chat && !strings.Contains(line, number) {
				t.Errorf("%d cells: no %q in %q", w, number, line)
			}
			x := ansi.StringWidth(line[:max(strings.Index(line, number), 0)]) + 1
			if got := r.m.tabAt(x); p != layout.Chat && got != p {
				t.Errorf("%d cells: a click on %d reaches %v", w, p, got)
			}
		}
	}
}

// What hides the other panes says so.
func TestZoom_isNamed(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	storyRig(r)
	r.hides("zoomed")
	r.keys("ctrl+x", "z")
	r.shows("zoomed")
	r.keys("ctrl+x", "z")
	r.hides("zoomed")
}

// Who has said nothing yet is told how to begin, also below a notice.
func TestComposerHint_belowNotices(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	r.shows("Ask for something")
	r.m.chat.AddNotice(core.Notice{Level: core.LevelInfo, Text: "a notice"})
	r.shows("a notice", "Ask for something")
	r.emit(started())
	r.hides("Ask for something")
}

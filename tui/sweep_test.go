package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/report"
	"hermes/tui/tuitest"
)

// Every frame of every view fits every size exactly, with wide runes.
func TestSweep_everyViewEverySize(t *testing.T) {
	t.Parallel()
	all := views()
	all["hostile"] = func(r *rig) { r.emit(hostileEvents()...) }
	all["hostile-tools"] = func(r *rig) {
		r.emit(hostileEvents()...)
		r.keys("ctrl+x", "2", "enter")
	}
	all["long draft"] = func(r *rig) {
		storyRig(r)
		r.m.chat.Composer().SetText(strings.Repeat("東京 tower\n", 15) + strings.Repeat("北", 99))
	}
	all["toast"] = func(r *rig) { r.m.toast(core.LevelError, strings.Repeat("東京 ", 80)) }
	all["details"] = func(r *rig) {
		storyRig(r)
		r.keys("ctrl+x", "t")
	}
	for name, prepare := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 120, 40)
			prepare(r)
			for _, zoom := range []bool{false, true} {
				r.m.scr.zoom = zoom
				for _, w := range []int{0, 1, 5, 39, 40, 47, 59, 60, 79, 88, 100, 119, 120, 133, 200} {
					for _, h := range []int{0, 1, 5, 11, 12, 13, 24, 31, 32, 60} {
						r.send(tea.WindowSizeMsg{Width: w, Height: h})
						v := r.m.View()
						if w > 0 && h > 0 {
							tuitest.Fills(t, v.Content, w, h)
						}
						if c := v.Cursor; c != nil && (c.X < 0 || c.Y < 0 || c.X >= w || c.Y >= h) {
							t.Errorf("%dx%d: cursor %d,%d", w, h, c.X, c.Y)
						}
						if t.Failed() {
							t.Fatalf("at %dx%d zoom %v", w, h, zoom)
						}
					}
				}
			}
		})
	}
}

func TestSweep_onboarding(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	r := startRig(t, New(Options{Setup: setupPort{p}, SetupNotice: strings.Repeat("通知 notice ", 20), Now: c.now}), p, c, 80, 24)
	for _, key := range []string{"", "down", "up", "enter", "東", "enter", "models", "enter", "enter"} {
		switch key {
		case "models":
			r.send(modelsMsg{models: []string{"gpt-5", strings.Repeat("模型", 40)}})
		case "":
		default:
			r.keys(key)
		}
		for _, size := range [][2]int{{1, 1}, {39, 11}, {40, 12}, {60, 13}, {80, 24}, {200, 60}} {
			r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			tuitest.Fills(t, r.screen(), size[0], size[1])
		}
	}
}

// OPEN-TU-02: a storm of sizes while text streams leaves the frame a fresh start would draw.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	for name, prepare := range views() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 80, 24)
			prepare(r)
			fresh := newRig(t, 80, 24)
			prepare(fresh)
			sizes := [][2]int{{120, 40}, {40, 10}, {20, 5}, {5, 2}, {1, 1}, {0, 0}, {200, 60}, {80, 24}}
			for i := range 50 {
				s := sizes[i%len(sizes)]
				if i == 49 {
					s = [2]int{80, 24}
				}
				delta := &core.TextDelta{Meta: core.Meta{SessionID: "s1"}, MessageID: "m30", Text: "streamed 東京 text "}
				r.emit(delta)
				fresh.emit(delta)
				r.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
				if s[0] > 0 && s[1] > 0 {
					tuitest.Fills(t, r.screen(), s[0], s[1])
				}
			}
			if diff := cmp.Diff(ansi.Strip(fresh.screen()), ansi.Strip(r.screen())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// OPEN-TU-02: the message at the top of a scrolled view stays there through sizes.
func TestResize_keepsReadingPosition(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	for i := range 40 {
		r.emit(&core.RunStarted{Meta: core.Meta{SessionID: "s1"}, Message: core.Message{
			ID: fmt.Sprint("u", i), Role: core.RoleUser, Content: fmt.Sprintf("message %02d %s", i, strings.Repeat("words 東京 ", 30)),
		}})
	}
	r.keys("tab", "g", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "k", "k", "k", "k", "k", "k", "k", "k", "k")
	top := func() string {
		r.screen()
		return fmt.Sprint(r.m.chat.TopItem())
	}
	before := top()
	for _, s := range [][2]int{{40, 12}, {200, 60}, {60, 20}, {1, 1}, {100, 30}} {
		r.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
		if got := top(); got != before && s[0] > 1 {
			t.Errorf("%v: top item %s, want %s", s, got, before)
		}
	}
}

// OPEN-TU-04: nothing from content reaches the terminal as a sequence, wherever it stands.
func TestHostileContent(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	r.emit(hostileEvents()...)
	check := func(where string) {
		t.Helper()
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			v := r.m.View()
			tuitest.Fills(t, v.Content, size[0], size[1])
			if strings.ContainsFunc(v.WindowTitle, func(c rune) bool { return c < 0x20 || (c >= 0x7f && c < 0xa0) }) {
				t.Errorf("%s: title %q", where, v.WindowTitle)
			}
			if where != "composer" && strings.Contains(ansi.Strip(v.Content), "owned") { // a paste keeps all but control bytes
				t.Errorf("%s: the payload of an OSC is visible", where)
			}
		}
		if t.Failed() {
			t.Fatal(where)
		}
	}
	check("chat")
	r.keys("tab", "k", "enter")
	check("expanded card")
	r.keys("v")
	check("tool output")
	r.keys("esc", "q", "ctrl+x", "s")
	r.send(listedMsg{rows: []SessionRow{{ID: hostile, Title: hostile, Model: hostile, Folder: hostile}}})
	check("session picker")
	r.keys("d", "r")
	check("rename")
	r.keys("esc", "esc", "ctrl+x", "l")
	r.send(modelsMsg{models: []string{hostile}})
	check("model picker")
	r.keys("esc")
	r.send(doneMsg{err: &core.Error{Op: hostile, Hint: hostile}})
	check("toast")
	r.hostileSession(check)
	r.send(tea.PasteMsg{Content: hostile})
	check("composer")
	r.m.chat.Composer().Reset()
	r.m.ws.Info.Model.Model, r.m.ws.Info.Folder = hostile, hostile
	check("status bar")
	r.emit(&core.ApprovalAsked{Approval: core.Approval{ID: "x", Tool: hostile, Subject: hostile, Reasons: []string{hostile}, Rule: hostile, Folder: hostile, Diff: hostile}})
	if s := r.screen(); !strings.Contains(s, "␛") {
		t.Error("the dialog hides control characters")
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		tuitest.Fills(t, r.screen(), size[0], size[1])
	}
	if s := ansi.Strip(r.m.chat.View()); strings.Contains(s, "10%") {
		t.Error("an overwritten line shows its first state")
	}
}

// hostileSession shows hostile content in the views of the session's ports.
func (r *rig) hostileSession(check func(where string)) {
	r.t.Helper()
	at, gen := core.Meta{SessionID: "s1"}, r.m.ws.gen
	r.emit(&core.TodoChanged{Meta: at, Items: []core.TodoItem{{ID: "1", Text: hostile, Status: core.TodoActive}}},
		&core.Compacted{Meta: at, MessageID: "cs", Summary: hostile}, &core.Steered{Meta: at, Text: hostile},
		&core.ToolStarted{Meta: at, CallID: "hd", Tool: "delegate_task"},
		&core.TaskStarted{Meta: at, TaskID: "ht", CallID: "hd", Title: hostile, Toolsets: []string{hostile}},
		&core.TaskStep{Meta: at, TaskID: "ht", CallID: "hd", Text: hostile})
	check("plan")
	r.emit(&core.TaskEnded{Meta: at, TaskID: "ht", CallID: "hd", Result: core.TaskResult{Answer: hostile}, Error: &core.RunError{Message: hostile}})
	r.keys("ctrl+x", "2", "G", "enter")
	check("task")
	r.keys("esc", "q")
	r.emit(&core.QuestionAsked{Meta: at, Question: core.Question{ID: "hq", Text: hostile, Options: []string{hostile, "b"}, FreeText: true}})
	check("question")
	r.emit(&core.QuestionDone{Meta: at, ID: "hq"})
	r.send(contextMsg{gen: gen, use: ContextUse{Window: 10, Used: 9, Sections: []ContextSection{{Name: hostile, Tokens: 9, Note: hostile}}}})
	check("context")
	r.keys("esc")
	r.send(undoMsg{gen: gen, report: UndoReport{Text: hostile, Files: []UndoFile{{Path: hostile, Action: hostile, Reason: hostile, Note: hostile}}, Notes: []string{hostile}}})
	check("undo")
	r.keys("esc")
	r.keys("ctrl+x", "p")
	r.keys("esc")
	r.m.push(&rulesLayer{list: &report.RuleList{}})
	r.send(rulesMsg{gen: gen, rules: []Rule{{ID: "1", Text: hostile, Note: hostile}}})
	check("rules")
	r.keys("esc")
	r.send(filesMsg{gen: gen, names: []string{hostile, "plain"}})
	r.text("@")
	check("mention")
	r.keys("esc")
	r.m.chat.Composer().Reset()
	call := card.NewShell("hs", hostile, r.clock.now())
	r.m.chat.AddShell(call)
	call.Output(hostile)
	call.Finish(1, hostile, 0)
	check("shell")
	r.emit(&core.QueueChanged{Meta: at, Queue: []string{hostile, hostile}})
	r.keys("ctrl+x", "q")
	check("queue")
	r.keys("esc")
	r.send(historyMsg{gen: gen, entries: []string{hostile}})
	r.keys("ctrl+r")
	check("history")
	r.keys("esc", "tab", "/")
	r.text("done")
	r.send(foundMsg{matches: r.m.chat.Corpus().Find(r.t.Context())})
	check("search")
	r.keys("esc", "Z")
	check("folded")
	r.keys("Z", "q")
}

// OPEN-TU-01: in every one-line field the terminal's cursor stands where the text does.
func TestFields_cursor(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(r *rig){
		"search":  func(r *rig) { storyRig(r); r.keys("tab", "/") },
		"palette": func(r *rig) { r.keys("ctrl+x", "p") },
		"rename":  func(r *rig) { r.m.chat.Composer().SetText("/rename"); r.keys("esc", "enter") },
		"question": func(r *rig) {
			r.emit(&core.QuestionAsked{Question: core.Question{ID: "q", Text: "?"}})
			r.clock.advance(time.Second)
		},
		"models":   func(r *rig) { r.keys("ctrl+x", "l") },
		"sessions": func(r *rig) { r.keys("ctrl+x", "s", "/") },
		"composer": func(*rig) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 80, 24)
			open(r)
			at := func() (x, y int) {
				t.Helper()
				c := r.m.View().Cursor
				if c == nil {
					t.Fatal("no cursor")
				}
				return c.X, c.Y
			}
			want := func(start, cells int) {
				t.Helper()
				if x, _ := at(); x != start+cells {
					t.Errorf("the cursor is at %d, want %d", x, start+cells)
				}
			}
			start, _ := at()
			r.text("東京tower北")
			want(start, 11)
			r.keys("left", "left")
			want(start, 8)
			r.keys("end", "backspace")
			want(start, 9)
			r.keys("home")
			want(start, 0)
			r.keys("end", "ctrl+u")
			r.text("한강 ferry 渡し舟")
			want(start, 17)
			tuitest.Fills(t, r.screen(), 80, 24)
		})
	}
}

// Colour carries nothing alone: without it every frame says the same.
func TestPlain_saysTheSame(t *testing.T) {
	t.Parallel()
	for name, prepare := range views() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, c := newPorts(), newClock()
			r := startRig(t, New(Options{Workspace: p.workspace("s1"), Setup: setupPort{p}, Now: c.now, NoColor: true, Version: "0.1"}), p, c, 120, 40)
			prepare(r)
			frame := r.screen()
			tuitest.Fills(t, frame, 120, 40)
			for seq := range strings.SplitSeq(frame, "\x1b[") {
				code, _, ok := strings.Cut(seq, "m")
				for n := range strings.SplitSeq(code, ";") {
					if ok && len(n) == 2 && (n[0] == '3' || n[0] == '4') || n == "38" || n == "48" {
						t.Fatalf("colour %q in a plain frame", code)
					}
				}
			}
		})
	}
}

// OPEN-TU-05: ten thousand one-character deltas end in the frame of a one-shot render.
func TestStream_endsLikeOneShot(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(storyAnswer+"\n", 30)
	at := core.Meta{SessionID: "s1"}
	r := newRig(t, 120, 40)
	start := time.Now()
	n := 0
	for _, c := range text {
		r.emit(&core.TextDelta{Meta: at, MessageID: "m1", Text: string(c)})
		if n++; n%5 == 0 {
			r.m.View()
		}
	}
	t.Logf("%d deltas in %v", n, time.Since(start))
	end := &core.MessageEnded{Meta: at, Message: core.Message{ID: "m1", Role: core.RoleAssistant, Content: text}}
	r.emit(end)
	fresh := newRig(t, 120, 40)
	fresh.emit(end)
	if diff := cmp.Diff(fresh.screen(), r.screen()); diff != "" {
		t.Error(diff)
	}
}

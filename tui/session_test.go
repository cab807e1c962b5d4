package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/tui/layout"
	"hermes/tui/question"
	"hermes/tui/tuitest"
)

// shows fails when the screen lacks one of texts.
func (r *rig) shows(texts ...string) {
	r.t.Helper()
	s := ansi.Strip(r.screen())
	tuitest.Fills(r.t, r.screen(), r.m.scr.w, r.m.scr.h)
	for _, text := range texts {
		if !strings.Contains(s, text) {
			r.t.Errorf("no %q on the screen:\n%s", text, s)
		}
	}
}

func (r *rig) hides(texts ...string) {
	r.t.Helper()
	s := ansi.Strip(r.screen())
	for _, text := range texts {
		if strings.Contains(s, text) {
			r.t.Errorf("%q on the screen:\n%s", text, s)
		}
	}
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	ask := func(options ...string) *core.QuestionAsked {
		return &core.QuestionAsked{Question: core.Question{ID: "q1", Text: "Which cluster? 哪个？", Options: options, FreeText: true}}
	}
	for _, tc := range []struct {
		name    string
		options []string
		keys    []string
		call    string
	}{
		{"number", []string{"staging", "production 生产"}, []string{"2"}, "question q1 production 生产"},
		{"moved to", []string{"staging", "production"}, []string{"j", "k", "j", "enter"}, "question q1 production"},
		{"own words", []string{"staging", "production"}, []string{"3", "n", "e", "r", "enter"}, "question q1 ner"},
		{"back from own words", []string{"staging"}, []string{"e", "x", "esc", "1"}, "question q1 staging"},
		{"skipped", []string{"staging"}, []string{"esc"}, "question q1 skipped"},
		{"only words", nil, []string{"東", "1", "enter"}, "question q1 東1"},
		{"only words skipped", nil, []string{"x", "esc"}, "question q1 skipped"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 80, 24)
			r.m.chat.Composer().SetText("draft")
			r.emit(started(), ask(tc.options...))
			r.keys("1", "enter") // typed into the composer a moment ago: not an answer
			if r.m.quests.layer == nil {
				t.Fatal("answered at once")
			}
			r.clock.advance(question.Quiet)
			r.shows("hermes asks", "Which cluster? 哪个？")
			r.keys(tc.keys...)
			r.called(tc.call)
			if r.m.quests.layer != nil || r.m.chat.Composer().Text() != "draft" {
				t.Error("the dialog is still open, or the draft is lost")
			}
		})
	}
}

func TestQuestion_endsWithItsRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.emit(started(),
		&core.QuestionAsked{Question: core.Question{ID: "q1", Text: "one"}},
		&core.QuestionAsked{Question: core.Question{ID: "q2", Text: "two"}})
	r.emit(&core.QuestionAsked{Question: core.Question{ID: "q3", Text: "three"}})
	r.shows("1 of 3")
	r.emit(&core.QuestionDone{ID: "q2", Answer: core.Answer{Skipped: true}}) // not the one shown
	r.shows("1 of 2", "one")
	r.emit(&core.QuestionDone{ID: "q1", Answer: core.Answer{Skipped: true}})
	r.shows("three")
	r.emit(&core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndInterrupted})
	r.hides("hermes asks")
}

func TestTodosAndTasks(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	at := core.Meta{SessionID: "s1", Time: r.clock.now()}
	r.emit(started(), &core.TodoChanged{Meta: at, Items: []core.TodoItem{
		{ID: "1", Text: "read the code", Status: core.TodoDone},
		{ID: "2", Text: "部署 deploy", Status: core.TodoActive},
		{ID: "3", Text: "tell", Status: core.TodoPending},
		{ID: "4", Text: "old idea", Status: core.TodoCancelled},
	}})
	r.emit(&core.ToolStarted{Meta: at, CallID: "c1", Tool: "delegate_task", Arguments: `{"task":"research"}`},
		&core.TaskStarted{Meta: at, TaskID: "t1", CallID: "c1", Title: "look at the docs 文档", Limit: 8, Toolsets: []string{"file"}},
		&core.TaskStarted{Meta: at, TaskID: "t2", CallID: "c1", Title: "look at the tests", Limit: 8},
		&core.ToolStarted{Meta: at, CallID: "c2", Tool: "read_file", Arguments: `{"path":"x"}`},
		&core.TaskStep{Meta: at, TaskID: "t1", CallID: "c1", Request: 2, ToolCalls: 3, Text: "search_files 部署\x1b[2J"})
	r.shows("tasks 1/3 · 2 calls", "▸ 部署 deploy", "✓ read the code", "└ ⠋ look at the docs 文档", "2/8 req · 3 calls", "search_files 部")
	r.emit(&core.TaskEnded{Meta: at, TaskID: "t1", CallID: "c1", DurationMS: 4200, Result: core.TaskResult{Answer: "it is in docs/部署.md", Requests: 4, ToolCalls: 7, ToolErrors: 1, Cost: core.Cost{USD: 0.004, Known: true}, Reason: core.EndAnswered}},
		&core.TaskEnded{Meta: at, TaskID: "t2", CallID: "c1", Error: &core.RunError{Message: "no route"}, Result: core.TaskResult{Reason: core.EndError}})
	r.shows("└ ✓ look at the docs", "4/8 req · 7 calls · 1 ✗ · $0.004  4.2s", "└ ✗ look at the tests", "no route")
	r.keys("ctrl+x", "2", "g", "j", "enter")
	r.shows("toolsets file", "search_files 部署", "it is in docs/部署.md")
	r.keys("esc")
	r.emit(&core.TodoChanged{Meta: at, Items: []core.TodoItem{{ID: "1", Text: "read the code", Status: core.TodoDone}}})
	r.hides("read the code") // a finished list gives its room back
	r.send(tuitest.Size(80, 24))
	r.keys("ctrl+x", "1")
	if r.m.scr.lay.Kind != layout.Strip {
		t.Fatal(r.m.scr.lay.Kind)
	}
	r.shows("tasks 1/1 · 2 calls")
}

func TestCompacted(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	at := core.Meta{SessionID: "s1"}
	usage := &core.UsageReported{Meta: at, Usage: core.Usage{Input: core.KnownTokens(64_000)}, Purpose: core.PurposeChat}
	r.emit(started(), usage)
	r.shows("ctx 50 %")
	r.emit(&core.UsageReported{Meta: at, Side: "compression", Usage: core.Usage{Input: core.KnownTokens(1_000)}, Purpose: core.PurposeChat})
	r.shows("ctx 50 %") // a side request has its own small prompt
	r.emit(&core.Compacted{Meta: at, MessageID: "s", Messages: 42, Before: 64_000, After: 12_800, Summary: "We deployed 部署.", Auto: true},
		&core.Steered{Meta: at, Text: "use the other cluster"})
	r.shows("42 messages became a summary · 64,000 → 12,800 tokens · by itself", "ctx 10 %", "to the running turn:")
	r.hides("We deployed")
	r.keys("tab", "k", "enter")
	r.shows("We deployed 部署.")
}

func TestCompacted_replayed(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	msg := func(id string, role core.Role) core.Record {
		return core.Record{Type: core.RecordMessage, Message: &core.Message{ID: id, Role: role, Content: "text " + id}}
	}
	p.past = []core.Record{
		msg("1", core.RoleUser), msg("2", core.RoleAssistant), msg("3", core.RoleUser), msg("4", core.RoleAssistant), msg("5", core.RoleUser),
		{Type: core.RecordCompacted, From: "2", Target: "5", Message: &core.Message{ID: "s", Content: "the gist"}},
		{Type: core.RecordUsage, Usage: &core.Usage{Input: core.KnownTokens(64_000)}},
		{Type: core.RecordUsage, Reason: "compression", Usage: &core.Usage{Input: core.KnownTokens(100)}},
	}
	r := startRig(t, New(Options{Workspace: p.workspace("s1"), Now: c.now}), p, c, 100, 30)
	r.shows("3 messages became a summary", "text 2", "ctx 50 %")
}

func TestSessionCommands(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	storyRig(r)
	r.emit(&core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered})
	run := func(line string) { r.m.chat.Composer().SetText(line); r.keys("esc", "enter") }
	run("/compact the cluster 集群")
	r.shows("writing a summary")
	r.called("compact the cluster 集群")
	r.until("the end of it", func() bool { return !r.m.run.compacts })
	run("/context")
	r.until("bars", func() bool { return len(r.m.layers) == 1 })
	r.shows("91,400 of 128,000 tokens · 71 % · filling up", "skills index 技能", "compaction starts at 96,000")
	r.keys("esc")
	run("/approvals")
	r.until("rules", func() bool { return strings.Contains(r.screen(), "文档/**") })
	r.keys("j", "d", "n", "d")
	r.shows("Revoke this rule?")
	r.keys("y")
	r.called("revoke 2")
	r.until("the list again", func() bool { return strings.Count(strings.Join(r.p.called(), " "), "rules") == 2 })
	r.keys("esc")
	run("/steer hurry")
	r.shows("no turn is running")
	r.emit(started())
	run("/steer hurry up")
	r.called("steer hurry up")
	run("/undo")
	r.shows("a run is active")
}

func TestUndo(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 40)
	storyRig(r)
	r.emit(&core.RunEnded{Meta: core.Meta{SessionID: "s1"}, Reason: core.EndAnswered})
	before := r.m.chat.Len()
	ask := func() {
		r.m.chat.Composer().SetText("/undo")
		r.keys("esc", "enter")
		r.until("the question", func() bool { return len(r.m.layers) == 1 })
	}
	ask()
	r.shows("Undo the last turn?", "restored  k8s/deploy.yaml", "kept      app.py", "it was changed after the turn", "3 commands ran")
	r.keys("esc")
	if r.p.has("undo") || r.m.chat.Len() != before {
		t.Fatal("Esc undid")
	}
	ask()
	r.keys("y", "y")
	r.until("the report", func() bool { return len(r.m.layers) == 1 && strings.Contains(r.screen(), "Undone") })
	r.keys("esc")
	if got := r.m.chat.Composer().Text(); got != "Deploy this Flask app 到集群" || r.m.chat.Len() >= before {
		t.Errorf("composer %q, %d entries of %d", got, r.m.chat.Len(), before)
	}
	r.shows("2 of 3 files as before")
	r.hides("✗") // its calls are gone from the tools pane, too
	if n := len(r.m.log.Calls()); n != 0 || r.m.log.Failed() != 0 || r.m.log.Active() != 0 {
		t.Errorf("%d calls, %d failed, %d active", n, r.m.log.Failed(), r.m.log.Active())
	}
	if n := strings.Count(strings.Join(r.p.called(), "|")+"|", "undo|"); n != 1 {
		t.Errorf("undone %d times", n)
	}
}

func TestUndo_replayed(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	msg := func(id string, role core.Role) core.Record {
		return core.Record{Type: core.RecordMessage, Message: &core.Message{ID: id, Role: role, Content: "text " + id}}
	}
	p.past = []core.Record{
		msg("1", core.RoleUser), msg("2", core.RoleAssistant), msg("3", core.RoleUser), msg("4", core.RoleAssistant),
		{Type: core.RecordUndo, Target: "3"},
		msg("5", core.RoleUser),
	}
	r := startRig(t, New(Options{Workspace: p.workspace("s1"), Now: c.now}), p, c, 100, 30)
	r.shows("text 2", "a turn was undone here", "text 5")
	r.hides("text 3", "text 4")
}

// plain is the screen without colours.
func (r *rig) plain() string { return ansi.Strip(r.screen()) }

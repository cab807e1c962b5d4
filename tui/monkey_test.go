package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/tuitest"
)

// monkey does random things to a model and looks at every frame.
func monkey(t *testing.T, seed uint64, steps int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	p, c := newPorts(), newClock()
	p.past = []core.Record{{Type: core.RecordMessage, Message: &core.Message{ID: "p1", Role: core.RoleUser, Content: hostile}}}
	m := New(Options{Workspace: p.workspace("s1"), Setup: setupPort{p}, Now: c.now})
	m.ctx = t.Context()
	m.connect()
	w, h := 80, 24
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	keys := strings.Fields("enter esc tab shift+tab up down left right home end pgup pgdown space backspace delete ctrl+a ctrl+e ctrl+k ctrl+u ctrl+w ctrl+y ctrl+d ctrl+j ctrl+l ctrl+n ctrl+p alt+b alt+f alt+enter " +
		"j k g G o s a d y r f n v q u z t / ? 1 2 < > = 東 x e l V Z N c D J K p 3 : ctrl+r ctrl+x alt+y alt+. alt+t alt+u alt+up @ !")
	texts := []string{storyAnswer, hostile, "word ", "\n\n", "```\ncode\n", "| a | b |\n|---|---|\n", "- item\n", "東京タワー"}
	n := 0
	event := func() core.Event {
		n++
		at := core.Meta{SessionID: "s1", Time: c.now()}
		id := fmt.Sprint("m", rnd.IntN(6))
		text := texts[rnd.IntN(len(texts))]
		switch rnd.IntN(24) {
		case 0:
			return &core.RunStarted{Meta: at, Message: core.Message{ID: fmt.Sprint("u", n), Role: core.RoleUser, Content: text}}
		case 1, 2, 3:
			return &core.TextDelta{Meta: at, MessageID: fmt.Sprint("t", n/20), Text: text}
		case 4:
			return &core.ReasoningDelta{Meta: at, MessageID: fmt.Sprint("t", n/20), Text: text}
		case 5:
			return &core.MessageEnded{Meta: at, Message: core.Message{ID: fmt.Sprint("t", n/20), Role: core.RoleAssistant, Content: text}, Void: rnd.IntN(3) == 0}
		case 6:
			return &core.ToolStarted{Meta: at, CallID: id, Tool: "terminal", Arguments: `{"command":"東京"}`}
		case 7:
			return &core.ToolOutput{Meta: at, CallID: id, Text: text}
		case 8:
			return &core.ToolEnded{Meta: at, CallID: id, Tool: "terminal", OK: rnd.IntN(2) == 0, Result: text, Detail: &core.ToolDetail{Diff: text}}
		case 9:
			return &core.ApprovalAsked{Meta: at, Approval: core.Approval{ID: id, CallID: id, Tool: "terminal", Subject: text, Diff: text, Rule: text}}
		case 10:
			return &core.ApprovalDone{Meta: at, ID: id, Decision: core.DecideDeny}
		case 11:
			return &core.QueueChanged{Meta: at, Queue: strings.Fields(text)}
		case 12:
			return &core.Notice{Meta: at, Level: core.LevelWarn, Text: text, Remedy: text}
		case 13:
			return &core.TodoChanged{Meta: at, Items: []core.TodoItem{{ID: "1", Text: text, Status: core.TodoActive}, {ID: "2", Text: text, Status: core.TodoPending}}}
		case 14:
			return &core.Compacted{Meta: at, MessageID: fmt.Sprint("s", n), Messages: n, Before: n, After: 1, Summary: text}
		case 15:
			return &core.Steered{Meta: at, Text: text}
		case 16:
			return &core.QuestionAsked{Meta: at, Question: core.Question{ID: id, Text: text, Options: strings.Fields(text), FreeText: n%2 == 0}}
		case 17:
			return &core.QuestionDone{Meta: at, ID: id}
		case 18:
			return &core.TaskStarted{Meta: at, TaskID: "t" + id, CallID: id, Title: text, Limit: 8}
		case 19, 20:
			return &core.TaskStep{Meta: at, TaskID: "t" + id, CallID: id, Request: n, Text: text}
		case 21:
			return &core.TaskEnded{Meta: at, TaskID: "t" + id, CallID: id, Result: core.TaskResult{Answer: text}}
		default:
			return &core.RunEnded{Meta: at, Reason: core.EndInterrupted}
		}
	}
	for i := range steps {
		switch rnd.IntN(14) {
		case 0:
			w, h = rnd.IntN(210), rnd.IntN(62)
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
		case 1, 2, 3, 4:
			m.Update(eventsMsg{gen: m.ws.gen, batch: []core.Event{event(), event()}})
		case 5:
			m.Update(tuitest.Key("ctrl+x"))
			m.Update(tuitest.Key(keys[rnd.IntN(len(keys))]))
		case 6:
			m.Update(tea.PasteMsg{Content: strings.Repeat(texts[rnd.IntN(len(texts))], rnd.IntN(40))})
		case 7:
			m.Update(listedMsg{rows: []SessionRow{{ID: "s1", Title: hostile}, {ID: "s2", Title: "東京"}}})
			m.Update(modelsMsg{models: []string{"gpt-5", hostile}})
			m.Update(tickMsg{})
		case 9:
			monkeyNews(m, rnd, texts[rnd.IntN(len(texts))])
		case 10:
			x, y := rnd.IntN(210)-3, rnd.IntN(62)-3
			for _, msg := range []tea.Msg{
				tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft},
				tea.MouseMotionMsg{X: y, Y: x, Button: tea.MouseLeft},
				tea.MouseReleaseMsg{X: y, Y: x, Button: tea.MouseLeft},
				tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelUp},
			}[:1+rnd.IntN(4)] {
				m.Update(msg)
			}
		case 8:
			m.Update(tuitest.Key([]string{"/", "/n", "/re", "/x"}[rnd.IntN(4)]))
		default:
			m.Update(tuitest.Key(keys[rnd.IntN(len(keys))]))
		}
		c.advance(time.Duration(rnd.IntN(500)) * time.Millisecond)
		v := m.View()
		if m.fatal != nil {
			t.Fatalf("seed %d step %d: %v", seed, i, m.fatal)
		}
		if w > 0 && h > 0 {
			tuitest.Fills(t, v.Content, w, h)
		}
		if cur := v.Cursor; cur != nil && (cur.X < 0 || cur.Y < 0 || cur.X >= w || cur.Y >= h) {
			t.Errorf("cursor %d,%d outside %dx%d", cur.X, cur.Y, w, h)
		}
		if t.Failed() {
			t.Fatalf("seed %d step %d at %dx%d", seed, i, w, h)
		}
	}
}

// monkeyNews is what commands may bring back at any time.
func monkeyNews(m *Model, rnd *rand.Rand, text string) {
	gen := m.ws.gen
	news := []tea.Msg{
		contextMsg{gen: gen, use: ContextUse{Window: 10, Used: rnd.IntN(20), Sections: []ContextSection{{Name: text, Tokens: rnd.IntN(30), Note: text}}}},
		undoMsg{gen: gen, report: UndoReport{Message: fmt.Sprint("u", rnd.IntN(400)), Text: text, Files: []UndoFile{{Path: text, Action: "kept", Reason: text}}}, done: rnd.IntN(2) == 0},
		rulesMsg{gen: gen, rules: []Rule{{ID: "1", Text: text}}},
		compactMsg{gen: gen, err: errFake},
		filesMsg{gen: gen, names: strings.Fields(text + " a/ b/c.md")},
		historyMsg{gen: gen, entries: []string{text, "x"}},
		layoutsMsg{states: map[string]LayoutState{"80x24": {Side: rnd.IntN(99) - 50, Zoom: true, Focus: rnd.IntN(9)}}},
		foundMsg{matches: m.chat.Corpus().Find(m.ctx)},
		editedMsg{text: text},
		editedMsg{err: errFake},
		tea.BlurMsg{},
		tea.FocusMsg{},
		tea.ProgramStatusSupportMsg{},
		doneMsg{err: errFake},
		sentMsg{gen: gen, text: text, err: errFake},
	}
	m.Update(news[rnd.IntN(len(news))])
}

func TestMonkey(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			monkey(t, seed, 400)
		})
	}
}

func FuzzMonkey(f *testing.F) {
	f.Add(uint64(7))
	f.Fuzz(func(t *testing.T, seed uint64) { monkey(t, seed, 200) })
}

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
		"j k g G o s a d y r f n v q u z t / ? 1 2 < > = 東 x e l")
	texts := []string{storyAnswer, hostile, "word ", "\n\n", "```\ncode\n", "| a | b |\n|---|---|\n", "- item\n", "東京タワー"}
	n := 0
	event := func() core.Event {
		n++
		at := core.Meta{SessionID: "s1", Time: c.now()}
		id := fmt.Sprint("m", rnd.IntN(6))
		text := texts[rnd.IntN(len(texts))]
		switch rnd.IntN(14) {
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
		default:
			return &core.RunEnded{Meta: at, Reason: core.EndInterrupted}
		}
	}
	for i := range steps {
		switch rnd.IntN(12) {
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

package tui

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/core/review"
	"hermes/tui/reviews"
	"hermes/tui/tuitest"
)

// reviewPort is the learning of a rig: what it was asked for is written down.
type reviewPort struct {
	sheet reviews.Sheet
	err   error
	mu    sync.Mutex
	asked []string
}

func (p *reviewPort) note(words ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, strings.Join(words, " "))
	return p.err
}

func (p *reviewPort) was(asked string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.asked, asked)
}

func (p *reviewPort) Sheet(context.Context) (reviews.Sheet, error) { return p.sheet, nil }
func (p *reviewPort) Detail(_ context.Context, id string) (reviews.Detail, error) {
	return reviews.Detail{ID: id, Diff: "+fresh difference"}, nil
}

func (p *reviewPort) Accept(_ context.Context, id string) (string, error) {
	return "accepted it", p.note("accept", id)
}

func (p *reviewPort) Edit(_ context.Context, id string, a json.RawMessage) error {
	return p.note("edit", id, string(a))
}
func (p *reviewPort) Move(_ context.Context, id string) error   { return p.note("move", id) }
func (p *reviewPort) Reject(_ context.Context, id string) error { return p.note("reject", id) }
func (p *reviewPort) Undo(_ context.Context, ids []string) (string, error) {
	return "taken back, and remembered", p.note("undo", strings.Join(ids, ","))
}
func (p *reviewPort) Run(_ context.Context, focus string) error { return p.note("run", focus) }
func (p *reviewPort) Cancel(_ context.Context, id string) error { return p.note("cancel", id) }
func (p *reviewPort) Pause(_ context.Context, on bool) error {
	return p.note(map[bool]string{true: "pause", false: "go on"}[on])
}

func running(id string) []core.Event {
	return []core.Event{
		&core.ReviewStarted{Meta: core.Meta{SessionID: "s1", Channel: core.ChannelLearning}, ReviewID: id, Trigger: "skills", State: "running", MaxCalls: 8},
		&core.ReviewStep{Meta: core.Meta{SessionID: "s1", Channel: core.ChannelLearning}, ReviewID: id, Calls: 3, Tool: "skill_manage", Args: []byte(`{"name":"flask-k8s-deploy"}`)},
	}
}

// The desk's keys reach the port, errors are said, and the pane follows the events.
func TestReviews_desk(t *testing.T) {
	t.Parallel()
	port := &reviewPort{sheet: reviews.Sheet{EveryTurns: 10, Total: 1, Records: []review.Record{
		{ID: "r1", SessionID: "s1", Trigger: review.BySkills, State: review.Running, Calls: 3, MaxCalls: 8},
	}, Waiting: []review.Waiting{{Proposal: core.Proposal{
		ID: "p1", Store: core.StoreMemory, Action: "add", Subject: "memory:user", Held: core.HeldApproval, Arguments: json.RawMessage(`{"target":"user"}`), Diff: "+old difference",
	}}}}}
	p, c := newPorts(), newClock()
	ws := p.workspace("s1")
	ws.Reviews = port
	r := startRig(t, New(Options{Workspace: ws, Now: c.now, Theme: "dark"}), p, c, 120, 40)
	r.emit(running("r1")...)
	r.until("the running review", func() bool { return strings.Contains(r.plain(), "3/8 calls writing flask") })
	r.keys("ctrl+x", "r")
	r.until("the desk with what accepting changes now", func() bool { return strings.Contains(r.plain(), "+fresh difference") })
	for _, k := range []struct{ key, said, asked string }{
		{"a", "accepted it", "accept p1"}, {"m", "for the other store", "move p1"}, {"r", "the review begins", "run "}, {".", "learning is paused", "pause"},
	} {
		r.keys(k.key)
		r.until(k.said, func() bool { return strings.Contains(r.plain(), k.said) })
		if !port.was(k.asked) {
			t.Errorf("%s: asked %q", k.key, port.asked)
		}
	}
	port.mu.Lock()
	port.err = &core.Error{Op: "accept proposal p1", Err: errors.New("stale"), Hint: "look again"}
	port.mu.Unlock()
	r.keys("a")
	r.until("the refusal", func() bool { return strings.Contains(r.plain(), "stale · look again") })
	r.keys("esc")
	r.emit(&core.ReviewEnded{Meta: core.Meta{SessionID: "s1", Channel: core.ChannelLearning}, ReviewID: "r1", State: "saved", Saved: 2})
	r.until("the toast", func() bool { return strings.Contains(r.plain(), "learned: 2 saved") })
	// What learning has to say to the person stands in the chat.
	r.emit(&core.Notice{Meta: core.Meta{SessionID: "s1", Channel: core.ChannelLearning}, Level: core.LevelWarn, Text: "no review: the limit of today is reached", Remedy: "raise it"})
	r.until("the notice", func() bool { return strings.Contains(r.plain(), "the limit of today is reached") })
}

// BenchmarkKey_reviewed is a key with its frame, beside a review that works and without one.
//
//	go test ./tui -run '^$' -bench Key_reviewed -benchtime 2000x
func BenchmarkKey_reviewed(b *testing.B) {
	for _, c := range []struct {
		name   string
		review bool
	}{{"alone", false}, {"beside a review", true}} {
		b.Run(c.name, func(b *testing.B) {
			p := newPorts()
			ws := p.workspace("s1")
			ws.Reviews = &reviewPort{}
			m := New(Options{Workspace: ws, Now: newClock().now})
			m.ctx = b.Context()
			m.Init()
			m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
			deltaCost(m, streamText()[:500])
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				if c.review && i%5 == 0 {
					m.applyEvents(eventsMsg{gen: m.ws.gen, batch: running("r1")})
				}
				start := time.Now()
				m.Update(tuitest.Key(string(rune('a' + i%26))))
				m.View()
				took = append(took, time.Since(start))
				if i%200 == 199 {
					m.chat.Composer().Reset()
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

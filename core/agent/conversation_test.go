package agent_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/agent"
	"hermes/core/home"
	"hermes/core/session"
)

func TestConversation_queueAndInterrupt(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
strict: true
rules:
  - {when: {user: slow, turn: 0}, reply: {tool_calls: [{name: gate, arguments: {}}]}}
  - {reply: {text: "answer to {{user}}"}}
`)
	started, gate := make(chan struct{}), make(chan struct{})
	r.tools["gate"] = func(ctx context.Context, _ map[string]any) core.ToolResult {
		started <- struct{}{}
		select {
		case <-gate:
		case <-ctx.Done():
		}
		return core.ToolResult{OK: true}
	}
	r.open()
	c := agent.NewConversation(t.Context(), r.agent, agent.ConversationOptions{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Send(" \n"); core.CodeOf(err) != core.CodeUsage {
		t.Errorf("blank: %v", err)
	}
	must(c.Send("slow 1"))
	<-started
	must(c.Send("two"))
	must(c.Send("three"))
	if diff := cmp.Diff([]string{"two", "three"}, c.Queue()); diff != "" {
		t.Error(diff)
	}
	if err := c.Retry(); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("retry while running: %v", err)
	}
	c.SetQueue([]string{"three, edited"})
	close(gate)
	for c.Running() || len(c.Queue()) > 0 {
		c.Wait(t.Context())
	}
	want := []string{
		"user: slow 1", "assistant: ", "tool: (no output)", "assistant: answer to slow 1",
		"user: three, edited", "assistant: answer to three, edited",
	}
	if diff := cmp.Diff(want, contents(r.ses.Messages())); diff != "" {
		t.Error(diff)
	}

	gate = make(chan struct{})
	must(c.Send("slow 2"))
	<-started
	must(c.Send("waiting"))
	if !c.Interrupt() {
		t.Error("nothing to interrupt")
	}
	c.Wait(t.Context())
	if c.Running() || len(c.Queue()) != 1 {
		t.Errorf("after an interrupt the queue must wait for the person: %v", c.Queue())
	}
	must(c.Send("after the waiting one"))
	for c.Running() || len(c.Queue()) > 0 {
		c.Wait(t.Context())
	}
	msgs := contents(r.ses.Messages())
	if got := msgs[len(msgs)-4:]; got[0] != "user: waiting" || got[2] != "user: after the waiting one" {
		t.Errorf("%q", got)
	}
	c.Close(t.Context())
	if err := c.Send("late"); err == nil {
		t.Error("a closed conversation accepts messages")
	}
}

// What the person says meanwhile reaches the turn with its next result, or starts the next turn.
func TestConversation_steerAndInterruptModes(t *testing.T) {
	t.Parallel()
	for _, busy := range []agent.Busy{agent.BusySteer, agent.BusyInterrupt} {
		t.Run(string(busy), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, `
strict: true
rules:
  - {when: {user: slow, turn: 0}, reply: {tool_calls: [{name: gate, arguments: {}}]}}
  - {when: {result: "meanwhile: go left"}, reply: {text: "turning left"}}
  - {reply: {text: "answer to {{user}}"}}
`)
			started, gate := make(chan struct{}), make(chan struct{})
			r.tools["gate"] = func(ctx context.Context, _ map[string]any) core.ToolResult {
				started <- struct{}{}
				select {
				case <-gate:
				case <-ctx.Done():
				}
				return core.ToolResult{OK: true, Content: "gate"}
			}
			r.open()
			ends := make(chan *core.RunEnded, 8)
			c := agent.NewConversation(t.Context(), r.agent, agent.ConversationOptions{Busy: busy, OnEnd: func(e *core.RunEnded) { ends <- e }})
			if err := c.Send("slow"); err != nil {
				t.Fatal(err)
			}
			<-started
			if err := c.Send("go left"); err != nil {
				t.Fatal(err)
			}
			if busy == agent.BusySteer {
				close(gate)
				if e := <-ends; e.Answer != "turning left" {
					t.Errorf("%+v", e)
				}
				if !slices.Contains(r.events(), "steered") {
					t.Error("the screen is not told")
				}
				return
			}
			if e := <-ends; e.Reason != core.EndInterrupted {
				t.Errorf("%+v", e)
			}
			if e := <-ends; e.Answer != "answer to go left" {
				t.Errorf("%+v", e)
			}
		})
	}
}

// A note of the workspace reaches the agent with the next message, once.
func TestConversation_tell(t *testing.T) {
	t.Parallel()
	r := newRig(t, "rules:\n  - {reply: {text: 'got {{user}}'}}\n")
	c := agent.NewConversation(t.Context(), r.agent, agent.ConversationOptions{})
	c.Tell("job 1 ended")
	for _, text := range []string{"one", "two"} {
		if err := c.Send(text); err != nil {
			t.Fatal(err)
		}
		c.Wait(t.Context())
	}
	msgs := r.ses.Messages()
	if msgs[0].Content != "[job 1 ended]\n\none" || msgs[0].Display() != "one" || msgs[2].Content != "two" {
		t.Errorf("%q", contents(msgs))
	}
}

// A long session must not get slower with every turn.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{10, 2000} {
		b.Run(fmt.Sprint(n, " messages"), func(b *testing.B) {
			store := session.NewStore(home.At(filepath.Join(b.TempDir(), "home")))
			ses := store.New("", "p/m", session.Prompt{})
			for i := range n {
				m := core.Message{ID: ses.NewMessageID(), Role: []core.Role{core.RoleUser, core.RoleAssistant}[i%2], Content: strings.Repeat("word ", 50)}
				if err := ses.Append(core.Record{Type: core.RecordMessage, Message: &m}); err != nil {
					b.Fatal(err)
				}
			}
			a := agent.New(agent.Options{Model: instant{}, Tools: toolbox{}, Journal: ses})
			for b.Loop() {
				a.Run(b.Context(), agent.Input{Text: "x"})
			}
			if err := ses.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// instant is a model that costs nothing, to measure the loop alone.
type instant struct{}

func (instant) Info() core.ModelInfo { return core.ModelInfo{Provider: "p", Model: "m"} }

func (instant) Stream(context.Context, core.Request, func(core.Delta)) (core.Response, error) {
	return core.Response{Message: core.Message{Content: "ok"}}, nil
}

// What begins with "/" is expanded when its turn begins; it does not steer the one that runs.
func TestConversation_slashWaits(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
strict: true
rules:
  - {when: {user: slow, turn: 0}, reply: {tool_calls: [{name: gate, arguments: {}}]}}
  - {when: {user: "the whole text"}, reply: {text: "followed"}}
  - {reply: {text: "answer to {{user}}"}}
`)
	started, gate := make(chan struct{}), make(chan struct{})
	r.tools["gate"] = func(ctx context.Context, _ map[string]any) core.ToolResult {
		started <- struct{}{}
		select {
		case <-gate:
		case <-ctx.Done():
		}
		return core.ToolResult{OK: true, Content: "gate"}
	}
	r.open()
	ends := make(chan *core.RunEnded, 8)
	c := agent.NewConversation(t.Context(), r.agent, agent.ConversationOptions{
		Busy: agent.BusySteer, OnEnd: func(e *core.RunEnded) { ends <- e },
		Expand: func(text string) agent.Input {
			if text == "/skill go" {
				return agent.Input{Text: "the whole text, then: go", Shown: text}
			}
			return agent.Input{}
		},
	})
	if err := c.Send("slow"); err != nil {
		t.Fatal(err)
	}
	<-started
	if err := c.Send("/skill go"); err != nil {
		t.Fatal(err)
	}
	close(gate)
	if e := <-ends; e.Answer != "answer to slow" {
		t.Errorf("%+v", e)
	}
	if e := <-ends; e.Answer != "followed" {
		t.Errorf("%+v", e)
	}
	if slices.Contains(r.events(), "steered") {
		t.Error("it steered")
	}
}

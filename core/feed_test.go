package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"hermes/core"
)

func TestFeed_mergesDeltasAndLosesNothing(t *testing.T) {
	t.Parallel()
	f := core.NewFeed()
	for i := range 10_000 {
		f.Emit(&core.TextDelta{MessageID: "m1", Text: "x"})
		if i%100 == 0 {
			f.Emit(&core.ToolOutput{CallID: "a", Text: "1"})
			f.Emit(&core.ToolOutput{CallID: "b", Text: "2"})
			f.Emit(&core.ToolOutput{CallID: "a", Text: "3"})
		}
		if i == 5000 {
			f.Emit(&core.Notice{Text: "between"})
		}
	}
	batch, ok := f.Next(t.Context())
	if !ok || len(batch) > 400 {
		t.Fatalf("%d events for 10,000 deltas", len(batch))
	}
	var text, a string
	last := int64(0)
	for _, e := range batch {
		if e.Head().Seq <= last && e.Type() != "tool_output" {
			t.Fatalf("sequence fell from %d to %d", last, e.Head().Seq)
		}
		last = e.Head().Seq
		switch e := e.(type) {
		case *core.TextDelta:
			text += e.Text
		case *core.ToolOutput:
			if e.CallID == "a" {
				a += e.Text
			}
		}
	}
	if len(text) != 10_000 || a != strings.Repeat("13", 100) {
		t.Errorf("%d characters, output %q", len(text), a)
	}
}

func TestFeed_blocksWhenFullAndCloseFrees(t *testing.T) {
	t.Parallel()
	f := core.NewFeed()
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range core.FeedLimit * 2 {
			f.Emit(&core.Notice{Text: fmt.Sprint(i)})
		}
	})
	got := 0
	for got < core.FeedLimit*2 {
		batch, ok := f.Next(t.Context())
		if !ok || len(batch) > core.FeedLimit {
			t.Fatalf("batch of %d, %v", len(batch), ok)
		}
		for _, e := range batch {
			if n, _ := e.(*core.Notice); n.Text != fmt.Sprint(got) {
				t.Fatalf("event %d is %q", got, n.Text)
			}
			got++
		}
	}
	wg.Wait()
	wg.Go(func() {
		for range core.FeedLimit + 5 {
			f.Emit(&core.Notice{})
		}
	})
	f.Close()
	wg.Wait()
	for {
		if _, ok := f.Next(t.Context()); !ok {
			break
		}
	}
}

func TestFeed_nextEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if batch, ok := core.NewFeed().Next(ctx); batch != nil || !ok {
		t.Errorf("Next = %v, %v", batch, ok)
	}
}

func TestMarshalEvent_startsWithItsType(t *testing.T) {
	t.Parallel()
	e := &core.RunEnded{Reason: core.EndAnswered, Answer: "a<b", Usage: core.Usage{Input: core.KnownTokens(7)}}
	b, err := core.MarshalEvent(e)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(b), `{"type":"run_ended",`) || strings.Contains(string(b), "\n") {
		t.Errorf("%s", b)
	}
	var got struct {
		Type, Answer string
		Cost         *float64
		Usage        struct{ Input, Output *int }
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.Answer != "a<b" || got.Cost != nil || got.Usage.Output != nil || *got.Usage.Input != 7 {
		t.Errorf("%s", b)
	}
}

func TestError_codeAndHint(t *testing.T) {
	t.Parallel()
	inner := &core.Error{Code: core.CodeAuth, Op: "ask model", Err: errors.New("401"), Hint: "set the key"}
	outer := fmt.Errorf("run: %w", &core.Error{Op: "turn", Subject: "x.yaml", Line: 3, Err: inner})
	if got := outer.Error(); got != "run: turn x.yaml:3: ask model: 401" {
		t.Errorf("text = %q", got)
	}
	if core.CodeOf(outer) != core.CodeAuth || core.HintOf(outer) != "set the key" {
		t.Errorf("code %q, hint %q", core.CodeOf(outer), core.HintOf(outer))
	}
}

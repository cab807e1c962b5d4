package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/text"
	"hermes/index"
)

// Summariser has a model tell what happened in a past session. It is safe for concurrent use.
type Summariser interface {
	// Summarise tells what of a session, given as numbered messages, matters for a query, with the ids of
	// the messages it goes by. It ends when ctx does.
	Summarise(ctx context.Context, query string, s Summary, messages string) (string, error)
}

// summarisers is an Archive that knows whether summaries are wanted now.
type summarisers interface {
	// Summariser is nil when sessions are given as excerpts only.
	Summariser() Summariser
}

// Of summaries: how many sessions get one, how long all of them may take, and the code points of a session
// that are shown to the model, of one message, and of its answer.
const (
	summaries       = 3
	summaryTime     = 20 * time.Second
	summaryInput    = 24_000
	summaryMessage  = 1_500
	summaryLimit    = 2_500
	summaryNeighbor = 6 // messages on each side of a hit
)

// result is a session as it is given to the model: excerpts always, a summary when there is one.
type result struct {
	index.Group

	Summary string `json:"summary,omitempty"`
}

// summarise adds summaries to the best sessions, side by side; the others, and those whose summary does not
// come in time, keep their excerpts. The note says why some have none.
func (t *Tool) summarise(ctx context.Context, query, live string, groups []index.Group) (out []result, note string) {
	out = make([]result, len(groups))
	for i, g := range groups {
		out[i].Group = g
	}
	a, ok := t.archive.(summarisers)
	if !ok || len(groups) == 0 {
		return out, ""
	}
	s := a.Summariser()
	if s == nil {
		return out, ""
	}
	ctx, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	errs := make([]error, len(out))
	var wg sync.WaitGroup
	asked := 0
	for i := range out[:min(len(out), summaries)] {
		if out[i].SessionID == live {
			continue // what was compacted is in the context already, as notes
		}
		asked++
		wg.Go(func() { out[i].Summary, errs[i] = t.summary(ctx, s, query, out[i].Group) })
	}
	wg.Wait()
	failed := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(failed) > 0 {
		note = fmt.Sprintf("%d of %d sessions could not be summarised (%s); go by their excerpts", len(failed), asked, text.Cut(text.OneLine(failed[0].Error()), 200))
	}
	return out, note
}

// summary asks for one.
func (t *Tool) summary(ctx context.Context, s Summariser, query string, g index.Group) (string, error) {
	about, msgs, err := t.archive.Messages(g.SessionID)
	if err != nil {
		return "", err
	}
	got, err := s.Summarise(ctx, query, about, digest(msgs, g.Hits))
	if err != nil {
		return "", err
	}
	return text.Cut(strings.TrimSpace(text.Neutralise(got)), summaryLimit), nil
}

// digest is what of a session a summary is made from: its beginning, what stands around the hits, and its
// end, as far as there is room. The hits come before the rest.
func digest(msgs []core.Message, hits []index.Hit) string {
	lines := make([]string, len(msgs))
	room := summaryInput
	take := func(i int) {
		if i < 0 || i >= len(msgs) || lines[i] != "" || room <= 0 {
			return
		}
		m := messages(msgs[i:i+1], summaryMessage)[0]
		who := string(m.Role)
		if m.Tool != "" {
			who += " " + m.Tool
		}
		lines[i] = "[" + m.ID + "] " + who + ": " + m.Text
		room -= len([]rune(lines[i]))
	}
	var at []int
	for _, h := range hits {
		if i := slices.IndexFunc(msgs, func(m core.Message) bool { return m.ID == h.MessageID }); i >= 0 {
			at = append(at, i)
		}
	}
	for _, i := range at {
		take(i)
	}
	take(0)
	for d := 1; d <= summaryNeighbor; d++ {
		for _, i := range at {
			take(i + d)
			take(i - d)
		}
	}
	for i := range msgs {
		take(len(msgs) - 1 - i)
	}
	var b strings.Builder
	left := false
	for _, l := range lines {
		if l == "" {
			left = true
			continue
		}
		if left {
			b.WriteString("[…]\n")
			left = false
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}

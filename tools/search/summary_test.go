package search

import (
	"context"
	"strings"
	"testing"
	"time"

	"hermes/core"
	"hermes/core/provider"
	"hermes/core/provider/scripted"
	"hermes/index"
)

// teller asks a scripted server for summaries.
type teller struct{ model core.Model }

func (s teller) Summarise(ctx context.Context, query string, about Summary, messages string) (string, error) {
	resp, err := s.model.Stream(ctx, core.Request{Messages: []core.Message{
		{Role: core.RoleSystem, Content: "summarise"}, {Role: core.RoleUser, Content: query + "\n" + about.Title + "\n" + messages},
	}}, func(core.Delta) {})
	return resp.Message.Content, err
}

// telling is a shelf whose archive has a model.
type telling struct {
	*shelf

	with Summariser
}

func (s telling) Summariser() Summariser { return s.with }

func newTelling(t *testing.T, yaml string) (telling, *scripted.Server) {
	t.Helper()
	sc, err := scripted.Load("model.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := scripted.Start(context.WithoutCancel(t.Context()), sc, scripted.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	m, err := provider.New(provider.Options{BaseURL: srv.URL(), Model: "scripted", Provider: "custom"})
	if err != nil {
		t.Fatal(err)
	}
	s := newShelf(t)
	s.tool.archive = telling{s, teller{m}}
	return telling{s, teller{m}}, srv
}

func TestSessionSearch_summaries(t *testing.T) {
	t.Parallel()
	s, srv := newTelling(t, `
rules:
  - {when: {user: pelican in the port}, reply: {text: "Problem: it was stuck [m1]. Solved: tide table [m2]."}}
  - {when: {user: pelican in the fog}, reply: {fault: {status: 400, error: {message: no fog here}}}}
  - {when: {user: pelican in the bay}, reply: {fault: {stall: true}}}
`)
	s.tool.patience = 2 * time.Second
	good := s.add("pelican in the port", "use the tide table")
	bad, slow := s.add("pelican in the fog", "hm"), s.add("pelican in the bay", "hm")
	s.live = s.add("pelican now", "yes")
	_, out := s.call(`{"query":"pelican"}`)
	list, _ := out["sessions"].([]any)
	if len(list) != 3 {
		t.Fatalf("%v", out)
	}
	for _, g := range list {
		g := g.(map[string]any)
		summary, _ := g["summary"].(string)
		switch g["session_id"] {
		case good:
			if !strings.Contains(summary, "tide table [m2]") {
				t.Errorf("%v", g)
			}
		case bad, slow:
			if summary != "" {
				t.Errorf("%v", g)
			}
		default:
			t.Errorf("unexpected %v", g)
		}
		if hits := g["hits"].([]any); len(hits) == 0 || !strings.Contains(hits[0].(map[string]any)["excerpt"].(string), "pelican") {
			t.Errorf("the excerpt is gone: %v", g)
		}
	}
	if note, _ := out["summaries"].(string); !strings.Contains(note, "2 of 3") {
		t.Errorf("%v", out["summaries"])
	}
	for _, r := range srv.Requests() {
		if strings.Contains(r.User(), "pelican now") {
			t.Error("the live session was sent")
		}
	}
	// Without summaries nothing is asked.
	n := len(srv.Requests())
	s.tool.archive = telling{s.shelf, nil}
	if _, out = s.call(`{"query":"pelican"}`); out["summaries"] != nil || len(srv.Requests()) != n {
		t.Errorf("%v", out)
	}
}

// What is shown of a session holds the hits, the beginning and the end, in order, and fits.
func TestDigest(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	var texts []string
	for i := range 120 {
		text := strings.Repeat("filler ", 150)
		if i == 40 {
			text = "the pelican " + text
		}
		texts = append(texts, text)
	}
	s.add(texts...)
	r, out := s.call(`{"query":"pelican"}`)
	if !r.OK || len(found(out)) != 1 {
		t.Fatalf("%+v", r)
	}
	id := found(out)[0]
	_, msgs, err := s.Messages(id)
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.tool.finder.Search(t.Context(), parse("pelican"), options())
	if err != nil {
		t.Fatal(err)
	}
	d := digest(msgs, q.Sessions[0].Hits)
	at := -1
	for _, want := range []string{"[m1] user:", "[…]", "[m40] assistant:", "[m41] user: the pelican", "[m42] assistant:", "[m120] assistant:"} {
		i := strings.Index(d, want)
		if i <= at {
			t.Errorf("%q at %d after %d", want, i, at)
		}
		at = i
	}
	if n := len([]rune(d)); n > summaryInput+2*summaryMessage {
		t.Errorf("%d code points", n)
	}
}

func parse(q string) index.Query { return index.Parse(q, time.Now()) }

func options() index.Options { return index.Options{Now: time.Now()} }

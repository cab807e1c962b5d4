package search

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/session"
	"hermes/index"
)

// shelf is a real store with a real index over it.
type shelf struct {
	*session.Store

	t         *testing.T
	tool      *Tool
	compacted []string
	live      string
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	h := home.At(filepath.Join(t.TempDir(), "home"))
	x := index.New(h)
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &shelf{Store: session.NewStore(h), t: t}
	s.tool = New(x, s)
	return s
}

// add stores a session; texts alternate between person and model, those that begin with "tool:" are results.
func (s *shelf) add(texts ...string) string {
	s.t.Helper()
	ses := s.New("/w", "p/m", session.Prompt{})
	for i, text := range texts {
		m := core.Message{ID: ses.NewMessageID(), Role: []core.Role{core.RoleUser, core.RoleAssistant}[i%2], Content: text}
		if rest, ok := strings.CutPrefix(text, "tool:"); ok {
			m.Role, m.Content, m.ToolName, m.ToolCallID = core.RoleTool, rest, "terminal", "c"
		}
		if err := ses.Append(core.Record{Type: core.RecordMessage, Message: &m}); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := ses.Close(); err != nil {
		s.t.Fatal(err)
	}
	return ses.ID()
}

func (s *shelf) Recent() ([]Summary, error) {
	rows, _, err := s.List()
	var out []Summary
	for _, r := range rows {
		out = append(out, Summary{ID: r.ID, Title: r.Title, Started: r.Created, Updated: r.Updated, Messages: r.Messages})
	}
	return out, err
}

func (s *shelf) Messages(id string) (Summary, []core.Message, error) {
	t, err := s.Read(id)
	if err != nil {
		return Summary{}, nil, err
	}
	return Summary{ID: id, Title: t.Title(), Started: t.Header.Created, Updated: time.Now()}, t.Messages(), nil
}

func (s *shelf) Compacted(string) []string { return s.compacted }

func (s *shelf) call(args string) (core.ToolResult, map[string]any) {
	s.t.Helper()
	r := s.tool.Run(s.t.Context(), core.ToolRun{SessionID: s.live, Arguments: json.RawMessage(args)})
	var out map[string]any
	if r.OK {
		if err := json.Unmarshal([]byte(r.Content), &out); err != nil {
			s.t.Fatal(err)
		}
	}
	return r, out
}

func found(out map[string]any) []string {
	var ids []string
	list, _ := out["sessions"].([]any)
	for _, g := range list {
		ids = append(ids, g.(map[string]any)["session_id"].(string))
	}
	return ids
}

func TestSessionSearch_discover(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	a := s.add("周末去杭州看西湖", "好的")
	s.add("something else", "no")
	s.add("run it", "ok", "tool:西湖 in the output")
	s.live = s.add("西湖 now", "yes", "西湖 later")
	if _, out := s.call(`{"query":"西湖","limit":50}`); len(found(out)) != 1 || found(out)[0] != a {
		t.Errorf("%v", out)
	}
	if _, out := s.call(`{"query":"西湖","role_filter":"tool"}`); len(found(out)) != 1 {
		t.Errorf("%v", out)
	}
	if _, out := s.call(`{"query":"西湖 role:tool"}`); len(found(out)) != 1 {
		t.Errorf("%v", out)
	}
	// Of the live session only what its model no longer sees counts.
	s.compacted = []string{"m1"}
	_, out := s.call(`{"query":"西湖"}`)
	if ids := found(out); len(ids) != 2 || ids[0] != s.live {
		t.Fatalf("%v", out)
	}
	if hits := out["sessions"].([]any)[0].(map[string]any)["hits"].([]any); len(hits) != 1 {
		t.Errorf("%v", hits)
	}
	if _, out = s.call(`{"query":"nowhere to be found"}`); len(found(out)) != 0 || out["hint"] == nil {
		t.Errorf("%v", out)
	}
}

func TestSessionSearch_readScrollBrowse(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	var texts []string
	for i := range 40 {
		texts = append(texts, fmt.Sprint(i, strings.Repeat("漢", 5000)))
	}
	long, short := s.add(texts...), s.add("a", "b")
	if _, out := s.call(`{"session_id":"` + long + `"}`); len(out["start"].([]any)) != 20 || len(out["end"].([]any)) != 10 || out["truncated"] != 10.0 {
		t.Errorf("%v", out["truncated"])
	}
	if _, out := s.call(`{"session_id":"` + short + `"}`); len(out["messages"].([]any)) != 2 {
		t.Errorf("%v", out)
	}
	_, out := s.call(`{"session_id":"` + long + `","around_message_id":"m20","window":0}`)
	if got := out["messages"].([]any); len(got) != 3 || out["messages_before"] != 18.0 || got[0].(map[string]any)["cut"] == nil {
		t.Errorf("%v", out["messages_before"])
	}
	for _, args := range []string{`{"session_id":"nope"}`, `{"session_id":"` + short + `","around_message_id":"m99"}`} {
		if r, _ := s.call(args); r.OK {
			t.Errorf("%s: %+v", args, r)
		}
	}
	s.live = short
	if _, out = s.call(`{}`); len(found(out)) != 1 {
		t.Errorf("the live session is listed: %v", out)
	}
}

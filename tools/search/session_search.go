package search

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/text"
	"hermes/index"
	"hermes/tools"
)

//go:embed session_search.md
var description string

// Summary is a stored session.
type Summary struct {
	ID       string    `json:"session_id"`
	Title    string    `json:"title"`
	Started  time.Time `json:"started_at"`
	Updated  time.Time `json:"last_active"`
	Messages int       `json:"messages"`
}

// Archive reads stored sessions.
type Archive interface {
	// Recent lists sessions, last used first.
	Recent() ([]Summary, error)
	// Messages returns a session and what was said in it.
	Messages(id string) (Summary, []core.Message, error)
	// Compacted lists the ids of the messages of a live session that its model no longer sees.
	Compacted(id string) []string
}

// Finder searches; *index.Index is one.
type Finder interface {
	Search(ctx context.Context, q index.Query, o index.Options) (index.Results, error)
}

// Limits of what a call gives, in code points and messages.
const (
	maxSessions  = 10
	maxWindow    = 20
	windowCap    = 4_000
	bookendCap   = 1_200
	readHead     = 20
	readTail     = 10
	browseCount  = 10
	defaultLimit = 3
)

// Tool is session_search. It is safe for concurrent use.
type Tool struct {
	finder   Finder
	archive  Archive
	now      func() time.Time
	patience time.Duration // for the summaries of one search
}

// New returns the tool. An archive with a method Summariser() Summariser has the best sessions summarised.
func New(f Finder, a Archive) *Tool {
	return &Tool{finder: f, archive: a, now: time.Now, patience: summaryTime}
}

// Spec describes the tool.
func (t *Tool) Spec() core.ToolSpec {
	return core.ToolSpec{Name: "session_search", Description: strings.TrimSpace(description), Parameters: json.RawMessage(`{"type":"object","properties":{` +
		`"query":{"type":"string","description":"What to look for."},` +
		`"limit":{"type":"integer","description":"Sessions to give, 1 to 10; default 3."},` +
		`"session_id":{"type":"string","description":"A session to read."},` +
		`"around_message_id":{"type":"string","description":"A message of it to read around, such as m12."},` +
		`"window":{"type":"integer","description":"Messages on each side, 1 to 20; default 5."},` +
		`"role_filter":{"type":"string","description":"Comma list of user, assistant, tool; default user,assistant and titles."}` +
		`},"additionalProperties":false}`)}
}

// ReadsOnly lets searches run beside other reads.
func (t *Tool) ReadsOnly(json.RawMessage) bool { return true }

type arguments struct {
	Query   string `json:"query"`
	Limit   int    `json:"limit"`
	Session string `json:"session_id"`
	Around  string `json:"around_message_id"`
	Window  int    `json:"window"`
	Roles   string `json:"role_filter"`
}

// Run finds, reads, scrolls or browses, by what the call names.
func (t *Tool) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	a := arguments{Limit: defaultLimit, Window: 5}
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return tools.Fail("session_search was not run: " + err.Error() + ".")
	}
	a.Limit, a.Window = min(max(a.Limit, 1), maxSessions), min(max(a.Window, 1), maxWindow)
	switch {
	case a.Session != "":
		return t.read(a)
	case strings.TrimSpace(a.Query) != "":
		return t.discover(ctx, a, run.SessionID)
	}
	return t.browse(run.SessionID)
}

// discover searches all sessions but the live one, of which only what its model no longer sees counts.
func (t *Tool) discover(ctx context.Context, a arguments, live string) core.ToolResult {
	q := index.Parse(a.Query, t.now())
	roles := roleSet(a.Roles, q)
	r, err := t.finder.Search(ctx, q, index.Options{Limit: a.Limit * 3, PerHit: 6, Exclude: live, Now: t.now()})
	if err != nil {
		return tools.Fail("The search did not work: " + err.Error() + ".")
	}
	if gone := t.archive.Compacted(live); len(gone) > 0 && live != "" {
		own := q
		own.Session = live
		if mine, err := t.finder.Search(ctx, own, index.Options{Limit: 1, PerHit: 50, Now: t.now()}); err == nil {
			for _, g := range mine.Sessions {
				g.Hits = slices.DeleteFunc(g.Hits, func(h index.Hit) bool { return !slices.Contains(gone, h.MessageID) })
				if len(g.Hits) > 0 {
					g.Title = "this session, before it was compacted"
					r.Sessions = append([]index.Group{g}, r.Sessions...)
				}
			}
		}
	}
	out := []index.Group{}
	for _, g := range r.Sessions {
		g.Hits = slices.DeleteFunc(g.Hits, func(h index.Hit) bool { return !roles[h.Role] })
		if len(g.Hits) > 0 && len(out) < a.Limit {
			g.Hits = g.Hits[:min(len(g.Hits), 3)]
			for i := range g.Hits {
				g.Hits[i].Marks = nil // for screens
			}
			out = append(out, g)
		}
	}
	told, note := t.summarise(ctx, a.Query, live, out)
	result := map[string]any{"query": a.Query, "total": r.Total, "sessions": told}
	if note != "" {
		result["summaries"] = note
	}
	if r.Limited != "" {
		result["limited"] = r.Limited
	}
	if len(r.Notes) > 0 {
		result["notes"] = r.Notes
	}
	if len(out) == 0 {
		result["hint"] = "nothing found; try fewer or other words, a prefix*, or OR"
	}
	return reply(result, fmt.Sprintf("%d sessions", len(out)))
}

// roleSet is which roles count: those asked for, else what people and models said.
func roleSet(filter string, q index.Query) map[string]bool {
	roles := map[string]bool{"user": true, "assistant": true, "title": true}
	if filter != "" {
		roles = map[string]bool{}
		for _, r := range strings.Split(filter, ",") {
			roles[strings.TrimSpace(r)] = true
		}
	}
	if q.Role == "tool" || q.Tool != "" {
		roles["tool"] = true
	}
	return roles
}

// message is one message as the model reads it.
type message struct {
	ID   string    `json:"id"`
	Role core.Role `json:"role"`
	Tool string    `json:"tool,omitempty"`
	Text string    `json:"text"`
	Cut  int       `json:"cut,omitempty"` // code points left out
}

func messages(msgs []core.Message, limit int) []message {
	out := []message{}
	for _, m := range msgs {
		body := text.Neutralise(m.Display())
		for _, c := range m.ToolCalls {
			body += "\n[calls " + c.Name + " " + text.Cut(c.Arguments, 300) + "]"
		}
		body, n := text.HeadTail(strings.TrimSpace(body), limit)
		out = append(out, message{m.ID, m.Role, m.ToolName, body, n})
	}
	return out
}

// read gives a session, or the part around a message.
func (t *Tool) read(a arguments) core.ToolResult {
	s, msgs, err := t.archive.Messages(a.Session)
	if err != nil {
		return tools.Fail(err.Error() + ".")
	}
	if a.Around != "" {
		at := slices.IndexFunc(msgs, func(m core.Message) bool { return m.ID == a.Around })
		if at < 0 {
			return tools.Fail(fmt.Sprintf("Session %s has no message %q.", s.ID, text.Cut(a.Around, 40)))
		}
		from, to := max(0, at-a.Window), min(len(msgs), at+a.Window+1)
		return reply(map[string]any{
			"session": s, "messages_before": from, "messages_after": len(msgs) - to, "messages": messages(msgs[from:to], windowCap),
		}, "around "+a.Around)
	}
	if len(msgs) <= readHead+readTail {
		return reply(map[string]any{"session": s, "messages": messages(msgs, windowCap)}, s.Title)
	}
	return reply(map[string]any{
		"session": s, "truncated": len(msgs) - readHead - readTail,
		"start": messages(msgs[:readHead], bookendCap), "end": messages(msgs[len(msgs)-readTail:], bookendCap),
	}, s.Title)
}

// browse lists the most recent sessions.
func (t *Tool) browse(live string) core.ToolResult {
	all, err := t.archive.Recent()
	if err != nil {
		return tools.Fail(err.Error() + ".")
	}
	all = slices.DeleteFunc(all, func(s Summary) bool { return s.ID == live })
	return reply(map[string]any{"sessions": all[:min(len(all), browseCount)]}, fmt.Sprintf("%d sessions", len(all)))
}

func reply(v any, summary string) core.ToolResult {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return tools.Fail("The result could not be written: " + err.Error() + ".")
	}
	return core.ToolResult{OK: true, Content: strings.TrimSpace(b.String()), Detail: &core.ToolDetail{Summary: summary}}
}

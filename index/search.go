package index

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"hermes/core"
)

// Options narrow a search.
type Options struct {
	Limit   int    // sessions; 0 is 10
	PerHit  int    // hits a session; 0 is 3
	Exclude string // a session that is not searched: the live one
	Now     time.Time
}

// Results are what a search found, best session first.
type Results struct {
	Query    string   `json:"query"`
	Total    int      `json:"total"`              // messages that match, among those looked at
	Limited  string   `json:"limited,omitempty"`  // why there may be more, or why it was slow
	Building bool     `json:"building,omitempty"` // the index is being built, in this or another program
	Notes    []string `json:"notes,omitempty"`    // what of the query was not understood
	Sessions []Group  `json:"sessions"`
}

// Group is a session with its best hits.
type Group struct {
	SessionID string    `json:"session_id"`
	Title     string    `json:"title"`
	Started   time.Time `json:"started_at"`
	Score     float64   `json:"score"`
	Hits      []Hit     `json:"hits"`
}

// Hit is a message that matches.
type Hit struct {
	MessageID string    `json:"message_id"`
	Role      string    `json:"role"`
	Tool      string    `json:"tool,omitempty"`
	Time      time.Time `json:"time"`
	Excerpt   string    `json:"excerpt"`
	Marks     [][2]int  `json:"marks,omitempty"` // byte ranges of Excerpt that match
	score     float64
	session   string
}

// candidates is how many messages the engine may propose for one search.
const candidates = 400

// building is how Limited begins while the index is not complete.
const building = "the index is being built"

// syncPatience is how long a search waits for the index to catch up.
const syncPatience = 2 * time.Second

// Search finds messages. It never fails for the wording of a query; when the engine cannot be used the
// transcripts are searched directly, and Limited says so.
func (x *Index) Search(ctx context.Context, q Query, o Options) (Results, error) {
	o.Limit, o.PerHit = cmp.Or(o.Limit, 10), cmp.Or(o.PerHit, 3)
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	r := Results{Query: q.Text, Notes: q.Notes, Sessions: []Group{}}
	if q.Empty() {
		r.Notes = append(r.Notes, "the query holds nothing that could be looked for")
		return r, nil
	}
	hits, total, limited, err := x.hits(ctx, q, o)
	if err != nil {
		return r, err
	}
	r.Limited, r.Building = limited, strings.Contains(limited, building)
	r.Total = total
	r.Sessions = x.group(hits, o)
	return r, nil
}

// hits asks the engine, or the transcripts when it cannot be had.
func (x *Index) hits(ctx context.Context, q Query, o Options) (hits []Hit, total int, limited string, err error) {
	catch, cancel := context.WithTimeout(ctx, syncPatience)
	p, err := x.Sync(catch, nil)
	cancel()
	limited = x.engine.takeReason()
	var why string
	switch {
	case ctx.Err() != nil:
		return nil, 0, "", ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		why = building + " (" + percent(p) + ")"
	case err != nil:
		why = "the index cannot be used now (" + err.Error() + ")"
	default:
		var more bool
		hits, total, more, err = x.ask(ctx, q, o)
		if err == nil {
			if more && !exact(q.root) {
				limited = join2(limited, "only the best candidates were looked at; narrow the query for more")
			}
			return hits, total, limited, nil
		}
		why = "the index failed (" + err.Error() + ")"
	}
	hits, err = x.scan(ctx, q, o)
	return hits, len(hits), join2(limited, why+"; the transcripts were searched directly"), err
}

func join2(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func percent(p Progress) string {
	if p.Sessions == 0 {
		return "0 %"
	}
	return itoa(p.Done*100/p.Sessions) + " %"
}

// proposal is a message the engine thinks of.
type proposal struct {
	session, id string
	score       float64
	offset      int64
}

// looked is how many matching messages a search loads before it stops looking for more.
const looked = 60

// ask lets the engine propose messages and loads the best that fit. total is how many match, as far as is
// known; more says that not all proposals were looked at.
func (x *Index) ask(ctx context.Context, q Query, o Options) (hits []Hit, total int, more bool, err error) {
	var props []proposal
	var count int
	err = x.engine.with(ctx, func(idx bleve.Index) error {
		req := bleve.NewSearchRequestOptions(engineQuery(q, o), candidates, 0, false)
		req.Fields = []string{"o", "r", "d"}
		res, err := idx.SearchInContext(ctx, req)
		if err != nil {
			return err
		}
		count = int(res.Total)
		for _, h := range res.Hits {
			session, _, _ := strings.Cut(h.ID, "/")
			offset, _ := h.Fields["o"].(float64)
			role, _ := h.Fields["r"].(string)
			at, _ := h.Fields["d"].(float64)
			score := h.Score * weight(role) * recency(o.Now.Sub(time.Unix(int64(at), 0)))
			props = append(props, proposal{session, h.ID, score, int64(offset)})
		}
		return nil
	})
	if err != nil {
		return nil, 0, false, err
	}
	slices.SortStableFunc(props, func(a, b proposal) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	hits, tried, err := x.load(ctx, props, q, o)
	total, more = len(hits), tried < len(props) || count > candidates
	if exact(q.root) {
		total = count // the engine's word for it is enough
	}
	return hits, total, more, err
}

// load reads proposals from the transcripts, best first, until enough of them fit.
func (x *Index) load(ctx context.Context, props []proposal, q Query, o Options) (hits []Hit, tried int, err error) {
	files := map[string]*os.File{}
	defer func() {
		for _, f := range files {
			closeQuiet(f)
		}
	}()
	sessions := map[string]int{}
	for i, p := range props {
		if ctx.Err() != nil {
			return hits, i, ctx.Err()
		}
		if len(hits) >= looked && len(sessions) >= min(o.Limit, looked) {
			return hits, i, nil
		}
		if sessions[p.session] >= looked/2 {
			continue // one long session must not hide the others
		}
		f, open := files[p.session]
		if !open {
			f, err = os.Open(x.home.Transcript(p.session))
			if err != nil {
				f = nil // deleted since; the next Sync forgets it
			}
			files[p.session] = f
		}
		if h, ok := x.verify(f, p, q, o); ok {
			hits = append(hits, h)
			sessions[p.session]++
		}
	}
	return hits, len(props), nil
}

// exact tells whether what the engine proposes for a node always fits: plain words, one term each.
func exact(n node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case wordNode:
		return len(n.parts) == 1 && n.parts[0] == n.text
	case andNode:
		return !slices.ContainsFunc(n, func(c node) bool { return !exact(c) })
	case orNode:
		return !slices.ContainsFunc(n, func(c node) bool { return !exact(c) })
	}
	return false
}

func closeQuiet(f *os.File) {
	if f != nil {
		_ = f.Close() // read only
	}
}

// verify reads the message of a proposal and decides whether it matches.
func (x *Index) verify(file *os.File, p proposal, q Query, o Options) (Hit, bool) {
	if file == nil {
		return Hit{}, false
	}
	b, err := bufio.NewReaderSize(io.NewSectionReader(file, p.offset, math.MaxInt64-p.offset), 4<<10).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return Hit{}, false
	}
	l, ok := decode(b)
	if !ok {
		return Hit{}, false
	}
	h, ok := match(p.session, l, q, o)
	h.score = p.score
	return h, ok
}

// match decides whether a record matches and makes its hit.
func match(session string, l line, q Query, o Options) (Hit, bool) {
	h := Hit{session: session, Time: l.Time}
	var body string
	switch l.Type {
	case core.RecordTitle:
		h.Role, body = roleTitle, l.Title
	case core.RecordMessage:
		h.Role, h.Tool, h.MessageID, body = string(l.Message.Role), l.Message.ToolName, l.Message.ID, textOf(*l.Message)
	default:
		return h, false
	}
	if q.Role != "" && q.Role != h.Role || q.Tool != "" && q.Tool != h.Tool || q.Session != "" && q.Session != session || session == o.Exclude ||
		!q.Since.IsZero() && h.Time.Before(q.Since) || !q.Before.IsZero() && !h.Time.Before(q.Before) {
		return h, false
	}
	if q.root != nil && !q.root.fits(Searchable(body)) {
		return h, false
	}
	h.Excerpt, h.Marks = excerpt(body, q)
	return h, true
}

// weight prefers what people and models said to what tools printed, and titles to all.
func weight(role string) float64 {
	switch role {
	case roleTitle:
		return 3
	case string(core.RoleTool):
		return 0.6
	}
	return 1
}

// recency halves the weight of what is about two months old, and never below a third.
func recency(age time.Duration) float64 {
	days := max(age.Hours()/24, 0)
	return 1.0/3 + 2.0/3*math.Exp2(-days/60)
}

// engineQuery is what the engine is asked: every message that may fit, never fewer.
func engineQuery(q Query, o Options) query.Query {
	var must []query.Query
	if q.root != nil {
		must = append(must, proposeAll(q.root))
	} else {
		must = append(must, query.NewMatchAllQuery())
	}
	for field, value := range map[string]string{"r": q.Role, "n": q.Tool, "s": q.Session} {
		if value != "" {
			must = append(must, term(field, value))
		}
	}
	if !q.Since.IsZero() || !q.Before.IsZero() {
		low, high := (*float64)(nil), (*float64)(nil)
		if !q.Since.IsZero() {
			v := float64(q.Since.Unix())
			low = &v
		}
		if !q.Before.IsZero() {
			v := float64(q.Before.Unix() + 1)
			high = &v
		}
		r := query.NewNumericRangeQuery(low, high)
		r.SetField("d")
		must = append(must, r)
	}
	var out query.Query = query.NewConjunctionQuery(must)
	if o.Exclude != "" {
		out = query.NewBooleanQuery([]query.Query{out}, nil, []query.Query{term("s", o.Exclude)})
	}
	return out
}

func term(field, value string) query.Query {
	t := query.NewTermQuery(value)
	t.SetField(field)
	return t
}

// proposeAll turns a node into an engine query that holds for every text the node fits. Exclusions are left
// to the transcript: the engine knows only terms, and a term is less than a word.
func proposeAll(n node) query.Query {
	switch n := n.(type) {
	case wordNode:
		var parts []query.Query
		for i, p := range n.parts {
			if n.prefix && i == len(n.parts)-1 {
				pre := query.NewPrefixQuery(p)
				pre.SetField("t")
				parts = append(parts, pre)
				continue
			}
			parts = append(parts, term("t", p))
		}
		return query.NewConjunctionQuery(parts)
	case andNode:
		var all []query.Query
		for _, c := range n {
			if _, not := c.(notNode); !not {
				all = append(all, proposeAll(c))
			}
		}
		return query.NewConjunctionQuery(all)
	case orNode:
		var any []query.Query
		for _, c := range n {
			any = append(any, proposeAll(c))
		}
		return query.NewDisjunctionQuery(any)
	}
	return query.NewMatchAllQuery()
}

// group orders hits by session.
func (x *Index) group(hits []Hit, o Options) []Group {
	by := map[string]*Group{}
	var order []*Group
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.Time.Compare(a.Time), cmp.Compare(a.session+a.MessageID, b.session+b.MessageID))
	})
	for _, h := range hits {
		g := by[h.session]
		if g == nil {
			g = &Group{SessionID: h.session, Score: h.score}
			by[h.session] = g
			order = append(order, g)
		}
		if len(g.Hits) < o.PerHit && (h.Role != roleTitle || len(g.Hits) == 0) {
			g.Hits = append(g.Hits, h)
		}
	}
	x.syncing.Lock()
	known := x.known
	x.syncing.Unlock()
	out := []Group{}
	for _, g := range order[:min(len(order), o.Limit)] {
		g.Title, g.Started = x.about(g.SessionID, known)
		out = append(out, *g)
	}
	return out
}

// about says what a session is called and when it began: from the checkpoints, else from the transcript.
func (x *Index) about(session string, known map[string]checkpoint) (title string, started time.Time) {
	cp, ok := known[session]
	if !ok {
		cp = readAbout(x.home.Transcript(session))
	}
	return cmp.Or(cp.Title, cp.First), cp.Started
}

func readAbout(path string) checkpoint {
	var cp checkpoint
	f, err := os.Open(path)
	if err != nil {
		return cp
	}
	defer closeQuiet(f)
	br := bufio.NewReaderSize(f, 64<<10)
	for {
		b, err := br.ReadBytes('\n')
		head := b[:min(len(b), 200)]
		var l line
		if bytes.Contains(head, []byte(`"type":"session"`)) || bytes.Contains(head, []byte(`"type":"title"`)) || cp.First == "" && bytes.Contains(head, []byte(`"role":"user"`)) {
			l, _ = decode(b)
		}
		switch {
		case l.Type == "session":
			cp.Started = l.Created
		case l.Type == core.RecordTitle:
			cp.Title = l.Title
		case l.Message != nil:
			cp.First = firstLine(l.Message.Display())
		}
		if err != nil {
			return cp
		}
	}
}

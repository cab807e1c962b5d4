package index

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2"

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
	offset    int64
	body      string // the text the excerpt is cut from
}

// building is how Limited begins while the index is not complete.
const building = "the index is being built"

// Search finds messages. It never fails for the wording of a query; when the engine cannot be used the
// transcripts are searched directly, and Limited says so.
func (x *Index) Search(ctx context.Context, q Query, o Options) (Results, error) {
	o.Limit, o.PerHit = cmp.Or(max(o.Limit, 0), 10), cmp.Or(max(o.PerHit, 0), 3)
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	r := Results{Query: q.Text, Notes: q.Notes, Sessions: []Group{}}
	if q.Empty() {
		r.Notes = append(r.Notes, "the query holds nothing that could be looked for")
		return r, nil
	}
	f, err := x.hits(ctx, q, o)
	if err != nil {
		return r, err
	}
	r.Limited, r.Building = f.limited, strings.Contains(f.limited, building)
	r.Total = f.total
	r.Sessions = x.group(f.hits, q, o)
	return r, nil
}

// hits asks the engine, or the transcripts when it cannot be had.
func (x *Index) hits(ctx context.Context, q Query, o Options) (findings, error) {
	if x.untouched() {
		return findings{}, nil
	}
	p, err := x.catchUp(ctx)
	reason := x.engine.takeReason()
	var why string
	switch {
	case ctx.Err() != nil:
		return findings{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		why = building + " (" + percent(p) + ")"
	case err != nil:
		why = "the index cannot be used now (" + err.Error() + ")"
	default:
		lease := x.engine.serial()
		f, err := x.ask(ctx, q, o)
		if err == nil && lease != 0 && lease != x.engine.serial() { // deleted, or changed by others, in between
			if _, err = x.catchUp(ctx); err == nil {
				f, err = x.ask(ctx, q, o)
			}
		}
		if ctx.Err() != nil {
			return findings{}, ctx.Err()
		}
		if err == nil {
			f.limited = join2(reason, f.limited)
			return f, nil
		}
		why = "the index failed (" + err.Error() + ")"
	}
	hits, total, err := x.scan(ctx, q, o)
	return findings{hits, total, join2(reason, why+"; the transcripts were searched directly")}, err
}

func join2(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func percent(p Progress) string {
	if p.Sessions == 0 {
		return "0 %"
	}
	return itoa(p.Done*100/p.Sessions) + " %"
}

// looked is how many matching messages a search loads before it stops looking for more.
const looked = 60

// pages are how many messages are scored: fewer where all of them match, more only when none of the first
// ones did.
func pages(q Query) [2]int {
	if exact(q.root) {
		return [2]int{500, 5_000}
	}
	return [2]int{1_000, 20_000}
}

// findings are what the engine and the transcripts say together.
type findings struct {
	hits    []Hit
	total   int    // messages that match, as far as is known
	limited string // why there may be more
}

// ask lets the engine propose messages and loads the best that fit.
func (x *Index) ask(ctx context.Context, q Query, o Options) (f findings, err error) {
	seen := map[place]bool{}
	for _, k := range pages(q) {
		props, total, capped, err := x.propose(ctx, q, o, k)
		if err != nil {
			return findings{}, err
		}
		props = slices.DeleteFunc(props, func(p proposal) bool { return seen[p.place] })
		var tried int
		f.hits, tried, err = x.load(ctx, props, q, o)
		if err != nil {
			return findings{}, err
		}
		f.total, f.limited = len(f.hits), ""
		switch {
		case capped:
			f.limited = "the prefix stands for very many words; a longer one finds more"
		case exact(q.root) && total > k:
			f.limited = fmt.Sprintf("the most recent of %d matches were ranked", total)
		case !exact(q.root) && tried < len(props):
			f.limited = "only the best candidates were looked at; narrow the query for more"
		case !exact(q.root) && total > k:
			f.limited = fmt.Sprintf("only the most recent of %d candidates were looked at; narrow the query for more", total)
		}
		if exact(q.root) {
			f.total = total // the engine's word for it is enough
		}
		if len(f.hits) > 0 || total <= k {
			return f, nil
		}
		for _, p := range props {
			seen[p.place] = true
		}
	}
	return f, nil
}

// propose asks the engine for the k most promising messages, best first, and how many there are.
func (x *Index) propose(ctx context.Context, q Query, o Options, k int) (props []proposal, total int, capped bool, err error) {
	err = x.engine.with(ctx, func(idx bleve.Index) error {
		v, release, err := evaluate(idx, q, o, &x.stats)
		if err != nil {
			return err
		}
		r := newRanker(o.Now)
		sets, err := v.best(k, r, &x.stats)
		if err == nil {
			props, err = v.score(sets, r)
		}
		total, capped = v.total, v.capped
		return errors.Join(err, release())
	})
	return props, total, capped, err
}

// wave is how many proposals are read at a time, by as many goroutines as make sense.
const (
	wave    = 64
	readers = 4
)

// load reads proposals from the transcripts, best first, until enough of them fit.
func (x *Index) load(ctx context.Context, props []proposal, q Query, o Options) (hits []Hit, tried int, err error) {
	files := map[string]*os.File{}
	defer func() {
		for _, f := range files {
			closeQuiet(f)
		}
	}()
	sessions := map[string]int{}
	for tried < len(props) {
		if ctx.Err() != nil {
			return hits, tried, ctx.Err()
		}
		var todo []proposal
		for ; tried < len(props) && len(todo) < wave; tried++ {
			p := props[tried]
			if sessions[p.session] >= max(looked/2, o.PerHit) {
				continue // one long session must not hide the others
			}
			if _, open := files[p.session]; !open {
				files[p.session], _ = os.Open(x.home.Transcript(p.session)) // nil: deleted since; the next Sync forgets it
			}
			todo = append(todo, p)
		}
		for _, h := range verifyAll(todo, files, q, o) {
			hits = append(hits, h)
			sessions[h.session]++
		}
		if len(hits) >= looked && len(sessions) >= min(o.Limit, looked) {
			return hits, tried, nil
		}
	}
	return hits, tried, nil
}

// verifyAll reads proposals side by side; hits keep their order.
func verifyAll(todo []proposal, files map[string]*os.File, q Query, o Options) []Hit {
	out := make([]*Hit, len(todo))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(readers, runtime.GOMAXPROCS(0), (len(todo)+7)/8) {
		wg.Go(func() {
			br := bufio.NewReaderSize(nil, 8<<10)
			for i := int(next.Add(1)) - 1; i < len(todo); i = int(next.Add(1)) - 1 {
				if h, ok := verify(br, files[todo[i].session], todo[i], q, o); ok {
					out[i] = &h
				}
			}
		})
	}
	wg.Wait()
	var hits []Hit
	for _, h := range out {
		if h != nil {
			hits = append(hits, *h)
		}
	}
	return hits
}

func closeQuiet(f *os.File) {
	if f != nil {
		_ = f.Close() // read only
	}
}

// verify reads the message of a proposal and decides whether it matches.
func verify(br *bufio.Reader, file *os.File, p proposal, q Query, o Options) (Hit, bool) {
	if file == nil {
		return Hit{}, false
	}
	br.Reset(io.NewSectionReader(file, p.offset, math.MaxInt64-p.offset))
	b, err := br.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		var rest []byte
		b = bytes.Clone(b)
		rest, err = br.ReadBytes('\n')
		b = append(b, rest...)
	}
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
	h.body = body
	return h, true
}

// group orders hits by session.
func (x *Index) group(hits []Hit, q Query, o Options) []Group {
	by := map[string]*Group{}
	var order []*Group
	sorted := make([]*Hit, len(hits))
	for i := range hits {
		sorted[i] = &hits[i]
	}
	slices.SortFunc(sorted, func(a, b *Hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.Time.Compare(a.Time), cmp.Compare(a.session, b.session), cmp.Compare(a.MessageID, b.MessageID))
	})
	for _, h := range sorted {
		g := by[h.session]
		if g == nil {
			g = &Group{SessionID: h.session, Score: h.score}
			by[h.session] = g
			order = append(order, g)
		}
		if len(g.Hits) < o.PerHit && (h.Role != roleTitle || len(g.Hits) == 0) {
			g.Hits = append(g.Hits, *h)
		}
	}
	var known map[string]checkpoint
	if k := x.known.Load(); k != nil {
		known = *k
	}
	out := []Group{}
	for _, g := range order[:min(len(order), o.Limit)] {
		g.Title, g.Started = x.about(g.SessionID, known)
		for i := range g.Hits {
			g.Hits[i].Excerpt, g.Hits[i].Marks = excerpt(g.Hits[i].body, q)
			g.Hits[i].body = ""
		}
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

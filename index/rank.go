package index

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// proposal is a message the engine thinks of.
type proposal struct {
	place

	score float64
}

// stat is what of a message ranks it whatever is looked for.
type stat struct {
	at      uint32 // seconds since 1970
	session uint32 // its number in stats
	kind    kind
}

// stats keeps the stats of segments, which never change. It outlives a lease: 12 bytes a message.
type stats struct {
	mu       sync.Mutex
	segs     map[uint64]segStats
	sessions map[string]uint32 // every session that was met, by number
}

type segStats struct {
	first, last string // names of documents: another segment may get the number after a rebuild
	list        []stat
}

// of returns the stats of all messages of a segment.
func (s *stats) of(seg *scorch.SegmentSnapshot) ([]stat, error) {
	n := seg.Segment().Count()
	if n == 0 {
		return nil, nil
	}
	first, err := seg.DocID(0)
	if err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	last, err := seg.DocID(n - 1)
	if err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.segs[seg.Id()]; ok && uint64(len(c.list)) == n && c.first == string(first) && c.last == string(last) {
		return c.list, nil
	}
	c := segStats{first: string(first), last: string(last), list: make([]stat, n)}
	for i := range n {
		b, err := seg.DocID(i)
		if err != nil {
			return nil, fmt.Errorf("read search index: %w", err)
		}
		p, _ := parsePlace(string(b))
		c.list[i] = stat{at: p.at, session: s.number(p.session), kind: p.kind}
	}
	if s.segs == nil {
		s.segs = map[uint64]segStats{}
	}
	s.segs[seg.Id()] = c
	return c.list, nil
}

// number is that of a session. The caller holds mu.
func (s *stats) number(session string) uint32 {
	n, ok := s.sessions[session]
	if !ok {
		if s.sessions == nil {
			s.sessions = map[string]uint32{}
		}
		n = uint32(len(s.sessions)) //nolint:gosec // far below
		s.sessions[strings.Clone(session)] = n
	}
	return n
}

// known is how many sessions have a number.
func (s *stats) known() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// keep forgets the segments that are gone.
func (s *stats) keep(live map[uint64]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.segs {
		if !live[id] {
			delete(s.segs, id)
		}
	}
}

// ranker weighs messages by kind and age.
type ranker struct {
	now  int64
	days [3 * 365]float64 // recency by age in days; older is as old as the last
	keys [3][3 * 365]uint64
}

func newRanker(now time.Time) *ranker {
	r := &ranker{now: now.Unix()}
	for i := range r.days {
		r.days[i] = recency(time.Duration(i) * 24 * time.Hour)
		for j, k := range [3]kind{kindTalk, kindTool, kindTitle} {
			r.keys[j][i] = uint64(weightOf(k)*r.days[i]*1e6) << 32
		}
	}
	return r
}

// age is that of a message in days, as far as it counts.
func (r *ranker) age(at uint32) int {
	return int(min(max(r.now-int64(at), 0)/(24*60*60), int64(len(r.days)-1)))
}

// weight is how much a hit counts, before what was looked for.
func (r *ranker) weight(p place) float64 { return weightOf(p.kind) * r.days[r.age(p.at)] }

// key orders messages by weight, then by time.
func (r *ranker) key(s stat) uint64 {
	row := 0
	switch s.kind {
	case kindTool:
		row = 1
	case kindTitle:
		row = 2
	case kindTalk:
	}
	return r.keys[row][r.age(s.at)] | uint64(s.at)
}

// promising is a message that was chosen for scoring.
type promising struct {
	key  uint64
	part uint32
	doc  uint32
}

// chosen are the k most promising messages seen so far: a heap with the least promising on top.
type chosen struct {
	list []promising
	k    int
}

// offer takes p when it is promising enough.
func (c *chosen) offer(p promising) {
	switch {
	case len(c.list) < c.k:
		if c.list == nil {
			c.list = make([]promising, 0, min(c.k, 64))
		}
		c.list = append(c.list, p)
		for i := len(c.list) - 1; i > 0 && c.list[i].key < c.list[(i-1)/2].key; i = (i - 1) / 2 {
			c.list[i], c.list[(i-1)/2] = c.list[(i-1)/2], c.list[i]
		}
	case c.k > 0 && p.key > c.list[0].key:
		c.list[0] = p
		c.sink()
	}
}

// sink restores the order after the top was replaced.
func (c *chosen) sink() {
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(c.list) && c.list[child].key < c.list[least].key {
				least = child
			}
		}
		if least == i {
			return
		}
		c.list[i], c.list[least] = c.list[least], c.list[i]
		i = least
	}
}

// best chooses up to k messages: all when there are no more, else titles, then the newest, weighed by who
// speaks. Every branch of an OR gets its share, or a rare word would drown in a common one.
func (v *view) best(k int, r *ranker, s *stats) ([]*roaring.Bitmap, error) {
	out := make([]*roaring.Bitmap, len(v.parts))
	facets := 0
	for i, p := range v.parts {
		out[i] = p.hits
		facets = max(facets, len(p.facets))
	}
	if v.total <= k {
		return out, nil
	}
	for i := range out {
		out[i] = roaring.New()
	}
	for f := range max(facets, 1) {
		top, err := v.top(k/max(facets, 1), f, r, s)
		if err != nil {
			return nil, err
		}
		docs := make([][]uint32, len(out))
		for _, t := range top.list {
			docs[t.part] = append(docs[t.part], t.doc)
		}
		for i, d := range docs {
			out[i].AddMany(d)
		}
	}
	return out, nil
}

// spread is the share of the chosen messages that one session may have at most: what was said all over a long
// session must not hide the others.
const spread = 32

// top chooses the k most promising messages of a facet.
func (v *view) top(k, facet int, r *ranker, s *stats) (*chosen, error) {
	var by []chosen // sessions, by number
	buf := make([]uint32, 1024)
	for i, p := range v.parts {
		list, err := s.of(p.seg)
		if err != nil {
			return nil, err
		}
		if n := s.known(); n > len(by) {
			by = append(by, make([]chosen, n-len(by))...)
		}
		set := p.hits
		if facet < len(p.facets) {
			set = roaring.And(p.hits, p.facets[facet])
		}
		it := set.ManyIterator()
		for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
			for _, doc := range buf[:n] {
				c := &by[list[doc].session]
				c.k = k
				if !v.single {
					c.k = max(k/spread, 1)
				}
				c.offer(promising{r.key(list[doc]), uint32(i), doc}) //nolint:gosec // segments are few
			}
		}
	}
	top := &chosen{k: k}
	for _, c := range by {
		for _, p := range c.list {
			top.offer(p)
		}
	}
	return top, nil
}

// Of the score: how soon repeating a word stops to count, how much long messages lose, and the length that
// loses nothing, in terms.
const (
	saturation = 1.2
	lengthLoss = 0.5
	fairLength = 60
)

// telling is the share of messages above which a word says nothing of which of them is better, so that its
// frequencies are not read; small sets are always scored in full.
const (
	telling  = 0.1
	smallSet = 5_000
)

// score makes proposals of the chosen messages, best first.
func (v *view) score(sets []*roaring.Bitmap, r *ranker) ([]proposal, error) {
	var out []proposal
	for i, p := range v.parts {
		if sets[i].IsEmpty() {
			continue
		}
		docs := sets[i].ToArray()
		scores := make([]float64, len(docs))
		for j := range v.leaves {
			if err := v.scoreLeaf(p, j, sets[i], docs, scores); err != nil {
				return nil, err
			}
		}
		for n, doc := range docs {
			b, err := p.seg.DocID(uint64(doc))
			if err != nil {
				return nil, fmt.Errorf("read search index: %w", err)
			}
			at, ok := parsePlace(string(b))
			if !ok {
				continue
			}
			if len(v.leaves) == 0 {
				scores[n] = 1
			}
			out = append(out, proposal{at, scores[n] * r.weight(at)})
		}
	}
	slices.SortFunc(out, byScore)
	return out, nil
}

// scoreLeaf adds what a leaf says of each of docs, which are the members of set.
func (v *view) scoreLeaf(p *part, leaf int, set *roaring.Bitmap, docs []uint32, scores []float64) error {
	if p.leaves == nil || p.leaves[leaf] == nil {
		return nil
	}
	l := v.leaves[leaf]
	idf := v.idf(l)
	common := l.df > smallSet && float64(l.df) > telling*float64(v.docs)
	if l.word.begin != "" || common {
		for n, doc := range docs {
			if p.leaves[leaf].Contains(doc) {
				scores[n] += idf
			}
		}
		return nil
	}
	with := roaring.And(set, p.leaves[leaf])
	for _, t := range l.terms {
		if err := frequencies(p.text, t, with, func(doc uint32, tf, length float64) {
			n, _ := slices.BinarySearch(docs, doc)
			scores[n] += idf / float64(len(l.terms)) * tf * (saturation + 1) / (tf + saturation*(1-lengthLoss+lengthLoss*length/fairLength))
		}); err != nil {
			return err
		}
	}
	return nil
}

// frequencies tells how often a term occurs in each of docs, which all hold it, and how long they are.
func frequencies(d segment.TermDictionary, term string, docs *roaring.Bitmap, add func(doc uint32, tf, length float64)) error {
	list, err := d.PostingsList([]byte(term), nil, nil)
	if err != nil {
		return fmt.Errorf("read search index: %w", err)
	}
	if n := docs.GetCardinality(); list.Count() > max(smallSet, 100*n) { // as common words: not worth reading
		for it := docs.Iterator(); it.HasNext(); {
			add(it.Next(), 1, fairLength)
		}
		return nil
	}
	it := list.Iterator(true, true, false, nil)
	for docs := docs.Iterator(); docs.HasNext(); {
		doc := docs.Next()
		e, err := it.Advance(uint64(doc))
		if err != nil {
			return fmt.Errorf("read search index: %w", err)
		}
		if e == nil {
			return nil
		}
		if e.Number() == uint64(doc) {
			norm := e.Norm()
			add(doc, float64(e.Frequency()), 1/max(norm*norm, 1e-9))
		}
	}
	return nil
}

// weightOf prefers what people and models said to what tools printed, and titles to all.
func weightOf(k kind) float64 {
	switch k {
	case kindTitle:
		return 3
	case kindTool:
		return 0.6
	case kindTalk:
	}
	return 1
}

// recency halves the weight of what is about two months old, and never below a third.
func recency(age time.Duration) float64 {
	days := max(age.Hours()/24, 0)
	return 1.0/3 + 2.0/3*math.Exp2(-days/60)
}

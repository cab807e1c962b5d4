package index

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// The engine's own search scores every message that holds a term: with 87,000 of them that is 23 ms. Our
// grammar needs sets only, and the engine keeps its postings as compressed bitmaps, so a query is answered
// with those: sets first, then the most promising messages of the set are scored (rank.go).

// prefixTerms is how many terms of one segment a prefix stands for at most.
const prefixTerms = 20_000

// leaf is a word of a query that adds to the score.
type leaf struct {
	word  wordNode
	terms []string // all must be there
	df    int      // messages that hold it
}

// view evaluates one query over one snapshot of the index.
type view struct {
	docs   int // messages in the index
	total  int // messages that fit
	leaves []leaf
	parts  []*part
	capped bool // a prefix stood for too many terms
	single bool // only one session is asked for
}

// part is what a query finds in one segment.
type part struct {
	seg    *scorch.SegmentSnapshot
	text   segment.TermDictionary
	hits   *roaring.Bitmap
	facets []*roaring.Bitmap // what each branch of an OR finds: each must get its chance
	leaves []*roaring.Bitmap // of every leaf of the view
}

// evaluate finds the messages that may fit q, in every segment. release must be called when the view is no
// longer used.
func evaluate(idx bleve.Index, q Query, o Options, stats *stats) (v *view, release func() error, err error) {
	advanced, err := idx.Advanced()
	if err != nil {
		return nil, nil, fmt.Errorf("open search index: %w", err)
	}
	reader, err := advanced.Reader()
	if err != nil {
		return nil, nil, fmt.Errorf("read search index: %w", err)
	}
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil, nil, errors.Join(errors.New("the search index is of another kind"), reader.Close())
	}
	v = &view{single: q.Session != ""}
	if q.root != nil {
		v.collect(q.root)
	}
	live := map[uint64]bool{}
	for _, seg := range snapshot.Segments() {
		live[seg.Id()] = true
		if err := v.segment(seg, q, o, stats); err != nil {
			return nil, nil, errors.Join(err, reader.Close())
		}
	}
	stats.keep(live)
	return v, reader.Close, nil
}

// collect lists the words that count for the score.
func (v *view) collect(n node) {
	for _, w := range words(n) {
		v.leaves = append(v.leaves, leaf{word: w, terms: w.must})
	}
}

// segment evaluates the query in one segment.
func (v *view) segment(seg *scorch.SegmentSnapshot, q Query, o Options, stats *stats) error {
	text, err := seg.Segment().Dictionary("t")
	if err != nil {
		return fmt.Errorf("read search index: %w", err)
	}
	p := &part{seg: seg, text: text}
	v.docs += int(seg.Count()) //nolint:gosec // far below
	p.hits, err = v.node(p, q.root)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		field, value string
		not          bool
	}{{"r", q.Role, false}, {"n", q.Tool, false}, {"s", q.Session, false}, {"s", o.Exclude, true}} {
		if f.value == "" {
			continue
		}
		set, err := fieldSet(seg, f.field, f.value)
		if err != nil {
			return err
		}
		if f.not {
			p.hits.AndNot(set)
		} else {
			p.hits.And(set)
		}
	}
	if d := seg.Deleted(); d != nil {
		p.hits.AndNot(d)
	}
	if !q.Since.IsZero() || !q.Before.IsZero() {
		if err := p.within(q, stats); err != nil {
			return err
		}
	}
	if n := int(p.hits.GetCardinality()); n > 0 { //nolint:gosec // 32 bits
		v.total += n
		v.parts = append(v.parts, p)
	}
	return nil
}

// within keeps what was said in the time asked for.
func (p *part) within(q Query, stats *stats) error {
	if p.hits.IsEmpty() {
		return nil
	}
	places, err := stats.of(p.seg)
	if err != nil {
		return err
	}
	low, high := uint32(0), uint32(math.MaxUint32)
	if !q.Since.IsZero() {
		low = seconds(q.Since)
	}
	if !q.Before.IsZero() {
		high = seconds(q.Before)
	}
	out := roaring.New()
	for it := p.hits.Iterator(); it.HasNext(); {
		if n := it.Next(); places[n].at >= low && places[n].at <= high {
			out.Add(n)
		}
	}
	p.hits = out
	return nil
}

// node returns the messages that may fit n: never fewer than do. The set is the caller's to change.
func (v *view) node(p *part, n node) (*roaring.Bitmap, error) {
	switch n := n.(type) {
	case wordNode:
		return v.word(p, n)
	case andNode:
		return v.all(p, n)
	case orNode:
		out := roaring.New()
		for _, c := range n {
			set, err := v.node(p, c)
			if err != nil {
				return nil, err
			}
			p.facets = append(p.facets, set)
			out.Or(set)
		}
		return out, nil
	}
	out := roaring.New()
	out.AddRange(0, p.seg.Segment().Count())
	return out, nil
}

// all intersects. An exclusion is followed where the engine knows as much as the transcript; the others are
// left to the transcript, for a term is less than a word.
func (v *view) all(p *part, n andNode) (*roaring.Bitmap, error) {
	var out *roaring.Bitmap
	for _, c := range n {
		if _, not := c.(notNode); not {
			continue
		}
		set, err := v.node(p, c)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = set
		} else {
			out.And(set)
		}
	}
	for _, c := range n {
		if not, ok := c.(notNode); ok && exact(not.node) && out != nil {
			set, err := v.node(p, not.node)
			if err != nil {
				return nil, err
			}
			out.AndNot(set)
		}
	}
	return out, nil // there is always one that is no exclusion
}

// word finds the messages with all terms of a word. What it finds counts for the word's leaf.
func (v *view) word(p *part, w wordNode) (*roaring.Bitmap, error) {
	var out *roaring.Bitmap
	add := func(set *roaring.Bitmap) {
		if out == nil {
			out = set
		} else {
			out.And(set)
		}
	}
	for _, t := range w.must {
		if out != nil && out.IsEmpty() {
			break
		}
		set, err := termSet(p.text, t)
		if err != nil {
			return nil, err
		}
		add(set)
	}
	if w.begin != "" && (out == nil || !out.IsEmpty()) {
		set, err := v.prefix(p, w.begin)
		if err != nil {
			return nil, err
		}
		add(set)
	}
	if i := slices.IndexFunc(v.leaves, func(l leaf) bool { return l.word.same(w) }); i >= 0 {
		if p.leaves == nil {
			p.leaves = make([]*roaring.Bitmap, len(v.leaves))
		}
		if p.leaves[i] == nil {
			p.leaves[i] = out.Clone()
			v.leaves[i].df += int(out.GetCardinality()) //nolint:gosec // 32 bits
		}
	}
	return out, nil
}

// prefix finds the messages with a term that begins so.
func (v *view) prefix(p *part, begin string) (*roaring.Bitmap, error) {
	end := []byte(begin)
	end[len(end)-1]++ // a byte of UTF-8 is never 0xff
	it := p.text.AutomatonIterator(nil, []byte(begin), end)
	out := roaring.New()
	var list segment.PostingsList
	for n := 0; ; n++ {
		e, err := it.Next()
		if err != nil {
			return nil, fmt.Errorf("read search index: %w", err)
		}
		if e == nil {
			return out, nil
		}
		if n >= prefixTerms {
			v.capped = true
			return out, nil
		}
		if list, err = p.text.PostingsList([]byte(e.Term), nil, list); err != nil {
			return nil, fmt.Errorf("read search index: %w", err)
		}
		orInto(list, out)
	}
}

// fieldSet finds the messages with a value.
func fieldSet(seg *scorch.SegmentSnapshot, field, value string) (*roaring.Bitmap, error) {
	d, err := seg.Segment().Dictionary(field)
	if err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	return termSet(d, value)
}

func termSet(d segment.TermDictionary, term string) (*roaring.Bitmap, error) {
	list, err := d.PostingsList([]byte(term), nil, nil)
	if err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	out := roaring.New()
	orInto(list, out)
	return out, nil
}

// orInto adds the messages of a list to a set.
func orInto(list segment.PostingsList, out *roaring.Bitmap) {
	if fast, ok := list.(interface{ OrInto(*roaring.Bitmap) }); ok {
		fast.OrInto(out)
		return
	}
	it := list.Iterator(false, false, false, nil)
	for e, err := it.Next(); err == nil && e != nil; e, err = it.Next() {
		out.Add(uint32(e.Number())) //nolint:gosec // numbers in a segment have 32 bits
	}
}

// idf is how much a leaf says: next to nothing when most messages hold it.
func (v *view) idf(l leaf) float64 {
	n, df := float64(v.docs), float64(l.df)
	return math.Log(1 + (max(n-df, 0)+0.5)/(df+0.5))
}

// byScore orders proposals, best first; the same every time.
func byScore(a, b proposal) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if c := cmp.Compare(b.at, a.at); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.offset, b.offset))
}

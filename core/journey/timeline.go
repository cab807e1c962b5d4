package journey

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// Bucket is a stretch of time with the nodes that began in it.
type Bucket struct {
	Label    string // "12 Mar", "Mar 2026", "2026"
	From, To time.Time
	Skills   int
	Memories int
	Total    int // of all buckets up to this one
	Category string
	Nodes    []string // ids, in the order of time
}

// unit is how long a bucket is.
type unit int

const (
	byDay unit = iota
	byMonth
	byYear
)

// maxDays is up to how many days each gets a bucket of its own.
const maxDays = 32

// Timeline puts the nodes that have a time into at most rows buckets, oldest first: days, else months, else
// years, else equal shares of the time. Buckets without nodes between others stay. untimed are the ids of
// the rest. A time after now counts as now.
func Timeline(nodes []Node, rows int, now time.Time) (buckets []Bucket, untimed []string) {
	rows = max(rows, 1)
	var timed []Node
	for _, n := range nodes {
		if n.Time.IsZero() {
			untimed = append(untimed, n.ID)
			continue
		}
		if n.Time.After(now) {
			n.Time = now
		}
		n.Time = n.Time.In(now.Location())
		timed = append(timed, n)
	}
	if len(timed) == 0 {
		return nil, untimed
	}
	slices.SortStableFunc(timed, func(a, b Node) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) })
	first, last := timed[0].Time, timed[len(timed)-1].Time
	buckets = empty(first, last, rows)
	total, at := 0, 0
	for i := range buckets {
		b := &buckets[i]
		categories := map[string]int{}
		for ; at < len(timed) && (timed[at].Time.Before(b.To) || i == len(buckets)-1); at++ {
			n := timed[at]
			b.Nodes = append(b.Nodes, n.ID)
			if n.Kind == KindMemory {
				b.Memories++
				continue
			}
			b.Skills++
			categories[n.Category]++
		}
		for c, k := range categories {
			if k > categories[b.Category] || k == categories[b.Category] && c < b.Category {
				b.Category = c
			}
		}
		total += b.Skills + b.Memories
		b.Total = total
	}
	return buckets, untimed
}

// empty makes the buckets from first to last.
func empty(first, last time.Time, rows int) []Bucket {
	for u := byDay; u <= byYear; u++ {
		n := count(first, last, u)
		if n <= rows || u == byDay && n <= maxDays && n <= rows*2 {
			return stretch(first, last, u)
		}
	}
	span := last.Sub(first)
	out := make([]Bucket, rows)
	for i := range out {
		from := first.Add(span * time.Duration(i) / time.Duration(rows))
		out[i] = Bucket{Label: from.Format("2 Jan 2006"), From: from, To: first.Add(span * time.Duration(i+1) / time.Duration(rows))}
	}
	return out
}

func start(t time.Time, u unit) time.Time {
	switch u {
	case byDay:
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
	case byMonth:
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, t.Location())
	default:
		return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, t.Location())
	}
}

func next(t time.Time, u unit) time.Time {
	switch u {
	case byDay:
		return t.AddDate(0, 0, 1)
	case byMonth:
		return t.AddDate(0, 1, 0)
	default:
		return t.AddDate(1, 0, 0)
	}
}

// count is how many buckets of u there are from first to last; it stops counting at a thousand.
func count(first, last time.Time, u unit) int {
	n := 0
	for t := start(first, u); !t.After(last) && n < 1000; t = next(t, u) {
		n++
	}
	return n
}

func stretch(first, last time.Time, u unit) []Bucket {
	var out []Bucket
	for t := start(first, u); !t.After(last); t = next(t, u) {
		label := strconv.Itoa(t.Year())
		switch u {
		case byDay:
			label = t.Format("2 Jan")
		case byMonth:
			label = t.Format("Jan 2006")
		case byYear:
		}
		out = append(out, Bucket{Label: label, From: t, To: next(t, u)})
	}
	return out
}

package cleanup

import (
	"fmt"
	"slices"

	"hermes/core/memory"
	"hermes/core/text"
)

// ref names an entry on the disk. Both stores may hold the same text, and so the same id.
type ref struct {
	store int // index of its sheet
	id    string
}

func (r ref) key() string { return fmt.Sprintf("%d/%s", r.store, r.id) }

// item is one entry of the draft: kept as it is, or new text that replaces the entries from.
type item struct {
	key  string // stable while the item lives
	kept bool   // from is the entry itself
	text string
	from []ref
	gone bool // shall be deleted; stays in sight until written
}

// first is the entry it stands for, or the first of those it replaces; false for an entirely new one.
func (it item) first() (ref, bool) {
	if len(it.from) == 0 {
		return ref{}, false
	}
	return it.from[0], true
}

// draft holds the items of each store in order. A draft is never changed once it was shown: undo keeps it.
type draft [][]item

func newKey(n int) string { return fmt.Sprintf("new-%d", n) }

func (d draft) clone() draft {
	out := make(draft, len(d))
	for s := range d {
		out[s] = slices.Clone(d[s])
	}
	return out
}

// find returns where the item with this key stands; i is -1 when it does not.
func (d draft) find(key string) (s, i int) {
	for s := range d {
		for i := range d[s] {
			if d[s][i].key == key {
				return s, i
			}
		}
	}
	return 0, -1
}

// used is what store s would count: code points, separators included, repeated texts once.
func (d draft) used(s int) int {
	n, seen := 0, make(map[string]bool, len(d[s]))
	for _, it := range d[s] {
		if it.gone || seen[it.text] {
			continue
		}
		seen[it.text] = true
		n += text.Len(it.text) + len([]rune(memory.Separator))
	}
	return max(n-len([]rune(memory.Separator)), 0)
}

// change is what became of an item.
type change int

const (
	same change = iota
	deleted
	edited
	merged
	added
	moved
	ordered // stands elsewhere in its store
)

// sign marks a changed item without colour.
func (c change) sign() string { return [...]string{" ", "−", "~", "&", "+", "»", "↕"}[c] }

func (c change) word() string {
	return [...]string{"", "deleted", "edited", "merged", "added", "moved", "reordered"}[c]
}

// became tells what became of it, which stands in store s.
func (v *View) became(s int, it item) change {
	switch {
	case it.gone:
		return deleted
	case len(it.from) == 0:
		return added
	case !it.kept && len(it.from) == 1:
		return edited
	case !it.kept:
		return merged
	case it.from[0].store != s:
		return moved
	}
	return same
}

// tally counts changes by kind.
type tally [ordered + 1]int

func (t tally) any() bool {
	for c := deleted; c <= ordered; c++ {
		if t[c] > 0 {
			return true
		}
	}
	return false
}

// total is the number of changes; a new order counts once.
func (t tally) total() int {
	n := 0
	for c := deleted; c <= ordered; c++ {
		n += t[c]
	}
	return n
}

// changes counts what the draft changes.
func (v *View) changes() tally {
	var t tally
	for s := range v.cur {
		for _, it := range v.cur[s] {
			if it.gone && len(it.from) == 0 {
				continue // it never was
			}
			if c := v.became(s, it); c != same {
				t[c]++
			}
		}
		if v.reordered(s) {
			t[ordered]++
		}
	}
	return t
}

// reordered tells whether the entries that stay in store s stand in another order than on the disk.
func (v *View) reordered(s int) bool {
	last := 0
	for _, it := range v.cur[s] {
		src, ok := it.first()
		if !ok || it.gone || src.store != s {
			continue
		}
		at := v.place[src]
		if at < last {
			return true
		}
		last = at
	}
	return false
}

// targets are the keys an action is about: the marked items, else the selected one.
func (v *View) targets() []string {
	var out []string
	for s := range v.cur {
		for _, it := range v.cur[s] {
			if v.marks[it.key] {
				out = append(out, it.key)
			}
		}
	}
	if it := v.selected(); len(out) == 0 && it != nil {
		out = []string{it.key}
	}
	return out
}

// remove marks the targets as deleted, or brings them back when all are.
func (v *View) remove() {
	keys := v.targets()
	if len(keys) == 0 {
		return
	}
	next := v.cur.clone()
	all := !slices.ContainsFunc(keys, func(k string) bool { s, i := next.find(k); return !next[s][i].gone })
	for _, k := range keys {
		s, i := next.find(k)
		next[s][i].gone = !all
	}
	single := len(keys) == 1
	clear(v.marks)
	v.change(next)
	if single && !all {
		v.step(1)
	}
}

// transfer moves the targets to the end of the other store.
func (v *View) transfer() {
	if len(v.sheets) < 2 {
		v.err = "there is no other store: it is switched off"
		return
	}
	to := 1 - v.store
	if v.err = v.closed(to); v.err != "" {
		return
	}
	next := v.cur.clone()
	n := 0
	for _, k := range v.targets() {
		s, i := next.find(k)
		if s == to {
			continue
		}
		it := next[s][i]
		next[s] = slices.Delete(next[s], i, i+1)
		next[to] = append(next[to], it)
		n++
	}
	if n == 0 {
		return
	}
	clear(v.marks)
	v.change(next)
	v.note = fmt.Sprintf("%s moved to %s", text.Count(n, "entry", "entries"), v.sheets[to].Target.File())
}

// order moves the selected item by one place.
func (v *View) order(by int) {
	s := v.store
	if v.selected() == nil {
		return
	}
	i, j := v.sel[s], v.sel[s]+by
	if j < 0 || j >= len(v.cur[s]) {
		return
	}
	next := v.cur.clone()
	next[s][i], next[s][j] = next[s][j], next[s][i]
	v.change(next)
	v.sel[s] = j
}

// replace puts text in the place of the first of the items keys, in store s, and takes the others out.
func (v *View) replace(d draft, s int, keys []string, text string) draft {
	next := d.clone()
	if len(keys) == 0 {
		next[s] = append(next[s], v.fresh(text))
		return next
	}
	var from []ref
	for _, k := range keys {
		if fs, i := next.find(k); i >= 0 {
			from = append(from, next[fs][i].from...)
		}
	}
	fs, i := next.find(keys[0])
	if i < 0 {
		return next
	}
	key := keys[0]
	if len(keys) > 1 {
		v.serial++
		key = newKey(v.serial)
	}
	it := item{key: key, text: text, from: from}
	if len(from) == 1 && v.known[from[0]].Text == text {
		it.kept = true // as it was
	}
	next[fs][i] = it
	for _, k := range keys[1:] {
		os, at := next.find(k)
		if at >= 0 {
			next[os] = slices.Delete(next[os], at, at+1)
		}
	}
	return next
}

// short writes a count in at most five cells: "812", "25k", "1.2M".
func short(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

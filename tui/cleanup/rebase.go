package cleanup

import (
	"fmt"
	"slices"

	"hermes/core/text"

	"hermes/core/memory"
)

// rebase brings the draft, made on the stores old, onto the stores as they stand now. Nothing a person
// did is lost, nothing somebody else did is undone by it.
func (v *View) rebase(old draft, oldKnown map[ref]memory.Entry) {
	if slices.EqualFunc(old, v.base, func(a, b []item) bool { return slices.EqualFunc(a, b, sameItem) }) {
		return
	}
	key := ""
	if it := v.selected(); it != nil {
		key = it.key
	}
	pending := v.cur != nil && !equal(v.cur, old)
	moving := onto{v: v, old: old, was: oldKnown}
	v.cur = moving.draft(v.cur)
	seen := moving.tally
	for i := range v.undo {
		v.undo[i] = moving.draft(v.undo[i])
	}
	for i := range v.redo {
		v.redo[i] = moving.draft(v.redo[i])
	}
	if v.mode == editing {
		v.edit.keys = slices.DeleteFunc(v.edit.keys, func(k string) bool { _, i := v.cur.find(k); return i < 0 })
	}
	v.settle()
	v.find(key)
	if pending || v.mode == editing {
		v.note = "memory changed elsewhere: " + seen.String() + " · your changes are kept"
	}
}

func sameItem(a, b item) bool {
	return a.key == b.key && a.kept == b.kept && a.text == b.text && a.gone == b.gone && slices.Equal(a.from, b.from)
}

func equal(a, b draft) bool {
	return slices.EqualFunc(a, b, func(x, y []item) bool { return slices.EqualFunc(x, y, sameItem) })
}

// onto carries drafts over to new stores and counts what it met.
type onto struct {
	v     *View
	old   draft
	was   map[ref]memory.Entry
	tally met
}

type met struct{ came, went, lost int }

// String tells what was met: "+1 −2, 1 entry you edited; your text stands as a new one".
func (m met) String() string {
	s := fmt.Sprintf("+%d −%d", m.came, m.went)
	if m.lost > 0 {
		s += ", " + text.Count(m.lost, "entry", "entries") + " you edited; your text stands as a new one"
	}
	return s
}

// draft carries d over.
func (o *onto) draft(d draft) draft {
	o.tally = met{}
	if equal(d, o.old) {
		o.count()
		return o.v.base
	}
	out := make(draft, len(d))
	claimed := map[ref]bool{}
	for s := range d {
		for _, it := range d[s] {
			next, ok := o.item(it)
			if !ok {
				continue
			}
			out[s] = append(out[s], next)
			for _, r := range next.from {
				claimed[r] = true
			}
		}
	}
	for s := range o.v.base { // what is new, and what others moved here
		for _, it := range o.v.base[s] {
			if _, old := o.was[it.from[0]]; !old && !claimed[it.from[0]] {
				out[s] = append(out[s], it)
				o.tally.came++
			}
		}
	}
	return out
}

// item carries one item over; false when there is nothing left of it.
func (o *onto) item(it item) (item, bool) {
	if len(it.from) == 0 {
		return it, true
	}
	var from []ref
	for _, r := range it.from {
		if now, ok := o.now(r, it.kept); ok {
			from = append(from, now)
		}
	}
	switch {
	case it.kept && len(from) == 0: // removed, or moved by others: then it comes with what is new
		o.tally.went++
		return it, false
	case len(from) == 0 && it.gone:
		return it, false
	case len(from) == 0:
		o.tally.lost++
	}
	it.from = from
	return it, true
}

// now is where the entry r stands; what was edited is followed into the other store when somebody moved it.
func (o *onto) now(r ref, kept bool) (ref, bool) {
	if _, ok := o.v.known[r]; ok {
		return r, true
	}
	other := ref{1 - r.store, r.id}
	_, there := o.v.known[other]
	_, before := o.was[other]
	return other, there && !before && !kept
}

// count tells the difference between both stores when there is no draft to carry.
func (o *onto) count() {
	for r := range o.v.known {
		if _, ok := o.was[r]; !ok {
			o.tally.came++
		}
	}
	for r := range o.was {
		if _, ok := o.v.known[r]; !ok {
			o.tally.went++
		}
	}
}

package cleanup

import (
	"fmt"
	"slices"
	"strings"

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
	seen := moving.count()
	seen.lost = moving.lost
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

// onto carries drafts over to new stores.
type onto struct {
	v    *View
	old  draft
	was  map[ref]memory.Entry
	lost int // of the draft carried last
}

// met is what others did: entries they added, took out and replaced, and how many texts of the person lost the
// entry they were made of.
type met struct{ came, went, changed, lost int }

// String tells what was met: "1 replaced, +1, 1 entry you edited; your text stands as a new one".
func (m met) String() string {
	var parts []string
	if m.changed > 0 {
		parts = append(parts, fmt.Sprintf("%d replaced", m.changed))
	}
	if m.came > 0 {
		parts = append(parts, fmt.Sprintf("+%d", m.came))
	}
	if m.went > 0 {
		parts = append(parts, fmt.Sprintf("−%d", m.went))
	}
	if m.lost > 0 {
		parts = append(parts, text.Count(m.lost, "entry", "entries")+" you edited; your text stands as a new one")
	}
	if len(parts) == 0 {
		return "another order"
	}
	return strings.Join(parts, ", ")
}

// draft carries d over.
func (o *onto) draft(d draft) draft {
	o.lost = 0
	if equal(d, o.old) {
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
		out[s] = o.arrive(out[s], o.v.base[s], claimed)
	}
	return out
}

// arrive puts the items of base that list does not know where they stand among the others.
func (o *onto) arrive(list, base []item, claimed map[ref]bool) []item {
	fresh := func(it item) bool { _, old := o.was[it.from[0]]; return !old && !claimed[it.from[0]] }
	for i, it := range base {
		if !fresh(it) {
			continue
		}
		at := len(list)
		if slices.ContainsFunc(base[i:], func(b item) bool { return !fresh(b) }) { // else it is at the end
			at = behind(list, base[:i])
		}
		list = slices.Insert(list, at, it)
	}
	return list
}

// behind is the place after the last of the items before that list still has, 0 when it has none.
func behind(list, before []item) int {
	for _, b := range slices.Backward(before) {
		at := slices.IndexFunc(list, func(it item) bool { return slices.Contains(it.from, b.from[0]) })
		if at >= 0 {
			return at + 1
		}
	}
	return 0
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
	case len(from) == 0 && (it.kept || it.gone): // removed, or moved by others: then it comes with what is new
		return it, false
	case len(from) == 0:
		o.lost++
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

// count tells the difference between both stores. What came where something went, between the same neighbours,
// took its place.
func (o *onto) count() met {
	var out met
	for s := range o.v.base {
		came, went := map[ref]int{}, map[ref]int{} // by the neighbour before
		gaps(o.v.base[s], func(r ref) bool { _, ok := o.was[r]; return ok }, came)
		gaps(o.old[s], func(r ref) bool { _, ok := o.v.known[r]; return ok }, went)
		for at, n := range came {
			both := min(n, went[at])
			out.changed += both
			out.came += n - both
			went[at] -= both
		}
		for _, n := range went {
			out.went += n
		}
	}
	return out
}

// gaps counts the items that do not stay, by the last one before them that does.
func gaps(items []item, stays func(ref) bool, into map[ref]int) {
	var at ref
	for _, it := range items {
		if r := it.from[0]; stays(r) {
			at = r
		} else {
			into[at]++
		}
	}
}

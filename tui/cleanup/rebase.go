package cleanup

import (
	"fmt"
	"slices"
)

// rebase brings the draft, made on the stores old, onto the stores as they stand now. Nothing a person
// did is lost, nothing somebody else did is undone by it.
func (v *View) rebase(old draft, oldHome map[string]int) {
	if slices.EqualFunc(old, v.base, func(a, b []item) bool { return slices.EqualFunc(a, b, sameItem) }) {
		return
	}
	key := ""
	if it := v.selected(); it != nil {
		key = it.key
	}
	pending := v.cur != nil && !equal(v.cur, old)
	moving := onto{v: v, old: old, oldHome: oldHome}
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
	return a.key == b.key && a.id == b.id && a.text == b.text && a.gone == b.gone && slices.Equal(a.from, b.from)
}

func equal(a, b draft) bool {
	return slices.EqualFunc(a, b, func(x, y []item) bool { return slices.EqualFunc(x, y, sameItem) })
}

// onto carries drafts over to new stores and counts what it met.
type onto struct {
	v       *View
	old     draft
	oldHome map[string]int
	tally   met
}

type met struct{ came, went, lost int }

// String tells what was met: "+1 −2, 1 entry you edit was changed".
func (m met) String() string {
	s := fmt.Sprintf("+%d −%d", m.came, m.went)
	if m.lost > 0 {
		s += ", " + plural(m.lost, "entry", "entries") + " you edited; your text stands as a new one"
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
	claimed := map[string]bool{}
	for s := range d {
		for _, it := range d[s] {
			next, ok := o.item(s, it)
			if !ok {
				continue
			}
			out[s] = append(out[s], next)
			for _, id := range next.sources() {
				claimed[id] = true
			}
		}
	}
	for s := range o.v.base { // what is new, and what was moved here by others
		for _, it := range o.v.base[s] {
			if was, ok := o.oldHome[it.id]; !claimed[it.id] && (!ok || was != s) {
				out[s] = append(out[s], it)
				o.tally.came++
			}
		}
	}
	return out
}

// item carries one item of store s over; false when somebody else removed it.
func (o *onto) item(s int, it item) (item, bool) {
	if it.id != "" {
		now, ok := o.v.home[it.id]
		if !ok || now != s && o.oldHome[it.id] == s { // removed, or moved by others
			o.tally.went++
			return it, false
		}
		return it, true
	}
	if len(it.from) == 0 {
		return it, true
	}
	var from []string
	for _, id := range it.from {
		if _, ok := o.v.home[id]; ok {
			from = append(from, id)
		}
	}
	if len(from) == len(it.from) {
		return it, true
	}
	if it.gone && len(from) == 0 {
		return it, false
	}
	if len(from) == 0 {
		o.tally.lost++
	}
	it.from = from
	return it, true
}

// count tells the difference between both stores when there is no draft to carry.
func (o *onto) count() {
	for id := range o.v.home {
		if _, ok := o.oldHome[id]; !ok {
			o.tally.came++
		}
	}
	for id := range o.oldHome {
		if _, ok := o.v.home[id]; !ok {
			o.tally.went++
		}
	}
}

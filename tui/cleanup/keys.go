package cleanup

import (
	"cmp"
	"fmt"
	"slices"

	"hermes/core/text"

	tea "charm.land/bubbletea/v2"

	"hermes/core/memory"
	"hermes/tui/composer"
	"hermes/tui/keys"
)

// Update handles a key (name as the bindings write it) or a paste.
func (v *View) Update(name string, msg tea.Msg) Action {
	if v.mode == editing {
		v.editKey(name, msg)
		return Action{}
	}
	if name == "" {
		return Action{} // a paste means nothing here
	}
	switch v.mode {
	case confirming:
		return v.confirmKey(name)
	case leaving:
		return v.leaveKey(name)
	case busy:
		return Action{}
	default:
		return v.browseKey(name)
	}
}

func (v *View) browseKey(name string) Action {
	if v.move(name) {
		v.err, v.note = "", ""
		return Action{}
	}
	if a, ok := v.ask(name); ok {
		return a
	}
	switch name {
	case "esc":
		if len(v.marks) > 0 {
			clear(v.marks)
			return Action{}
		}
		return v.leave()
	case "q":
		return v.leave()
	case "w":
		v.confirm(false)
	case "space":
		v.mark()
	case "d", "delete":
		v.remove()
	case "e":
		v.startEdit()
	case "a":
		v.startAdd()
	case "m":
		v.startMerge()
	case "t":
		v.transfer()
	case "J", "shift+down":
		v.order(1)
	case "K", "shift+up":
		v.order(-1)
	case "u":
		if len(v.undo) == 0 && v.wrote != "" {
			return Action{Do: TakeBack, ID: v.wrote}
		}
		v.back1(&v.undo, &v.redo, "nothing to undo")
	case "ctrl+r":
		v.back1(&v.redo, &v.undo, "nothing to redo")
	}
	return Action{}
}

// ask handles the keys that want something from outside.
func (v *View) ask(name string) (Action, bool) {
	switch name {
	case "R":
		return Action{Do: Deleted}, true
	case "H", "enter", "v", "y":
	default:
		return Action{}, false
	}
	it := v.selected()
	if it == nil {
		return Action{}, true
	}
	title := v.title(v.store, v.sel[v.store])
	switch name {
	case "H":
		r, ok := it.first()
		if !ok {
			v.err = "this entry is new: it has no history"
			return Action{}, true
		}
		return Action{Do: History, ID: r.id, Title: title}, true
	case "v":
		return Action{Do: Read, Title: title, Text: it.text}, true
	case "y":
		return Action{Do: Copy, Text: it.text}, true
	}
	o := v.origin(*it)
	if o == nil || o.SessionID == "" {
		v.err = "no session is known for this entry"
		return Action{}, true
	}
	if _, kept := v.back.Titles[o.SessionID]; !kept && v.back.Titles != nil {
		v.err = "nothing was said in session " + o.SessionID + ", so it was not kept, or it was deleted since"
		return Action{}, true
	}
	return Action{Do: Origin, Session: o.SessionID, Run: o.RunID, Text: it.text}, true
}

// back1 takes the last draft of from and keeps the present one in to.
func (v *View) back1(from, to *[]draft, nothing string) {
	n := len(*from)
	if n == 0 {
		v.note = nothing
		return
	}
	*to = append(*to, v.cur)
	v.cur, *from = (*from)[n-1], (*from)[:n-1]
	v.err, v.note = "", ""
	v.settle()
}

func (v *View) mark() {
	it := v.selected()
	if it == nil {
		return
	}
	if v.marks[it.key] {
		delete(v.marks, it.key)
	} else {
		v.marks[it.key] = true
	}
	v.step(1)
}

// move handles the keys of the selection.
func (v *View) move(name string) bool {
	if len(v.sheets) == 0 {
		return false
	}
	page := max(v.rows-1, 1)
	switch name {
	case "j", "down":
		v.step(1)
	case "k", "up":
		v.step(-1)
	case "g", "home":
		v.sel[v.store] = 0
	case "G", "end":
		v.sel[v.store] = len(v.cur[v.store]) - 1
	case "ctrl+d":
		v.step(max(page/2, 1))
	case "ctrl+u":
		v.step(-max(page/2, 1))
	case "pgdown":
		v.step(page)
	case "pgup":
		v.step(-page)
	case "h", "left":
		v.store = 0
	case "l", "right":
		v.store = len(v.sheets) - 1
	case "tab", "shift+tab":
		v.store = (v.store + 1) % len(v.sheets)
	default:
		return false
	}
	v.settle()
	return true
}

// step moves the selection; in the stacked list it goes on into the other store.
func (v *View) step(by int) {
	s := v.store
	to := v.sel[s] + by
	switch {
	case !v.beside && to >= len(v.cur[s]) && s+1 < len(v.cur) && len(v.cur[s+1]) > 0 && v.sel[s] >= len(v.cur[s])-1:
		v.store, v.sel[s+1] = s+1, 0
		return
	case !v.beside && to < 0 && s > 0 && len(v.cur[s-1]) > 0 && v.sel[s] == 0:
		v.store, v.sel[s-1] = s-1, len(v.cur[s-1])-1
		return
	}
	v.sel[s] = to
	v.settle()
}

// confirm asks before writing; closes says that the view ends with it.
func (v *View) confirm(closes bool) {
	switch over := v.over(); {
	case !v.changes().any():
		v.mode, v.note = browsing, "nothing to write"
	case over != "":
		v.mode, v.err = browsing, over
	default:
		v.mode, v.after, v.err, v.note = confirming, closes, "", ""
	}
}

// over says which store would not hold its entries; "" when both do.
func (v *View) over() string {
	for s, sheet := range v.sheets {
		if used := v.cur.used(s); used > sheet.Limit && used > sheet.Used {
			return fmt.Sprintf("%s would be over its limit by %s: delete, merge or shorten first", sheet.Target.File(), text.Count(used-sheet.Limit, "character", "characters"))
		}
	}
	return ""
}

func (v *View) confirmKey(name string) Action {
	switch name {
	case "y", "enter", "w":
		v.mode = busy
		return Action{Do: Write, Draft: v.Draft()}
	case "esc", "n", "q":
		v.mode, v.after = browsing, false
	}
	return Action{}
}

// leave closes the view, or asks when something is pending.
func (v *View) leave() Action {
	if v.changes().any() {
		v.mode = leaving
		return Action{}
	}
	return Action{Do: Close}
}

func (v *View) leaveKey(name string) Action {
	switch name {
	case "w", "y":
		v.confirm(true)
	case "d", "x":
		return Action{Do: Close}
	case "esc", "n", "q":
		v.mode = browsing
	}
	return Action{}
}

// startEdit opens the selected entry in the editor.
func (v *View) startEdit() {
	it := v.selected()
	if it == nil {
		return
	}
	if it.gone {
		v.err = "this entry shall be deleted: d brings it back"
		return
	}
	v.open(edit{title: "edit " + v.title(v.store, v.sel[v.store]), keys: []string{it.key}, store: v.store}, it.text)
}

// startAdd opens the editor for a new entry of the store.
func (v *View) startAdd() {
	if len(v.sheets) == 0 {
		return
	}
	if v.err = v.closed(v.store); v.err == "" {
		v.open(edit{title: "new entry of " + v.sheets[v.store].Target.File(), store: v.store}, "")
	}
}

// startMerge opens the editor with the texts of all marked entries, or of the selected one and the one it
// nearly repeats.
func (v *View) startMerge() {
	keys := v.targets()
	if it := v.selected(); len(v.marks) < 2 && it != nil {
		if twin := v.twin(*it); twin != "" {
			keys = []string{it.key, twin}
		}
	}
	keys = slices.DeleteFunc(keys, func(k string) bool { s, i := v.cur.find(k); return i < 0 || v.cur[s][i].gone })
	slices.SortFunc(keys, func(a, b string) int {
		as, ai := v.cur.find(a)
		bs, bi := v.cur.find(b)
		return cmp.Or(cmp.Compare(as, bs), cmp.Compare(ai, bi))
	})
	if len(keys) < 2 {
		v.err = "mark two or more entries with space, then m merges them"
		return
	}
	joined, store := "", 0
	for n, k := range keys {
		s, i := v.cur.find(k)
		if n == 0 {
			store = s
		} else {
			joined += "\n"
		}
		joined += v.cur[s][i].text
	}
	e := edit{title: fmt.Sprintf("merge %d entries into one of %s", len(keys), v.sheets[store].Target.File()), keys: keys, store: store}
	v.open(e, joined)
}

// twin is the key of the entry that it nearly repeats; "" when there is none in the draft.
func (v *View) twin(it item) string {
	for _, f := range v.flags(it) {
		key := ref{it.from[0].store, f.Of}.key()
		if f.Code != memory.FlagNear {
			continue
		}
		if _, i := v.cur.find(key); i >= 0 {
			return key
		}
	}
	return ""
}

func (v *View) open(e edit, text string) {
	e.ed = composer.New()
	e.ed.SetText(text)
	for e.ed.Unfold() { // an entry is read whole, never as a chip
	}
	e.orig = text
	v.edit, v.mode, v.err, v.note = e, editing, "", ""
}

// editKey handles a key of the editor.
func (v *View) editKey(name string, msg tea.Msg) {
	if name == "esc" {
		if v.edit.changed() && !v.edit.armed {
			v.edit.armed = true
			return
		}
		v.mode, v.edit = browsing, edit{}
		return
	}
	v.edit.armed, v.edit.err = false, ""
	if name == "ctrl+s" {
		v.keep()
		return
	}
	if v.edit.ed.Update(msg) == composer.Submit {
		v.keep()
		return
	}
	for v.edit.ed.AtChip() && v.edit.ed.Unfold() {
	}
}

// keep takes the edited text into the draft, when the rules of memory allow it.
func (v *View) keep() {
	e := v.edit
	words := memory.Normalise(e.ed.Text())
	if words == "" && len(e.keys) > 0 {
		v.edit.err = "the text is empty: Esc leaves the editor, d deletes the entry"
		return
	}
	if words == memory.Normalise(e.orig) && len(e.keys) < 2 {
		v.mode, v.edit = browsing, edit{}
		return
	}
	if err := memory.Check(v.sheets[e.store].Target, words); err != nil {
		v.edit.err = err.Error()
		return
	}
	next := v.replace(v.cur, e.store, e.keys, words)
	v.mode, v.edit = browsing, edit{}
	clear(v.marks)
	v.change(next)
	if s, i := v.where(words); i >= 0 {
		v.store, v.sel[s] = s, i
	}
}

// where finds the newest item with this text.
func (v *View) where(words string) (s, i int) {
	for s := range v.cur {
		for i := len(v.cur[s]) - 1; i >= 0; i-- {
			if v.cur[s][i].text == words && !v.cur[s][i].gone {
				return s, i
			}
		}
	}
	return 0, -1
}

// preview is the draft with the text being written in it, for the gauges.
func (v *View) preview() draft {
	if v.mode != editing {
		return v.cur
	}
	serial, words := v.serial, memory.Normalise(v.edit.ed.Text())
	if words == "" && len(v.edit.keys) == 0 {
		return v.cur
	}
	d := v.replace(v.cur, v.edit.store, v.edit.keys, words)
	v.serial = serial
	return d
}

// hints are the keys as they apply right now.
func (v *View) hints() []keys.Hint {
	switch v.mode {
	case editing:
		return []keys.Hint{{Key: "Enter", Word: "keep"}, {Key: "Ctrl+J", Word: "new line"}, {Key: "Esc", Word: "back"}}
	case confirming:
		return []keys.Hint{{Key: "y", Word: "write"}, {Key: "Esc", Word: "back to the draft"}}
	case leaving:
		return []keys.Hint{{Key: "w", Word: "write them"}, {Key: "d", Word: "drop them"}, {Key: "Esc", Word: "stay"}}
	case busy:
		return nil
	case browsing:
	}
	other := "other store"
	if len(v.sheets) == 2 {
		other = "to " + v.sheets[1-v.store].Target.File()
	}
	var out []keys.Hint
	pending := v.changes().any()
	if pending { // then this matters most
		out = keys.Hints("w", "write")
	}
	out = append(out, []keys.Hint{
		{Key: "space", Word: "mark"},
		{Key: "d", Word: "delete"},
		{Key: "e", Word: "edit"},
		{Key: "m", Word: "merge"},
		{Key: "t", Word: other},
		{Key: "J K", Word: "reorder"},
		{Key: "u", Word: "undo"},
		{Key: "Ctrl+R", Word: "redo"},
		{Key: "a", Word: "add"},
		{Key: "Enter", Word: "its session"},
		{Key: "H", Word: "history"},
		{Key: "R", Word: "restore deleted"},
		{Key: "v", Word: "whole text"},
		{Key: "y", Word: "copy"},
	}...)
	if !pending {
		out = append(out, keys.Hint{Key: "w", Word: "write"})
	}
	if len(v.sheets) == 2 {
		out = append(out, keys.Hint{Key: "Tab", Word: "store"})
	}
	return append(out, keys.Hint{Key: "Esc", Word: "leave"})
}

// Typing tells whether letters are text or an answer right now, and not keys.
func (v *View) Typing() bool { return v.mode != browsing }

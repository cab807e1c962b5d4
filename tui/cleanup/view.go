// Package cleanup is the memory clean-up: both stores with what each entry costs, where it came from and
// what is odd about it, and a draft of what they shall become. A person marks, deletes, edits, merges,
// moves and reorders in the draft; it leaves this package as one value when it is confirmed.
//
// It must not know ports, files or other views: the root hands it sheets and does what its actions ask
// for. Start at View; the draft and its changes are in draft.go, the keys in keys.go, the text being
// written in edit.go, what others changed meanwhile in rebase.go, the drawing in draw.go.
package cleanup

import (
	"time"

	"hermes/core/text"

	"hermes/core/memory"
	"hermes/tui/composer"
)

// Background is what is known about entries beyond the stores.
type Background struct {
	// Requests counts, by entry id, the requests to a model that carried the entry.
	Requests map[string]int
	// Titles names sessions by id.
	Titles map[string]string
}

// Do says what the person asked for.
type Do int

// The actions of the view.
const (
	Nothing Do = iota
	Close
	Write    // Draft is to be written; Written or Refused follows
	History  // of entry ID
	Deleted  // the entries that can be restored
	Origin   // the session that saved entry ID
	Read     // the whole text
	TakeBack // the change ID, which was the last that was written; TakenBack or SetError follows
	Copy     // Text
)

// Action is a request to the root.
type Action struct {
	Do      Do
	ID      string
	Title   string // of Read and History
	Text    string
	Session string // of Origin
	Run     string // of Origin; may be empty
	Draft   memory.Draft
}

type mode int

const (
	browsing mode = iota
	editing
	confirming
	leaving
	busy
)

// maxUndo bounds the undo stack.
const maxUndo = 200

// View is the clean-up of one workspace. Create it with New; it says that it reads until SetSheets or
// SetError.
type View struct {
	now    func() time.Time
	sheets []memory.Sheet
	known  map[ref]memory.Entry // as they stand on the disk
	place  map[ref]int          // number within the sheet, from 1
	back   Background
	loaded bool

	base, cur  draft
	undo, redo []draft
	serial     int // names new entries

	marks    map[string]bool // by item key
	store    int
	sel, top []int // by sheet
	scroll   int   // of the stacked list

	mode   mode
	edit   edit
	after  bool   // close once the draft is written
	done   bool   // it is written; fresh sheets are due
	wrote  string // the last change that was written and can be taken back
	err    string
	note   string
	want   string // id of the entry to select when the sheets come
	beside bool   // how it was last drawn; decides where j goes at the end of a store
	rows   int    // lines of the list as last drawn
	split  int    // column between the stores as last drawn
}

// New returns the view. want is the id of the entry to begin at; "" begins at the top.
func New(now func() time.Time, want string) *View {
	return &View{now: now, want: want, marks: map[string]bool{}}
}

// SetError says why the stores could not be read; what is shown stays.
func (v *View) SetError(text string) {
	v.err = text
	if v.done {
		v.mode, v.done = browsing, false
	}
}

// SetBackground gives what is known about entries beyond the stores.
func (v *View) SetBackground(b Background) { v.back = b }

// SetSheets shows the stores as they stand. Pending changes are kept: what others changed since is
// brought into the draft, and said.
func (v *View) SetSheets(sheets []memory.Sheet) {
	if v.mode == busy && !v.done {
		return // our own change may be in them already; fresh ones follow the answer
	}
	old, oldKnown := v.base, v.known
	v.sheets, v.loaded, v.err = sheets, true, ""
	v.known, v.place = map[ref]memory.Entry{}, map[ref]int{}
	v.base = make(draft, len(sheets))
	for s, sheet := range sheets {
		for i, e := range sheet.Entries {
			r := ref{s, e.ID}
			v.known[r], v.place[r] = e, i+1
			v.base[s] = append(v.base[s], item{key: r.key(), kept: true, text: e.Text, from: []ref{r}})
		}
	}
	switch {
	case len(v.sel) != len(sheets):
		v.sel, v.top, v.store = make([]int, len(sheets)), make([]int, len(sheets)), 0
		v.cur, v.undo, v.redo = v.base, nil, nil
		v.mode, v.edit, v.done = browsing, edit{}, false // a store was switched on or off
	case v.done:
		v.mode, v.done = browsing, false
		v.cur, v.undo, v.redo = v.base, nil, nil
	default:
		v.rebase(old, oldKnown)
	}
	if v.want != "" {
		for s := range sheets {
			v.find(ref{s, v.want}.key())
		}
		v.want = ""
	}
	v.settle()
}

// find puts the selection on the item with this key.
func (v *View) find(key string) {
	if s, i := v.cur.find(key); i >= 0 {
		v.store, v.sel[s] = s, i
	}
}

// settle keeps the selections within their lists.
func (v *View) settle() {
	for s := range v.sel {
		v.sel[s] = max(min(v.sel[s], len(v.cur[s])-1), 0)
	}
	for k := range v.marks {
		if _, i := v.cur.find(k); i < 0 {
			delete(v.marks, k)
		}
	}
}

// selected is the item under the cursor; nil when its store is empty.
func (v *View) selected() *item {
	if v.store >= len(v.cur) || v.sel[v.store] >= len(v.cur[v.store]) {
		return nil
	}
	return &v.cur[v.store][v.sel[v.store]]
}

// Pending tells whether there are changes that are not written.
func (v *View) Pending() bool { return v.changes().any() || v.mode == editing && v.edit.changed() }

// Draft is what the stores shall become.
func (v *View) Draft() memory.Draft {
	var out memory.Draft
	for s, sheet := range v.sheets {
		if sheet.Unreadable != "" {
			continue // it is left alone
		}
		d := &memory.DraftSheet{Base: []string{}}
		for _, e := range sheet.Entries {
			d.Base = append(d.Base, e.ID)
		}
		for _, it := range v.cur[s] {
			switch {
			case it.gone:
			case it.kept:
				d.Items = append(d.Items, memory.DraftItem{ID: it.from[0].id})
			default:
				n := memory.DraftItem{Text: it.text}
				for _, r := range it.from {
					n.From = append(n.From, r.id)
				}
				d.Items = append(d.Items, n)
			}
		}
		if sheet.Target == memory.User {
			out.User = d
		} else {
			out.Memory = d
		}
	}
	return out
}

// Written hears that the draft was written; fresh sheets follow, until then the view takes no keys. It
// tells whether the view is done.
func (v *View) Written(r memory.Tidied) (closes bool) {
	v.done = true
	clear(v.marks)
	v.note = "written as one change"
	if r.LedgerID == "" {
		v.note = "nothing had to change"
	}
	if r.Kept > 0 {
		v.note += ", " + text.Count(r.Kept, "entry", "entries") + " that came meanwhile kept"
	}
	if r.Gone > 0 {
		v.note += ", " + text.Count(r.Gone, "entry", "entries") + " removed elsewhere " + text.Plural(r.Gone, "stays", "stay") + " removed"
	}
	if v.wrote = r.LedgerID; v.wrote != "" {
		how := " · u takes it back"
		if v.after { // the view closes
			how = " · Ctrl+X m, then u takes it back"
		}
		v.note += how
	}
	if r.Memory.Backup != "" || r.User.Backup != "" {
		v.note += ", a copy of the old file kept"
	}
	return v.after
}

// Offer lets u take back a change that an earlier view wrote.
func (v *View) Offer(change string) { v.wrote = change }

// TakenBack hears that the last change was taken back; fresh sheets follow.
func (v *View) TakenBack(said string) { v.wrote, v.err, v.note = "", "", said }

// Note is the last thing worth telling, for where it is told when the view has closed.
func (v *View) Note() string { return v.note }

// Refused hears why the draft was not written. Everything stays as it is.
func (v *View) Refused(text string) {
	v.mode, v.err, v.after = browsing, text, false
}

// Restore puts text, which was deleted once, at the end of its store in the draft.
func (v *View) Restore(t memory.Target, text string) {
	for s, sheet := range v.sheets {
		if sheet.Target != t {
			continue
		}
		if v.err = v.closed(s); v.err != "" {
			return
		}
		next := v.cur.clone()
		next[s] = append(next[s], v.fresh(text))
		v.change(next)
		v.store, v.sel[s] = s, len(next[s])-1
		v.note = "restored in the draft · w writes it"
		return
	}
	v.err = t.File() + " is switched off"
}

// closed says why nothing can come into store s; "" when it can.
func (v *View) closed(s int) string { return v.sheets[s].Unreadable }

// fresh makes an item of new text.
func (v *View) fresh(text string) item {
	v.serial++
	return item{key: newKey(v.serial), text: text}
}

// change makes next the draft; u brings the present one back.
func (v *View) change(next draft) {
	v.undo = append(v.undo, v.cur)
	if len(v.undo) > maxUndo {
		v.undo = v.undo[1:]
	}
	v.cur, v.redo = next, nil
	v.err, v.note = "", ""
	v.settle()
}

// edit is a text being written.
type edit struct {
	ed    *composer.Editor
	title string
	orig  string
	keys  []string // items the text replaces; none for a new entry
	store int
	armed bool // Esc was pressed once
	err   string
}

func (e *edit) changed() bool { return e.ed != nil && e.ed.Text() != e.orig }

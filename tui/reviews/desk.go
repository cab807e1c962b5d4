package reviews

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hermes/core/ledger"
	"hermes/core/review"
)

// Detail is what belongs to one line of the desk and is read when it is looked at.
type Detail struct {
	ID      string
	Changes []Change // of a review, oldest first
	Diff    string   // of a proposal: what accepting it changes now
	Problem string   // why it cannot be accepted as it is
}

// Change is a change of a review.
type Change struct {
	Entry  ledger.Entry
	Diff   string
	Undone bool
}

// Do says what the person asked for.
type Do int

// The actions of the desk.
const (
	Nothing Do = iota
	Close
	Load   // the detail of ID
	Accept // proposal ID
	Reject // proposal ID
	Edit   // the arguments of proposal ID, in Text
	Move   // proposal ID, to the other store of memory
	Undo   // the changes IDs
	Run    // a review now
	Cancel // review ID
	Pause  // or go on
	Open   // the session ID
	Copy   // Text
)

// Action is a request to the root.
type Action struct {
	Do   Do
	ID   string
	IDs  []string
	Text string
}

// Desk is the full-screen view. Create it with NewDesk.
type Desk struct {
	now    func() time.Time
	sheet  Sheet
	loaded bool
	err    string
	note   string

	want    string // id to begin at
	sel     int
	top     int
	scroll  int // of the detail
	page    int // lines of the detail as last drawn
	length  int // of the detail
	change  int // the change of the selected review that has the mark
	sure    Do  // what another press of the same key does
	details map[string]Detail
	asked   map[string]bool
	tick    int
}

// NewDesk returns the view. want is the id of the line to begin at; "" begins at the top.
func NewDesk(now func() time.Time, want string) *Desk {
	return &Desk{now: now, want: want, details: map[string]Detail{}, asked: map[string]bool{}}
}

// SetTick turns the spinners.
func (d *Desk) SetTick(n int) { d.tick = n }

// SetSheet shows s. What was read of its lines is read again.
func (d *Desk) SetSheet(s Sheet) {
	id := d.id()
	if d.want != "" {
		id, d.want = d.want, ""
	}
	d.sheet, d.loaded, d.err = s, true, ""
	d.asked = map[string]bool{}
	for i := range d.rows() {
		if d.idOf(i) == id {
			d.sel = i
		}
	}
	d.settle()
}

// SetError says why the reviews could not be read.
func (d *Desk) SetError(text string) { d.err = text }

// SetNote says what came of the last action.
func (d *Desk) SetNote(text string) { d.note = text }

// SetDetail takes what was asked for by Load.
func (d *Desk) SetDetail(x Detail) {
	d.details[x.ID] = x
	if x.ID == d.id() {
		d.change = min(d.change, max(len(x.Changes)-1, 0))
	}
}

// Missing asks for the detail of the selected line, once; Nothing when it is there.
func (d *Desk) Missing() Action {
	id := d.id()
	if id == "" || d.asked[id] {
		return Action{}
	}
	d.asked[id] = true
	return Action{Do: Load, ID: id}
}

func (d *Desk) rows() int { return len(d.sheet.Waiting) + len(d.sheet.Records) }

func (d *Desk) id() string { return d.idOf(d.sel) }

func (d *Desk) idOf(i int) string {
	if i < 0 || i >= d.rows() {
		return ""
	}
	if i < len(d.sheet.Waiting) {
		return d.sheet.Waiting[i].ID
	}
	return d.sheet.Records[i-len(d.sheet.Waiting)].ID
}

// proposal is the selected line when it is one.
func (d *Desk) proposal() *review.Waiting {
	if d.sel < len(d.sheet.Waiting) && d.sel >= 0 {
		return &d.sheet.Waiting[d.sel]
	}
	return nil
}

// record is the selected line when it is a review.
func (d *Desk) record() *review.Record {
	if i := d.sel - len(d.sheet.Waiting); i >= 0 && i < len(d.sheet.Records) {
		return &d.sheet.Records[i]
	}
	return nil
}

func (d *Desk) settle() { d.sel = max(min(d.sel, d.rows()-1), 0) }

// move selects another line.
func (d *Desk) move(n int) {
	old := d.sel
	d.sel += n
	d.settle()
	if d.sel != old {
		d.scroll, d.change = 0, 0
	}
}

// Update takes a key by its name.
func (d *Desk) Update(key string) Action {
	if key == "" {
		return Action{}
	}
	sure := d.sure
	d.sure, d.note = Nothing, ""
	switch key {
	case "esc", "q":
		return Action{Do: Close}
	case "j", "down":
		d.move(1)
	case "k", "up":
		d.move(-1)
	case "g", "home":
		d.move(-d.rows())
	case "G", "end":
		d.move(d.rows())
	case "pgdown", "space", "ctrl+f", "J":
		d.scrollBy(d.page - 1)
	case "pgup", "ctrl+b", "K":
		d.scrollBy(1 - d.page)
	case "ctrl+d":
		d.scrollBy(d.page / 2)
	case "ctrl+u":
		d.scrollBy(-d.page / 2)
	case "n":
		d.pick(1)
	case "p":
		d.pick(-1)
	case "r":
		return Action{Do: Run}
	case ".":
		return Action{Do: Pause}
	case "y":
		return Action{Do: Copy, Text: d.copied()}
	default:
		if p := d.proposal(); p != nil {
			return d.onProposal(key, p, sure)
		}
		if r := d.record(); r != nil {
			return d.onRecord(key, r, sure)
		}
	}
	return d.Missing()
}

func (d *Desk) scrollBy(n int) { d.scroll = max(min(d.scroll+n, d.length-d.page), 0) }

// pick marks another change of the selected review.
func (d *Desk) pick(n int) {
	if r := d.record(); r != nil {
		d.change = max(min(d.change+n, len(d.details[r.ID].Changes)-1), 0)
	}
}

// onProposal decides about a proposal. Rejecting asks for the key twice: it is remembered. So does Enter, which opens
// things elsewhere.
func (d *Desk) onProposal(key string, p *review.Waiting, sure Do) Action {
	switch key {
	case "a", "enter":
		if p.Foreign {
			d.note = "another program staged it: accept it there, or reject it with x"
			return Action{}
		}
		if key == "enter" && sure != Accept {
			d.sure, d.note = Accept, "Enter again, or a, accepts it"
			return Action{}
		}
		return Action{Do: Accept, ID: p.ID}
	case "e":
		return Action{Do: Edit, ID: p.ID, Text: pretty(p.Arguments)}
	case "m":
		if p.Store == "memory" {
			return Action{Do: Move, ID: p.ID}
		}
		d.note = "only facts can move between stores"
	case "x":
		if sure == Reject {
			return Action{Do: Reject, ID: p.ID}
		}
		d.sure, d.note = Reject, "x again rejects it; the same lesson is not proposed again without saying so"
	case "o":
		return Action{Do: Open, ID: p.SessionID}
	}
	return Action{}
}

// onRecord takes back what a review did. A whole review asks for the key twice.
func (d *Desk) onRecord(key string, r *review.Record, sure Do) Action {
	changes := d.details[r.ID].Changes
	switch key {
	case "u":
		if d.change >= len(changes) {
			d.note = "it changed nothing"
			return Action{}
		}
		c := changes[d.change]
		if c.Undone {
			d.note = "this change is taken back already"
			return Action{}
		}
		return Action{Do: Undo, IDs: []string{c.Entry.ID}}
	case "U":
		var ids []string
		for _, c := range slices.Backward(changes) {
			if !c.Undone {
				ids = append(ids, c.Entry.ID)
			}
		}
		switch {
		case len(ids) == 0:
			d.note = "nothing of it is in force"
		case sure == Undo:
			return Action{Do: Undo, IDs: ids}
		default:
			d.sure, d.note = Undo, "U again takes back all that this review changed"
		}
	case "c":
		if !r.State.Ended() {
			return Action{Do: Cancel, ID: r.ID}
		}
	case "o":
		return Action{Do: Open, ID: r.SessionID}
	}
	return Action{}
}

// copied is what y copies: the diff of the proposal or of the marked change.
func (d *Desk) copied() string {
	x := d.details[d.id()]
	if d.proposal() != nil {
		return x.Diff
	}
	if d.change < len(x.Changes) {
		return x.Changes[d.change].Diff
	}
	return ""
}

// pretty is JSON to be edited by hand.
func pretty(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(v) != nil {
		return string(raw)
	}
	return b.String()
}

// subject is what a call is about, in few words.
func subject(args string) string {
	var a struct{ Action, Name, Target, Path, Query, Pattern string }
	if json.Unmarshal([]byte(args), &a) != nil {
		return ""
	}
	for _, s := range []string{a.Name, a.Target, a.Path, a.Query, a.Pattern} {
		if s != "" {
			return s
		}
	}
	return ""
}

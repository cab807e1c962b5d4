package gauges

import (
	"fmt"
	"strings"

	"hermes/core/text"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

// Detail is one entry to be read in full. It keeps what it was taken from: the pane may go on.
type Detail struct {
	Title string // "MEMORY, entry 3 of 12"
	Text  string // raw
	entry Entry
	limit int
	here  bool // saved in the open session
}

// Selected returns the selected entry; false when there is none.
func (p *Pane) Selected() (Detail, bool) {
	p.settle()
	if len(p.rows) == 0 {
		return Detail{}, false
	}
	r := p.rows[p.sel]
	s := p.sheets[r.sheet]
	e := s.Entries[r.entry]
	return Detail{
		Title: fmt.Sprintf("%s, entry %d of %d", p.name(r.sheet), r.entry+1, len(s.Entries)),
		Text:  e.Text, entry: e, limit: s.Limit, here: p.session != "" && e.Origin.SessionID == p.session,
	}, true
}

// Lines draws the entry in lines of at most w cells: its cost, its origin, the remarks, the text. What
// would not be seen in the text is written out.
func (d Detail) Lines(st *theme.Styles, w int) []string {
	var out []string
	say := func(draw func(...string) string, text string) {
		for _, l := range cell.Wrap(cell.Line(text), w, "  ") {
			out = append(out, draw(l))
		}
	}
	cost := text.Count(d.entry.Chars, "character", "characters")
	if d.limit > 0 {
		cost += fmt.Sprintf(", %d%% of the store", d.entry.Chars*100/d.limit)
	}
	say(st.Muted.Render, cost)
	say(st.Muted.Render, d.origin())
	if r := d.entry.Origin.Reason; r != "" {
		say(st.Muted.Render, "reason: "+r)
	}
	if d.here && !d.entry.Blocked {
		say(st.Good.Render, "+ reaches the prompt in the next session")
	}
	notes := d.entry.Notes
	if len(notes) == 0 && d.entry.Blocked {
		notes = []string{"blocked: kept out of prompts"}
	}
	for _, n := range notes {
		say(st.Warn.Render, "⚠ "+n)
	}
	out = append(out, "")
	for _, l := range cell.Wrap(cell.Readable(d.Text), w, "") {
		out = append(out, st.Text.Render(l))
	}
	return out
}

// origin is one line about who saved the entry, when and in which session.
func (d Detail) origin() string {
	o := d.entry.Origin
	if o.Actor == "" && o.SessionID == "" && o.Time.IsZero() {
		return "origin unknown: the ledger does not know this entry"
	}
	parts := []string{"saved"}
	switch o.Actor {
	case "":
	case "outside":
		parts[0] = "written outside hermes"
	default:
		parts[0] += " by " + o.Actor
	}
	if !o.Time.IsZero() {
		parts = append(parts, o.Time.Format("2006-01-02 15:04"))
	}
	switch {
	case d.here:
		parts = append(parts, "this session")
	case o.SessionID != "":
		parts = append(parts, "session "+o.SessionID)
	}
	return strings.Join(parts, " · ")
}

package cleanup

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"hermes/core/memory"
	"hermes/core/text"
	"hermes/tui/cell"
	"hermes/tui/theme"
)

const (
	// lineBytes is how much of an entry is looked at for its line.
	lineBytes = 2000
	barCells  = 5
)

// row draws item i of store s in w cells: cursor, mark, what became of it, number, cost, remarks, text,
// origin.
func (v *View) row(st *theme.Styles, s, i, w int) string {
	it := v.cur[s][i]
	chosen := s == v.store && i == v.sel[s]
	cursor, mark := " ", " "
	if chosen {
		cursor = st.Accent.Render("▌")
	}
	if v.marks[it.key] {
		mark = st.Accent.Render("●")
	}
	became := v.became(s, it)
	style, words := st.Text, st.Text
	switch became {
	case deleted:
		style, words = st.Bad, st.Faint
	case same:
	default:
		style = st.Accent
	}
	if v.blocked(it) && became != deleted {
		words = st.Muted
	}
	places, digits := v.gutters()
	where := fmt.Sprintf("%*d", places, i+1)
	if !v.beside && len(v.sheets) > 1 {
		where = v.name(s)[:1] + " " + where
	}
	head := cursor + mark + style.Render(became.sign()) + st.Muted.Render(" "+where+" ") +
		v.cost(st, it) + st.Faint.Render(fmt.Sprintf(" %*s ", digits, text.Thousands(text.Len(it.text))))
	tail := v.tail(st, it, w)
	room := max(w-cell.Width(head)-cell.Width(tail), 0)
	flags := cell.Truncate(v.flagWords(s, it), room*2/5)
	if flags != "" {
		room = max(room-cell.Width(flags)-1, 0)
		flags = st.Warn.Render(flags) + " "
	}
	line := strings.ReplaceAll(cell.Readable(it.text[:min(len(it.text), lineBytes)]), "\n", " ")
	if chosen {
		words = words.Bold(true)
	}
	return cell.Truncate(head+flags+words.Render(cell.Fit(line, room))+tail, w)
}

// gutters is how wide numbers and sizes are, in all rows of both stores.
func (v *View) gutters() (places, digits int) {
	for s := range v.cur {
		places = max(places, len(strconv.Itoa(len(v.cur[s]))))
	}
	return places, max(len(text.Thousands(v.largest())), 3)
}

// cost draws what an item takes, against the largest one.
func (v *View) cost(st *theme.Styles, it item) string {
	n := text.Len(it.text)
	most := max(v.largest(), 1)
	half := max(n*barCells*2/most, 1)
	full := min(half/2, barCells)
	out := cell.Repeat("█", full)
	if half%2 == 1 && full < barCells {
		out += "▌"
	}
	style := st.Accent
	if it.gone {
		style = st.Faint
	}
	return style.Render(out) + cell.Spaces(barCells-cell.Width(out))
}

// largest is the size of the largest entry on the disk.
func (v *View) largest() int {
	n := 0
	for _, sheet := range v.sheets {
		for _, e := range sheet.Entries {
			n = max(n, e.Chars)
		}
	}
	return n
}

// tail is price and origin in the room a line of w cells has for them.
func (v *View) tail(st *theme.Styles, it item, w int) string {
	if w < 50 {
		return ""
	}
	actor, age := "", ""
	if o := v.origin(it); o != nil {
		actor, age = string(o.Actor), Age(v.now().Sub(o.Time))
	}
	if w < 84 {
		return st.Faint.Render(fmt.Sprintf(" %4s", age))
	}
	sent := cell.Spaces(11)
	if n := v.sent(it); n > 0 {
		sent = fmt.Sprintf(" %5s sent", short(n))
	}
	return st.Faint.Render(sent + " " + cell.Fit(actor, 7) + fmt.Sprintf(" %4s", age))
}

// sent is how many characters of requests the item made up so far; 0 when that is not known.
func (v *View) sent(it item) int {
	if !it.kept || v.blocked(it) {
		return 0
	}
	return text.Len(it.text) * v.back.Requests[it.from[0].id]
}

// origin is where the item came from; nil when the ledger does not know it.
func (v *View) origin(it item) *memory.Origin {
	r, _ := it.first()
	return v.known[r].Origin
}

// flags are the remarks on an item that stands as it was; new text has none yet.
func (v *View) flags(it item) []memory.Flag {
	if !it.kept {
		return nil
	}
	return v.known[it.from[0]].Flags
}

func (v *View) blocked(it item) bool { return it.kept && v.known[it.from[0]].Blocked() }

// flagWords are the remarks on it, which stands in store s, in a few words.
func (v *View) flagWords(s int, it item) string {
	var out []string
	for _, f := range v.flags(it) {
		word := string(f.Code)
		switch f.Code {
		case memory.FlagNear:
			word = "like " + v.number(s, ref{it.from[0].store, f.Of})
		case memory.FlagInstruction:
			word = "order"
		case memory.FlagProcedure:
			word = "steps"
		case memory.FlagHidden:
			word = "hidden"
		default:
		}
		if len(out) == 0 || out[len(out)-1] != word {
			out = append(out, word)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "⚠ " + strings.Join(out, ", ")
}

// number says where an entry stands now, seen from store s; "…" when it is gone.
func (v *View) number(s int, r ref) string {
	at, i := v.cur.find(r.key())
	switch {
	case i < 0:
		return cell.Ellipsis
	case at != s:
		return fmt.Sprintf("%s %d", v.name(at), i+1)
	}
	return fmt.Sprint(i + 1)
}

// Age writes a past distance in at most four cells: "now", "5m", "3h", "12d", "8w", "2y".
func Age(d time.Duration) string {
	days := int(d.Hours()) / 24
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case days < 60:
		return fmt.Sprintf("%dd", days)
	case days < 730:
		return fmt.Sprintf("%dw", days/7)
	}
	return fmt.Sprintf("%dy", days/365)
}

// Package gauges is the memory pane: how full each store is, what of it is worth a look, and its
// entries below when there is room.
//
// It must not know ports, files or other panes; the root hands it sheets. Start at Pane; the values are
// in sheet.go, the gauges in draw.go, the text of one entry in entry.go.
package gauges

import (
	"fmt"
	"strconv"
	"strings"

	"hermes/core/text"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

var _ pane.Pane = (*Pane)(nil)

const (
	// minList is how many lines the list keeps while the pane has the keys; from roomy lines on it has
	// half of them always, so that nothing jumps when the focus comes.
	minList, roomy = 3, 9
	// lineBytes is how much of an entry is looked at for its line in the list.
	lineBytes = 2000
)

// Pane shows the memory stores. Create it with New.
type Pane struct {
	st      *theme.Styles
	w, h    int
	focused bool
	session string

	sheets []Sheet
	rows   []row
	loaded bool
	err    string

	sel, top int
}

// row is one entry in the list.
type row struct {
	sheet, entry int
	line         string // what would not be seen written out: a person judges it; cut
}

// New returns the pane, which says that it reads until SetSheets or SetError.
func New(st *theme.Styles) *Pane { return &Pane{st: st} }

// SetTheme redraws in st.
func (p *Pane) SetTheme(st *theme.Styles) { p.st = st }

// Reset forgets all sheets; entries of session count as saved here from now on.
func (p *Pane) Reset(session string) {
	p.session, p.sheets, p.rows, p.loaded, p.err, p.sel, p.top = session, nil, nil, false, "", 0, 0
}

// SetSheets shows sheets. The selection stays on its entry while that exists.
func (p *Pane) SetSheets(sheets []Sheet) {
	store, id := p.selectedID()
	p.sheets, p.rows, p.loaded, p.err = sheets, nil, true, ""
	for i, s := range sheets {
		for j, e := range s.Entries {
			if s.Name == store && e.ID == id {
				p.sel = len(p.rows)
			}
			p.rows = append(p.rows, row{sheet: i, entry: j, line: strings.ReplaceAll(cell.Readable(e.Text[:min(len(e.Text), lineBytes)]), "\n", " ")})
		}
	}
	p.settle()
}

// SetError says why the stores could not be read; the last sheets stay.
func (p *Pane) SetError(text string) { p.err = cell.Line(text) }

// SetSize sets the cells of the body.
func (p *Pane) SetSize(w, h int) { p.w, p.h = max(w, 0), max(h, 0) }

// Focus gives the pane the keys.
func (p *Pane) Focus() { p.focused = true }

// Blur takes them away.
func (p *Pane) Blur() { p.focused = false }

// Update takes no keys of its own: all are bound by the root.
func (p *Pane) Update(tea.Msg) tea.Cmd { return nil }

// Title names the pane.
func (p *Pane) Title() string { return "Memory" }

// Badge counts: "12 entries · +1 · 2 ⚠".
func (p *Pane) Badge() string {
	t := p.total()
	if t.all == 0 {
		return ""
	}
	s := text.Count(t.all, "entry", "entries")
	if t.fresh > 0 {
		s += fmt.Sprintf(" · +%d", t.fresh)
	}
	if n := t.blocked + t.near; n > 0 {
		s += fmt.Sprintf(" · %d ⚠", n)
	}
	return s
}

// ShortHelp lists the keys that matter.
func (p *Pane) ShortHelp() []keys.Hint {
	return []keys.Hint{{Key: "j k", Word: "move"}, {Key: "Enter", Word: "clean up"}, {Key: "space", Word: "entry"}, {Key: "y", Word: "copy"}, {Key: "q", Word: "back"}}
}

// View draws the gauges and, below them, the entries that fit.
func (p *Pane) View() string {
	out := p.head()
	p.settle()
	for i := p.top; i < len(p.rows) && len(out) < p.h; i++ {
		out = append(out, p.row(i))
	}
	if len(out) > p.h {
		out = out[:p.h]
	}
	return strings.Join(out, "\n")
}

// row draws entry i of the list: mark, sign, where it stands, what it costs, what it says.
func (p *Pane) row(i int) string {
	r := p.rows[i]
	s := p.sheets[r.sheet]
	e := s.Entries[r.entry]
	mark, warned, fresh := " ", " ", " "
	if p.focused && i == p.sel {
		mark = p.st.Accent.Render("▌")
	}
	if e.Blocked || e.Near {
		warned = p.st.Warn.Render("⚠")
	}
	if e.fresh(p.session) {
		fresh = p.st.Good.Render("+")
	}
	name, cost := p.name(r.sheet), ""
	if p.w < 40 {
		name, _ = cell.Draw(firstCluster(name))
	} else {
		cost = " " + p.st.Faint.Render(text.Thousands(e.Chars)) + " "
	}
	where := fmt.Sprintf("%s %*d", name, len(strconv.Itoa(len(s.Entries))), r.entry+1)
	if p.w >= 40 {
		where = cell.Fit(where, p.column()+1+len(strconv.Itoa(len(p.rows))))
	}
	text := p.st.Text
	if e.Blocked {
		text = p.st.Muted
	}
	room := max(p.w-cell.Width(where)-5-cell.Width(cost), 0)
	line := mark + warned + fresh + " " + p.st.Muted.Render(where) + " " + text.Render(cell.Fit(r.line, room)) + cost
	return cell.Truncate(line, p.w)
}

// settle keeps selection and scroll position within the list.
func (p *Pane) settle() {
	n, h := len(p.rows), p.listHeight()
	p.sel = max(min(p.sel, n-1), 0)
	if h <= 0 {
		p.top = p.sel
		return
	}
	p.top = min(p.top, p.sel)
	p.top = max(p.top, p.sel-h+1)
	p.top = max(min(p.top, n-h), 0)
}

// listHeight is what the gauges leave.
func (p *Pane) listHeight() int { return max(p.h-len(p.head()), 0) }

// Select moves the selection by n lines.
func (p *Pane) Select(n int) {
	p.sel = min(max(p.sel+n, 0), max(len(p.rows)-1, 0))
	p.settle()
}

// Page is how many lines a page key moves.
func (p *Pane) Page() int { return max(p.listHeight()-1, 1) }

// Click selects the line y of the body and tells whether there is an entry; the gauges above are none.
func (p *Pane) Click(y int) bool {
	p.settle()
	i := p.top + y - len(p.head())
	if y < len(p.head()) || i >= len(p.rows) {
		return false
	}
	p.sel = i
	return true
}

// SelectedID is the id of the selected entry, "" when there is none.
func (p *Pane) SelectedID() string {
	_, id := p.selectedID()
	return id
}

func (p *Pane) selectedID() (store, id string) {
	if p.sel >= len(p.rows) {
		return "", ""
	}
	s := p.sheets[p.rows[p.sel].sheet]
	return s.Name, s.Entries[p.rows[p.sel].entry].ID
}

func (p *Pane) total() tally {
	var t tally
	for _, s := range p.sheets {
		t = t.add(s.count(p.session))
	}
	return t
}

func (p *Pane) name(sheet int) string { return cell.Truncate(cell.Line(p.sheets[sheet].Name), 12) }

// column is the width of the longest name.
func (p *Pane) column() int {
	n := 0
	for i := range p.sheets {
		n = max(n, cell.Width(p.name(i)))
	}
	return n
}

func firstCluster(s string) (c string, w int) {
	c, w = "?", 1
	cell.Clusters(s, func(first string, n int) bool { c, w = first, n; return false })
	return c, w
}

// Package skillpane is the standing pane of skills: what the prompt of the open session lists, with what is
// worth knowing about each skill, and what changed since the session was told.
//
// It must not know ports, files or other panes: the root hands it sheets and tells it what happens. Start at
// Pane; the rows are made in sheet.go, the drawing is in draw.go.
package skillpane

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

var _ pane.Pane = (*Pane)(nil)

// Pane is the standing pane. Create it with New.
type Pane struct {
	st      *theme.Styles
	w, h    int
	focused bool

	sheet  Sheet
	loaded bool
	err    string

	rows     []row
	items    []int // the rows that are skills
	counts   counts
	longest  int // cells of the longest name
	sel, top int // of items, of rows
}

// New returns the pane, which says that it reads until SetSheet or SetError.
func New(st *theme.Styles) *Pane { return &Pane{st: st} }

// SetTheme redraws in st.
func (p *Pane) SetTheme(st *theme.Styles) { p.st = st }

// Reset forgets everything.
func (p *Pane) Reset() { *p = Pane{st: p.st, w: p.w, h: p.h, focused: p.focused} }

// SetSheet shows s. The selection stays on its skill while that exists.
func (p *Pane) SetSheet(s Sheet) {
	p.sheet, p.loaded, p.err = s, true, ""
	p.arrange("")
}

// SetError says why the skills could not be read; what is shown stays.
func (p *Pane) SetError(text string) { p.err = cell.Line(text) }

// Apply takes a live event: the mark of its skill changes at once, before anything is read again.
func (p *Pane) Apply(e core.Event) {
	switch e := e.(type) {
	case *core.SkillChanged:
		m := Mark{Category: e.Category, Name: e.Name, Action: e.Action}
		p.sheet.Made = append(slices.Clone(p.sheet.Made), m)
		p.arrange(m.id())
	case *core.SkillLoaded:
		m := Mark{Category: e.Category, Name: e.Name}
		p.sheet.Loaded = append(slices.Clone(p.sheet.Loaded), m)
		p.arrange(m.id())
	}
}

// arrange makes the rows anew. touched is the mark of the skill that something happened to: it comes into view
// unless a person is at work here.
func (p *Pane) arrange(touched string) {
	key := p.SelectedID()
	p.rows, p.items, p.longest = p.sheet.rows(), nil, 0
	p.counts = p.sheet.count(p.rows)
	for i := range p.rows {
		r := &p.rows[i]
		if r.head {
			continue
		}
		if key != "" && r.key == key {
			p.sel = len(p.items)
		}
		p.items = append(p.items, i)
		p.longest = max(p.longest, cell.Width(cell.Line(r.name)))
	}
	for n, i := range p.items {
		if touched != "" && !p.focused && p.rows[i].is(touched) {
			p.sel = n
		}
	}
	p.settle()
}

// SetSize sets the cells of the body.
func (p *Pane) SetSize(w, h int) { p.w, p.h = max(w, 0), max(h, 0); p.settle() }

// Focus gives the pane the keys.
func (p *Pane) Focus() { p.focused = true }

// Blur takes them away.
func (p *Pane) Blur() { p.focused = false }

// Update takes no keys of its own: all are bound by the root.
func (p *Pane) Update(tea.Msg) tea.Cmd { return nil }

// Title names the pane.
func (p *Pane) Title() string { return "Skills" }

// Badge counts: "14 shown · 3 hidden · 2 ⚠", shorter where there is no room.
func (p *Pane) Badge() string {
	if !p.loaded || p.counts == (counts{}) {
		return ""
	}
	wide := p.counts.words(true)
	if p.w == 0 || cell.Width(wide)+14 <= p.w {
		return wide
	}
	return p.counts.words(false)
}

// ShortHelp lists the keys that matter.
func (p *Pane) ShortHelp() []keys.Hint {
	return []keys.Hint{{Key: "j k", Word: "move"}, {Key: "Enter", Word: "browse"}, {Key: "y", Word: "copy"}, {Key: "q", Word: "back"}}
}

// settle keeps selection and scroll position within the list; the name of the category stays in sight with its
// first skill.
func (p *Pane) settle() {
	p.sel = max(min(p.sel, len(p.items)-1), 0)
	if p.h <= 0 || len(p.items) == 0 {
		p.top = 0
		return
	}
	at := p.items[p.sel]
	first := at
	if at > 0 && p.rows[at-1].head && p.h > 1 {
		first--
	}
	p.top = min(p.top, first)
	p.top = max(p.top, at-p.h+1)
	p.top = max(min(p.top, len(p.rows)-p.h), 0)
}

// Select moves the selection by n skills.
func (p *Pane) Select(n int) {
	p.sel = min(max(p.sel+n, 0), max(len(p.items)-1, 0))
	p.settle()
}

// Page is how many lines a page key moves.
func (p *Pane) Page() int { return max(p.h-1, 1) }

// Click selects the skill on line y of the body and tells whether there is one.
func (p *Pane) Click(y int) bool {
	n := slices.Index(p.items, p.top+y)
	if n >= 0 {
		p.sel = n
	}
	return n >= 0
}

// SelectedID is the SKILL.md of the selected skill; "" when there is none.
func (p *Pane) SelectedID() string {
	if r := p.selected(); r != nil {
		return r.key
	}
	return ""
}

// SelectedText is the selected line as the model reads it.
func (p *Pane) SelectedText() string {
	r := p.selected()
	if r == nil {
		return ""
	}
	return strings.TrimSuffix(r.name+": "+r.text, ": ")
}

func (p *Pane) selected() *row {
	if p.sel >= len(p.items) {
		return nil
	}
	return &p.rows[p.items[p.sel]]
}

// counts are the figures of the badge.
type counts struct{ shown, fresh, hidden, warned int }

func (c counts) words(wide bool) string {
	parts := []string{fmt.Sprint(c.shown)}
	if wide {
		parts[0] += " shown"
	}
	if c.fresh > 0 {
		parts = append(parts, fmt.Sprintf("+%d", c.fresh))
	}
	if c.hidden > 0 && wide {
		parts = append(parts, fmt.Sprintf("%d hidden", c.hidden))
	}
	if c.warned > 0 {
		parts = append(parts, fmt.Sprintf("%d ⚠", c.warned))
	}
	return strings.Join(parts, " · ")
}

// Package picker is a small box to choose one of many by typing a part of it, and Prompt, a box that
// asks for one line. It must not know what is chosen. Start at Picker.
package picker

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/cell"
	"hermes/tui/composer"
	"hermes/tui/match"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// Item is one choice.
type Item struct {
	ID    string
	Label string
	Note  string // at the right end
	Find  string // what it is found by besides
	Off   bool   // it cannot be had right now; Note says why. Such items stand last
}

// Outcome says what a key led to.
type Outcome int

// The outcomes.
const (
	None Outcome = iota
	Closed
	Picked
)

// Picker filters items as one types; the best match comes first. Create it with New.
type Picker struct {
	title  string
	note   string // below the list
	field  *composer.Field
	items  []Item
	texts  []string // what is searched, by item
	shown  []Item
	loaded bool
	err    string
	sel    int
	free   string // the word before text that is no item, when such text may be picked
}

// New returns a picker that shows "loading" until SetItems; note stands below the list.
func New(title, note string) *Picker {
	return &Picker{title: title, note: note, field: composer.NewField("", false)}
}

// AllowFree lets what was typed be picked although no item is called so; word is put before it.
func (p *Picker) AllowFree(word string) { p.free = word }

// SetItems gives the choices; the one with id current is selected.
func (p *Picker) SetItems(items []Item, current string) {
	p.items, p.loaded = items, true
	p.texts = make([]string, len(items))
	for i, it := range items {
		p.texts[i] = strings.TrimSpace(it.Label + " " + it.Note + " " + it.Find)
	}
	p.refilter()
	for i, it := range p.shown {
		if it.ID == current {
			p.sel = i
		}
	}
}

// SetQuery types text into the filter.
func (p *Picker) SetQuery(text string) {
	p.field.SetText(text)
	p.refilter()
}

// Move moves the selection by n items.
func (p *Picker) Move(n int) { p.sel = min(max(p.sel+n, 0), max(len(p.shown)-1, 0)) }

// SetError shows why there is nothing to choose.
func (p *Picker) SetError(text string) { p.err, p.loaded = text, true }

// Update handles a key or a paste.
func (p *Picker) Update(msg tea.Msg) (Outcome, Item) {
	name := ""
	if k, ok := msg.(tea.KeyPressMsg); ok {
		name = k.String()
	}
	last := max(len(p.shown)-1, 0)
	switch name {
	case "esc":
		return Closed, Item{}
	case "enter":
		if p.sel < len(p.shown) {
			return Picked, p.shown[p.sel]
		}
	case "down", "ctrl+n":
		p.sel = min(p.sel+1, last)
	case "up", "ctrl+p":
		p.sel = max(p.sel-1, 0)
	case "pgdown":
		p.sel = min(p.sel+10, last)
	case "pgup":
		p.sel = max(p.sel-10, 0)
	default:
		before := p.field.Text()
		p.field.Update(msg)
		if p.field.Text() != before {
			p.sel = 0
			p.refilter()
		}
	}
	return None, Item{}
}

func (p *Picker) refilter() {
	p.shown = p.shown[:0:0]
	var off []Item
	for _, i := range match.Rank(p.field.Text(), p.texts, 0) {
		if p.items[i].Off {
			off = append(off, p.items[i])
		} else {
			p.shown = append(p.shown, p.items[i])
		}
	}
	p.shown = append(p.shown, off...)
	if text := strings.TrimSpace(p.field.Text()); p.free != "" && text != "" && !slices.ContainsFunc(p.items, func(it Item) bool { return it.ID == text }) {
		p.shown = append(p.shown, Item{ID: text, Label: p.free + " " + text, Note: "not in the list"})
	}
	p.sel = min(p.sel, max(len(p.shown)-1, 0))
}

// View draws the box for a screen of w by h cells, and the cursor within it.
func (p *Picker) View(st *theme.Styles, w, h int) (box []string, cx, cy int) {
	bw := min(w, 80)
	inner := max(bw-4, 1)
	rows := max(min(len(p.items), 16), 3) // of all items: the box keeps its place while one types
	bh := min(rows+6, h)
	room := max(bh-6, 1)
	line, x := p.field.View(inner - 2)
	lines := []string{st.Accent.Render("/") + " " + line, ""}
	top := max(min(p.sel-room/2, len(p.shown)-room), 0)
	switch {
	case p.err != "":
		lines = append(lines, st.Bad.Render(cell.Truncate("✗ "+cell.Line(p.err), inner)))
	case !p.loaded:
		lines = append(lines, st.Muted.Render("loading…"))
	case len(p.shown) == 0:
		lines = append(lines, st.Muted.Render("nothing matches"))
	}
	for i := top; i < len(p.shown) && i < top+room; i++ {
		it := p.shown[i]
		label, note := cell.Line(it.Label), cell.Line(it.Note)
		if i == p.sel {
			lines = append(lines, st.Selected.Render(cell.Sides("› "+label, note, inner, 20)))
		} else {
			style := st.Text
			if it.Off {
				style = st.Faint
			}
			lines = append(lines, cell.Sides("  "+style.Render(label), st.Faint.Render(note), inner, 20))
		}
	}
	lines = cell.Block(lines, inner, max(bh-4, 0))
	lines = append(lines, "", st.Faint.Render(cell.Truncate(p.note, inner)))
	for i := range lines {
		lines[i] = " " + cell.Fit(lines[i], inner) + " "
	}
	label := pane.Label{Title: p.title, Badge: p.badge(), Focused: true}
	return pane.Frame(st, label, lines, bw, bh), x + 4, 1
}

// badge is where one is in the list.
func (p *Picker) badge() string {
	if len(p.shown) == 0 {
		return fmt.Sprintf("0 of %d", len(p.items))
	}
	return fmt.Sprintf("%d of %d", p.sel+1, len(p.shown))
}

// Prompt asks for one line of text.
type Prompt struct {
	title string
	note  string
	field *composer.Field
}

// NewPrompt returns a prompt that starts with text; note stands below the line.
func NewPrompt(title, text, note string) *Prompt {
	return &Prompt{title: title, note: note, field: composer.NewField(text, false)}
}

// Update handles a key or a paste; with Picked, text is what was typed.
func (p *Prompt) Update(msg tea.Msg) (Outcome, string) {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "esc" {
		return Closed, ""
	}
	if p.field.Update(msg) == composer.Submit {
		return Picked, strings.TrimSpace(p.field.Text())
	}
	return None, ""
}

// View draws the box for a screen of w cells, and the cursor within it.
func (p *Prompt) View(st *theme.Styles, w int) (box []string, cx, cy int) {
	bw := min(w, 70)
	inner := max(bw-4, 1)
	line, x := p.field.View(inner - 2)
	lines := []string{" " + st.Accent.Render("›") + " " + line, "", " " + st.Faint.Render(cell.Truncate(p.note, inner))}
	return pane.Frame(st, pane.Label{Title: p.title, Focused: true}, lines, bw, 5), x + 4, 1
}

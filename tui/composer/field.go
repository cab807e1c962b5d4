package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/cell"
)

// Field is a one-line text box, masked when it takes a secret.
type Field struct {
	ed   *Editor
	mask bool
	left int // first visible element
}

// NewField returns an empty field holding text; mask draws every character as a dot.
func NewField(text string, mask bool) *Field {
	e := New()
	e.single = true
	f := &Field{ed: e, mask: mask}
	f.SetText(text)
	return f
}

// Text returns the content.
func (f *Field) Text() string { return f.ed.Text() }

// SetText replaces the content and puts the cursor behind it.
func (f *Field) SetText(s string) {
	f.ed.SetText(strings.ReplaceAll(s, "\n", " "))
	f.left = 0
}

// Update handles a key press or a paste. Line breaks at the ends of a paste are dropped, inside it
// they become spaces.
func (f *Field) Update(msg tea.Msg) Outcome {
	if p, ok := msg.(tea.PasteMsg); ok {
		f.ed.Insert(strings.TrimSpace(p.Content))
		return Edited
	}
	return f.ed.Update(msg)
}

// View returns the visible part in at most w cells and the cursor's column in it.
func (f *Field) View(w int) (line string, x int) {
	w = max(w, 1)
	elems := f.shown()
	f.left = min(f.left, f.ed.cur)
	for span(elems[f.left:f.ed.cur]) > w-1 { // one cell stays for the cursor
		f.left++
	}
	var b strings.Builder
	used := 0
	for i, el := range elems[f.left:] {
		if used+el.width > w {
			break
		}
		if f.left+i < f.ed.cur {
			x += el.width
		}
		b.WriteString(el.show)
		used += el.width
	}
	return b.String(), min(x, w-1)
}

func (f *Field) shown() []elem {
	if !f.mask {
		return f.ed.elems
	}
	out := make([]elem, len(f.ed.elems))
	for i := range out {
		out[i] = elem{show: "•", width: cell.Width("•")}
	}
	return out
}

func span(elems []elem) int {
	n := 0
	for _, e := range elems {
		n += e.width
	}
	return n
}

// Package layout decides what stands where: a pure function from the size of the terminal and a few
// flags to rectangles. It knows no styles, no content and no messages.
//
// Start at Compute.
package layout

// Pane numbers a standing pane; the numbers are fixed and are the keys that focus it.
type Pane int

// The five panes.
const (
	Chat Pane = iota + 1
	Tools
	Skills
	Memory
	Reviews
)

// Kind names a layout.
type Kind string

// The layouts.
const (
	Side   Kind = "side"   // chat, the others in a column beside it
	Stack  Kind = "block"  // chat, the others in a block of two columns below it
	Strip  Kind = "strip"  // chat, one line a pane below it
	Single Kind = "single" // one pane and a tab line
	Zoomed Kind = "zoomed" // one pane over everything
	Tiny   Kind = "tiny"   // a one-line notice
)

// The limits of the layouts, in cells.
const (
	MinWidth, MinHeight     = 40, 12
	stripWidth              = 60
	stackWidth, stackHeight = 88, 32
	sideWidth, sideHeight   = 120, 24
	sideMin, chatMin        = 44, 56
	blockMin, chatLines     = 5, 14
)

// Rect is a rectangle in cells; X and Y count from 0 at the upper left.
type Rect struct{ X, Y, W, H int }

// Contains tells whether the cell x, y lies in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Inner returns what is left inside a border of one cell; never negative.
func (r Rect) Inner() Rect {
	return Rect{X: r.X + 1, Y: r.Y + 1, W: max(r.W-2, 0), H: max(r.H-2, 0)}
}

// Input is what the layout depends on.
type Input struct {
	W, H  int
	Panes []Pane // those that exist, in order; Chat is the first
	Focus Pane
	Zoom  bool
	// SideDelta widens (positive) or narrows the side column, in cells; the block below the chat grows
	// by half as many lines. It is clamped.
	SideDelta int
}

// Section is one pane inside a box: its body below the box's border or separator line.
type Section struct {
	Pane Pane
	Body Rect
}

// Box is a bordered rectangle with one or more sections. The title of the first stands in the top
// border, those of the others in separator lines just above their bodies.
type Box struct {
	Rect     Rect
	Sections []Section
}

// Result is the placed screen. Tabs and Status have height 0 when absent.
type Result struct {
	Kind   Kind
	Boxes  []Box
	Strips []Section // bodies are single lines
	Tabs   Rect
	Status Rect
}

// Visible tells whether p has a body on screen.
func (r Result) Visible(p Pane) bool {
	_, ok := r.Body(p)
	return ok
}

// Body returns where p draws.
func (r Result) Body(p Pane) (Rect, bool) {
	for _, b := range r.Boxes {
		for _, s := range b.Sections {
			if s.Pane == p {
				return s.Body, true
			}
		}
	}
	return Rect{}, false
}

// Compute places the panes.
func Compute(in Input) Result {
	w, h := max(in.W, 0), max(in.H, 0)
	if w < MinWidth || h < MinHeight {
		return Result{Kind: Tiny}
	}
	r := Result{Status: Rect{Y: h - 1, W: w, H: 1}}
	area := Rect{W: w, H: h - 1}
	others := in.Panes[1:]
	switch {
	case w < stripWidth:
		r.Kind = Single
		r.Tabs = Rect{W: w, H: 1}
		r.Boxes = []Box{single(in.Focus, Rect{Y: 1, W: w, H: area.H - 1})}
	case in.Zoom:
		r.Kind = Zoomed
		r.Boxes = []Box{single(in.Focus, area)}
	case len(others) == 0:
		r.Kind = Side
		r.Boxes = []Box{single(Chat, area)}
	case w >= sideWidth && h >= sideHeight:
		r.Kind = Side
		r.Boxes = side(area, others, in.SideDelta)
	case w >= stackWidth && w < sideWidth && h >= stackHeight:
		r.Kind = Stack
		r.Boxes = stack(area, others, in.SideDelta/2)
	case in.Focus > Chat: // a pane that has only a line is shown whole while it has the keys
		r.Kind = Zoomed
		r.Boxes = []Box{single(in.Focus, area)}
	default:
		r.Kind = Strip
		n := len(others)
		r.Boxes = []Box{single(Chat, Rect{W: w, H: area.H - n})}
		for i, p := range others {
			r.Strips = append(r.Strips, Section{Pane: p, Body: Rect{Y: area.H - n + i, W: w, H: 1}})
		}
	}
	return r
}

func single(p Pane, r Rect) Box {
	return Box{Rect: r, Sections: []Section{{Pane: p, Body: r.Inner()}}}
}

// side puts the others in a column of about 38 %.
func side(area Rect, others []Pane, delta int) []Box {
	w := max(area.W*38/100, sideMin) + delta
	w = min(max(w, sideMin), area.W-chatMin)
	chat := Rect{W: area.W - w, H: area.H}
	col := Rect{X: chat.W, W: w, H: area.H}
	return []Box{single(Chat, chat), column(col, others)}
}

// stack puts the others in two columns below the chat, the first ones on the left.
func stack(area Rect, others []Pane, delta int) []Box {
	h := max(area.H/4, 7)
	if len(others) > 2 {
		h = max(area.H*2/5, 13)
	}
	least := blockMin
	if len(others) > 2 { // two of them over each other
		least += 4
	}
	h = min(max(h+delta, least), area.H-chatLines)
	chat := Rect{W: area.W, H: area.H - h}
	if len(others) == 1 {
		return []Box{single(Chat, chat), column(Rect{Y: chat.H, W: area.W, H: h}, others)}
	}
	left := (len(others) + 1) / 2
	lw := area.W / 2
	return []Box{
		single(Chat, chat),
		column(Rect{Y: chat.H, W: lw, H: h}, others[:left]),
		column(Rect{X: lw, Y: chat.H, W: area.W - lw, H: h}, others[left:]),
	}
}

// weight is the share of a column's free lines that a pane gets; memory needs few lines.
func weight(p Pane) int {
	switch p {
	case Tools, Skills:
		return 3
	case Reviews:
		return 2
	default:
		return 1
	}
}

// column stacks panes in one box, separated by titled lines.
func column(r Rect, panes []Pane) Box {
	inner := r.Inner()
	free := inner.H - (len(panes) - 1) // separators
	total := 0
	for _, p := range panes {
		total += weight(p)
	}
	b := Box{Rect: r}
	y, used := inner.Y, 0
	for i, p := range panes {
		h := free * weight(p) / total
		if i == len(panes)-1 {
			h = free - used
		}
		b.Sections = append(b.Sections, Section{Pane: p, Body: Rect{X: inner.X, Y: y, W: inner.W, H: max(h, 0)}})
		used += h
		y += h + 1
	}
	return b
}

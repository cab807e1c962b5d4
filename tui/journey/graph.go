package journey

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	graph "hermes/core/journey"
	"hermes/tui/cell"
	"hermes/tui/theme"
)

// spots is where the nodes stood when the map was drawn last.
type spots struct {
	w, h   int
	cx, cy []int // by node; -1 when it is not shown
	hidden int   // nodes that found no place

	crowded bool // too many for brackets and for all links at once
}

const (
	maxZoom   = 4
	often     = 5  // uses from which a skill is drawn large
	labelWide = 28 // cells of a name on the map
	// legendLines is how many lines of categories there are at most.
	legendLines = 2
	labelMany   = 60 // names that are tried besides those of the neighbourhood
	few         = 24 // nodes up to which memories have names, too
	roomy       = 20 // cells a node needs; with less the map is crowded
)

// graphKey walks to the nearest node in a direction, or changes the scale.
func (v *View) graphKey(name string) {
	dir, ok := map[string][2]float64{
		"h": {-1, 0}, "left": {-1, 0}, "l": {1, 0}, "right": {1, 0}, "k": {0, -1}, "up": {0, -1}, "j": {0, 1}, "down": {0, 1},
	}[name]
	switch {
	case ok:
		if i := v.towards(dir[0], dir[1]); i >= 0 {
			v.goTo(i)
		} else {
			v.note = "nothing further that way"
		}
	case name == "+" || name == "=":
		v.zoom = min(v.zoom+1, maxZoom)
	case name == "-":
		v.zoom = max(v.zoom-1, 0)
	case name == "0":
		v.zoom = 0
	default:
		if n, ok := along(name, max(len(v.rows)/10, 1)); ok {
			v.choose(v.row + n)
		}
	}
}

// towards is the nearest shown node in a direction, preferring what lies straight ahead; -1 for none.
func (v *View) towards(dx, dy float64) int {
	from, ok := v.sheet.at[v.sel]
	if !ok || v.sheet.places == nil {
		return -1
	}
	w, h := float64(max(v.spots.w, 40)), 2*float64(max(v.spots.h, 12)) // a cell is twice as high as wide
	best, at := math.Inf(1), -1
	p := v.sheet.places[from]
	for _, i := range v.rows {
		q := v.sheet.places[i]
		x, y := (q.X-p.X)*w, (q.Y-p.Y)*h
		ahead, aside := x*dx+y*dy, math.Abs(x*dy)+math.Abs(y*dx)
		if i == from || ahead <= 0.25 {
			continue
		}
		score := ahead + 2*aside
		if aside > 1.5*ahead {
			score += w + h // only when nothing lies ahead
		}
		if score < best {
			best, at = score, i
		}
	}
	return at
}

// constellation draws the map.
func (v *View) constellation(st *theme.Styles, w, h int) []string {
	legend := v.letters(st, w)
	h = max(h-len(legend)-1, 1)
	c := newCanvas(w, h)
	v.place(w, h)
	at, linked := v.sheet.at[v.sel], map[int]bool{}
	for _, l := range v.links() {
		linked[l.other] = true
	}
	for _, e := range v.sheet.Graph.Edges {
		a, b := v.sheet.at[e.Source], v.sheet.at[e.Target]
		if v.spots.cx[a] < 0 || v.spots.cx[b] < 0 {
			continue
		}
		mine := v.sel != "" && (a == at || b == at)
		if v.spots.crowded && !mine {
			continue
		}
		c.line(v.spots.cx[a], v.spots.cy[a], v.spots.cx[b], v.spots.cy[b], !e.Why.Declared, mine)
	}
	order := slices.Clone(v.rows) // the selection and its neighbours lie on top, then what is used most
	rank := func(i int) int {
		n := &v.sheet.Graph.Nodes[i]
		switch {
		case i == at:
			return 1 << 30
		case linked[i]:
			return 1<<29 + n.Uses
		}
		return n.Uses*10 + n.Degree
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(b), rank(a)) })
	hues := map[string]*lipgloss.Style{}
	for cat := range v.sheet.hues {
		s := v.hue(st, cat)
		hues[cat] = &s
	}
	v.spots.hidden = 0
	for _, i := range order {
		v.spot(st, c, i, i == at, linked[i], hues)
	}
	v.names(st, c, order, at, linked)
	return append(append(c.lines(st), legend...), v.sizes(st, w))
}

// place says which cell each shown node has.
func (v *View) place(w, h int) {
	s := &v.spots
	n := len(v.sheet.places)
	if len(s.cx) != n {
		s.cx, s.cy = make([]int, n), make([]int, n)
	}
	s.w, s.h = w, h
	scale := 1 + float64(v.zoom)
	mid := graph.Point{X: 0.5, Y: 0.5}
	if i, ok := v.sheet.at[v.sel]; ok && v.zoom > 0 {
		mid = v.sheet.places[i]
	}
	seen := 0
	for i, p := range v.sheet.places {
		s.cx[i], s.cy[i] = -1, -1
		if !v.shown[i] {
			continue
		}
		x, y := (p.X-mid.X)*scale+0.5, (p.Y-mid.Y)*scale+0.5
		if x < 0 || y < 0 || x > 1 || y > 1 {
			continue
		}
		s.cx[i], s.cy[i] = 1+int(x*float64(max(w-3, 0))), int(y*float64(h-1))
		seen++
	}
	s.crowded = seen > few && seen*roomy > w*h
}

// spot draws a node: ◆ for memory; for a skill the letter of its category, small when it was never used and in
// brackets, bold where it is crowded, when it is used often. The selection stands in square brackets.
func (v *View) spot(st *theme.Styles, c *canvas, i int, selected, linked bool, hues map[string]*lipgloss.Style) {
	x, y := v.spots.cx[i], v.spots.cy[i]
	if x < 0 {
		return
	}
	n := &v.sheet.Graph.Nodes[i]
	sign, look := "◆", &st.Warn
	if n.Kind == graph.KindSkill {
		sign, look = v.sheet.letters[n.Category], hues[n.Category]
		switch {
		case n.Uses == 0:
			sign = strings.ToLower(sign)
		case n.Uses >= often && v.spots.crowded:
			bold := look.Bold(true)
			look = &bold
		case n.Uses >= often:
			sign = "(" + sign + ")"
		}
	}
	if linked || selected {
		bold := look.Bold(true)
		look = &bold
	}
	if selected {
		sign, look = "["+strings.Trim(sign, "()")+"]", &st.Selected
	}
	wide := cell.Width(sign)
	left := x
	if wide == 3 {
		left = max(min(x-1, c.w-3), 0)
	}
	for _, by := range [][2]int{{0, 0}, {0, 1}, {0, -1}, {2, 0}, {-2, 0}, {2, 1}, {-2, -1}, {-2, 1}, {2, -1}} { // not on top of another one
		if c.free(left+by[0], y+by[1], wide) {
			c.put(left+by[0], y+by[1], sign, look)
			v.spots.cx[i], v.spots.cy[i] = left+by[0]+wide/2, y+by[1]
			return
		}
	}
	v.spots.hidden++
}

// names writes labels: of the selection and its neighbours, then of the others as long as nothing is covered.
func (v *View) names(st *theme.Styles, c *canvas, order []int, at int, linked map[int]bool) {
	tried := 0
	for _, i := range order {
		x, y := v.spots.cx[i], v.spots.cy[i]
		if x < 0 {
			continue
		}
		near := i == at || linked[i]
		if !near {
			if tried++; tried > labelMany {
				return
			}
		}
		look := &st.Muted
		switch {
		case i == at:
			look = &st.Bold
		case linked[i]:
			look = &st.Text
		}
		n := &v.sheet.Graph.Nodes[i]
		label := cell.Truncate(cell.Line(n.Label), labelWide)
		if n.Kind == graph.KindMemory && !near && len(v.rows) > few {
			continue // a memory is a sentence; its mark is enough
		}
		for _, short := range []int{labelWide, 12} {
			label = cell.Truncate(label, short)
			w := cell.Width(label)
			if c.free(x+3-1, y, w+1) {
				c.put(x+3, y, label, look)
				break
			}
			if c.free(x-3-w, y, w+2) {
				c.put(x-2-w, y, label, look)
				break
			}
		}
	}
}

// letters is the legend: which letter is which category.
func (v *View) letters(st *theme.Styles, w int) []string {
	lines := []string{""}
	add := func(part string) bool {
		last := &lines[len(lines)-1]
		if cell.Width(*last)+cell.Width(part) > w {
			if len(lines) == legendLines {
				return false
			}
			lines = append(lines, "")
			last = &lines[len(lines)-1]
		}
		*last += part
		return true
	}
	add(memoryStyle(st).Render("◆") + st.Muted.Render(" memory") + "  ")
	for _, c := range v.sheet.order {
		if !add(v.hue(st, c).Render(v.sheet.letters[c]) + " " + st.Muted.Render(cell.Truncate(cell.Line(c), 18)) + "  ") {
			break
		}
	}
	for i := range lines {
		lines[i] = cell.Truncate(lines[i], w)
	}
	return lines
}

// sizes is the line that says what size and strokes mean, once the map is drawn.
func (v *View) sizes(st *theme.Styles, w int) string {
	out := "a never used · A used · (A) often · ⠒ declared · ⠂⠂ shared words"
	if v.spots.crowded {
		out = "links of the selection · a never used · A used · bold often · ⠒ declared · ⠂⠂ shared words"
	}
	switch {
	case v.zoom > 0:
		out = fmt.Sprintf("%d× (+ - 0) · %d covered · %s", v.zoom+1, v.spots.hidden, out)
	case v.spots.hidden > 0:
		out = fmt.Sprintf("%d covered (+ enlarges) · %s", v.spots.hidden, out)
	}
	return st.Faint.Render(cell.Truncate(out, w))
}

// clickSpot selects the node nearest to a cell of the map.
func (v *View) clickSpot(x, y int) {
	best, at := 9, -1
	for _, i := range v.rows {
		if i >= len(v.spots.cx) || v.spots.cx[i] < 0 {
			continue
		}
		if d := abs(v.spots.cx[i]-x) + 2*abs(v.spots.cy[i]-y); d < best {
			best, at = d, i
		}
	}
	if at >= 0 {
		v.goTo(at)
	}
}

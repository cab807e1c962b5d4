package composer

import (
	"strings"

	"hermes/tui/cell"
)

// row is a range of elements on one screen line; a line break belongs to the row it ends.
type row struct{ from, to int }

type rowCache struct {
	rows  []row
	width int
}

// rows breaks the text into screen lines of at most e.width cells. There is always one, and the end
// of the text always has a cell for the cursor.
func (e *Editor) rows() []row {
	if e.cache != nil && e.cache.width == e.width {
		return e.cache.rows
	}
	var out []row
	from, width, brk := 0, 0, -1
	for i := range e.elems {
		el := e.elems[i]
		if el.show == "" { // line break
			out = append(out, row{from, i + 1})
			from, width, brk = i+1, 0, -1
			continue
		}
		w := min(el.width, e.width)
		if i > from && (w > 1 || e.elems[i-1].width > 1 || e.elems[i-1].text == " ") {
			brk = i
		}
		if width+w > e.width {
			at := i
			if brk > from {
				at = brk
			}
			out = append(out, row{from, at})
			from, width, brk = at, 0, -1
			for _, moved := range e.elems[at:i] {
				width += min(moved.width, e.width)
			}
		}
		width += w
	}
	out = append(out, row{from, len(e.elems)})
	if width >= e.width { // no cell left for the cursor at the end
		out = append(out, row{len(e.elems), len(e.elems)})
	}
	e.cache = &rowCache{rows: out, width: e.width}
	return out
}

// place returns the row and the column of the insertion point.
func (e *Editor) place() (r, col int) {
	rows := e.rows()
	for r = range rows {
		last := r == len(rows)-1
		if e.cur < rows[r].to || last {
			break
		}
	}
	for _, el := range e.elems[rows[r].from:min(e.cur, rows[r].to)] {
		col += min(el.width, e.width)
	}
	return r, min(col, e.width-1)
}

// move puts the cursor into row r as near to column col as a character starts.
func (e *Editor) move(r, col int) {
	rw := e.rows()[r]
	at, x := rw.from, 0
	for at < rw.to && e.elems[at].show != "" {
		w := min(e.elems[at].width, e.width)
		if x+w > col {
			break
		}
		x += w
		at++
	}
	if last := r == len(e.rows())-1; !last && at == rw.to && at > rw.from {
		at-- // the end of a soft-wrapped row is the start of the next one
	}
	e.cur = at
}

// Rows returns how many screen lines the text takes, at most the limit of SetSize.
func (e *Editor) Rows() int { return min(len(e.rows()), e.maxRows) }

// View returns the visible lines, unpadded, and the cursor within them. chip styles folded pastes.
func (e *Editor) View(chip func(string) string) (lines []string, x, y int) {
	rows := e.rows()
	r, col := e.place()
	n := e.Rows()
	e.top = min(max(e.top, r-n+1), r)
	e.top = max(min(e.top, len(rows)-n), 0)
	for _, rw := range rows[e.top : e.top+n] {
		var b strings.Builder
		for _, el := range e.elems[rw.from:rw.to] {
			switch {
			case el.chip:
				b.WriteString(chip(cell.Truncate(el.show, e.width)))
			case el.width > e.width:
				b.WriteString(cell.Fit("?", e.width))
			default:
				b.WriteString(el.show)
			}
		}
		lines = append(lines, b.String())
	}
	return lines, col, r - e.top
}

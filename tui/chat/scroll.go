package chat

import (
	"fmt"

	"hermes/tui/cell"
)

// keepDrawn is how many items may hold drawn lines before those off screen let go.
const keepDrawn = 400

// viewport says what part of the transcript is visible: the end while follow is set, else from line
// of item top on. The anchor is an item, so resizing keeps the reading position.
type viewport struct {
	follow    bool
	top, line int
	unseen    int // items that came since the view left the end
	// share is how far into its top item the view is, 0 to 1: the line after a change of width.
	share float64
}

// transcript draws exactly h lines.
func (p *Pane) transcript(h int) []string {
	if h <= 0 || p.w < 3 {
		return cell.Block(nil, p.w, max(h, 0))
	}
	if p.view.follow {
		p.view.top, p.view.line = p.topFromEnd(h)
	}
	p.frame++
	marks := p.search.on && len(p.search.hits) > 0
	out := make([]string, 0, h)
	i, line := p.view.top, p.view.line
	if i < len(p.items) {
		line = min(line, max(p.draw(i).height()-1, 0))
	}
	for ; i < len(p.items) && len(out) < h; i++ {
		d := p.draw(i)
		p.items[i].seen = p.frame
		mark := " "
		if p.reading && p.focused && p.chosen(i) {
			mark = p.st.Accent.Render("▌")
		}
		for n := d.height(); line < n && len(out) < h; line++ {
			lead := mark
			if line < len(d.parts[0]) {
				lead = " "
			}
			text := cell.Fit(lead+d.at(line), p.w)
			if marks && p.search.hits[p.items[i]] {
				text = p.markMatches(text)
			}
			out = append(out, text)
		}
		line = 0
	}
	p.trim()
	for len(out) < h {
		out = append(out, cell.Spaces(p.w))
	}
	if !p.view.follow {
		p.markNew(out, i >= len(p.items))
	}
	return out
}

// markNew writes what happened below into the last line, over its right end.
func (p *Pane) markNew(lines []string, atEnd bool) {
	text := " ↓ End "
	switch {
	case p.view.unseen > 0:
		text = fmt.Sprintf(" ↓ %d new · End ", p.view.unseen)
	case atEnd:
		return
	}
	w := cell.Width(text)
	if n := len(lines); n > 0 && w < p.w {
		cell.Overlay(lines, []string{p.st.Chip.Render(text)}, p.w-w-1, n-1, p.w)
	}
}

// topFromEnd finds the item and line at the top when the end is at the bottom of h lines.
func (p *Pane) topFromEnd(h int) (top, line int) {
	for i := len(p.items) - 1; i >= 0; i-- {
		n := p.draw(i).height()
		if n >= h {
			return i, n - h
		}
		h -= n
	}
	return 0, 0
}

// Scroll moves the view by n lines, up when negative.
func (p *Pane) Scroll(n int) {
	h := p.transcriptHeight()
	if len(p.items) == 0 || h <= 0 {
		return
	}
	if p.view.follow {
		p.view.top, p.view.line = p.topFromEnd(h)
	}
	if n < 0 {
		p.view.follow = false
		p.up(-n)
	} else {
		p.down(n)
	}
	endTop, endLine := p.topFromEnd(h)
	if p.view.top > endTop || (p.view.top == endTop && p.view.line >= endLine) {
		p.Follow()
	}
	p.anchor()
}

// anchor remembers how far into the top item the view is.
func (p *Pane) anchor() {
	p.view.share = 0
	if p.view.follow || p.view.top >= len(p.items) {
		return
	}
	if n := p.draw(p.view.top).height(); n > 0 {
		p.view.share = float64(p.view.line) / float64(n)
	}
}

// reanchor finds the line again after a change of width.
func (p *Pane) reanchor() {
	if p.view.follow || p.view.share == 0 || p.view.top >= len(p.items) || p.w < 3 {
		return
	}
	n := p.draw(p.view.top).height()
	p.view.line = min(int(p.view.share*float64(n)+0.5), max(n-1, 0))
}

func (p *Pane) up(n int) {
	for n > 0 {
		if p.view.line >= n {
			p.view.line -= n
			return
		}
		n -= p.view.line
		if p.view.top == 0 {
			p.view.line = 0
			return
		}
		p.view.top--
		p.view.line = p.draw(p.view.top).height()
	}
}

func (p *Pane) down(n int) {
	for n > 0 && p.view.top < len(p.items) {
		left := p.draw(p.view.top).height() - p.view.line
		if left > n {
			p.view.line += n
			return
		}
		n -= left
		p.view.top++
		p.view.line = 0
	}
}

// Follow goes to the end and stays there.
func (p *Pane) Follow() {
	p.view.follow, p.view.unseen = true, 0
}

// Hold keeps what is visible where it is, whatever comes, and tells whether the view followed the end until now.
func (p *Pane) Hold() (followed bool) {
	if !p.view.follow || len(p.items) == 0 {
		return false
	}
	p.view.top, p.view.line = p.topFromEnd(p.transcriptHeight())
	p.view.follow = false
	p.anchor()
	return true
}

// Top goes to the beginning.
func (p *Pane) Top() {
	if len(p.items) > 0 {
		p.view.follow, p.view.top, p.view.line = false, 0, 0
		p.Scroll(0)
	}
}

// Page is how many lines a page key moves.
func (p *Pane) Page() int { return max(p.transcriptHeight()-2, 1) }

// lastVisible returns the item that ends the view.
func (p *Pane) lastVisible() int {
	if p.view.follow {
		return max(len(p.items)-1, 0)
	}
	h, i, line := p.transcriptHeight(), p.view.top, p.view.line
	for ; i < len(p.items)-1; i++ {
		h -= p.draw(i).height() - line
		line = 0
		if h <= 0 {
			break
		}
	}
	return min(i, max(len(p.items)-1, 0))
}

// ItemAt returns the entry on line y of the body.
func (p *Pane) ItemAt(y int) (int, bool) {
	if y < 0 || y >= p.transcriptHeight() {
		return 0, false
	}
	if p.view.follow {
		p.view.top, p.view.line = p.topFromEnd(p.transcriptHeight())
	}
	y += p.view.line
	for i := p.view.top; i < len(p.items); i++ {
		n := p.draw(i).height()
		if y < n {
			return i, true
		}
		y -= n
	}
	return 0, false
}

// Pick selects entry i without moving the view.
func (p *Pane) Pick(i int) {
	if p.reading && i < len(p.items) {
		p.sel = i
	}
}

// Select moves the selection by n items and shows it.
func (p *Pane) Select(n int) {
	if len(p.items) == 0 {
		return
	}
	if (n == 1 || n == -1) && p.within(n) {
		return
	}
	to := min(max(p.sel+n, 0), len(p.items)-1)
	step := 1
	if n < 0 {
		step = -1
	}
	for to > 0 && to < len(p.items) && p.items[to].hidden { // folded away: on in the same direction
		to += step
	}
	if to >= len(p.items) {
		for to = len(p.items) - 1; to > 0 && p.items[to].hidden; to-- {
		}
	}
	p.sel = to
	p.show(p.sel)
}

// within scrolls on inside the selected item when it is taller than the view and goes on in direction n: the next
// item comes after its end. False when there is nothing more of it.
func (p *Pane) within(n int) bool {
	h := p.transcriptHeight()
	if h <= 0 || p.sel < 0 || p.sel >= len(p.items) {
		return false
	}
	own := p.draw(p.sel).height()
	top, line := p.view.top, p.view.line
	if p.view.follow {
		top, line = p.topFromEnd(h)
	}
	if own <= h || top != p.sel {
		return false
	}
	more := own - line - h
	if n < 0 {
		more = line
	}
	if more <= 0 {
		return false
	}
	p.Scroll(n * min(more, max(h/3, 1)))
	return true
}

// show scrolls as little as needed so that item i is visible from its first line.
func (p *Pane) show(i int) {
	h := p.transcriptHeight()
	if h <= 0 {
		return
	}
	top, line := p.view.top, p.view.line
	if p.view.follow {
		top, line = p.topFromEnd(h)
	}
	if i < top || (i == top && line > 0) {
		p.view.follow, p.view.top, p.view.line = false, i, 0
		p.Scroll(0)
		return
	}
	need := -line
	for k := top; k <= i; k++ {
		need += p.draw(k).height()
	}
	if need > h {
		by := need - h
		if own := p.draw(i).height(); own > h { // taller than the view: its beginning
			by = need - own
		}
		p.view.follow, p.view.top, p.view.line = false, top, line
		p.down(by)
		p.Scroll(0)
	}
}

// trim bounds the memory of drawn lines: when too many items hold some, those not on screen let go.
// Coming back to them is cheap, the Markdown renderer has its own cache.
func (p *Pane) trim() {
	if len(p.warm) <= keepDrawn {
		return
	}
	kept := p.warm[:0:0]
	for _, it := range p.warm {
		if it.seen == p.frame || it.live {
			kept = append(kept, it)
		} else {
			it.forget()
		}
	}
	p.warm = kept
}

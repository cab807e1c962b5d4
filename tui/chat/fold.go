package chat

import (
	"fmt"
	"strings"

	"hermes/tui/cell"
)

// turnOf returns the entry that opens the turn of entry i, and where the next turn begins.
func (p *Pane) turnOf(i int) (first, end int) {
	for first = i; first > 0 && !p.opens(first); first-- {
	}
	for end = i + 1; end < len(p.items) && !p.opens(end); end++ {
	}
	return first, end
}

// opens tells whether entry i opens a turn.
func (p *Pane) opens(i int) bool { return p.items[i].kind == kindUser && !p.items[i].steered }

// Fold folds the turn of the selected entry to its first lines, or opens it again.
func (p *Pane) Fold() {
	if p.selected() == nil {
		return
	}
	first, end := p.turnOf(p.sel)
	if !p.opens(first) {
		return
	}
	p.setFold(first, end, p.items[first].folded == 0)
	p.sel = first
	p.show(first)
}

// FoldOld folds all turns but the last, or opens all when one is folded.
func (p *Pane) FoldOld() {
	fold := true
	for _, it := range p.items {
		fold = fold && it.folded == 0
	}
	for i := 0; i < len(p.items); {
		first, end := p.turnOf(i)
		if p.opens(first) && end < len(p.items) || !fold {
			p.setFold(first, end, fold)
		}
		i = end
	}
	for p.sel > 0 && p.sel < len(p.items) && p.items[p.sel].hidden {
		p.sel--
	}
	p.Scroll(0)
}

// unfold opens the turn of entry i when it is folded away.
func (p *Pane) unfold(i int) {
	if p.items[i].hidden {
		first, end := p.turnOf(i)
		p.setFold(first, end, false)
	}
}

func (p *Pane) setFold(first, end int, on bool) {
	head := p.items[first]
	head.folded = 0
	for _, it := range p.items[first+1 : end] {
		it.hidden = on
		it.changed()
		if on {
			head.folded++
		}
	}
	head.changed()
	if p.view.top > first && p.view.top < end && on {
		p.view.top, p.view.line = first, 0
	}
}

// foldLine says what is folded below the entry.
func (p *Pane) foldLine(it *item, w int) string {
	what := "entries"
	if it.folded == 1 {
		what = "entry"
	}
	return p.st.Faint.Render(cell.Truncate(fmt.Sprintf("▸ %d %s folded · z opens", it.folded, what), w))
}

// foldedHead is the beginning of the message of a folded turn.
func foldedHead(text string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more && strings.TrimSpace(rest) != "" {
		first += " …"
	}
	return first
}

package journey

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"hermes/core/text"
)

// captions are the names beside the nodes of the picture. Those that would cover another are left out: the node
// tells its name when it is pointed at, and the list below the picture has them all.
type captions struct{ wanted []caption }

type caption struct {
	name    string
	kind    Kind
	uses    int
	x, y, r float64 // of the node
}

// box is where a caption would stand.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) over(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

func (c *captions) add(n Node, x, y, r float64) {
	c.wanted = append(c.wanted, caption{text.Cut(text.OneLine(n.Label), 32), n.Kind, n.Uses, x, y, r})
}

// write draws what fits, the most used skills first, to the right of the node or else to its left.
func (c *captions) write(b *bytes.Buffer) {
	var taken []box
	for _, n := range c.wanted {
		taken = append(taken, box{n.x - n.r, n.y - n.r, n.x + n.r, n.y + n.r})
	}
	slices.SortStableFunc(c.wanted, func(p, q caption) int {
		return cmp.Or(cmp.Compare(q.kind, p.kind), cmp.Compare(q.uses, p.uses))
	})
	for _, n := range c.wanted {
		w := wide(n.name)
		for _, side := range []struct {
			anchor string
			x      float64
			box    box
		}{
			{"start", n.x + n.r + 4, box{n.x + n.r + 4, n.y - 8, n.x + n.r + 4 + w, n.y + 8}},
			{"end", n.x - n.r - 4, box{n.x - n.r - 4 - w, n.y - 8, n.x - n.r - 4, n.y + 8}},
		} {
			if side.box.x0 < 0 || side.box.x1 > pictureW || slices.ContainsFunc(taken, side.box.over) {
				continue
			}
			taken = append(taken, side.box)
			colour := "#c9d1d9"
			if n.kind == KindMemory {
				colour = "#8b949e"
			}
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", side.x, n.y+5, side.anchor, colour, esc(n.name))
			break
		}
	}
}

// wide guesses the width of a text of 14 units: CJK is square, the rest about half of that.
func wide(s string) float64 {
	w := 0.0
	for _, r := range s {
		if r >= 0x1100 {
			w += 14
		} else {
			w += 7.2
		}
	}
	return w
}

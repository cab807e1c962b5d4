package journey

import (
	"cmp"
	"math"
	"slices"
)

// Point is a place on the map; both are from 0 to 1.
type Point struct{ X, Y float64 }

// rounds is how often neighbours pull and strangers push.
const rounds = 60

// Layout places the nodes: categories keep together, edges pull, everything else keeps its distance. The same
// graph gives the same places.
func Layout(g Graph) map[string]Point {
	n := len(g.Nodes)
	out := make(map[string]Point, n)
	if n == 0 {
		return out
	}
	at := map[string]int{}
	p := make([]Point, n)
	order := make([]int, n)
	for i, node := range g.Nodes {
		at[node.ID], order[i] = i, i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := g.Nodes[a], g.Nodes[b]
		return cmp.Or(cmp.Compare(x.Category, y.Category), cmp.Compare(x.ID, y.ID))
	})
	for k, i := range order { // a spiral along the categories
		angle, r := 2*math.Pi*float64(k)/float64(n), 0.30+0.15*float64(k%3)/3
		p[i] = Point{0.5 + r*math.Cos(angle), 0.5 + r*math.Sin(angle)}
	}
	ideal := 0.8 / math.Sqrt(float64(n))
	for round := range rounds {
		step := 0.1 * (1 - float64(round)/rounds)
		push(p, ideal, step)
		for _, e := range g.Edges {
			pull(p, at[e.Source], at[e.Target], ideal, step)
		}
		for i := range p { // and a little to the middle
			p[i].X += (0.5 - p[i].X) * step * 0.1
			p[i].Y += (0.5 - p[i].Y) * step * 0.1
		}
	}
	spread(p)
	for i, node := range g.Nodes {
		out[node.ID] = p[i]
	}
	return out
}

// push keeps nodes apart that are nearer than three ideal distances; cells of a grid spare looking at all
// pairs.
func push(p []Point, ideal, step float64) {
	reach := 3 * ideal
	cells := map[[2]int][]int{}
	cell := func(q Point) [2]int { return [2]int{int(q.X / reach), int(q.Y / reach)} }
	for i, q := range p {
		c := cell(q)
		cells[c] = append(cells[c], i)
	}
	moved := make([]Point, len(p))
	for i, q := range p {
		c := cell(q)
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				for _, j := range cells[[2]int{c[0] + dx, c[1] + dy}] {
					if i == j {
						continue
					}
					x, y := q.X-p[j].X, q.Y-p[j].Y
					d := math.Hypot(x, y)
					if d < 1e-6 { // on the same spot: apart, each time the same way
						x, y, d = float64(i-j)*1e-4, 1e-4, 1e-4
					}
					if d > reach {
						continue
					}
					f := ideal * ideal / d / d * step
					moved[i].X += x / d * math.Min(f, 0.05)
					moved[i].Y += y / d * math.Min(f, 0.05)
				}
			}
		}
	}
	for i := range p {
		p[i].X += moved[i].X
		p[i].Y += moved[i].Y
	}
}

// pull brings two nodes towards each other.
func pull(p []Point, i, j int, ideal, step float64) {
	x, y := p[j].X-p[i].X, p[j].Y-p[i].Y
	d := math.Hypot(x, y)
	if d < ideal {
		return
	}
	f := math.Min((d-ideal)*step*2, d/2)
	p[i].X += x / d * f
	p[i].Y += y / d * f
	p[j].X -= x / d * f
	p[j].Y -= y / d * f
}

// spread uses the whole room.
func spread(p []Point) {
	lo, hi := p[0], p[0]
	for _, q := range p {
		lo.X, lo.Y = math.Min(lo.X, q.X), math.Min(lo.Y, q.Y)
		hi.X, hi.Y = math.Max(hi.X, q.X), math.Max(hi.Y, q.Y)
	}
	for i := range p {
		p[i].X = scale(p[i].X, lo.X, hi.X)
		p[i].Y = scale(p[i].Y, lo.Y, hi.Y)
	}
}

func scale(v, lo, hi float64) float64 {
	if hi-lo < 1e-9 {
		return 0.5
	}
	return 0.03 + 0.94*(v-lo)/(hi-lo)
}

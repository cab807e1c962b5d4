package fuzzy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Limits of the help that follows a failure.
const (
	nearestPlaces  = 3
	nearestContext = 2   // lines around each place
	nearestRatio   = 0.3 // similarity below which a line is no help
	nearestBytes   = 256 // of a line that are compared
)

// place is a line that resembles the first line of what was looked for.
type place struct {
	line  int // 0-based
	ratio float64
}

// nearest shows the three places most like the first line of old, with line numbers.
func nearest(p *problem) string {
	first := ""
	for _, l := range patternLines(p.old) {
		if first = strings.TrimSpace(l); first != "" {
			break
		}
	}
	best := p.resembling(first)
	if len(best) == 0 {
		return "; no line of the file resembles its first line"
	}
	var b strings.Builder
	b.WriteString("; the nearest places are:")
	for i, pl := range best {
		if i > 0 {
			b.WriteString("\n ---")
		}
		for n := max(0, pl.line-nearestContext); n < min(len(p.lines()), pl.line+nearestContext+1); n++ {
			fmt.Fprintf(&b, "\n%4d| %s", n+1, snippet(p.lineText(n)))
		}
	}
	if got := p.lineText(best[0].line); got != first && strings.Join(strings.Fields(got), " ") == strings.Join(strings.Fields(first), " ") {
		fmt.Fprintf(&b, "\nline %d differs only in white space:\n  file: %s\n  sent: %s", best[0].line+1, visible(got), visible(first))
	}
	return b.String()
}

// visible shows spaces and tabs.
func visible(s string) string {
	return strings.NewReplacer(" ", "·", "\t", "→").Replace(snippet(s))
}

// resembling ranks the lines by similarity to want. Comparing pairs of letters is cheap, and lines of a
// very different length are not compared at all.
func (p *problem) resembling(want string) []place {
	if want == "" {
		return nil
	}
	want = want[:min(len(want), nearestBytes)]
	g := grams(want)
	var out []place
	for i := range p.lines() {
		line := strings.TrimSpace(p.lineText(i))
		if line == "" || len(line) > 4*len(want) || len(want) > 4*len(line) {
			continue
		}
		if r := g.similarity(line[:min(len(line), nearestBytes)]); r > nearestRatio {
			out = append(out, place{i, r})
		}
	}
	slices.SortStableFunc(out, func(a, b place) int { return cmp.Compare(b.ratio, a.ratio) })
	// Places that would show the same lines are one.
	var best []place
	for _, pl := range out {
		if len(best) == nearestPlaces {
			break
		}
		if !slices.ContainsFunc(best, func(o place) bool { return abs(o.line-pl.line) <= nearestContext }) {
			best = append(best, pl)
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// gramSet counts the pairs of bytes of one text, for comparing many others with it.
type gramSet struct {
	count [1 << 16]uint8
	seen  [1 << 16]uint8 // scratch of similarity: pairs used up
	n     int
}

func grams(s string) *gramSet {
	g := &gramSet{n: len(s) - 1}
	for i := 0; i+1 < len(s); i++ {
		if k := pair(s, i); g.count[k] < 255 {
			g.count[k]++
		}
	}
	return g
}

func pair(s string, i int) uint16 { return uint16(s[i])<<8 | uint16(s[i+1]) }

// similarity is Dice's coefficient over pairs of bytes: 1 for equal texts, 0 for nothing in common.
func (g *gramSet) similarity(s string) float64 {
	if g.n <= 0 || len(s) < 2 {
		return 0
	}
	common := 0
	for i := 0; i+1 < len(s); i++ {
		if k := pair(s, i); g.seen[k] < g.count[k] {
			g.seen[k]++
			common++
		}
	}
	for i := 0; i+1 < len(s); i++ {
		g.seen[pair(s, i)] = 0
	}
	return 2 * float64(common) / float64(g.n+len(s)-1)
}

func similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	return grams(a).similarity(b)
}

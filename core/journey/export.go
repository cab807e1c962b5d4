package journey

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"time"

	"hermes/core/text"
)

const (
	pictureW, pictureH = 1200, 800
	legendH            = 60
	marginX, marginY   = 60, 40 // room for marks and labels at the edge
	// few is how many nodes fill the picture; fewer keep to its middle, near to each other.
	few = 24
)

// SVG draws the map as one picture that needs nothing else.
func SVG(g Graph, now time.Time) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="14" style="background:#14171c">`+"\n", pictureW, pictureH+legendH)
	b.WriteString(`<title>What hermes learned</title><rect width="100%" height="100%" fill="#14171c"/>` + "\n")
	at, named := Layout(g), labels(g)
	share := min(1, 0.35+0.65*float64(len(g.Nodes))/few)
	place := func(id string) (x, y float64) {
		p := at[id]
		return pictureW/2 + (p.X-0.5)*share*(pictureW-2*marginX), pictureH/2 + (p.Y-0.5)*share*(pictureH-2*marginY)
	}
	for _, e := range g.Edges {
		x1, y1 := place(e.Source)
		x2, y2 := place(e.Target)
		colour, dash := "#7d8896", ""
		if !e.Why.Declared {
			colour, dash = "#5a6472", ` stroke-dasharray="4 4"`
		}
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"%s><title>%s</title></line>`+"\n", x1, y1, x2, y2, colour, dash, esc(named[e.Source]+" — "+named[e.Target]+": "+reason(e)))
	}
	colours, names := paint(g), &captions{}
	for _, n := range g.Nodes {
		x, y := place(n.ID)
		title := esc(strings.TrimSpace(n.Label + "\n" + n.Category + "\n" + n.Body))
		r := 6.0
		if n.Kind == KindMemory {
			fmt.Fprintf(&b, `<path d="M%.1f %.1f l6 6 l-6 6 l-6 -6 z" fill="%s"><title>%s</title></path>`+"\n", x, y-6, colours[n.Category], title)
		} else {
			r = 5 + 2*math.Sqrt(float64(min(n.Uses, 100)))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"><title>%s</title></circle>`+"\n", x, y, r, colours[n.Category], title)
		}
		names.add(n, x, y, r)
	}
	names.write(&b)
	legend(&b, g, colours)
	fmt.Fprintf(&b, `<text x="20" y="%d" fill="#8b949e">%s</text></svg>`+"\n", pictureH+48, esc(summary(g, now)))
	return b.Bytes()
}

// legend names the categories with their colours.
func legend(b *bytes.Buffer, g Graph, colours map[string]string) {
	x := 20
	for _, c := range g.Clusters[:min(len(g.Clusters), 10)] {
		label := fmt.Sprintf("%s %d", text.Cut(text.OneLine(c.Category), 16), c.Count)
		fmt.Fprintf(b, `<circle cx="%d" cy="%d" r="5" fill="%s"/><text x="%d" y="%d" fill="#c9d1d9">%s</text>`+"\n", x, pictureH+20, colours[c.Category], x+10, pictureH+25, esc(label))
		x += 30 + 9*text.Len(label)
	}
}

// labels are the names of the nodes, by id.
func labels(g Graph) map[string]string {
	out := make(map[string]string, len(g.Nodes))
	for _, n := range g.Nodes {
		out[n.ID] = text.OneLine(n.Label)
	}
	return out
}

// reason says in words why an edge is there.
func reason(e Edge) string {
	if e.Why.Declared {
		return "declared"
	}
	s := fmt.Sprintf("score %d", e.Why.Score)
	if e.Why.Named {
		s += ", named"
	}
	if len(e.Why.Shared) > 0 {
		s += ", shared: " + strings.Join(e.Why.Shared, " ")
	}
	return s
}

func summary(g Graph, now time.Time) string {
	s := g.Stats
	return fmt.Sprintf("%s · %s · %s between skills, %d between memories and skills · %s",
		text.Count(s.LearnedSkills, "learned skill", "learned skills"), text.Count(s.MemoryNodes, "memory", "memories"),
		text.Count(s.RelatedEdges, "relation", "relations"), s.MemorySkillEdges, now.Format("2 January 2006"))
}

// paint gives every category its colour, the same for the same categories.
func paint(g Graph) map[string]string {
	names := make([]string, 0, len(g.Clusters))
	for _, c := range g.Clusters {
		names = append(names, c.Category)
	}
	slices.Sort(names)
	out := map[string]string{}
	for i, c := range names {
		out[c] = fmt.Sprintf("hsl(%d 55%% 62%%)", int(float64(i)*137.508)%360)
	}
	return out
}

func esc(s string) string { return html.EscapeString(text.Neutralise(s)) }

// HTML is the map as one page that opens without a network: the picture, and the list of everything it says.
func HTML(g Graph, now time.Time) []byte {
	var b bytes.Buffer
	b.WriteString(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>What hermes learned</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{font:15px/1.5 sans-serif;background:#14171c;color:#c9d1d9;margin:2rem auto;max-width:75rem;padding:0 1rem}
svg{width:100%;height:auto}h1,h2{font-weight:600}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-top:1px solid #2d333b;vertical-align:top}
td:first-child{white-space:nowrap}small{color:#8b949e}td p{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}</style></head><body>
<h1>What hermes learned</h1>
`)
	fmt.Fprintf(&b, "<p>%s</p>\n", esc(summary(g, now)))
	b.Write(SVG(g, now))
	if len(g.Nodes) == 0 {
		b.WriteString("<p>Nothing was learned yet.</p>\n")
	}
	names := labels(g)
	b.WriteString("<h2>Everything on the map</h2>\n<table><tr><th>When</th><th>What</th><th>Relations</th></tr>\n")
	for _, n := range slices.Backward(g.Nodes) {
		when := "—"
		if !n.Time.IsZero() {
			when = n.Time.Format("2006-01-02")
		}
		sort, body := string(n.Kind), n.Body
		if n.Category != sort {
			sort += " · " + n.Category
		}
		if body == n.Label {
			body = ""
		}
		fmt.Fprintf(&b, "<tr><td>%s</td><td><b>%s</b> <small>%s</small><p>%s</p></td><td>", when, esc(n.Label), esc(sort), esc(body))
		for _, e := range g.Neighbours(n.ID) {
			fmt.Fprintf(&b, "%s <small>%s</small><br>", esc(text.Cut(names[e.Other(n.ID)], 60)), esc(reason(e)))
		}
		b.WriteString("</td></tr>\n")
	}
	b.WriteString("</table>\n")
	if len(g.Missing)+len(g.Dangling) > 0 {
		b.WriteString("<h2>Not on the map</h2>\n<ul>\n")
		for _, m := range Reasons(g.Missing) {
			fmt.Fprintf(&b, "<li>%s: %s</li>\n", esc(m.Why), esc(strings.Join(m.Names, ", ")))
		}
		for _, d := range g.Dangling {
			fmt.Fprintf(&b, "<li>%s → %s: %s</li>\n", esc(d.From), esc(d.To), esc(d.Why))
		}
		b.WriteString("</ul>\n")
	}
	b.WriteString("</body></html>\n")
	return b.Bytes()
}

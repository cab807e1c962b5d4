package journey

import (
	"fmt"
	"slices"
	"strings"

	graph "hermes/core/journey"
	"hermes/tui/cell"
	"hermes/tui/theme"
)

// list is the face in plain words: whole sentences, one thing a line, no pictures.
type list struct {
	by    sorting
	items []item
	sel   int
	head  int // screen line of the selected item's first line; below 0: a third down
	page  int
	shown []shownItem
}

// item is a node, or a line of what is not on the map.
type item struct {
	node int // -1: text says it
	text string
}

// shownItem is where an item stood when it was drawn last.
type shownItem struct{ item, from, to int }

// arrange makes the items of what is shown.
func (l *list) arrange(v *View) {
	l.items = l.items[:0:0]
	for _, i := range v.sorted(l.by) {
		l.items = append(l.items, item{node: i})
	}
	if strings.TrimSpace(v.filter.Text()) == "" && !v.playing {
		l.rest(v)
	}
	l.sel = max(min(l.sel, len(l.items)-1), 0)
}

// rest are the things that have no node.
func (l *list) rest(v *View) {
	say := func(format string, args ...any) {
		l.items = append(l.items, item{node: -1, text: fmt.Sprintf(format, args...)})
	}
	g := &v.sheet.Graph
	if len(g.Missing) > 0 {
		say("Not on the map: %s.", counted(len(g.Missing), "skill", "skills"))
	}
	for _, m := range g.Missing {
		say("Skill %s is not on the map: %s.", m.Name, m.Why)
	}
	for _, d := range g.Dangling {
		say("The relation from %s to %s leads nowhere: %s.", d.From, d.To, d.Why)
	}
	for _, n := range v.sheet.Notes {
		say("Could not be read: %s", n)
	}
	s := g.Stats
	if s.Nodes > 0 {
		say("In all: %s, %s; %s, %s by words; %.1f links a node, %.0f %% without any.", counted(s.LearnedSkills, "skill", "skills"), counted(s.MemoryNodes, "memory", "memories"),
			counted(s.RelatedEdges, "declared link", "declared links"), counted(s.MemorySkillEdges, "link", "links"), s.EdgesPerNode, s.IsolatedPct)
	}
}

// elsewhere tells whether the selected line is about no node.
func (l *list) elsewhere() bool { return l.sel < len(l.items) && l.items[l.sel].node < 0 }

// follow moves to the item of the selected node.
func (l *list) follow(v *View) {
	if l.elsewhere() && v.face == listFace {
		return // the person reads what has no node
	}
	at := v.sheet.at[v.sel]
	if l.sel < len(l.items) && l.items[l.sel].node == at {
		return
	}
	for i, x := range l.items {
		if x.node == at && v.sel != "" {
			l.sel, l.head = i, -1
			return
		}
	}
}

func (l *list) key(v *View, name string) {
	n, ok := along(name, max(l.page, 1))
	if !ok || len(l.items) == 0 {
		return
	}
	l.sel = max(min(l.sel+n, len(l.items)-1), 0)
	l.head = map[bool]int{true: 0, false: 1 << 20}[n < 0] // draw puts it within the page
	for _, s := range l.shown {
		if s.item == l.sel {
			l.head = s.from
		}
	}
	l.choose(v)
}

// choose makes the node of the selected item the selected node.
func (l *list) choose(v *View) {
	if i := l.items[l.sel].node; i >= 0 {
		v.goTo(i)
	}
}

// draw draws the items around the selected one; only those that are seen are made.
func (l *list) draw(v *View, st *theme.Styles, w, h int) []string {
	l.shown = l.shown[:0]
	if len(l.items) == 0 || h <= 0 {
		return nil
	}
	block := func(i int) []string { return v.sentences(st, l.items[i], i == l.sel, w) }
	if l.head < 0 {
		l.head = h / 3
	}
	below := block(l.sel)
	from := []int{0, len(below)} // where the items from the selected one on begin
	own := len(below)
	for i := l.sel + 1; i < len(l.items) && len(below) < h; i++ {
		below = append(below, block(i)...)
		from = append(from, len(below))
	}
	l.head = max(min(l.head, h-min(own, h)), h-len(below), 0)
	first, above := l.sel, []string(nil)
	starts := []int{}
	for first > 0 && len(above) < l.head {
		first--
		b := block(first)
		above = append(slices.Clone(b), above...)
		starts = append(starts, len(b))
	}
	l.head = min(l.head, len(above))
	line := l.head
	for k, n := range starts {
		l.shown = append(l.shown, shownItem{l.sel - 1 - k, line - n, line})
		line -= n
	}
	for k := range len(from) - 1 {
		l.shown = append(l.shown, shownItem{l.sel + k, l.head + from[k], l.head + from[k+1]})
	}
	l.page = max(len(l.shown)-1, 1)
	out := append(above[len(above)-l.head:], below...)
	return out[:min(len(out), h)]
}

// sentences says everything that the map says of an item.
func (v *View) sentences(st *theme.Styles, x item, selected bool, w int) []string {
	var out []string
	say := func(draw func(...string) string, indent, s string) {
		for _, l := range cell.Wrap(cell.Line(s), max(w-2-len(indent), 1), "  ") {
			out = append(out, "  "+indent+draw(l))
		}
	}
	if x.node < 0 {
		say(st.Muted.Render, "", x.text)
	} else {
		n := &v.sheet.Graph.Nodes[x.node]
		head := st.Text
		if selected {
			head = st.Bold
		}
		say(head.Render, "", v.headline(n))
		if n.Kind == graph.KindSkill && n.Body != "" {
			say(st.Muted.Render, "  ", n.Body)
		}
		v.sayLinks(n, x.node, func(s string) { say(st.Muted.Render, "  ", s) })
	}
	if selected && len(out) > 0 {
		out[0] = st.Accent.Render(">") + out[0][1:]
	}
	return out
}

// headline is a node in a sentence.
func (v *View) headline(n *graph.Node) string {
	var parts []string
	if n.Kind == graph.KindMemory {
		parts = append(parts, "Memory “"+n.Label+"”")
		parts = append(parts, map[string]string{"profile": "about you"}[n.Source])
		if n.Blocked {
			parts = append(parts, "blocked in prompts")
		}
	} else {
		parts = append(parts, "Skill "+n.Label+" in "+n.Category)
		parts = append(parts, map[bool]string{true: "written by the agent", false: "written by hand"}[n.CreatedBy == "agent"])
		use := "never used"
		if n.Uses > 0 {
			use = "used " + counted(n.Uses, "time", "times")
		}
		parts = append(parts, use)
		if n.State != "active" {
			parts = append(parts, n.State)
		}
		if n.Pinned {
			parts = append(parts, "pinned")
		}
	}
	if n.Time.IsZero() {
		parts = append(parts, "time unknown")
	} else {
		parts = append(parts, n.Time.In(v.now().Location()).Format("2 January 2006"))
	}
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ", ") + "."
}

// sayLinks says where a node leads, why, and what it just misses.
func (v *View) sayLinks(n *graph.Node, at int, say func(s string)) {
	for _, l := range v.sheet.links[at] {
		say("Linked to " + v.called(l.other) + ": " + because(l.why) + ".")
	}
	for _, l := range v.sheet.near[at] {
		say("Nearly linked to " + v.called(l.other) + ": " + because(l.why) + "; others are nearer.")
	}
	for _, d := range v.sheet.dead[n.ID] {
		if n.Kind == graph.KindSkill {
			say("Its relation to " + d.To + " leads nowhere: " + d.Why + ".")
		}
	}
}

// called is a node by its name, as other nodes speak of it.
func (v *View) called(i int) string {
	n := &v.sheet.Graph.Nodes[i]
	if n.Kind == graph.KindMemory {
		return "memory “" + cell.Truncate(cell.Line(n.Label), 40) + "”"
	}
	return "skill " + n.Label
}

// because is why an edge is there.
func because(w graph.Why) string {
	if w.Declared {
		return "declared"
	}
	var parts []string
	if w.Named {
		parts = append(parts, "it names the skill")
	}
	if n := len(w.Shared); n > 0 {
		parts = append(parts, "shared words "+strings.Join(w.Shared, ", "))
	}
	return fmt.Sprintf("%s (%s)", strings.Join(parts, ", "), counted(w.Score, "point", "points"))
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// click selects the item on line y.
func (l *list) click(v *View, y int) {
	for _, s := range l.shown {
		if y >= s.from && y < s.to {
			l.head = max(s.from, 0)
			l.sel = s.item
			l.choose(v)
			return
		}
	}
}

package journey

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	graph "hermes/core/journey"
	"hermes/tui/cell"
	"hermes/tui/theme"
)

// buckets are the stretches of time as last drawn.
type buckets struct {
	rows  int
	list  []graph.Bucket
	held  []int          // how much each holds in the end
	most  int            // the most of them
	peak  int            // which one that is; -1 for none
	total int            // of all
	of    map[string]int // node → bucket
	drawn []int          // stretches that have a line
	top   int            // first entry of the list below
	line  int            // screen line of the body on which the list begins, for clicks
	size  int
}

// fill arranges the shown nodes in at most rows stretches; it is kept until something changes.
func (v *View) fill(rows int) *buckets {
	b := &v.times
	if b.rows == rows && b.of != nil {
		return b
	}
	nodes := make([]graph.Node, len(v.kept))
	for i, n := range v.kept {
		nodes[i] = v.sheet.Graph.Nodes[n]
	}
	b.rows, b.of, b.most, b.peak, b.held = rows, map[string]int{}, 1, -1, nil
	b.list, _ = graph.Timeline(nodes, rows, v.now())
	for i, x := range b.list {
		for _, id := range x.Nodes {
			b.of[id] = i
		}
		n := x.Skills + x.Memories
		b.held = append(b.held, n)
		if n > b.most || b.peak < 0 && n > 0 {
			b.most, b.peak = n, i
		}
		b.total = x.Total
	}
	if v.playing {
		v.count(b)
	}
	return b
}

// count leaves what is not shown yet out of the stretches; their scale stays.
func (v *View) count(b *buckets) {
	total := 0
	for i := range b.list {
		x := &b.list[i]
		x.Skills, x.Memories = 0, 0
		for _, id := range x.Nodes {
			at := v.sheet.at[id]
			switch {
			case !v.shown[at]:
			case v.sheet.Graph.Nodes[at].Kind == graph.KindMemory:
				x.Memories++
			default:
				x.Skills++
			}
		}
		total += x.Skills + x.Memories
		x.Total = total
	}
}

// timelineKey moves among the entries; brackets go to another stretch of time.
func (v *View) timelineKey(name string) {
	if n, ok := along(name, max(v.jump, 1)); ok {
		v.choose(v.row + n)
		return
	}
	by := map[string]int{"[": -1, "]": 1}[name]
	if by == 0 {
		return
	}
	b := &v.times
	for i := b.at(v.sel) + by; i >= 0 && i < len(b.list); i += by {
		if ids := b.list[i].Nodes; len(ids) > 0 {
			v.goTo(v.sheet.at[ids[len(ids)-1]])
			return
		}
	}
}

// at is the stretch of a node; -1 when it has no time.
func (b *buckets) at(id string) int {
	if i, ok := b.of[id]; ok {
		return i
	}
	return -1
}

// around are the stretches that are drawn in room lines: all; else those that hold something; else those around
// stretch at.
func (b *buckets) around(room, at int) []int {
	var all, full []int
	for i := range b.list {
		all = append(all, i)
		if b.held[i] > 0 {
			full = append(full, i)
		}
	}
	if len(all) <= room {
		return all
	}
	mid, ok := slices.BinarySearch(full, at)
	if !ok {
		mid = len(full) - 1
	}
	from := max(min(mid-room/2, len(full)-room), 0)
	return full[from:min(from+room, len(full))]
}

// fewest is how many stretches the time is cut into at least: a low screen shows a part of them.
const fewest = 16

// chartRows is how many lines the chart may take of h.
func chartRows(h int) int {
	if h < lowHeight {
		return max(h/3, 1)
	}
	return max(min(h/2-2, 16), 3)
}

// lowHeight is below how many lines growth and legend make room for the entries.
const lowHeight = 10

// timeline draws the chart, the line of growth, and the entries below them.
func (v *View) timeline(st *theme.Styles, w, h int) []string {
	b := v.fill(max(chartRows(h), fewest))
	var out []string
	lw := 3
	for _, x := range b.list {
		lw = max(lw, cell.Width(x.Label))
	}
	b.drawn = b.around(chartRows(h), b.at(v.sel))
	for _, i := range b.drawn {
		out = append(out, v.bar(st, i, lw, w))
	}
	if h >= lowHeight {
		if len(b.list) > 1 {
			out = append(out, v.growth(st, lw, w))
		}
		out = append(out, v.legend(st, w))
	}
	b.line = len(out)
	return append(out, v.entries(st, w, h-len(out))...)
}

// bar is a stretch of time: label, what came in it, and how much.
func (v *View) bar(st *theme.Styles, i, lw, w int) string {
	x := v.times.list[i]
	mark := "  "
	label := st.Muted
	if i == v.times.at(v.sel) {
		mark, label = st.Accent.Render("▸")+" ", st.Bold
	}
	var counts []string
	if x.Skills > 0 {
		counts = append(counts, fmt.Sprintf("%d ━", x.Skills))
	}
	if x.Memories > 0 {
		counts = append(counts, fmt.Sprintf("%d ◆", x.Memories))
	}
	right := strings.Join(counts, " ")
	n := x.Skills + x.Memories
	switch {
	case i == v.times.peak && n > 0 && len(v.times.list) > 2:
		right += " peak"
	case i == len(v.times.list)-1:
		right += " now"
	}
	const rw = 16
	room := max(w-2-lw-2-rw-1, 4)
	length := 0
	if n > 0 {
		length = max(n*room/v.times.most, 1)
	}
	diamonds := 0
	if x.Memories > 0 {
		diamonds = max(length*x.Memories/max(n, 1), 1)
	}
	lines := max(length-diamonds, 0)
	if x.Skills > 0 && lines == 0 {
		lines = 1
	}
	bar := v.hue(st, x.Category).Render(cell.Repeat("━", lines)) + memoryStyle(st).Render(cell.Repeat("◆", diamonds))
	return cell.Truncate(mark+label.Render(cell.Fit(x.Label, lw))+"  "+cell.Fit(bar, room+1)+st.Faint.Render(strings.TrimSpace(right)), w)
}

// growth is how much there was in all, stretch by stretch.
func (v *View) growth(st *theme.Styles, lw, w int) string {
	const steps = "▁▂▃▄▅▆▇█"
	list := v.times.list
	room := max(w-2-lw-2-16-1, 4)
	var b strings.Builder
	for i := range room {
		x := list[i*len(list)/room]
		b.WriteString(string([]rune(steps)[x.Total*7/max(v.times.total, 1)]))
	}
	return cell.Truncate("  "+st.Muted.Render(cell.Fit("all", lw))+"  "+st.Good.Render(b.String())+" "+st.Faint.Render(fmt.Sprintf("%d in all", list[len(list)-1].Total)), w)
}

// legend says what the signs and letters stand for.
func (v *View) legend(st *theme.Styles, w int) string {
	s := v.sheet.Graph.Stats
	out := "  " + st.Muted.Render("━ "+counted(s.LearnedSkills, "skill", "skills")) + "  " + memoryStyle(st).Render("◆") + st.Muted.Render(" "+counted(s.MemoryNodes, "memory", "memories"))
	if n := len(v.rows); n > 0 {
		if none := n - len(v.times.of); none > 0 && !v.playing {
			out += st.Faint.Render(fmt.Sprintf("  %d without a time", none))
		}
	}
	return cell.Truncate(out, w)
}

// entries are the nodes in the order of time, around the selection.
func (v *View) entries(st *theme.Styles, w, h int) []string {
	if h <= 0 {
		return nil
	}
	out := []string{st.Border.Render(cell.Repeat("─", w))}
	h--
	b := &v.times
	b.top = min(b.top, v.row)
	b.top = max(b.top, v.row-h+1)
	b.top = max(min(b.top, len(v.rows)-h), 0)
	b.size, v.jump = h, max(h-1, 1)
	for i := b.top; i < len(v.rows) && i < b.top+h; i++ {
		out = append(out, v.entry(st, v.rows[i], i == v.row, w))
	}
	return out
}

// entry is a node on one line.
func (v *View) entry(st *theme.Styles, i int, selected bool, w int) string {
	n := &v.sheet.Graph.Nodes[i]
	mark, name := "  ", st.Text
	if selected {
		mark, name = st.Accent.Render("▌")+" ", st.Bold
	}
	when := cell.Fit("—", 6)
	if !n.Time.IsZero() {
		when = n.Time.In(v.now().Location()).Format("2 Jan")
		if n.Time.In(v.now().Location()).Year() != v.now().Year() {
			when = n.Time.In(v.now().Location()).Format("Jan 06")
		}
	}
	sign := memoryStyle(st).Render("◆ ")
	if n.Kind == graph.KindSkill {
		sign = v.hue(st, n.Category).Render("━ ")
	}
	right := strings.Join(tags(n), " · ")
	room := max(w-2-7-2, 0)
	label := cell.Line(n.Label)
	if over := cell.Width(right) + 1 + min(cell.Width(label), room*2/3) - room; over > 0 {
		right = cell.Truncate(right, max(cell.Width(right)-over, 0))
	}
	return cell.Fit(mark+st.Muted.Render(cell.Fit(when, 6))+" "+sign+name.Render(cell.Fit(label, max(room-cell.Width(right)-1, 0)))+" "+st.Faint.Render(right), w)
}

// tags is what is special about a node, in few words.
func tags(n *graph.Node) []string {
	var out []string
	if n.Kind == graph.KindMemory {
		if n.Source == "profile" {
			out = append(out, "about you")
		}
		if n.Blocked {
			out = append(out, "blocked")
		}
		return out
	}
	if n.Pinned {
		out = append(out, "pinned")
	}
	if n.State != "" && n.State != "active" {
		out = append(out, n.State)
	}
	if n.Uses > 0 {
		out = append(out, fmt.Sprintf("%d×", n.Uses))
	}
	return append(out, cell.Line(n.Category))
}

// hue is the colour of a category. Wherever it is used a letter or a word says the same.
func (v *View) hue(st *theme.Styles, category string) lipgloss.Style {
	p := &v.colours
	if p.st != st {
		*p = palette{st: st, all: hues(st)}
	}
	return p.all[v.sheet.hues[category]%len(p.all)]
}

// palette are the colours of categories in one theme.
type palette struct {
	st  *theme.Styles
	all []lipgloss.Style
}

// hues are the colours of a theme that differ from each other, from that of memories and from alarms.
func hues(st *theme.Styles) []lipgloss.Style {
	t := st.Tokens
	seen := map[string]bool{t.Warn: true, t.Bad: true, t.Text: true, t.Muted: true}
	var out []lipgloss.Style
	for _, c := range []string{t.Accent, t.Good, t.AccentAlt, t.Keyword, t.Code, t.Agent, t.User} {
		if !seen[c] {
			seen[c] = true
			out = append(out, lipgloss.NewStyle().Foreground(theme.Color(c)))
		}
	}
	if len(out) == 0 {
		out = append(out, st.Text)
	}
	return out
}

func memoryStyle(st *theme.Styles) lipgloss.Style { return st.Warn }

// clickEntry selects the entry on line y of the body.
func (v *View) clickEntry(y int) {
	b := &v.times
	if i := y - b.line - 1; i >= 0 && i < b.size && b.top+i < len(v.rows) {
		v.choose(b.top + i)
		return
	}
	if y >= 0 && y < len(b.drawn) { // a bar: its newest node
		if ids := b.list[b.drawn[y]].Nodes; len(ids) > 0 {
			v.goTo(slices.Max(indices(v.sheet, ids)))
		}
	}
}

func indices(s *Sheet, ids []string) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = s.at[id]
	}
	return out
}

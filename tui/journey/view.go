// Package journey is the full-screen view of what was learned: a timeline, a map that is walked by key, and a
// list in plain words; beside them what is known of the selected skill or memory, and what a person does with
// it: edit, archive or delete, pin, take back.
//
// It must not know ports, files or other views: the root hands it sheets and does what its actions ask for.
// Start at View; the keys are in keys.go, the faces in timeline.go, graph.go and list.go, the panel in
// detail.go.
package journey

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"hermes/core/insights"
	graph "hermes/core/journey"
	"hermes/tui/composer"
	"hermes/tui/match"
	"hermes/tui/pane"
)

type face int

const (
	timelineFace face = iota
	graphFace
	listFace
	faces
)

// sorting is an order of the list.
type sorting int

const (
	byTime sorting = iota // newest first
	byName
	byUse
	byLinks
	byCategory
	sortings
)

func (s sorting) String() string {
	return [...]string{"newest first", "by name", "by use", "by links", "by category"}[s]
}

// View is the journey. Create it with New.
type View struct {
	now    func() time.Time
	sheet  *Sheet
	err    string
	note   string
	want   string // id to begin at
	face   face
	sel    string // id of the selected node
	kept   []int  // nodes that the filter keeps, oldest first
	rows   []int  // those of them that are shown: during the playback fewer
	row    int    // of the selection among them
	shown  []bool // by node
	filter *composer.Field
	typing bool

	panels bool        // the panel stands beside or below the face
	whole  bool        // the panel has the whole view
	scroll pane.Scroll // of the panel
	jump   int         // lines that a page key moves
	mark   int         // the neighbour that has the mark
	trail  []string

	ask     Task // what y does
	busy    bool // a change is under way
	removed Task // brings back what was removed last

	playing bool
	frame   int
	zoom    int

	list  list
	spots spots
	times buckets

	details  map[string]Detail
	fresh    map[string]bool // those that were read since the sheet came
	loading  string
	outcomes map[string]insights.Skill
	reckoned bool
	settling bool // the places of this sheet were asked for
	doc      drawn
	colours  palette
}

// New returns the view, which begins at node want; "" begins at the newest.
func New(now func() time.Time, want string) *View {
	return &View{now: now, want: want, filter: composer.NewField("", false), details: map[string]Detail{}, fresh: map[string]bool{}}
}

// SetSheet shows s. What was read of its nodes is read again, and shown until then. A selection that is gone moves to the node that
// stands at its place; what was asked about it is dropped and said.
func (v *View) SetSheet(s Sheet) {
	first := v.sheet == nil
	v.inherit(&s)
	v.sheet, v.err, v.settling = &s, "", false
	v.fresh, v.loading, v.reckoned = map[string]bool{}, "", false
	maps.DeleteFunc(v.details, func(id string, _ Detail) bool { _, ok := s.at[id]; return !ok })
	v.trail = slices.DeleteFunc(v.trail, func(id string) bool { _, ok := s.at[id]; return !ok })
	if _, ok := s.at[v.ask.ID]; v.ask.ID != "" && !ok {
		v.ask = Task{}
		v.note = "it was changed or removed elsewhere meanwhile; nothing was done"
	}
	if _, ok := s.at[v.want]; ok {
		v.sel, v.want = v.want, ""
	} else if first {
		v.row = len(s.Graph.Nodes)
	}
	v.arrange()
}

// inherit lets the nodes of s stand where they stood until their places are computed.
func (v *View) inherit(s *Sheet) {
	if v.sheet == nil || v.sheet.places == nil {
		return
	}
	s.places = make([]graph.Point, len(s.Graph.Nodes))
	for i, n := range s.Graph.Nodes {
		s.places[i] = graph.Point{X: 0.5, Y: 0.5}
		if old, ok := v.sheet.at[n.ID]; ok {
			s.places[i] = v.sheet.places[old]
		}
	}
}

// SetPlaces takes what was asked for by Settle.
func (v *View) SetPlaces(at map[string]graph.Point) {
	s := v.sheet
	if s == nil {
		return
	}
	s.places = make([]graph.Point, len(s.Graph.Nodes))
	for i, n := range s.Graph.Nodes {
		p, ok := at[n.ID]
		if !ok {
			p = graph.Point{X: 0.5, Y: 0.5}
		}
		s.places[i] = p
	}
}

// SetError says why the map could not be made; what is shown stays.
func (v *View) SetError(text string) { v.err = text }

// SetNote says what came of the last action.
func (v *View) SetNote(text string) { v.note = text }

// Busy says whether a change is under way: until it is done no other one begins.
func (v *View) Busy(busy bool) { v.busy = busy }

// SetDetail takes what was asked for by Load.
func (v *View) SetDetail(d Detail) {
	v.details[d.ID], v.fresh[d.ID] = d, true
	if v.loading == d.ID {
		v.loading = ""
	}
}

// SetOutcomes takes what was asked for by Outcomes.
func (v *View) SetOutcomes(list []insights.Skill) {
	v.outcomes = make(map[string]insights.Skill, len(list))
	for _, s := range list {
		v.outcomes[s.Name] = s
	}
}

// Changed takes what came of a change: the note, where the selection goes, and what u brings back.
func (v *View) Changed(t Task, r Result) {
	v.note, v.removed = r.Said, Task{}
	if r.ID != "" {
		v.want = r.ID
	} else if r.Undo != "" {
		v.removed = Task{Verb: Undo, ID: t.ID, Change: r.Undo}
	}
}

// Missing asks for what is about to be shown and was not read yet, one thing at a time.
func (v *View) Missing() Action {
	if v.sheet == nil || v.sel == "" {
		return Action{}
	}
	if !v.settling && v.face == graphFace {
		v.settling = true
		return Action{Do: Settle, Graph: &v.sheet.Graph}
	}
	if v.loading != "" {
		return Action{}
	}
	if !v.fresh[v.sel] {
		v.loading = v.sel
		return Action{Do: Load, ID: v.sel}
	}
	if n, ok := v.sheet.node(v.sel); ok && n.Kind == graph.KindSkill && !v.reckoned {
		v.reckoned = true
		return Action{Do: Outcomes}
	}
	return Action{}
}

// arrange says which nodes are shown, by filter and playback, and keeps the selection.
func (v *View) arrange() {
	nodes := v.sheet.Graph.Nodes
	keep := v.matching()
	until := v.until()
	v.rows, v.shown, v.kept = v.rows[:0:0], make([]bool, len(nodes)), v.kept[:0:0]
	for i := range nodes {
		if keep != nil && !keep[i] {
			continue
		}
		v.kept = append(v.kept, i)
		if v.playing && nodes[i].Time.After(until) {
			continue
		}
		v.rows, v.shown[i] = append(v.rows, i), true
	}
	v.times = buckets{}
	v.row = max(min(v.row, len(v.rows)-1), 0)
	if i, ok := v.sheet.at[v.sel]; ok && v.shown[i] {
		v.row, _ = slices.BinarySearch(v.rows, i)
	}
	if v.playing {
		v.row = len(v.rows) - 1
	}
	v.list.arrange(v)
	v.choose(v.row)
}

// matching are the nodes that the filter keeps; nil for all.
func (v *View) matching() []bool {
	query := strings.TrimSpace(v.filter.Text())
	if query == "" {
		return nil
	}
	nodes := v.sheet.Graph.Nodes
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = strings.Join([]string{n.Label, n.Category, string(n.Kind), n.State, n.CreatedBy, n.Body, map[bool]string{true: "pinned"}[n.Pinned]}, " ")
	}
	keep := make([]bool, len(nodes))
	for _, i := range match.Rank(query, texts, 0) {
		keep[i] = true
	}
	return keep
}

// choose selects the node in row i.
func (v *View) choose(i int) {
	if len(v.rows) == 0 {
		v.row, v.sel = 0, ""
		return
	}
	v.row = max(min(i, len(v.rows)-1), 0)
	if id := v.sheet.Graph.Nodes[v.rows[v.row]].ID; id != v.sel {
		v.sel, v.scroll.At, v.mark = id, 0, 0
	}
	v.list.follow(v)
}

// go to a node that is shown.
func (v *View) goTo(node int) {
	if i, ok := slices.BinarySearch(v.rows, node); ok {
		v.choose(i)
		return
	}
	v.note = "it is hidden by the filter"
}

// node is the selected node; nil when there is none, as on a line of the list that is about something else.
func (v *View) node() *graph.Node {
	if v.sheet == nil || v.face == listFace && !v.whole && v.list.elsewhere() {
		return nil
	}
	n, _ := v.sheet.node(v.sel)
	return n
}

// links are the neighbours of the selected node.
func (v *View) links() []link {
	if v.sheet == nil {
		return nil
	}
	if i, ok := v.sheet.at[v.sel]; ok {
		return v.sheet.links[i]
	}
	return nil
}

// frames is how many steps the playback has.
const frames = 42

// until is the moment that the playback shows.
func (v *View) until() time.Time {
	first, last := v.span()
	if v.frame >= frames-1 {
		return last
	}
	return first.Add(last.Sub(first) * time.Duration(v.frame) / (frames - 1))
}

// span is from the first to the last known moment; a time to come counts as now.
func (v *View) span() (first, last time.Time) {
	for _, n := range v.sheet.Graph.Nodes {
		if n.Time.IsZero() {
			continue
		}
		if first.IsZero() {
			first = n.Time
		}
		last = n.Time
	}
	return first, last
}

// Tick shows the next step of the playback; it asks for another tick until the end.
func (v *View) Tick() Action {
	if !v.playing || v.sheet == nil {
		return Action{}
	}
	if v.frame++; v.frame >= frames {
		v.stop()
		return v.Missing()
	}
	v.arrange()
	return Action{Do: Play}
}

func (v *View) stop() {
	v.playing, v.frame = false, 0
	v.arrange()
}

// sorted are the shown nodes in an order of the list.
func (v *View) sorted(by sorting) []int {
	out := slices.Clone(v.rows)
	nodes := v.sheet.Graph.Nodes
	slices.Reverse(out) // newest first; it also decides between equals
	compare := map[sorting]func(a, b *graph.Node) int{
		byName:     func(a, b *graph.Node) int { return strings.Compare(a.Label, b.Label) },
		byUse:      func(a, b *graph.Node) int { return cmp.Compare(b.Uses, a.Uses) },
		byLinks:    func(a, b *graph.Node) int { return cmp.Compare(b.Degree, a.Degree) },
		byCategory: func(a, b *graph.Node) int { return strings.Compare(a.Category, b.Category) },
	}[by]
	if compare != nil {
		slices.SortStableFunc(out, func(a, b int) int { return compare(&nodes[a], &nodes[b]) })
	}
	return out
}

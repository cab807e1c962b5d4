package journey

import (
	"slices"
	"strings"
	"time"
	"unicode"

	graph "hermes/core/journey"
)

// Sheet is the map, prepared for drawing. Make it with Prepare.
type Sheet struct {
	Graph graph.Graph
	Notes []string // what could not be read, one line each

	at      map[string]int
	places  []graph.Point // by node; none until they were computed
	links   [][]link      // by node, strongest first
	near    [][]link
	dead    map[string][]graph.Dangling // by the skill that declares it
	letters map[string]string           // by category of skills
	hues    map[string]int
	order   []string // categories of skills, the largest first
}

// link is an edge seen from one of its ends.
type link struct {
	other int
	why   graph.Why
}

// Place says where the nodes of g stand. It takes a while for many nodes, so it is called outside of Update.
func Place(g graph.Graph) map[string]graph.Point { return graph.Layout(g) }

// Prepare looks the edges of g up.
func Prepare(g graph.Graph, notes []string) Sheet {
	s := Sheet{
		Graph: g, Notes: notes, at: make(map[string]int, len(g.Nodes)), links: make([][]link, len(g.Nodes)),
		near: make([][]link, len(g.Nodes)), dead: map[string][]graph.Dangling{}, letters: map[string]string{}, hues: map[string]int{},
	}
	for i, n := range g.Nodes {
		s.at[n.ID] = i
	}
	s.join(g.Edges, s.links)
	s.join(g.Near, s.near)
	for _, d := range g.Dangling {
		s.dead[d.From] = append(s.dead[d.From], d)
	}
	count := map[string]int{}
	for _, n := range g.Nodes {
		if n.Kind == graph.KindSkill {
			if count[n.Category] == 0 {
				s.order = append(s.order, n.Category)
			}
			count[n.Category]++
		}
	}
	slices.SortFunc(s.order, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	taken := map[rune]bool{}
	for i, c := range s.order {
		s.hues[c], s.letters[c] = i, letter(c, taken)
	}
	return s
}

func (s *Sheet) join(edges []graph.Edge, into [][]link) {
	for _, e := range edges { // strongest first already
		a, ok := s.at[e.Source]
		b, ok2 := s.at[e.Target]
		if ok && ok2 {
			into[a], into[b] = append(into[a], link{b, e.Why}), append(into[b], link{a, e.Why})
		}
	}
}

// letter is a capital that stands for category c and for no other one; "#" when all are taken.
func letter(c string, taken map[rune]bool) string {
	for _, r := range strings.ToUpper(c) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		if r < unicode.MaxASCII && unicode.IsUpper(r) && !taken[r] {
			taken[r] = true
			return string(r)
		}
	}
	return "#"
}

func (s *Sheet) node(id string) (*graph.Node, bool) {
	i, ok := s.at[id]
	if !ok {
		return nil, false
	}
	return &s.Graph.Nodes[i], true
}

// Detail is what belongs to one node and is read when it is looked at.
type Detail struct {
	ID       string
	Text     string // the whole SKILL.md, or the whole entry
	Path     string // of the file it stands in, as shown
	Moments  []Moment
	Warnings []string
	Problem  string // why it could not be read
}

// Moment is a change in the life of a node. Detail has the newest first.
type Moment struct {
	ID      string // of the change in the ledger
	Time    time.Time
	Who     string
	Action  string
	Reason  string
	Session string
}

// Result is what came of a change.
type Result struct {
	Said string
	ID   string // of the node afterwards: an edited entry of memory has another one; "" when it is gone
	Undo string // the change, when the node is gone and u brings it back
}

// Verb is a change that a person asks for.
type Verb int

// The verbs.
const (
	Edit Verb = iota + 1
	Remove
	Pin
	Unpin
	Undo
)

// Task is a change to one node.
type Task struct {
	Verb   Verb
	ID     string
	Text   string // the new text, for Edit
	Base   string // the text that was edited: when it is another one by now the edit is refused
	Change string // the change to take back, for Undo
}

// Do says what the person asked for.
type Do int

// The actions of the view.
const (
	Nothing Do = iota
	Close
	Load     // the detail of ID
	Settle   // where the nodes of Graph stand
	Outcomes // of all skills
	Change   // Task
	Editor   // Text of ID is to be edited
	Export   // as Text: "html" or "svg"
	Open     // the session ID
	Copy     // Text
	Play     // a tick, then Tick
)

// Action is a request to the root.
type Action struct {
	Do    Do
	ID    string
	Text  string
	Task  Task
	Graph *graph.Graph
}

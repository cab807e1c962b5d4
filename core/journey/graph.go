package journey

import (
	"slices"
	"time"
)

// Kind is what a node stands for.
type Kind string

// The kinds.
const (
	KindSkill  Kind = "skill"
	KindMemory Kind = "memory"
)

// Limits of what a card carries, in code points.
const (
	titleLimit = 80
	bodyLimit  = 1200
)

// Skill is a skill as the map needs it.
type Skill struct {
	Name        string
	Folder      string // name of its folder, when it differs
	Category    string // "" is "general"
	Description string
	Tags        []string
	Related     []string // as declared
	CreatedBy   string   // "agent", or "" for a person
	State       string   // "active", "stale", "archived"
	Pinned      bool
	Bundled     bool      // shipped with the program
	Installed   bool      // from somebody else's collection
	Uses        int       // loads
	Created     time.Time // when it was learned: its time on the map
	Last        time.Time // last activity, for when that is unknown; zero when it is, too
}

// Card is an entry of memory.
type Card struct {
	ID      string // fingerprint of its text
	Source  string // "memory" or "profile"
	Text    string
	Time    time.Time // when it was written; zero when unknown
	Blocked bool
}

// Node is a point of the map. Its ID is the skill's name, or "memory:" and the card's fingerprint: it
// survives changes of other entries.
type Node struct {
	ID        string    `json:"id"`
	Label     string    `json:"label"`
	Kind      Kind      `json:"kind"`
	Time      time.Time `json:"-"`
	Timestamp int64     `json:"timestamp,omitempty"` // seconds since 1970; 0 when unknown
	Category  string    `json:"category"`
	Uses      int       `json:"useCount"`
	State     string    `json:"state,omitempty"`
	CreatedBy string    `json:"createdBy,omitempty"`
	Pinned    bool      `json:"pinned,omitempty"`
	Source    string    `json:"memorySource,omitempty"`
	Blocked   bool      `json:"blocked,omitempty"`
	Body      string    `json:"-"` // of a card; description of a skill
	Degree    int       `json:"-"` // edges
}

// Edge joins two nodes.
type Edge struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Why    Why    `json:"why"`
}

// Why explains an edge: a declared relation, or the words that both ends share.
type Why struct {
	Declared bool     `json:"declared,omitempty"`
	Score    int      `json:"score,omitempty"`
	Named    bool     `json:"named,omitempty"`  // the card holds the skill's name: six points
	Shared   []string `json:"shared,omitempty"` // words, a point each
}

// Cluster counts the nodes of a category.
type Cluster struct {
	Category string `json:"category"`
	Count    int    `json:"count"`
}

// CardInfo is a card in the payload.
type CardInfo struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Title  string `json:"title"`
	Body   string `json:"body"`
}

// Missing is a skill that exists and is not on the map.
type Missing struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Reason gathers the skills that are not on the map for the same reason.
type Reason struct {
	Why   string
	Names []string
}

// Reasons groups missing skills by their reason, in the order in which reasons first occur.
func Reasons(missing []Missing) []Reason {
	var out []Reason
	for _, m := range missing {
		i := slices.IndexFunc(out, func(r Reason) bool { return r.Why == m.Why })
		if i < 0 {
			i, out = len(out), append(out, Reason{Why: m.Why})
		}
		out[i].Names = append(out[i].Names, m.Name)
	}
	return out
}

// Dangling is a declared relation that leads nowhere.
type Dangling struct {
	From string `json:"from"`
	To   string `json:"to"`
	Why  string `json:"why"`
}

// Stats say how dense the map is.
type Stats struct {
	Nodes            int       `json:"nodes"`
	RelatedEdges     int       `json:"related_edges"`
	EdgesPerNode     float64   `json:"edges_per_node"` // 3 decimals
	LinkedNodes      int       `json:"linked_nodes"`
	IsolatedPct      float64   `json:"isolated_pct"` // 1 decimal
	Categories       int       `json:"categories"`
	AgentCreated     int       `json:"agent_created"`
	Used             int       `json:"used"`
	TopCategories    []Cluster `json:"top_categories"` // 8
	MemoryNodes      int       `json:"memory_nodes"`
	MemorySkillEdges int       `json:"memory_skill_edges"`
	LearnedSkills    int       `json:"learned_skills"`
}

// Graph is the map.
type Graph struct {
	Nodes    []Node     `json:"nodes"`
	Edges    []Edge     `json:"edges"`
	Clusters []Cluster  `json:"clusters"`
	Memory   []CardInfo `json:"memory"`
	Stats    Stats      `json:"stats"`
	Missing  []Missing  `json:"missing"`
	Dangling []Dangling `json:"dangling"`
	Near     []Edge     `json:"near"` // what just missed being an edge
}

// Node finds a node by its id.
func (g *Graph) Node(id string) (Node, bool) {
	for _, n := range g.Nodes {
		if n.ID == id {
			return n, true
		}
	}
	return Node{}, false
}

// Neighbours are the edges of a node, strongest first: declared ones, then by score.
func (g *Graph) Neighbours(id string) []Edge {
	var out []Edge
	for _, e := range g.Edges {
		if e.Source == id || e.Target == id {
			out = append(out, e)
		}
	}
	return out
}

// Other is the end of e that is not id.
func (e Edge) Other(id string) string {
	if e.Source == id {
		return e.Target
	}
	return e.Source
}

package journey

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes/core/text"
)

const (
	namedPoints = 6 // for the skill's name in a card
	cardEdges   = 4 // at most, of a card to skills
	cardNear    = 2 // near misses told, of a card
)

// Build makes the map. The same input gives the same graph, in the order of time. A Maker does it again
// faster.
func Build(skills []Skill, cards []Card) Graph { return new(Maker).Build(skills, cards) }

func (b *builder) build(skills []Skill, cards []Card) Graph {
	for _, s := range skills {
		if _, twice := b.known[s.Name]; !twice && s.Name != "" {
			b.known[s.Name] = s
			b.order = append(b.order, s)
			if s.Folder != "" {
				b.folders[s.Folder] = s.Name
			}
		}
	}
	slices.SortStableFunc(b.order, func(a, c Skill) int { return strings.Compare(a.Name, c.Name) })
	b.skills()
	b.cards(cards)
	b.related()
	b.lexical(cards)
	return b.finish()
}

// builder collects the parts.
type builder struct {
	g       Graph
	known   map[string]Skill  // all, by name
	folders map[string]string // folder → name of its skill
	order   []Skill
	on      map[string]int // id → index of its node
	lower   []string       // names of the skills that cards are compared with

	old, words map[string][]string // text → its tokens: of the map before, and of this one
}

func (b *builder) add(n Node) {
	if _, twice := b.on[n.ID]; twice {
		return
	}
	if !n.Time.IsZero() {
		n.Timestamp = n.Time.Unix()
	}
	b.on[n.ID] = len(b.g.Nodes)
	b.g.Nodes = append(b.g.Nodes, n)
}

// Learned tells whether a skill is on the map, and why it is not.
func Learned(s Skill) (bool, string) {
	switch {
	case s.State == "archived":
		return false, "archived"
	case s.Bundled:
		return false, "bundled with the program"
	case s.CreatedBy == "agent" || s.Uses > 0:
		return true, ""
	case s.Installed:
		return false, "installed and never used"
	}
	return false, "written by hand and never used"
}

// CategoryOf is the category that every reader shows for a skill.
func CategoryOf(s Skill) string { return cmp.Or(strings.TrimSpace(s.Category), "general") }

func (b *builder) skills() {
	for _, s := range b.order {
		ok, why := Learned(s)
		if !ok {
			b.g.Missing = append(b.g.Missing, Missing{Name: s.Name, Why: why})
			continue
		}
		t := s.Created
		if t.IsZero() {
			t = s.Last
		}
		b.add(Node{
			ID: s.Name, Label: s.Name, Kind: KindSkill, Time: t, Category: CategoryOf(s), Uses: s.Uses, State: cmp.Or(s.State, "active"),
			CreatedBy: s.CreatedBy, Pinned: s.Pinned, Body: s.Description,
		})
	}
}

// CardID is the id of a card's node.
func CardID(fingerprint string) string { return "memory:" + fingerprint }

func (b *builder) cards(cards []Card) {
	for _, c := range cards {
		title := cardTitle(c.Text)
		body := c.Text
		if utf8.RuneCountInString(body) > bodyLimit {
			body = text.Cut(body, bodyLimit)
		}
		b.add(Node{ID: CardID(c.ID), Label: title, Kind: KindMemory, Time: c.Time, Category: "memory", Source: c.Source, Blocked: c.Blocked, Body: body})
		b.g.Memory = append(b.g.Memory, CardInfo{ID: CardID(c.ID), Source: c.Source, Title: title, Body: body})
	}
}

// cardTitle is the first line of a card, without the marks of a heading.
func cardTitle(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	line = strings.TrimLeft(text.OneLine(line), "# ")
	if utf8.RuneCountInString(line) > titleLimit {
		line = text.Cut(line, titleLimit)
	}
	return cmp.Or(line, "(empty)")
}

// related draws the declared relations: undirected, once, both ends on the map. What leads nowhere is told.
func (b *builder) related() {
	seen := map[[2]string]bool{}
	for _, s := range b.order {
		if _, ok := b.on[s.Name]; !ok {
			continue
		}
		told := map[string]bool{}
		for _, to := range s.Related {
			to = strings.TrimSpace(to)
			name := b.called(to[strings.LastIndexByte(to, '/')+1:]) // "category/name" names the same
			if to == "" || told[name] {
				continue
			}
			told[name] = true
			if _, ok := b.on[name]; ok && name != s.Name {
				pair := [2]string{min(s.Name, name), max(s.Name, name)}
				if !seen[pair] {
					seen[pair] = true
					b.edge(Edge{Source: pair[0], Target: pair[1], Why: Why{Declared: true}})
				}
				continue
			}
			b.g.Dangling = append(b.g.Dangling, Dangling{From: s.Name, To: to, Why: b.whyNot(s.Name, name)})
		}
	}
}

// called is the name of the skill that a relation means by its name or its folder.
func (b *builder) called(name string) string {
	if _, ok := b.known[name]; ok {
		return name
	}
	return cmp.Or(b.folders[name], name)
}

func (b *builder) edge(e Edge) {
	b.g.Edges = append(b.g.Edges, e)
	b.g.Nodes[b.on[e.Source]].Degree++
	b.g.Nodes[b.on[e.Target]].Degree++
}

// whyNot says why a relation leads nowhere.
func (b *builder) whyNot(from, to string) string {
	if to == from {
		return "a relation to itself"
	}
	if s, ok := b.known[to]; ok {
		_, why := Learned(s)
		return "not on the map: " + why
	}
	best, dist := "", min(3, 1+utf8.RuneCountInString(to)/3) // of a short name little may differ
	for _, s := range b.order {
		if d := distance(to, s.Name, dist); d < dist && s.Name != from {
			best, dist = s.Name, d
		}
	}
	if best != "" {
		return fmt.Sprintf("unknown; did you mean %s?", best)
	}
	return "unknown"
}

// distance is how many characters must change to make b of a; limit when it is that many or more.
func distance(a, b string, limit int) int {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	if len(x)-len(y) >= limit || len(y)-len(x) >= limit {
		return limit
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := diagonal
			if x[i-1] != y[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return min(row[len(y)], limit)
}

// common are words that join nothing.
var common = map[string]bool{ //nolint:gochecknoglobals // constants
	"the": true, "and": true, "for": true, "with": true, "that": true, "this": true, "from": true, "are": true, "was": true, "not": true,
	"you": true, "your": true, "its": true, "has": true, "have": true, "use": true, "uses": true, "used": true, "when": true, "into": true,
	"only": true, "all": true, "any": true, "but": true, "can": true, "out": true, "one": true, "user": true,
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// lexical joins cards and skills that share words.
func (b *builder) lexical(cards []Card) {
	by := map[string][]int{} // word → skills that hold it
	var skills []Skill
	for _, s := range b.order {
		if _, ok := b.on[s.Name]; !ok {
			continue
		}
		for _, w := range b.tokens(s.spoken()) {
			by[w] = append(by[w], len(skills))
		}
		skills = append(skills, s)
		b.lower = append(b.lower, strings.ToLower(s.Name))
	}
	drawn := map[string]bool{}
	for _, c := range cards {
		if id := CardID(c.ID); !drawn[id] {
			drawn[id] = true
			b.card(c, skills, by)
		}
	}
}

// card draws the edges of one card.
func (b *builder) card(c Card, skills []Skill, by map[string][]int) {
	score := make([]int, len(skills))
	words := b.tokens(c.Text)
	for _, w := range words {
		for _, i := range by[w] {
			score[i]++
		}
	}
	lower := strings.ToLower(c.Text)
	named := map[int]bool{}
	for i, name := range b.lower {
		if names(lower, name) {
			named[i] = true
			score[i] += namedPoints
		}
	}
	var list []int
	for i, n := range score {
		if n > 0 {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(x, y int) int {
		return cmp.Or(cmp.Compare(score[y], score[x]), strings.Compare(skills[x].Name, skills[y].Name))
	})
	for n, i := range list[:min(len(list), cardEdges+cardNear)] {
		e := Edge{Source: CardID(c.ID), Target: skills[i].Name, Why: Why{Score: score[i], Named: named[i]}}
		for _, w := range words {
			if _, ok := slices.BinarySearch(by[w], i); ok {
				e.Why.Shared = append(e.Why.Shared, w)
			}
		}
		if n < cardEdges {
			b.edge(e)
		} else {
			b.g.Near = append(b.g.Near, e)
		}
	}
}

// names tells whether s holds name, and not only inside a longer word.
func names(s, name string) bool {
	for at := 0; name != ""; {
		i := strings.Index(s[at:], name)
		if i < 0 {
			return false
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(name):])
		if (!wordy(before) || !wordy(rune(name[0]))) && (!wordy(after) || !wordy(rune(name[len(name)-1]))) {
			return true
		}
		at = i + 1
	}
	return false
}

// wordy tells whether r goes on a Latin name; other scripts write without gaps.
func wordy(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}

// finish orders the nodes by time and counts.
func (b *builder) finish() Graph {
	g := b.g
	slices.SortStableFunc(g.Nodes, func(x, y Node) int {
		return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Kind, y.Kind), strings.Compare(x.ID, y.ID))
	})
	slices.SortStableFunc(g.Edges, func(x, y Edge) int {
		if x.Why.Declared != y.Why.Declared {
			return map[bool]int{true: -1, false: 1}[x.Why.Declared]
		}
		return cmp.Or(cmp.Compare(y.Why.Score, x.Why.Score), strings.Compare(x.Source, y.Source), strings.Compare(x.Target, y.Target))
	})
	count := map[string]int{}
	s := &g.Stats
	s.Nodes = len(g.Nodes)
	for _, n := range g.Nodes {
		count[n.Category]++
		if n.Degree > 0 {
			s.LinkedNodes++
		}
		if n.Kind == KindMemory {
			s.MemoryNodes++
			continue
		}
		s.LearnedSkills++
		if n.CreatedBy == "agent" {
			s.AgentCreated++
		}
		if n.Uses > 0 {
			s.Used++
		}
	}
	for _, e := range g.Edges {
		if e.Why.Declared {
			s.RelatedEdges++
		} else {
			s.MemorySkillEdges++
		}
	}
	if s.Nodes > 0 {
		s.EdgesPerNode = round(float64(len(g.Edges))/float64(s.Nodes), 3)
		s.IsolatedPct = round(100*float64(s.Nodes-s.LinkedNodes)/float64(s.Nodes), 1)
	}
	for c, n := range count {
		g.Clusters = append(g.Clusters, Cluster{Category: c, Count: n})
	}
	slices.SortFunc(g.Clusters, func(x, y Cluster) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), strings.Compare(x.Category, y.Category))
	})
	s.Categories = len(g.Clusters)
	s.TopCategories = g.Clusters[:min(8, len(g.Clusters))]
	return g
}

func round(f float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(f*p) / p
}

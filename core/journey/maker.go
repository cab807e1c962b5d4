package journey

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"hermes/core/text"
)

// Maker makes maps and remembers what it made: unchanged input gives the map as it was, and after a change
// only the texts that changed are read again. The zero value is ready; it may be used by several at once.
// Nobody may change what it returns below the top level of the lists.
type Maker struct {
	mu     sync.Mutex
	skills []Skill
	cards  []Card
	made   Graph
	words  map[string][]string // of texts that the last map read
	full   bool
}

// Build makes the map of skills and cards.
func (m *Maker) Build(skills []Skill, cards []Card) Graph {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.full || !slices.EqualFunc(m.skills, skills, Skill.equal) || !slices.EqualFunc(m.cards, cards, Card.equal) {
		b := builder{known: map[string]Skill{}, folders: map[string]string{}, on: map[string]int{}, old: m.words, words: make(map[string][]string, len(skills)+len(cards))}
		m.made = b.build(skills, cards)
		m.skills, m.cards, m.words, m.full = slices.Clone(skills), slices.Clone(cards), b.words, true
	}
	g := m.made
	g.Nodes, g.Edges, g.Clusters, g.Memory = slices.Clone(g.Nodes), slices.Clone(g.Edges), slices.Clone(g.Clusters), slices.Clone(g.Memory)
	g.Missing, g.Dangling, g.Near = slices.Clone(g.Missing), slices.Clone(g.Dangling), slices.Clone(g.Near)
	g.Stats.TopCategories = slices.Clone(g.Stats.TopCategories)
	return g
}

func (s Skill) equal(o Skill) bool {
	if !slices.Equal(s.Tags, o.Tags) || !slices.Equal(s.Related, o.Related) || !s.Created.Equal(o.Created) || !s.Last.Equal(o.Last) {
		return false
	}
	return s.Name == o.Name && s.Folder == o.Folder && s.Category == o.Category && s.Description == o.Description && s.CreatedBy == o.CreatedBy &&
		s.State == o.State && s.Pinned == o.Pinned && s.Bundled == o.Bundled && s.Installed == o.Installed && s.Uses == o.Uses
}

func (c Card) equal(o Card) bool {
	return c.ID == o.ID && c.Source == o.Source && c.Text == o.Text && c.Blocked == o.Blocked && c.Time.Equal(o.Time)
}

// tokens are the words of s that count, sorted: Latin ones of three characters and more, pairs of others.
func (b *builder) tokens(s string) []string {
	if w, ok := b.words[s]; ok {
		return w
	}
	w, ok := b.old[s]
	if !ok {
		all := text.Words(s)
		maps.DeleteFunc(all, func(w string, _ bool) bool { return common[w] || isASCII(w) && len(w) < 3 })
		w = slices.Sorted(maps.Keys(all))
	}
	b.words[s] = w
	return w
}

// spoken is the text of a skill that cards are compared with.
func (s Skill) spoken() string {
	return strings.Join(append([]string{s.Name, s.Description}, s.Tags...), " ")
}

package journey

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func day(n int) time.Time { return time.Date(2026, 3, n, 10, 0, 0, 0, time.UTC) }

func TestOpenJO01_whoIsOnTheMap(t *testing.T) {
	t.Parallel()
	g := Build([]Skill{
		{Name: "fresh-idea", CreatedBy: "agent", Created: day(3)},
		{Name: "plan", Bundled: true, Uses: 9},
		{Name: "by-hand"},
		{Name: "by-hand-used", Uses: 1, Created: day(1), Last: day(9)},
		{Name: "from-hub", Installed: true},
		{Name: "old", CreatedBy: "agent", State: "archived"},
	}, nil)
	var on []string
	for _, n := range g.Nodes {
		on = append(on, n.ID)
	}
	if d := cmp.Diff([]string{"by-hand-used", "fresh-idea"}, on); d != "" {
		t.Error(d)
	}
	if n, _ := g.Node("by-hand-used"); !n.Time.Equal(day(1)) {
		t.Errorf("using it moved it in the history of learning: %v", n.Time)
	}
	if n, _ := g.Node("fresh-idea"); !n.Time.Equal(day(3)) {
		t.Errorf("its time is not its creation: %v", n.Time)
	}
	want := []Missing{
		{"by-hand", "written by hand and never used"},
		{"from-hub", "installed and never used"},
		{"old", "archived"},
		{"plan", "bundled with the program"},
	}
	if d := cmp.Diff(want, g.Missing); d != "" {
		t.Error(d)
	}
	if g.Stats.Nodes != len(g.Nodes) || g.Stats.AgentCreated != 1 || g.Stats.Used != 1 {
		t.Errorf("%+v", g.Stats)
	}
}

func TestBuild_relations(t *testing.T) {
	t.Parallel()
	agent := func(name string, related ...string) Skill {
		return Skill{Name: name, CreatedBy: "agent", Related: related}
	}
	g := Build([]Skill{
		agent("deploy", "docker", "devops/monitor", "deploy", "plan", "gone", "dokcer", "", "old", "watch-folder", "ops/plan", "gone", "xy"),
		agent("docker", "deploy"),
		agent("monitor"),
		{Name: "watch", Folder: "watch-folder", CreatedBy: "agent"},
		{Name: "x", CreatedBy: "agent"},
		{Name: "abc", CreatedBy: "agent"},
		{Name: "plan", Bundled: true},
		{Name: "old", CreatedBy: "agent", State: "archived"},
	}, nil)
	want := []Edge{
		{Source: "deploy", Target: "docker", Why: Why{Declared: true}},
		{Source: "deploy", Target: "monitor", Why: Why{Declared: true}},
		{Source: "deploy", Target: "watch", Why: Why{Declared: true}},
	}
	if d := cmp.Diff(want, g.Edges); d != "" {
		t.Error(d)
	}
	dangling := []Dangling{
		{"deploy", "deploy", "a relation to itself"},
		{"deploy", "plan", "not on the map: bundled with the program"},
		{"deploy", "gone", "unknown"},
		{"deploy", "dokcer", "unknown; did you mean docker?"},
		{"deploy", "old", "not on the map: archived"},
		{"deploy", "xy", "unknown"},
	}
	if d := cmp.Diff(dangling, g.Dangling); d != "" {
		t.Error(d)
	}
	if g.Stats.RelatedEdges != 3 || g.Stats.LinkedNodes != 4 || g.Stats.IsolatedPct != 33.3 || g.Stats.EdgesPerNode != 0.5 {
		t.Errorf("%+v", g.Stats)
	}
}

func TestBuild_memoryEdgesSayWhy(t *testing.T) {
	t.Parallel()
	g := Build([]Skill{
		{Name: "flask-k8s-deploy", Description: "Deploy Python web apps to the Kubernetes cluster", CreatedBy: "agent"},
		{Name: "weekly-digest", Description: "每周科技新闻摘要", CreatedBy: "agent"},
		{Name: "unrelated", Description: "Paint walls", CreatedBy: "agent"},
	}, []Card{
		{ID: "a", Source: "memory", Text: "The Kubernetes cluster answers at k8s.lan; see flask-k8s-deploy"},
		{ID: "b", Source: "profile", Text: "新闻摘要每次只要 5 条。"},
		{ID: "c", Source: "profile", Text: "Likes tea"},
		{ID: "c", Source: "profile", Text: "Likes tea"},
	})
	want := []Edge{
		{Source: "memory:a", Target: "flask-k8s-deploy", Why: Why{Score: 11, Named: true, Shared: []string{"cluster", "deploy", "flask", "k8s", "kubernetes"}}},
		{Source: "memory:b", Target: "weekly-digest", Why: Why{Score: 3, Shared: []string{"摘要", "新闻", "闻摘"}}},
	}
	if d := cmp.Diff(want, g.Edges); d != "" {
		t.Error(d)
	}
	if g.Stats.MemoryNodes != 3 || len(g.Memory) != 4 {
		t.Errorf("two equal entries are one node: %+v, %d cards", g.Stats, len(g.Memory))
	}
}

// A name inside a longer word is not the skill's name; Chinese is written without gaps.
func TestBuild_namesAreWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Googling a cargo": false, "use go, always": true, "go-build first": false, "Go": true, "好用go写": true, "cargo and go": true, "": false,
	} {
		g := Build([]Skill{{Name: "go", CreatedBy: "agent"}}, []Card{{ID: "a", Text: text}})
		if got := len(g.Edges) == 1 && g.Edges[0].Why.Named; got != want {
			t.Errorf("%q names it: %v", text, got)
		}
	}
	if g := Build([]Skill{{Name: "周报", CreatedBy: "agent"}}, []Card{{ID: "a", Text: "每次写周报都要图表"}}); len(g.Edges) != 1 || !g.Edges[0].Why.Named {
		t.Errorf("%+v", g.Edges)
	}
}

func TestBuild_atMostFourEdgesACard(t *testing.T) {
	t.Parallel()
	var skills []Skill
	for i := range 9 {
		skills = append(skills, Skill{Name: fmt.Sprintf("tool-%d", i), Description: "kubernetes", CreatedBy: "agent"})
	}
	g := Build(skills, []Card{{ID: "x", Text: "kubernetes"}})
	if len(g.Edges) != 4 || g.Edges[0].Target != "tool-0" || g.Edges[3].Target != "tool-3" {
		t.Errorf("%+v", g.Edges)
	}
	if len(g.Near) != 2 || g.Near[0].Target != "tool-4" {
		t.Errorf("near misses: %+v", g.Near)
	}
}

func TestBuild_oddInput(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("漢", 64)
	g := Build([]Skill{
		{Name: wide, CreatedBy: "agent", Related: []string{wide, "\x1b[31m"}},
		{Name: wide, CreatedBy: "agent"},
		{Name: "", CreatedBy: "agent"},
		{Name: "future", CreatedBy: "agent", Created: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)},
	}, []Card{{ID: "e", Text: "\n\n"}, {ID: "l", Text: "# " + strings.Repeat("x", 5000)}})
	if g.Stats.Nodes != 4 {
		t.Errorf("%+v", g.Stats)
	}
	if n, _ := g.Node("memory:l"); len(n.Label) > 90 || strings.HasPrefix(n.Label, "#") || len([]rune(n.Body)) > bodyLimit+1 {
		t.Errorf("%.100s", n.Label)
	}
	if empty := Build(nil, nil); empty.Stats.Nodes != 0 || empty.Stats.EdgesPerNode != 0 {
		t.Errorf("%+v", empty)
	}
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	at := func(y int, m time.Month, d int) Node {
		tm := time.Date(y, m, d, 9, 0, 0, 0, time.UTC)
		return Node{ID: tm.Format(time.DateOnly), Kind: KindSkill, Category: "devops", Time: tm}
	}
	for _, c := range []struct {
		name   string
		nodes  []Node
		rows   int
		labels []string
		totals []int
	}{
		{"days, with an empty one between", []Node{at(2026, 3, 1), at(2026, 3, 3), {ID: "m", Kind: KindMemory, Time: day(3)}}, 8, []string{"1 Mar", "2 Mar", "3 Mar"}, []int{1, 1, 3}},
		{"months", []Node{at(2026, 1, 1), at(2026, 3, 3)}, 4, []string{"Jan 2026", "Feb 2026", "Mar 2026"}, []int{1, 1, 2}},
		{"years", []Node{at(2022, 1, 1), at(2026, 3, 3)}, 8, []string{"2022", "2023", "2024", "2025", "2026"}, []int{1, 1, 1, 1, 2}},
		{"shares", []Node{at(1990, 1, 1), at(2026, 3, 3)}, 3, []string{"1 Jan 1990", "21 Jan 2002", "11 Feb 2014"}, []int{1, 1, 2}},
		{"the future is now", []Node{at(2026, 11, 29), at(2999, 1, 1)}, 8, []string{"29 Nov", "30 Nov"}, []int{1, 2}},
		{"one moment", []Node{at(2026, 3, 1)}, 8, []string{"1 Mar"}, []int{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, untimed := Timeline(append(c.nodes, Node{ID: "when?"}), c.rows, now)
			var labels []string
			var totals []int
			for _, b := range got {
				labels, totals = append(labels, b.Label), append(totals, b.Total)
			}
			if d := cmp.Diff(c.labels, labels); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.totals, totals); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([]string{"when?"}, untimed); d != "" {
				t.Error(d)
			}
		})
	}
	if got, _ := Timeline(nil, 8, now); got != nil {
		t.Errorf("%v", got)
	}
}

// Five thousand nodes are a map like any other.
func TestBuild_many(t *testing.T) {
	t.Parallel()
	s, c := many(5000, 200)
	if g := Build(s, c); g.Stats.Nodes != 5200 {
		t.Errorf("%+v", g.Stats)
	}
}

func many(skills, cards int) ([]Skill, []Card) {
	words := strings.Fields("deploy docker python kubernetes cluster test review branch parse network cache disk index search build release digest mail chart table")
	var s []Skill
	for i := range skills {
		s = append(s, Skill{
			Name: fmt.Sprintf("%s-%s-%d", words[i%20], words[i/20%20], i), Description: words[i%19] + " " + words[i%17] + " " + words[i%13] + " 部署到集群",
			CreatedBy: "agent", Category: words[i%7], Related: []string{fmt.Sprintf("%s-%s-%d", words[(i+1)%20], words[(i+1)/20%20], i+1)}, Created: day(1 + i%28),
		})
	}
	var c []Card
	for i := range cards {
		c = append(c, Card{ID: fmt.Sprint(i), Text: fmt.Sprintf("The %s of the %s is at host%d; 集群在东京 %s", words[i%20], words[i%11], i, words[i%3])})
	}
	return s, c
}

// A maker gives what a fresh one gives, after any change of any input; what it returned before stays as it was.
func TestMaker(t *testing.T) {
	t.Parallel()
	var m Maker
	s, c := many(40, 12)
	check := func(what string) Graph {
		t.Helper()
		got := m.Build(s, c)
		if d := cmp.Diff(Build(s, c), got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		return got
	}
	first := check("first")
	keep := slices.Clone(first.Nodes)
	first.Nodes[0].Label = "scribbled"
	check("again")
	for what, change := range map[string]func(){
		"description": func() { s[3].Description = "Brew tea in 京都" },
		"uses":        func() { s[4].Uses++ },
		"related":     func() { s[5].Related = []string{s[9].Name} },
		"tags":        func() { s[6].Tags = []string{"tea"} },
		"state":       func() { s[7].State = "archived" },
		"time":        func() { s[8].Last = day(20) },
		"card":        func() { c[2].Text = "Tea is brewed in 京都" },
		"card gone":   func() { c = c[1:] },
		"skill gone":  func() { s = s[1:] },
	} {
		change()
		check(what)
	}
	first.Nodes[0].Label = keep[0].Label
	if d := cmp.Diff(keep, first.Nodes); d != "" {
		t.Error(d)
	}
}

// BenchmarkBuild makes the map of 500 skills and 60 cards: at first, when nothing changed, and when one skill
// and one card did.
func BenchmarkBuild(b *testing.B) {
	s, c := many(500, 60)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			Build(s, c)
		}
	})
	b.Run("warm", func(b *testing.B) {
		var m Maker
		for b.Loop() {
			m.Build(s, c)
		}
	})
	b.Run("changed", func(b *testing.B) {
		var m Maker
		for i := 0; b.Loop(); i++ {
			s[0].Description, c[0].Text = fmt.Sprint("Deploys ", i), fmt.Sprint("host ", i)
			m.Build(s, c)
		}
	})
}

package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/core"
	"hermes/core/journey"
	"hermes/core/text"
)

func (x *cli) journey() *cobra.Command {
	c := group("journey", "What was learned: timeline, relations, and why something is not on the map",
		x.journeyShow(), x.journeyList(), x.journeyEdit(), x.journeyDelete(), x.journeyExport())
	return c
}

// graph makes the map and tells what could not be read.
func (x *cli) graph(cmd *cobra.Command) (journey.Graph, error) {
	a, err := x.openLoud()
	if err != nil {
		return journey.Graph{}, err
	}
	g, notes, err := a.Journey(cmd.Context())
	for _, n := range notes {
		fmt.Fprintln(x.Err, "hermes: "+text.OneLine(n))
	}
	return g, err
}

func (x *cli) journeyShow() *cobra.Command {
	return command("show", "Draw the timeline and the figures of the map", func(cmd *cobra.Command, _ []string) error {
		g, err := x.graph(cmd)
		if err != nil {
			return err
		}
		if x.json {
			return x.print(filled(g))
		}
		if len(g.Nodes) == 0 {
			x.printf("Nothing was learned yet. Work with hermes for a while, or play: hermes demo\n")
			x.missing(g)
			return nil
		}
		buckets, untimed := journey.Timeline(g.Nodes, 24, time.Now())
		most := 1
		for _, b := range buckets {
			most = max(most, b.Skills+b.Memories)
		}
		for _, b := range buckets {
			x.printf("%10s  %s%s  %s, %s, %d in all\n", b.Label, strings.Repeat("━", bar(b.Skills, most)), strings.Repeat("◆", bar(b.Memories, most)),
				text.Count(b.Skills, "skill", "skills"), text.Count(b.Memories, "memory", "memories"), b.Total)
		}
		if len(untimed) > 0 {
			x.printf("%10s  %d without a time\n", "", len(untimed))
		}
		s := g.Stats
		x.printf("\n%s (%d by the agent, %d used), %s\n", text.Count(s.LearnedSkills, "learned skill", "learned skills"), s.AgentCreated, s.Used, text.Count(s.MemoryNodes, "memory", "memories"))
		x.printf("%s between skills, %d between memories and skills, %.3f edges a node, %.1f %% isolated\n", text.Count(s.RelatedEdges, "relation", "relations"), s.MemorySkillEdges, s.EdgesPerNode, s.IsolatedPct)
		for _, c := range s.TopCategories {
			x.printf("  %-20s %d\n", text.OneLine(c.Category), c.Count)
		}
		x.dangling(g)
		x.missing(g)
		return nil
	}, cobra.NoArgs)
}

// bar is the length of a bar of at most 30 cells; something is never nothing.
func bar(n, most int) int {
	if n == 0 {
		return 0
	}
	return max(n*30/most, 1)
}

func (x *cli) dangling(g journey.Graph) {
	for _, d := range g.Dangling {
		x.printf("! %s → %s: %s\n", text.OneLine(d.From), text.OneLine(d.To), d.Why)
	}
}

func (x *cli) missing(g journey.Graph) {
	for _, r := range journey.Reasons(g.Missing) {
		x.printf("not on the map, %s: %s\n", r.Why, text.OneLine(strings.Join(r.Names, ", ")))
	}
}

// filled gives empty lists instead of null.
func filled(g journey.Graph) journey.Graph {
	if g.Nodes == nil {
		g.Nodes = []journey.Node{}
	}
	if g.Edges == nil {
		g.Edges = []journey.Edge{}
	}
	if g.Clusters == nil {
		g.Clusters = []journey.Cluster{}
	}
	if g.Memory == nil {
		g.Memory = []journey.CardInfo{}
	}
	if g.Missing == nil {
		g.Missing = []journey.Missing{}
	}
	if g.Dangling == nil {
		g.Dangling = []journey.Dangling{}
	}
	if g.Near == nil {
		g.Near = []journey.Edge{}
	}
	if g.Stats.TopCategories == nil {
		g.Stats.TopCategories = []journey.Cluster{}
	}
	return g
}

func (x *cli) journeyList() *cobra.Command {
	return command("list", "List every node with its id, its relations and why they are there", func(cmd *cobra.Command, _ []string) error {
		g, err := x.graph(cmd)
		if err != nil {
			return err
		}
		if x.json {
			return x.print(filled(g))
		}
		for _, n := range g.Nodes {
			when := "—"
			if !n.Time.IsZero() {
				when = n.Time.Local().Format("2006-01-02")
			}
			x.printf("%s  %s  %s\n", when, n.ID, whatIs(n))
			if n.Label != n.ID {
				x.printf("    %s\n", text.OneLine(n.Label))
			}
			for _, e := range g.Neighbours(n.ID) {
				x.printf("    — %s  (%s)\n", called(&g, e.Other(n.ID)), why(e.Why))
			}
			for _, e := range g.Near {
				if e.Source == n.ID || e.Target == n.ID {
					x.printf("    · nearly: %s  (%s)\n", called(&g, e.Other(n.ID)), why(e.Why))
				}
			}
		}
		x.dangling(g)
		x.missing(g)
		return nil
	}, cobra.NoArgs)
}

// whatIs says what a node is.
func whatIs(n journey.Node) string {
	if n.Kind == journey.KindMemory {
		words := map[string]string{"profile": "memory of the user"}[n.Source]
		if words == "" {
			words = "memory"
		}
		if n.Blocked {
			words += ", blocked in the prompt"
		}
		return words
	}
	words := "skill in " + text.OneLine(n.Category) + ", " + text.Count(n.Uses, "use", "uses")
	if n.State != "" && n.State != "active" {
		words += ", " + text.OneLine(n.State)
	}
	if n.Pinned {
		words += ", pinned"
	}
	return words
}

// called is a node as a person knows it: the name of a skill, the beginning of a memory with its id.
func called(g *journey.Graph, id string) string {
	n, ok := g.Node(id)
	if !ok || n.Label == id {
		return text.OneLine(id)
	}
	return fmt.Sprintf("%s “%s”", id, text.Cut(text.OneLine(n.Label), 40))
}

// why is an edge's reason in words.
func why(w journey.Why) string {
	if w.Declared {
		return "declared"
	}
	var parts []string
	if w.Named {
		parts = append(parts, "named")
	}
	if len(w.Shared) > 0 {
		parts = append(parts, "shared: "+strings.Join(w.Shared, " "))
	}
	return fmt.Sprintf("%s; score %d", strings.Join(parts, ", "), w.Score)
}

func (x *cli) journeyEdit() *cobra.Command {
	var file string
	c := command("edit ID", "Replace the text behind a node (a SKILL.md or an entry of memory), with the same checks as the tools", func(cmd *cobra.Command, args []string) error {
		a, err := x.inbox("edit")
		if err != nil {
			return err
		}
		before, err := a.JourneyText(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if file == "" {
			return usageError("name the new text with --file FILE, or pipe it in with --file -; the present one has %d characters", text.Len(before))
		}
		raw, err := readFileOr(file, x.In)
		if err != nil {
			return &core.Error{Code: core.CodeUsage, Op: "read", Subject: file, Err: err}
		}
		if strings.TrimSpace(string(raw)) == strings.TrimSpace(before) {
			return x.said(map[string]any{"id": args[0], "changed": false}, "no changes\n")
		}
		if strings.TrimSpace(string(raw)) == "" {
			return usageError("the new text is empty: use hermes journey delete %s", args[0])
		}
		said, err := a.JourneyEdit(cmd.Context(), a.By(), args[0], string(raw))
		if err != nil {
			return err
		}
		return x.said(map[string]any{"id": args[0], "changed": true, "message": said}, "%s\n", said)
	}, cobra.ExactArgs(1))
	c.Flags().StringVar(&file, "file", "", "file with the new text, - for standard input")
	return c
}

func (x *cli) journeyDelete() *cobra.Command {
	return command("delete ID", "Archive a skill, or remove an entry of memory", func(cmd *cobra.Command, args []string) error {
		a, err := x.inbox("delete")
		if err != nil {
			return err
		}
		said, err := a.JourneyDelete(cmd.Context(), a.By(), args[0])
		if err != nil {
			return err
		}
		return x.said(map[string]any{"id": args[0], "message": said}, "%s\n", said)
	}, cobra.ExactArgs(1))
}

func (x *cli) journeyExport() *cobra.Command {
	var out string
	c := command("export [FILE]", "Write the map as one self-contained file: .svg or .html", func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			out = args[0]
		}
		g, err := x.graph(cmd)
		if err != nil {
			return err
		}
		var b []byte
		switch {
		case strings.HasSuffix(out, ".svg"):
			b = journey.SVG(g, time.Now())
		case strings.HasSuffix(out, ".html"):
			b = journey.HTML(g, time.Now())
		default:
			return usageError("%q: the name must end in .svg or .html", out)
		}
		if err := os.WriteFile(out, b, 0o600); err != nil {
			return &core.Error{Op: "write", Subject: out, Err: err}
		}
		return x.said(map[string]any{"file": out, "bytes": len(b)}, "written: %s (%s, %s)\n", out, text.Count(len(g.Nodes), "node", "nodes"), text.Count(len(g.Edges), "edge", "edges"))
	}, cobra.MaximumNArgs(1))
	c.Flags().StringVar(&out, "out", "journey.html", "file to write")
	return c
}

package journey

import (
	"fmt"
	"strings"
	"time"

	"hermes/core/insights"
	graph "hermes/core/journey"
	"hermes/core/text"
	"hermes/tui/cell"
	"hermes/tui/markdown"
	"hermes/tui/theme"
)

// drawn is the rendered text of the node that was drawn last.
type drawn struct {
	id, text string
	st       *theme.Styles
	by       *markdown.Renderer
	doc      *markdown.Doc
}

// sayer collects wrapped lines.
type sayer struct {
	w      int
	indent string // of the second line of what is said on
	out    []string
}

func (s *sayer) say(draw func(...string) string, format string, args ...any) {
	for _, l := range cell.Wrap(cell.Line(fmt.Sprintf(format, args...)), max(s.w, 1), s.indent) {
		s.out = append(s.out, draw(l))
	}
}

// moments is how many changes the panel lists.
const moments = 6

// detail draws what is known of the selected node.
func (v *View) detail(st *theme.Styles, w, h int) []string {
	n := v.node()
	if n == nil || h <= 0 {
		v.scroll.Page, v.scroll.Length = h, 0
		return nil
	}
	key := "J"
	if v.whole {
		key = "space"
	}
	return v.scroll.Window(st, v.panel(st, n, w), w, h, key)
}

func (v *View) panel(st *theme.Styles, n *graph.Node, w int) []string {
	s := &sayer{w: w}
	s.say(st.Bold.Render, "%s", n.Label)
	s.say(st.Muted.Render, "%s", v.facts(n))
	d, ok := v.details[n.ID]
	if d.Problem != "" {
		s.say(st.Bad.Render, "✗ %s", d.Problem)
	}
	for _, x := range d.Warnings {
		s.say(st.Warn.Render, "⚠ %s", x)
	}
	if n.Kind == graph.KindSkill && n.Body != "" {
		s.say(st.Text.Render, "%s", n.Body)
	}
	v.sayNeighbours(st, s, n)
	if o, ok := v.outcomes[n.ID]; ok {
		sayOutcomes(st, s, &o)
	}
	v.sayHistory(st, s, &d)
	if !ok {
		return append(s.out, "", st.Faint.Render("reading its text …"))
	}
	s.out = append(s.out, st.Border.Render(cell.Repeat("─", w)))
	if n.Kind == graph.KindMemory {
		for line := range strings.SplitSeq(d.Text, "\n") {
			for _, l := range cell.Wrap(cell.Visible(line), max(w, 1), "") {
				s.out = append(s.out, st.Text.Render(l))
			}
		}
		return s.out
	}
	head, tail := v.rendered(st, d.ID, body(d.Text)).Lines(v.doc.by, max(w, 1))
	return append(append(s.out, head...), tail...)
}

// facts is what a node is, in one line.
func (v *View) facts(n *graph.Node) string {
	var parts []string
	if n.Kind == graph.KindMemory {
		parts = append(parts, "memory")
		if n.Source == "profile" {
			parts = append(parts, "about you")
		}
		if n.Blocked {
			parts = append(parts, "blocked in prompts")
		}
	} else {
		parts = append(parts, v.sheet.letters[n.Category]+" "+n.Category, map[bool]string{true: "by the agent", false: "by hand"}[n.CreatedBy == "agent"])
		if n.Uses > 0 {
			parts = append(parts, fmt.Sprintf("used %d×", n.Uses))
		} else {
			parts = append(parts, "never used")
		}
		if n.State != "active" && n.State != "" {
			parts = append(parts, n.State)
		}
		if n.Pinned {
			parts = append(parts, "pinned")
		}
	}
	if !n.Time.IsZero() {
		parts = append(parts, v.date(n.Time))
	}
	return strings.Join(parts, " · ")
}

// date is a day, with its year when that is not this one.
func (v *View) date(t time.Time) string {
	t = t.In(v.now().Location())
	if t.Year() == v.now().Year() {
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}

func (v *View) sayNeighbours(st *theme.Styles, s *sayer, n *graph.Node) {
	at := v.sheet.at[n.ID]
	links := v.sheet.links[at]
	if len(links) > 0 {
		s.out = append(s.out, "", st.Muted.Render(cell.Truncate(counted(len(links), "link", "links"), s.w)))
	}
	const most = 12
	from := max(min(v.mark-most/2, len(links)-most), 0)
	for i := from; i < len(links) && i < from+most; i++ {
		mark, style := "  ", st.Text
		if i == v.mark {
			mark, style = "▸ ", st.Accent
		}
		s.say(style.Render, "%s%s: %s", mark, v.called(links[i].other), because(links[i].why))
	}
	if len(links) > most {
		s.say(st.Faint.Render, "  %d of %d", v.mark+1, len(links))
	}
	for _, l := range v.sheet.near[at] {
		s.say(st.Faint.Render, "  nearly: %s: %s", v.called(l.other), because(l.why))
	}
	if n.Kind == graph.KindSkill {
		for _, d := range v.sheet.dead[n.ID] {
			s.say(st.Warn.Render, "⚠ its relation to %s leads nowhere: %s", d.To, d.Why)
		}
	}
}

// sayOutcomes compares the versions of a skill by the turns that loaded them.
func sayOutcomes(st *theme.Styles, s *sayer, o *insights.Skill) {
	s.out = append(s.out, "", st.Muted.Render(cell.Truncate("What happened in the turns that loaded it", s.w)))
	if o.Before != nil {
		s.say(st.Text.Render, "  before: %s", Outcome(*o.Before))
	}
	for _, x := range o.Versions {
		s.say(st.Text.Render, "  version %d: %s", x.Number, Outcome(x.Outcome))
		if x.Worse != "" {
			s.say(st.Bad.Render, "  ⚠ %s; Ctrl+X i, R goes back", x.Worse)
		}
	}
}

// Outcome is an outcome in words.
func Outcome(o insights.Outcome) string {
	if o.Loads == 0 {
		return "no turn yet"
	}
	out := fmt.Sprintf("%s, %.1f calls, %.1f failed", counted(o.Loads, "turn", "turns"), o.CallsMean, o.ErrorsMean)
	if o.Corrections > 0 {
		out += fmt.Sprintf(", corrected %d×", o.Corrections)
	}
	return out
}

func (v *View) sayHistory(st *theme.Styles, s *sayer, d *Detail) {
	if len(d.Moments) == 0 {
		return
	}
	s.out = append(s.out, "", st.Muted.Render(cell.Truncate(counted(len(d.Moments), "change", "changes"), s.w)))
	for _, m := range d.Moments[:min(len(d.Moments), moments)] {
		line := fmt.Sprintf("  %s %s by %s", m.Time.In(v.now().Location()).Format("2 Jan 15:04"), m.Action, m.Who)
		if m.Reason != "" {
			line += ": " + text.Cut(text.OneLine(m.Reason), 60)
		}
		s.say(st.Text.Render, "%s", line)
	}
}

// rendered is the text as Markdown, kept while the same node is drawn.
func (v *View) rendered(st *theme.Styles, id, body string) *markdown.Doc {
	c := &v.doc
	if c.st != st {
		*c = drawn{st: st, by: markdown.NewFlowing(st)}
	}
	if c.doc == nil || c.id != id || c.text != body {
		c.id, c.text, c.doc = id, body, markdown.NewDoc(body, true)
	}
	return c.doc
}

// body is a SKILL.md without its front matter.
func body(s string) string {
	if f := text.Frontmatter(s); f.Found {
		return s[f.Body:]
	}
	return s
}

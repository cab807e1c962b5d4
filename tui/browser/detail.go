package browser

import (
	"fmt"
	"slices"
	"strings"

	"hermes/core/text"
	"hermes/skills"
	"hermes/skills/guard"
	"hermes/tui/cell"
	"hermes/tui/markdown"
	"hermes/tui/theme"
)

// warns reports whether something about a skill is to be put right.
func warns(c *skills.Checked) bool {
	return slices.ContainsFunc(c.Warnings, func(w skills.Warning) bool {
		return !w.Code.Information() && !w.Code.Hides() && w.Code != skills.CodeNamesOnly
	})
}

// right draws the tabs and what the open one shows.
func (v *View) right(st *theme.Styles, w, h int) []string {
	r := v.selected()
	if r == nil || h <= 0 {
		return nil
	}
	out := []string{v.tabLine(st, w)}
	var rest []string
	switch v.tab {
	case historyTab:
		var fixed []string
		fixed, rest = v.history(st, r, w, h-1)
		out = append(out, fixed...)
	case indexTab:
		rest = v.index(st, w)
	case skillTab, tabs:
		rest = v.skill(st, r, w)
	}
	room := max(h-len(out), 0)
	v.page, v.length = room, len(rest)
	v.scroll = max(min(v.scroll, len(rest)-room), 0)
	rest = rest[v.scroll:]
	if len(rest) > room && room > 0 {
		rest = slices.Clone(rest[:room])
		rest[room-1] = st.Faint.Render(cell.Truncate(fmt.Sprintf("… %d more lines (space)", v.length-v.scroll-room+1), w))
	}
	return append(out, rest...)
}

func (v *View) tabLine(st *theme.Styles, w int) string {
	names := []string{"Skill", "History", "As the model sees it"}
	if n := len(v.detail().Versions); n > 0 {
		names[historyTab] = fmt.Sprintf("History %d", n)
	}
	var b strings.Builder
	for i, n := range names {
		if tab(i) == v.tab {
			b.WriteString(st.Selected.Render("["+n+"]") + " ")
		} else {
			b.WriteString(st.Muted.Render(" "+n+" ") + " ")
		}
	}
	return cell.Truncate(b.String(), w)
}

func (v *View) title(st *theme.Styles, r *row, w int) string {
	where := cell.Line(r.entry().Qualified())
	if r.archived != nil {
		where = "archived"
		if r.archived.From != "" {
			where += ", from " + cell.Line(r.archived.From)
		}
	}
	return cell.Truncate(st.Bold.Render(cell.Line(r.name()))+"  "+st.Faint.Render(where), w)
}

// sayer collects wrapped lines.
type sayer struct {
	w   int
	out []string
}

func (s *sayer) say(draw func(...string) string, format string, args ...any) {
	for _, l := range cell.Wrap(cell.Line(fmt.Sprintf(format, args...)), max(s.w, 1), "  ") {
		s.out = append(s.out, draw(l))
	}
}

// skill draws all that is known of the selected skill.
func (v *View) skill(st *theme.Styles, r *row, w int) []string {
	s := &sayer{w: w, out: []string{v.title(st, r, w)}}
	d, ok := v.details[r.path()]
	e := r.entry()
	if r.checked != nil {
		v.sayPrompt(st, s, r.checked)
		v.sayState(st, s, r.checked)
		for _, warn := range r.checked.Warnings {
			v.sayWarning(st, s, warn)
		}
	} else {
		s.say(st.Text.Render, "%s", e.Description)
	}
	if !ok {
		return append(s.out, "", st.Faint.Render("reading its text …"))
	}
	for _, p := range d.Problems {
		s.say(st.Bad.Render, "✗ %s", p)
	}
	if len(d.Missing) > 0 {
		s.say(st.Warn.Render, "⚠ needs %s: not there yet", strings.Join(d.Missing, ", "))
	}
	v.sayScan(st, s, d.Scan)
	if n := len(d.Files); n > 0 {
		s.say(st.Muted.Render, "%s: %s", text.Count(n, "file", "files"), strings.Join(d.Files, "  "))
	}
	front, body := parts(d.Text)
	s.out = append(s.out, st.Border.Render(cell.Repeat("─", w)))
	for line := range strings.SplitSeq(front, "\n") {
		if line = strings.TrimRight(line, "\r"); line == "" {
			continue
		}
		for _, l := range cell.Wrap(cell.Clean(line), w, "  ") {
			s.out = append(s.out, st.Faint.Render(l))
		}
	}
	s.out = append(s.out, "")
	head, tail := v.rendered(st, d.Path, body).Lines(v.doc.by, w)
	return append(append(s.out, head...), tail...)
}

// rendered is the body as Markdown, kept while the same skill is drawn.
func (v *View) rendered(st *theme.Styles, path, body string) *markdown.Doc {
	c := &v.doc
	if c.st != st {
		*c = drawn{st: st, by: markdown.NewFlowing(st)}
	}
	if c.doc == nil || c.path != path || c.text != body {
		c.path, c.text, c.doc = path, body, markdown.NewDoc(body, true)
	}
	return c.doc
}

// parts is a SKILL.md in two: the lines between the fences, and the body.
func parts(data string) (front, body string) {
	f := text.Frontmatter(data)
	if !f.Found {
		return "", data
	}
	return data[f.Start:f.End], data[f.Body:]
}

// sayPrompt is the skill as the model sees it, and what of it the model does not see.
func (v *View) sayPrompt(st *theme.Styles, s *sayer, c *skills.Checked) {
	if !c.Visible {
		s.say(st.Muted.Render, "not in the prompt; it loads by its name")
		return
	}
	s.say(st.Accent.Render, "in the prompt: %s", strings.TrimSuffix(c.IndexName+": "+c.IndexDescription, ": "))
	if tail := cutTail(&c.Entry); tail != "" {
		s.say(st.Warn.Render, "⚠ %d/%d: the model does not see “%s”", text.Len(c.Description), skills.IndexDescription, tail)
	}
}

// sayState is who wrote it, and how it is used.
func (v *View) sayState(st *theme.Styles, s *sayer, c *skills.Checked) {
	o := c.Origin
	by := map[skills.OriginBy]string{
		skills.OriginHand: "written by you", skills.OriginAgent: "written by the agent", skills.OriginBundled: "came with hermes",
		skills.OriginInstalled: "installed", skills.OriginProject: "of this project", skills.OriginExternal: "of another folder",
	}[o.By]
	parts := []string{by}
	if o.Pinned {
		parts = append(parts, "pinned")
	}
	if o.Record.State != "" && o.Record.State != skills.StateActive {
		parts = append(parts, o.Record.State)
	}
	use := "never used"
	if o.Record.UseCount > 0 {
		use = fmt.Sprintf("used %d×, last %s", o.Record.UseCount, v.ago(o.Record.LastUsed))
	}
	parts = append(parts, use)
	if o.Record.PatchCount > 0 {
		parts = append(parts, fmt.Sprintf("changed %d×, last %s", o.Record.PatchCount, v.ago(o.Record.LastPatched)))
	}
	s.say(st.Muted.Render, "%s", strings.Join(parts, " · "))
	if command := v.sheet.Commands[c.Path]; command != "" {
		s.say(st.Muted.Render, "%s", command)
	}
	s.say(st.Faint.Render, "%s", c.Path)
}

func (v *View) sayWarning(st *theme.Styles, s *sayer, w skills.Warning) {
	if w.Code == skills.CodeDescriptionCut {
		return // said already, with what is lost
	}
	where := ""
	if w.Line > 0 {
		where = fmt.Sprintf(" (%s:%d)", w.File, w.Line)
	}
	style, sign := st.Warn, "⚠"
	if w.Code.Information() || w.Code.Hides() || w.Code == skills.CodeNamesOnly {
		style, sign = st.Muted, "·"
	}
	s.say(style.Render, "%s %s: %s%s", sign, w.Code, w.Message, where)
}

// sayScan is what the guard found.
func (v *View) sayScan(st *theme.Styles, s *sayer, r guard.Report) {
	switch {
	case r.Verdict == "":
		return
	case len(r.Findings) == 0:
		s.say(st.Good.Render, "✓ guard: %s, %s", r.Verdict, text.Count(r.FilesScanned, "file", "files"))
		return
	}
	style := st.Warn
	if r.Verdict == guard.Dangerous {
		style = st.Bad
	}
	s.say(style.Render, "⚠ guard: %s, %s", r.Verdict, text.Count(len(r.Findings), "finding", "findings"))
	for _, f := range r.Findings {
		where := f.File
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		s.say(style.Render, "  %s %s %s — %s", f.Severity, f.Category, where, f.Why)
	}
}

// index draws the whole index as a session that is opened now gets it.
func (v *View) index(st *theme.Styles, w int) []string {
	x := v.sheet.Next
	s := &sayer{w: w}
	if x.Text == "" {
		s.say(st.Muted.Render, "A session that is opened now is told of no skill.")
		return s.out
	}
	s.say(st.Bold.Render, "What a session that is opened now is told: %s characters, about %s of %s tokens", text.Thousands(text.Len(x.Text)), text.Thousands(x.Tokens), text.Thousands(x.Budget))
	if n := len(x.NamesOnly); n > 0 {
		s.say(st.Warn.Render, "⚠ names only, because the index would be too long: %s", strings.Join(x.NamesOnly, ", "))
	}
	if n := len(x.Hidden); n > 0 {
		s.say(st.Muted.Render, "%s left out", text.Count(n, "skill is", "skills are"))
	}
	s.out = append(s.out, "")
	for line := range strings.SplitSeq(x.Text, "\n") {
		hang := len(line) - len(strings.TrimLeft(line, " "))
		for _, l := range cell.Wrap(cell.Visible(line), max(w, 1), cell.Spaces(min(hang+2, 8)*min(hang, 1))) {
			s.out = append(s.out, st.Text.Render(l))
		}
	}
	return s.out
}

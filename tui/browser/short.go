package browser

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core/text"
	"hermes/skills"
	"hermes/tui/cell"
	"hermes/tui/composer"
	"hermes/tui/theme"
)

// short is a description being rewritten.
type short struct {
	entry skills.Entry
	field *composer.Field
	err   string
}

// shorten proposes a description that the model sees whole.
func (v *View) shorten(c *skills.Checked) {
	if c.Description == "" {
		v.note = "it has no description; e opens it in your editor"
		return
	}
	if !c.Cut() {
		v.note = fmt.Sprintf("the model sees all of it: %d of %d characters", text.Len(c.Description), skills.IndexDescription)
		return
	}
	v.short = &short{entry: c.Entry, field: composer.NewField(skills.Shorten(c.Description), false)}
}

func (v *View) shortKey(name string, msg tea.Msg) Action {
	s := v.short
	switch name {
	case "esc":
		v.short, v.note = nil, "nothing was changed"
	case "enter":
		now := strings.TrimSpace(s.field.Text())
		switch n := text.Len(now); {
		case n == 0:
			s.err = "a skill without a description is not found"
		case n > skills.IndexDescription:
			s.err = fmt.Sprintf("%d characters are too many: the model sees %d", n, skills.IndexDescription)
		case now == s.entry.Description:
			v.short, v.note = nil, "nothing was changed"
		default:
			v.short = nil
			return Action{Do: Change, Task: Task{Verb: Describe, Path: s.entry.Path, Text: now}}
		}
	default:
		s.err = ""
		s.field.Update(msg)
	}
	return Action{}
}

// lines draws the dialog in w cells; cy is the line of the field, cx the column of the cursor.
func (s *short) lines(st *theme.Styles, w int) (out []string, cx, cy int) {
	say := func(style func(...string) string, hang, format string, args ...any) {
		for _, l := range cell.Wrap(cell.Line(fmt.Sprintf(format, args...)), max(w, 1), hang) {
			out = append(out, style(l))
		}
	}
	name := s.entry.Name
	say(st.Bold.Render, "", "A shorter description of %s", name)
	out = append(out, "")
	say(st.Muted.Render, "        ", "whole:  %s", s.entry.Description)
	out = append(out, "")
	say(st.Warn.Render, "        ", "before: - %s: %s", name, s.entry.Short())
	now := strings.TrimSpace(s.field.Text())
	say(st.Good.Render, "        ", "after:  - %s: %s", name, text.Cut(now, skills.IndexDescription))
	out = append(out, "")
	line, x := s.field.View(max(w-2, 1))
	cy, cx = len(out), x+2
	out = append(out, st.Accent.Render("›")+" "+line)
	count, style := fmt.Sprintf("%d/%d", text.Len(now), skills.IndexDescription), st.Muted
	if text.Len(now) > skills.IndexDescription {
		style = st.Bad
	}
	out = append(out, style.Render(cell.Truncate("  "+count+" characters; say first what it is good for", w)), "")
	if s.err != "" {
		say(st.Bad.Render, "", "✗ %s", s.err)
	}
	return out, cx, cy
}

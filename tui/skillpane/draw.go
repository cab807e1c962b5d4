package skillpane

import (
	"fmt"
	"strings"

	"hermes/tui/cell"
)

// roomy is the width from which a line has three signs and its description.
const roomy = 34

// View draws the lines around the selection.
func (p *Pane) View() string {
	if p.w == 0 || p.h == 0 {
		return ""
	}
	p.settle()
	var out []string
	switch {
	case p.err != "":
		out = append(out, cell.Truncate(p.st.Bad.Render(" ⚠ "+p.err), p.w))
	case !p.loaded && len(p.rows) == 0:
		out = append(out, cell.Truncate(p.st.Faint.Render(" Reading the skills …"), p.w))
	case len(p.rows) == 0:
		text := "No skills yet: hermes writes one after a hard task. Ctrl+X k browses."
		if p.sheet.Off {
			text = "This session has no tools for skills, so it is told of none. Ctrl+X k browses."
		}
		for _, l := range cell.Wrap(text, max(p.w-2, 1), "") {
			out = append(out, cell.Truncate(" "+p.st.Faint.Render(l), p.w))
		}
	}
	column := p.column()
	for i := p.top; i < len(p.rows) && len(out) < p.h; i++ {
		if p.rows[i].head {
			out = append(out, p.head(&p.rows[i]))
		} else {
			out = append(out, p.line(&p.rows[i], p.focused && len(p.items) > 0 && i == p.items[p.sel], column))
		}
	}
	if len(out) > p.h {
		out = out[:p.h]
	}
	return strings.Join(out, "\n")
}

// column is how wide names are: as wide as most need, less than half of the pane.
func (p *Pane) column() int {
	return min(p.longest, max(p.w*2/5, 12))
}

func (p *Pane) head(r *row) string {
	line := " " + p.st.Bold.Render(cell.Line(r.category))
	switch {
	case r.names:
		line += p.st.Warn.Render("  names only")
	case r.about != "":
		line += p.st.Faint.Render("  " + cell.Line(r.about))
	}
	return cell.Truncate(line, p.w-1)
}

// line draws a skill: signs, name, what the model reads behind it.
func (p *Pane) line(r *row, selected bool, column int) string {
	mark := " "
	if selected {
		mark = p.st.Accent.Render("▌")
	}
	name, text := cell.Line(r.name), cell.Line(r.text)
	style := p.st.Text
	switch {
	case r.state == gone:
		style = p.st.Faint
	case r.loaded:
		style = p.st.Accent
	case r.state == fresh || r.state == changed:
		style = p.st.Good
	}
	if p.w < roomy {
		return cell.Truncate(mark+p.sign(r)+" "+style.Render(cell.Fit(name, max(p.w-3, 0))), p.w)
	}
	left := mark + p.signs(r) + " " + style.Render(cell.Fit(name, column)) + " "
	room := max(p.w-7-column, 0) // a cell stays free before the border
	right := ""
	switch {
	case r.state == gone:
		text = "no longer there"
		if r.key != "" {
			text = "hidden for now"
		}
	case r.state == fresh && text == "":
		text = "new: the next session sees it"
	case r.length > 0 && room > 16:
		right = fmt.Sprintf(" %d/60", r.length)
		room -= cell.Width(right)
	}
	return cell.Truncate(left+p.st.Muted.Render(cell.Fit(text, room))+p.st.Warn.Render(right), p.w)
}

// signs are the three of a wide line: loaded, changed, to be looked at.
func (p *Pane) signs(r *row) string {
	loaded, warned := " ", " "
	if r.loaded {
		loaded = p.st.Accent.Render("●")
	}
	if r.warned {
		warned = p.st.Warn.Render("⚠")
	}
	return loaded + p.change(r) + warned
}

// sign is the one of a narrow line.
func (p *Pane) sign(r *row) string {
	switch {
	case r.state != same:
		return p.change(r)
	case r.warned:
		return p.st.Warn.Render("⚠")
	case r.loaded:
		return p.st.Accent.Render("●")
	}
	return " "
}

func (p *Pane) change(r *row) string {
	switch r.state {
	case fresh:
		return p.st.Good.Render("+")
	case changed:
		return p.st.Good.Render("~")
	case gone:
		return p.st.Faint.Render("-")
	case same:
	}
	return " "
}

// Summary is the pane in one line: the figures and what happened last.
func (p *Pane) Summary(w int) string {
	switch {
	case p.err != "":
		return cell.Fit(p.st.Bad.Render("⚠ "+p.err), w)
	case !p.loaded:
		return cell.Fit(p.st.Faint.Render("reading …"), w)
	}
	parts := []string{p.st.Muted.Render(p.counts.words(w >= 50))}
	if n := len(p.sheet.Made); n > 0 {
		m := p.sheet.Made[n-1]
		parts = append(parts, p.st.Good.Render(cell.Line(m.Action+" "+m.Name)))
	}
	if n := len(p.sheet.Loaded); n > 0 {
		parts = append(parts, p.st.Accent.Render("● "+cell.Line(p.sheet.Loaded[n-1].Name)))
	}
	return cell.Fit(strings.Join(parts, p.st.Faint.Render(" · ")), w)
}

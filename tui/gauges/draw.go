package gauges

import (
	"fmt"
	"strings"

	"hermes/core/text"

	"charm.land/lipgloss/v2"

	"hermes/tui/cell"
)

const (
	minBar  = 3 // cells; a shorter bar says nothing
	goodBar = 6 // cells that a bar keeps beside the figures
	strip   = 8 // cells of a bar on the strip line
	// tail is the room of " 100%!!".
	tail = 7
)

// detail says how much stands below a gauge, from all to nothing.
type detail int

const (
	words detail = iota
	brief
	signs
	none
)

// head is what stands above the list.
func (p *Pane) head() []string {
	switch {
	case p.h == 0:
		return nil
	case p.err != "":
		return append([]string{p.st.Bad.Render(cell.Truncate(" ⚠ "+p.err, p.w))}, p.gauges(p.h-1)...)
	case !p.loaded:
		return []string{p.st.Faint.Render(cell.Truncate(" Reading the memory …", p.w))}
	case len(p.sheets) == 0:
		return []string{p.st.Faint.Render(cell.Truncate(" Memory is off.", p.w))}
	}
	out := p.gauges(p.h)
	if len(p.rows) > 0 && p.h-len(out) > minList {
		out = append(out, p.st.Faint.Render(cell.Repeat("─", p.w)))
	}
	return out
}

// gauges draws every store into h lines, as fully as they allow beside the list.
func (p *Pane) gauges(h int) []string {
	switch {
	case len(p.rows) == 0:
	case h >= roomy:
		h -= min(h/2, len(p.rows))
	case p.focused:
		h -= min(minList, len(p.rows))
	}
	for d := words; d <= none; d++ {
		var out []string
		for i, s := range p.sheets {
			out = append(out, p.gauge(i))
			out = append(out, p.below(s, d)...)
		}
		if len(out) <= h {
			return out
		}
	}
	if p.h > 1 || !p.focused {
		return []string{cell.Truncate(" "+p.Summary(max(p.w-1, 0)), p.w)}
	}
	return nil
}

// gauge is one store on one line: MEMORY ████████░░ 1,834/2,200 83%!.
func (p *Pane) gauge(i int) string {
	s := p.sheets[i]
	column := p.column()
	name := " " + p.st.Bold.Render(cell.Fit(p.name(i), column)) + " "
	if s.Unreadable != "" {
		return cell.Truncate(name+p.st.Bad.Render("⚠ cannot be read"), p.w)
	}
	room := p.w - column - 2 - tail
	figures := ""
	if p.figuresFit() {
		figures = " " + p.st.Text.Render(fmt.Sprintf("%*s", p.figureWidth(), s.figures()))
		room -= p.figureWidth() + 1
	}
	bar := ""
	if room >= minBar {
		bar = p.bar(s, room)
	}
	return cell.Truncate(name+bar+figures+p.level(s), p.w)
}

// level is the percentage with the sign of its step, in the width of tail.
func (p *Pane) level(s Sheet) string {
	return " " + p.color(s).Render(cell.Fit(fmt.Sprintf("%3d%%%s", s.percent(), s.step().sign()), tail-1))
}

// figuresFit tells whether characters and limit stand beside bars that still say something.
func (p *Pane) figuresFit() bool {
	return p.w-p.column()-2-tail-p.figureWidth()-1 >= goodBar
}

func (p *Pane) figureWidth() int {
	n := 0
	for _, s := range p.sheets {
		n = max(n, len(s.figures()))
	}
	return n
}

func (p *Pane) color(s Sheet) lipgloss.Style {
	switch s.step() {
	case isHot:
		return p.st.Bad
	case isWarm:
		return p.st.Warn
	default:
		return p.st.Good
	}
}

// bar draws w cells; something used is never drawn as nothing, and not full never as full.
func (p *Pane) bar(s Sheet, w int) string {
	full := min(s.share(w), w)
	if s.Used > 0 && full == 0 {
		full = 1
	}
	return p.color(s).Render(cell.Repeat("█", full)) + p.st.Faint.Render(cell.Repeat("░", w-full))
}

// below is what stands under the gauge of s.
func (p *Pane) below(s Sheet, d detail) []string {
	if d == none {
		return nil
	}
	if s.Unreadable != "" {
		return []string{cell.Truncate("  "+p.st.Bad.Render(cell.Line(s.Unreadable)), p.w)}
	}
	t := s.count(p.session)
	var parts []string
	if !p.figuresFit() {
		parts = append(parts, s.figures())
	}
	parts = append(parts, t.parts(d)...)
	lines := flow(parts, p.w-2)
	for i, l := range lines {
		lines[i] = cell.Truncate("  "+p.st.Muted.Render(l), p.w)
	}
	if s.Problem != "" {
		lines = append(lines, cell.Truncate("  "+p.st.Warn.Render("⚠ "+cell.Line(s.Problem)), p.w))
	}
	return lines
}

// parts says the counts in the words of d.
func (t tally) parts(d detail) []string {
	if d == signs {
		out := []string{text.Thousands(t.all)}
		if t.fresh > 0 {
			out = append(out, fmt.Sprintf("+%d", t.fresh))
		}
		if n := t.blocked + t.near; n > 0 {
			out = append(out, fmt.Sprintf("⚠ %d", n))
		}
		return out
	}
	out := []string{text.Count(t.all, "entry", "entries")}
	if t.blocked > 0 {
		out = append(out, fmt.Sprintf("⚠ %d blocked", t.blocked))
	}
	switch {
	case t.near > 0 && d == words:
		out = append(out, "⚠ "+text.Count(t.near, "near-duplicate", "near-duplicates"))
	case t.near > 0:
		out = append(out, fmt.Sprintf("⚠ %d alike", t.near))
	}
	switch {
	case t.fresh > 0 && d == words:
		out = append(out, fmt.Sprintf("+%d in the next session's prompt", t.fresh))
	case t.fresh > 0:
		out = append(out, fmt.Sprintf("+%d next session", t.fresh))
	}
	return out
}

// flow sets parts with dots between them into lines of at most w cells.
func flow(parts []string, w int) []string {
	var out []string
	for _, part := range parts {
		part = cell.Truncate(part, w)
		if n := len(out); n > 0 && cell.Width(out[n-1])+3+cell.Width(part) <= w {
			out[n-1] += " · " + part
		} else {
			out = append(out, part)
		}
	}
	return out
}

// Summary is the pane in one line: the gauges and the counts, as fully as w allows.
func (p *Pane) Summary(w int) string {
	switch {
	case p.err != "":
		return p.st.Bad.Render(cell.Fit("⚠ "+p.err, w))
	case !p.loaded:
		return p.st.Faint.Render(cell.Fit("reading …", w))
	case len(p.sheets) == 0:
		return p.st.Faint.Render(cell.Fit("off", w))
	}
	line := ""
	for _, form := range []struct {
		bar, figures bool
		counts       detail
	}{{true, true, brief}, {true, true, signs}, {true, false, signs}, {false, false, signs}, {false, false, none}} {
		if line = p.summary(form.bar, form.figures, form.counts); cell.Width(line) <= w {
			break
		}
	}
	return cell.Fit(line, w)
}

func (p *Pane) summary(bar, figures bool, counts detail) string {
	var parts []string
	for i, s := range p.sheets {
		one := p.st.Text.Render(p.name(i)) + " "
		if s.Unreadable != "" {
			parts = append(parts, one+p.st.Bad.Render("⚠ cannot be read"))
			continue
		}
		if bar {
			one += p.bar(s, strip) + " "
		}
		if figures {
			one += p.st.Muted.Render(s.figures()) + " "
		}
		parts = append(parts, one+p.color(s).Render(fmt.Sprintf("%d%%%s", s.percent(), s.step().sign())))
	}
	said := p.total().parts(counts)
	if counts == brief || counts == signs && len(said) > 1 { // a number alone says nothing
		parts = append(parts, p.st.Muted.Render(strings.Join(said, " · ")))
	}
	return strings.Join(parts, p.st.Faint.Render(" │ "))
}

package figures

import (
	"fmt"
	"slices"
	"strings"

	"hermes/core/insights"
	"hermes/core/text"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

const (
	twoColumns = 100
	gutter     = 3
	barWide    = 20
	mostTools  = 15
)

// Draw draws the page for a screen of w by h cells.
func (v *View) Draw(st *theme.Styles, w, h int) []string {
	inner := max(w-4, 1)
	room := max(h-2-1-2, 1)
	body := append([]string{v.head(st, inner)}, cell.Block(v.body(st, inner, room), inner, room)...)
	body = append(body, v.foot(st, inner)...)
	for i, l := range body {
		body[i] = " " + cell.Fit(l, inner) + " "
	}
	return pane.Frame(st, pane.Label{Title: "Insights", Badge: v.badge(), Focused: true}, body, w, h)
}

func (v *View) badge() string {
	if v.report == nil {
		return ""
	}
	return fmt.Sprintf("since %s", v.report.Since.In(v.now().Location()).Format("2 Jan 2006"))
}

func (v *View) head(st *theme.Styles, w int) string {
	var b strings.Builder
	for _, d := range spans() {
		name, style := fmt.Sprintf(" %d days ", d), st.Muted
		if d == v.days {
			name, style = fmt.Sprintf("[%d days]", d), st.Selected
		}
		b.WriteString(style.Render(name) + " ")
	}
	right := ""
	if v.report != nil && v.report.Days != v.days {
		right = st.Faint.Render("counting …")
	}
	return cell.Sides(b.String(), right, w, 20)
}

// page collects lines; marks are the first line of each skill and the one behind its last.
type page struct {
	st    *theme.Styles
	w     int
	out   []string
	marks map[int][2]int
}

func (p *page) head(s string) {
	if len(p.out) > 0 {
		p.out = append(p.out, "")
	}
	p.out = append(p.out, p.st.Title.Render(cell.Truncate(s, p.w)))
}

func (p *page) say(draw func(...string) string, format string, args ...any) {
	for _, l := range cell.Wrap(cell.Line(fmt.Sprintf(format, args...)), max(p.w, 1), "    ") {
		p.out = append(p.out, draw(l))
	}
}

// row is a name, a bar of n of most, and words.
func (p *page) row(name string, n, most int, words string) {
	nw := min(max(p.w/3, 10), 24)
	bw := max(min(barWide, p.w-nw-3-24), 4)
	length := 0
	if n > 0 {
		length = max(n*bw/max(most, 1), 1)
	}
	p.out = append(p.out, cell.Truncate("  "+p.st.Text.Render(cell.Fit(cell.Line(name), nw))+" "+p.st.Accent.Render(cell.Fit(cell.Repeat("█", length), bw))+" "+p.st.Muted.Render(words), p.w))
}

func (v *View) body(st *theme.Styles, w, h int) []string {
	switch {
	case v.err != "":
		return cell.Wrap(st.Bad.Render("⚠ "+cell.Line(v.err)), w, "")
	case v.report == nil:
		return []string{st.Faint.Render("Counting …")}
	case v.report.Sessions == 0:
		return cell.Wrap(st.Muted.Render(fmt.Sprintf("No session began in the last %d days. What you do with hermes is counted here: tokens, cost, tools, and what became of the turns that loaded a skill.", v.report.Days)), w, "")
	}
	all, marks := v.lines(st, w)
	if at, ok := marks[v.skill]; ok && v.follow {
		v.scroll.At = min(max(v.scroll.At, at[1]+1-h), at[0])
	}
	v.follow = false
	return v.scroll.Window(st, all, w, h, "space")
}

// lines are all sections, in two columns when there is room.
func (v *View) lines(st *theme.Styles, w int) ([]string, map[int][2]int) {
	if w < twoColumns {
		p := &page{st: st, w: w, marks: map[int][2]int{}}
		v.usage(p)
		v.skills(p)
		v.tools(p)
		v.activity(p)
		return p.out, p.marks
	}
	lw := (w - gutter) / 2
	left := &page{st: st, w: lw}
	v.usage(left)
	v.activity(left)
	right := &page{st: st, w: w - gutter - lw, marks: map[int][2]int{}}
	v.skills(right)
	v.tools(right)
	bar := " " + st.Border.Render("│") + " "
	out := make([]string, max(len(left.out), len(right.out)))
	for i := range out {
		l, r := "", ""
		if i < len(left.out) {
			l = left.out[i]
		}
		if i < len(right.out) {
			r = right.out[i]
		}
		out[i] = cell.Fit(l, lw) + bar + cell.Truncate(r, right.w)
	}
	return out, right.marks
}

func (v *View) usage(p *page) {
	r, u := v.report, &v.report.Usage
	p.head("In all")
	calls, failed := 0, 0
	for _, t := range r.Tools {
		calls, failed = calls+t.Calls, failed+t.Errors
	}
	p.say(p.st.Text.Render, "  %s, %s of yours, %s of hermes", text.Count(r.Sessions, "session", "sessions"), text.Count(r.Messages["user"], "message", "messages"), text.Thousands(r.Messages["assistant"]))
	p.say(p.st.Text.Render, "  %s, %d failed; %s to the model; %s", text.Count(calls, "tool call", "tool calls"), failed, text.Count(u.Requests, "request", "requests"), long(r.Hours))
	p.say(p.st.Text.Render, "  %s tokens in, %s out", tokens(u.Input), tokens(u.Output))
	p.row("from the cache", int(u.CacheRate*100), 100, fmt.Sprintf("%.0f %%", u.CacheRate*100))
	p.head("Cost")
	most := int(1000 * max(r.Cost.Chat, r.Cost.Learning))
	p.row("conversation", int(1000*r.Cost.Chat), most, fmt.Sprintf("$%.3f", r.Cost.Chat))
	p.row("learning", int(1000*r.Cost.Learning), most, fmt.Sprintf("$%.3f · %s tokens", r.Cost.Learning, tokens(u.Learning)))
	if n := len(r.Cost.Unpriced); n > 0 {
		p.say(p.st.Faint.Render, "  without a price: %s", strings.Join(r.Cost.Unpriced, ", "))
	}
	p.head("Models")
	for _, m := range r.Models {
		p.row(m.Name, int((m.Input+m.Output)>>10), int((r.Models[0].Input+r.Models[0].Output)>>10), fmt.Sprintf("%s in · cache %.0f %%", tokens(m.Input), m.CacheRate*100))
	}
	for _, s := range r.Skipped {
		p.say(p.st.Warn.Render, "  ⚠ not counted: %s", s)
	}
}

func (v *View) tools(p *page) {
	p.head("Tools")
	list := v.report.Tools
	if len(list) == 0 {
		p.say(p.st.Muted.Render, "  none was called")
	}
	for _, t := range list[:min(len(list), mostTools)] {
		words := text.Thousands(t.Calls)
		if t.Errors > 0 {
			words += fmt.Sprintf(" · %d ✗", t.Errors)
		}
		p.row(t.Name, t.Calls, list[0].Calls, words+fmt.Sprintf(" · %.1fs", t.MeanMS/1000))
	}
	if n := len(list) - mostTools; n > 0 {
		p.say(p.st.Faint.Render, "  and %d more", n)
	}
}

// skills are the outcomes: what happened in the turns that loaded a skill.
func (v *View) skills(p *page) {
	p.head("Skills, and what happened in the turns that loaded them")
	if len(v.report.Skills) == 0 {
		p.say(p.st.Muted.Render, "  none was loaded")
	}
	for i := range v.report.Skills {
		s := &v.report.Skills[i]
		mark, style := "  ", p.st.Text
		if i == v.skill {
			mark, style = p.st.Accent.Render("▌")+" ", p.st.Bold
		}
		first := len(p.out)
		edits := ""
		if s.Edits > 0 {
			edits = " · " + text.Count(s.Edits, "edit", "edits")
		}
		p.out = append(p.out, cell.Truncate(mark+style.Render(cell.Line(s.Name))+p.st.Muted.Render("  "+text.Count(s.Loads, "load", "loads")+edits), p.w))
		most := 0.0
		if s.Before != nil {
			most = s.Before.CallsMean
		}
		for _, x := range s.Versions {
			most = max(most, x.CallsMean)
		}
		if s.Before != nil {
			p.outcome("before it", *s.Before, most)
		}
		for _, x := range s.Versions {
			p.outcome(version(x), x.Outcome, most)
			if x.Worse != "" {
				p.say(p.st.Bad.Render, "    ⚠ %s; R takes it back", x.Worse)
			}
		}
		p.marks[i] = [2]int{first, len(p.out)}
	}
	if len(v.report.Skills) > 0 {
		p.say(p.st.Faint.Render, "  Calls a turn · failed ✗ · turns ×. From fewer than 5 turns nothing is concluded; ↺ counts turns that your next message took back, by its first words.")
	}
}

func version(x insights.VersionOutcomes) string {
	return fmt.Sprintf("version %d", x.Number)
}

// outcome is a bar of calls a turn; failed calls and corrections in words.
func (p *page) outcome(name string, o insights.Outcome, most float64) {
	if o.Loads == 0 {
		p.say(p.st.Faint.Render, "    %s: no turn yet", name)
		return
	}
	words := fmt.Sprintf("%.1f · %.1f ✗ · %d×", o.CallsMean, o.ErrorsMean, o.Loads)
	if o.Corrections > 0 {
		words += fmt.Sprintf(" · %d ↺", o.Corrections)
	}
	p.row("  "+name, int(o.CallsMean*100), int(most*100), words)
}

func (v *View) activity(p *page) {
	a := &v.report.Activity
	p.head("When you write")
	p.out = append(p.out, hours(p, a.ByHour)...)
	p.out = append(p.out, "")
	most := slices.Max(a.ByWeekday[:])
	for i, name := range []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"} {
		n := a.ByWeekday[(i+1)%7]
		p.row(name, n, most, text.Thousands(n))
	}
	p.say(p.st.Muted.Render, "  %s, at most %s in a row", text.Count(a.Days, "active day", "active days"), text.Count(a.Streak, "day", "days"))
}

// hours are 24 columns of three lines.
func hours(p *page, by [24]int) []string {
	const rows = 3
	steps := []rune(" ▁▂▃▄▅▆▇█")
	most := max(slices.Max(by[:]), 1)
	cw := 1
	if p.w >= 2+24*2 {
		cw = 2
	}
	var out []string
	for y := rows - 1; y >= 0; y-- {
		var b strings.Builder
		for _, n := range by {
			level := (n*rows*8 + most - 1) / most // something is never nothing
			b.WriteString(string(steps[max(min(level-8*y, 8), 0)]))
			b.WriteString(cell.Spaces(cw - 1))
		}
		out = append(out, cell.Truncate("  "+p.st.Accent.Render(b.String()), p.w))
	}
	var axis strings.Builder
	for h := 0; h < 24; h += 6 {
		axis.WriteString(cell.Fit(fmt.Sprintf("%d", h), 6*cw))
	}
	return append(out, p.st.Muted.Render(cell.Truncate("  "+axis.String()+"h", p.w)))
}

// foot is the note and the keys.
func (v *View) foot(st *theme.Styles, w int) []string {
	note := ""
	if v.note != "" {
		note = st.Warn.Render(cell.Truncate(cell.Line(v.note), w))
	}
	return []string{note, pane.Hints(st, keys.Hints("7 3 9", "days", "n N", "skill", "R", "roll back", "j k", "scroll", "r", "count again", "Esc", "close"), w)}
}

// long is a time in words.
func long(hours float64) string {
	switch {
	case hours <= 0:
		return "no time"
	case hours*60 < 1:
		return "less than a minute"
	case hours < 1:
		return fmt.Sprintf("%.0f minutes", hours*60)
	}
	return fmt.Sprintf("%.1f hours", hours)
}

// tokens writes a number of tokens: 12,345, from ten millions on 12.3 M.
func tokens(n int64) string {
	if n >= 10_000_000 {
		return fmt.Sprintf("%.1f M", float64(n)/1e6)
	}
	return text.Thousands(n)
}

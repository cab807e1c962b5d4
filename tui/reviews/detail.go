package reviews

import (
	"fmt"
	"strings"
	"time"

	"hermes/core/text"

	"hermes/core/review"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

const (
	besideWidth = 100 // from here on list and detail stand side by side
	listMin     = 34
	gutter      = pane.BesideGap
)

// Draw draws the desk for a screen of w by h cells.
func (d *Desk) Draw(st *theme.Styles, w, h int) []string {
	inner := max(w-4, 1)
	foot := d.foot(st, inner)
	room := max(h-2-len(foot), 1)
	var body []string
	if inner >= besideWidth {
		body = d.beside(st, inner, room)
	} else {
		body = d.stacked(st, inner, room)
	}
	body = append(cell.Block(body, inner, room), foot...)
	for i, l := range body {
		body[i] = " " + cell.Fit(l, inner) + " "
	}
	return pane.Frame(st, pane.Label{Title: "Reviews", Badge: d.badge(), Focused: true}, body, w, h)
}

// badge counts.
func (d *Desk) badge() string {
	var parts []string
	if n := len(d.sheet.Waiting); n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", n, text.Plural(n, "waits", "wait")))
	}
	if d.sheet.Today.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("today %s tokens", text.Thousands(d.sheet.Today.Tokens)))
		if d.sheet.Today.USD > 0 {
			parts = append(parts, fmt.Sprintf("$%.3f", d.sheet.Today.USD))
		}
	}
	if d.sheet.Paused {
		parts = append(parts, "learning is paused")
	}
	return strings.Join(parts, " · ")
}

func (d *Desk) beside(st *theme.Styles, w, h int) []string {
	lw := max(w*2/5, listMin)
	dw := w - lw - gutter
	left := d.list(st, lw, h)
	right := d.detail(st, dw, h)
	return pane.Beside(st, left, right, lw, dw, h)
}

func (d *Desk) stacked(st *theme.Styles, w, h int) []string {
	lh := max(min(d.rows(), h*2/5), 3)
	lh = min(lh, max(h-2, 1))
	out := cell.Block(d.list(st, w, lh), w, lh)
	out = append(out, st.Border.Render(cell.Repeat("─", w)))
	return append(out, d.detail(st, w, max(h-lh-1, 0))...)
}

// list draws the lines around the selection.
func (d *Desk) list(st *theme.Styles, w, h int) []string {
	switch {
	case d.err != "":
		return cell.Wrap(st.Bad.Render("⚠ "+cell.Line(d.err)), w, "")
	case !d.loaded:
		return []string{st.Faint.Render("Reading the reviews …")}
	case d.rows() == 0:
		var out []string
		for _, l := range cell.Wrap("No review yet. "+d.sheet.next(), w, "") {
			out = append(out, st.Muted.Render(l))
		}
		return append(out, "", st.Faint.Render(cell.Truncate("r runs one now.", w)))
	}
	d.top = min(d.top, d.sel)
	d.top = max(d.top, d.sel-h+1)
	d.top = max(min(d.top, d.rows()-h), 0)
	var out []string
	for i := d.top; i < d.rows() && len(out) < h; i++ {
		out = append(out, d.line(st, i, w))
	}
	return out
}

func (d *Desk) line(st *theme.Styles, i, w int) string {
	mark := "  "
	if i == d.sel {
		mark = st.Accent.Render("▌") + " "
	}
	w = max(w-2, 0)
	if i < len(d.sheet.Waiting) {
		p := &d.sheet.Waiting[i]
		right := ago(d.now().Sub(p.Created))
		glyph := "✉"
		if p.Refused != nil {
			glyph = "⚠"
		}
		about := cell.Line(p.Subject)
		if gist := p.Gist(); gist != "" {
			about += ": " + cell.Line(gist)
		}
		left := fmt.Sprintf("%s %s %s", glyph, p.Action, about)
		if room := w - cell.Width(right) - 1 - cell.Width(string(p.Held)) - 3; room > 24 {
			left = cell.Truncate(left, room) + " · " + string(p.Held)
		}
		return mark + st.Warn.Render(cell.Fit(left, max(w-cell.Width(right)-1, 0))) + " " + st.Faint.Render(right)
	}
	i -= len(d.sheet.Waiting)
	r := &d.sheet.Records[i]
	glyph, style := d.sheet.sign(st, r, d.tick)
	right := ago(d.now().Sub(r.StartedAt))
	if r.Cost.Known && r.Cost.USD > 0 {
		right = fmt.Sprintf("$%.3f  %s", r.Cost.USD, right)
	}
	say := d.sheet.outcome(r)
	if r.State == review.Running {
		say = fmt.Sprintf("%d/%d calls", r.Calls, r.MaxCalls)
		if r.MaxCalls == 0 {
			say = cell.Line(r.Focus)
		}
	}
	head := glyph + " " + d.sheet.number(i) + " " + label(r) + " "
	room := max(w-cell.Width(head)-cell.Width(right)-1, 0)
	return mark + style.Render(head) + st.Text.Render(cell.Fit(say, room)) + " " + st.Faint.Render(right)
}

// detail draws what belongs to the selected line.
func (d *Desk) detail(st *theme.Styles, w, h int) []string {
	var all []string
	switch {
	case d.proposal() != nil:
		all = d.proposalLines(st, d.proposal(), w)
	case d.record() != nil:
		all = d.recordLines(st, d.record(), w)
	}
	d.page, d.length = h, len(all)
	d.scroll = max(min(d.scroll, len(all)-h), 0)
	all = all[d.scroll:]
	if len(all) > h && h > 0 {
		all = all[:h]
		all[h-1] = st.Faint.Render(cell.Truncate(fmt.Sprintf("… %d more lines (PgDn)", d.length-d.scroll-h+1), w))
	}
	return all
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

func (d *Desk) proposalLines(st *theme.Styles, p *review.Waiting, w int) []string {
	s := sayer{w: w}
	s.say(st.Bold.Render, "%s %s", p.Action, p.Subject)
	s.say(st.Muted.Render, "waits because %s", because(p))
	s.say(st.Muted.Render, "by the %s, %s, in session %s", p.Actor, p.Created.In(d.now().Location()).Format("2 Jan 15:04"), orNone(p.SessionID))
	if p.Reason != "" {
		s.say(st.Muted.Render, "reason: %s", p.Reason)
	}
	if p.Refused != nil {
		s.say(st.Warn.Render, "⚠ you have %s the same on %s", p.Refused.How, p.Refused.Time.In(d.now().Location()).Format("2 Jan 2006"))
	}
	for _, f := range p.Findings {
		s.say(st.Bad.Render, "⚠ %s", f)
	}
	x, ok := d.details[p.ID]
	if x.Problem != "" {
		s.say(st.Bad.Render, "✗ cannot be accepted as it is: %s", x.Problem)
	}
	diff := p.Diff
	if ok && x.Diff != "" {
		diff = x.Diff
	}
	return append(append(s.out, ""), card.Diff(st, plain(diff), w)...)
}

// because is why a proposal waits, as a sentence goes on.
func because(p *review.Waiting) string {
	switch p.Held {
	case "approval":
		return "changes of this store wait for you here (write_approval)"
	case "dangerous":
		return "the guard found something dangerous in it"
	case "tainted":
		return "the conversation had read text from outside: " + p.Taint
	case "pinned":
		return "the skill is pinned"
	case "hand-written":
		return "you wrote this skill"
	}
	return string(p.Held)
}

func orNone(s string) string {
	if s == "" {
		return "—"
	}
	return s
}

// figures are what a review took, so far when it still runs.
func (d *Desk) figures(r *review.Record) string {
	took := time.Duration(r.DurationMS) * time.Millisecond
	if !r.State.Ended() {
		took = max(d.now().Sub(r.StartedAt), 0)
	}
	out := fmt.Sprintf("%s · %s", card.Duration(took), orNone(r.Model))
	if r.MaxCalls > 0 {
		out = fmt.Sprintf("%d of %s · ", r.Calls, text.Count(r.MaxCalls, "call", "calls")) + out
	}
	if u := r.Usage; u.Input.Known {
		out += fmt.Sprintf(" · %s tokens in, %s out", text.Thousands(u.Input.N), text.Thousands(u.Output.N))
		if u.Input.N > 0 && u.Cached.Known {
			out += fmt.Sprintf(", cache %d %%", u.Cached.N*100/u.Input.N)
		}
	}
	if r.Cost.Known {
		out += fmt.Sprintf(" · $%.4f", r.Cost.USD)
	}
	return out
}

func (d *Desk) recordLines(st *theme.Styles, r *review.Record, w int) []string {
	s := sayer{w: w}
	s.say(st.Bold.Render, "%s · %s", trigger(r), d.sheet.outcome(r))
	if r.Focus != "" {
		s.say(st.Text.Render, "asked for: %s", r.Focus)
	}
	s.say(st.Muted.Render, "%s", d.figures(r))
	s.say(st.Muted.Render, "session %s, %s", orNone(r.SessionID), r.StartedAt.In(d.now().Location()).Format("2 Jan 15:04"))
	if r.Digested > 0 {
		s.say(st.Muted.Render, "looked at %d earlier %s of other sessions, too", r.Digested, text.Plural(r.Digested, "turn", "turns"))
	}
	if r.Error != "" && r.Why() == "" {
		s.say(st.Warn.Render, "⚠ %s", r.Error)
	}
	if r.Note != "" {
		s.say(st.Text.Render, "“%s”", r.Note)
	}
	out := s.out
	x, ok := d.details[r.ID]
	if !ok && r.Saved > 0 {
		out = append(out, "", st.Faint.Render("reading its changes …"))
	}
	for i, c := range x.Changes {
		mark := "  "
		if i == d.change {
			mark = "▸ "
		}
		head := fmt.Sprintf("%s%s %s", mark, c.Entry.Action, cell.Line(c.Entry.Subject))
		style := st.Good
		if c.Undone {
			head, style = head+" — taken back", st.Muted
		}
		out = append(out, "", style.Render(cell.Truncate(head, w)))
		out = append(out, card.Diff(st, plain(c.Diff), w)...)
	}
	if len(r.Steps) > 0 {
		out = append(out, "", st.Muted.Render("Steps"))
	}
	for i, step := range r.Steps {
		glyph, style := "✓", st.Good
		switch {
		case step.Refused:
			glyph, style = "⊘", st.Warn
		case !step.OK:
			glyph, style = "✗", st.Bad
		}
		out = append(out, cell.Truncate(style.Render(fmt.Sprintf("%s %d %s ", glyph, i+1, cell.Line(step.Tool)))+st.Text.Render(cell.Line(subject(step.Arguments))), w))
		if !step.OK {
			for _, l := range cell.Wrap(cell.Line(step.Result), max(w-4, 1), "") {
				out = append(out, "    "+st.Muted.Render(l))
			}
		}
	}
	return out
}

// trigger says why a review ran.
func trigger(r *review.Record) string {
	switch r.Kind {
	case review.KindSummary:
		return "a search asked for it"
	case review.KindCheck:
		return "something was learned with /learn"
	}
	switch r.Trigger {
	case review.ByTime:
		return "it was due, and nobody worked"
	case review.ByMemory:
		return "after enough turns"
	case review.BySkills:
		return "after enough work"
	case review.ByBoth:
		return "after enough turns and work"
	case review.ByAsking:
		return "you asked for it"
	}
	return string(r.Trigger)
}

// foot is the note and the keys that do something here.
func (d *Desk) foot(st *theme.Styles, w int) []string {
	var hints []keys.Hint
	switch {
	case d.proposal() != nil:
		hints = keys.Hints("a", "accept", "e", "edit", "x", "reject")
		if d.proposal().Store == "memory" {
			hints = append(hints, keys.Hint{Key: "m", Word: "other store"})
		}
	case d.record() != nil && !d.record().State.Ended():
		hints = keys.Hints("c", "cancel")
	case d.record() != nil:
		if changes := len(d.details[d.id()].Changes); changes > 1 {
			hints = keys.Hints("u", "undo change", "n p", "change", "U", "undo all")
		} else if changes == 1 {
			hints = keys.Hints("u", "undo change")
		}
	}
	pause := map[bool]string{true: "resume", false: "pause"}[d.sheet.Paused] + " learning"
	hints = append(hints, keys.Hints(".", pause, "r", "review now")...)
	if d.copied() != "" {
		hints = append(hints, keys.Hint{Key: "y", Word: "copy"})
	}
	if d.rows() > 0 {
		hints = append(hints, keys.Hint{Key: "o", Word: "session"})
	}
	hints = append(hints, keys.Hint{Key: "Esc", Word: "close"})
	note := ""
	if d.note != "" {
		note = st.Warn.Render(cell.Truncate(cell.Line(d.note), w))
	}
	return []string{note, pane.Hints(st, hints, w)}
}

// plain leaves out that a file has no line break at its end: memory never has one.
func plain(diff string) string {
	return strings.ReplaceAll(diff, "\\ No newline at end of file\n", "")
}

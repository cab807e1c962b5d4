// Package approval is the dialog that asks whether a call may run. It shows exactly what would run,
// invisible characters written out, and which rule an answer would remember.
//
// Keys typed before a person could have read it are ignored: the dialog listens only after a pause
// without keys. It must not know who asks or what an answer leads to. Start at Dialog.
package approval

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// Quiet is how long no key must have come before one counts.
const Quiet = 400 * time.Millisecond

// Dialog asks about one approval.
type Dialog struct {
	a       core.Approval
	last    time.Time // when it appeared, or the last ignored key
	armed   bool
	scroll  int
	pages   int  // lines beyond the view, known after drawing
	waiting int  // further approvals behind this one
	read    bool // the rule, which stands at the end, was on the screen
}

// New opens the dialog at now.
func New(a core.Approval, now time.Time) *Dialog { return &Dialog{a: a, last: now} }

// ID returns the approval asked about.
func (d *Dialog) ID() string { return d.a.ID }

// CallID returns the call it is about.
func (d *Dialog) CallID() string { return d.a.CallID }

// SetWaiting says how many approvals stand behind this one.
func (d *Dialog) SetWaiting(n int) { d.waiting = n }

// Ready tells whether keys count at now; the time of the last key is remembered while they do not.
func (d *Dialog) Ready(now time.Time) bool {
	return d.armed || now.Sub(d.last) >= Quiet
}

// Remaining is how long the dialog still waits at now.
func (d *Dialog) Remaining(now time.Time) time.Duration {
	if d.Ready(now) {
		return 0
	}
	return Quiet - now.Sub(d.last)
}

// Key handles a keystroke at now. answered is false for keys that decide nothing.
func (d *Dialog) Key(name string, now time.Time) (decision core.Decision, answered bool) {
	if !d.Ready(now) {
		d.last = now
		return "", false
	}
	d.armed = true
	switch name {
	case "o":
		return core.DecideOnce, true
	case "s", "a":
		switch {
		case d.a.Rule == "":
			return "", false
		case !d.read: // nobody remembers what they have not seen
			d.scroll = d.pages
			return "", false
		case name == "s":
			return core.DecideSession, true
		}
		return core.DecideAlways, true
	case "d", "esc":
		return core.DecideDeny, true
	case "down", "j":
		d.scroll++
	case "up", "k":
		d.scroll--
	case "pgdown", "space", "ctrl+d":
		d.scroll += 10
	case "pgup", "ctrl+u":
		d.scroll -= 10
	}
	d.scroll = min(max(d.scroll, 0), d.pages)
	return "", false
}

// View draws the dialog for a screen of w by h cells; lines are all equally wide.
func (d *Dialog) View(st *theme.Styles, w, h int, now time.Time) []string {
	bw := min(w, 100)
	if w > 50 {
		bw = min(w-4, 100)
	}
	inner := bw - 4
	foot := d.foot(st, inner, now)
	room := max(min(h, 40)-2-len(foot)-1, 1)
	body := d.body(st, inner, room)
	d.pages = max(len(body)-room, 0)
	d.scroll = min(d.scroll, d.pages)
	d.read = d.read || d.scroll == d.pages
	if d.pages > 0 {
		from := d.scroll
		body = body[from : from+room]
		foot[0] = st.Warn.Render(cell.Truncate(fmt.Sprintf("lines %d–%d of %d · ↓ ↑ scroll", from+1, from+room, room+d.pages), inner))
	}
	lines := append(body, "")
	lines = append(lines, foot...)
	if foot[0] == "" {
		lines = append(body, foot...)
	}
	for i := range lines {
		lines[i] = " " + cell.Fit(lines[i], inner) + " "
	}
	title := "Allow " + cell.Line(d.a.Tool) + "?"
	if d.a.Agent != "" {
		title = cell.Line(d.a.Agent) + " asks: allow " + cell.Line(d.a.Tool) + "?"
	}
	badge := ""
	if d.waiting > 0 {
		badge = fmt.Sprintf("1 of %d", d.waiting+1)
	}
	return pane.Frame(st, pane.Label{Title: title, Badge: badge, Focused: true}, lines, bw, min(len(lines)+2, h))
}

// body is everything to judge by. What does not fit begins with why it is asked and the parts that are the
// reason: nothing dangerous waits below the fold.
func (d *Dialog) body(st *theme.Styles, w, room int) []string {
	subject, reasons := d.command(st, w), d.reasons(st, w)
	var folder []string
	if d.a.Folder != "" {
		folder = cell.Wrap(st.Muted.Render("in ")+st.Text.Render(cell.Visible(d.a.Folder)), w, "   ")
	}
	rest := d.rest(st, w)
	if 2+len(subject)+len(folder)+len(reasons)+len(rest) <= room {
		return slices.Concat([]string{""}, subject, []string{""}, folder, reasons, rest)
	}
	return slices.Concat([]string{""}, reasons, d.parts(st, w), folder, []string{""}, subject, rest)
}

// command is what would run; runs of blank lines are counted, not drawn.
func (d *Dialog) command(st *theme.Styles, w int) []string {
	lead := st.Accent.Render("$ ")
	if d.a.Diff != "" || d.a.Folder == "" {
		lead = st.Accent.Render("› ")
	}
	var out []string
	blank := 0
	flush := func() {
		if blank > 1 {
			out = append(out, "  "+st.Faint.Render(cell.Truncate(fmt.Sprintf("… %d empty lines …", blank), w-2)))
		} else if blank == 1 {
			out = append(out, "")
		}
		blank = 0
	}
	for _, l := range cell.Wrap(d.subject(st), w-2, "") {
		if strings.TrimSpace(ansi.Strip(l)) == "" {
			blank++
			continue
		}
		flush()
		out = append(out, lead+l)
		lead = "  "
	}
	flush()
	return out
}

func (d *Dialog) reasons(st *theme.Styles, w int) []string {
	var out []string
	for _, r := range d.a.Reasons {
		for _, l := range cell.Wrap("! "+cell.Visible(r), w, "  ") {
			out = append(out, st.Warn.Render(l))
		}
	}
	return out
}

// shownParts is how many of the marked parts are quoted before the whole.
const shownParts = 5

// parts quotes what of the command the reasons are about, a line each.
func (d *Dialog) parts(st *theme.Styles, w int) []string {
	var out []string
	for i, m := range d.a.Marks {
		if m.Start < 0 || m.End <= m.Start || m.End > len(d.a.Subject) {
			continue
		}
		if len(out) == shownParts {
			return append(out, "  "+st.Faint.Render(cell.Truncate(fmt.Sprintf("… and %d more, marked below", len(d.a.Marks)-i), w-2)))
		}
		part := strings.Join(strings.Fields(d.a.Subject[m.Start:m.End]), " ")
		out = append(out, "  "+st.Warn.Bold(true).Render(cell.Truncate(cell.Visible(part), w-2)))
	}
	return out
}

// rest is the difference and the rule.
func (d *Dialog) rest(st *theme.Styles, w int) []string {
	var out []string
	if d.a.Diff != "" {
		out = append(out, "")
		out = append(out, card.Diff(st, visibleDiff(d.a.Diff), w)...)
	}
	if d.a.Rule != "" {
		out = append(out, "")
		for _, l := range cell.Wrap("s and a remember: "+cell.Visible(d.a.Rule), w, "  ") {
			out = append(out, st.Muted.Render(l))
		}
	}
	return out
}

// subject is the exact command, what the reasons are about underlined.
func (d *Dialog) subject(st *theme.Styles) string {
	s := d.a.Subject
	var b strings.Builder
	write := func(text string, style lipgloss.Style) {
		for i, line := range strings.Split(text, "\n") { // a style must not span lines: it would pad them
			if i > 0 {
				b.WriteByte('\n')
			}
			if line != "" {
				b.WriteString(style.Render(cell.Visible(line)))
			}
		}
	}
	at := 0
	for _, m := range d.a.Marks {
		if m.Start < at || m.End <= m.Start || m.End > len(s) {
			continue // not ours to trust: the rest is shown unmarked
		}
		write(s[at:m.Start], st.Bold)
		write(s[m.Start:m.End], st.Warn.Bold(true).Underline(true))
		at = m.End
	}
	write(s[at:], st.Bold)
	return b.String()
}

// visibleDiff writes out what a diff line would hide; line breaks stay.
func visibleDiff(diff string) string {
	return cell.Visible(strings.ReplaceAll(diff, "\t", "    "))
}

// foot is the scroll line (empty while everything fits) and the keys.
func (d *Dialog) foot(st *theme.Styles, w int, now time.Time) []string {
	type choice struct{ key, word string }
	choices := []choice{{"o", "once"}, {"s", "this session"}, {"a", "always"}, {"d", "deny"}}
	sep := "   "
	if w < 46 {
		choices[1].word, sep = "session", "  "
	}
	if d.a.Rule == "" {
		choices = []choice{{"o", "once"}, {"d", "deny"}}
	}
	key, word := st.Key, st.Text
	if !d.Ready(now) {
		key, word = st.Faint, st.Faint
	}
	var line strings.Builder
	for i, c := range choices {
		if i > 0 {
			line.WriteString(sep)
		}
		line.WriteString(key.Render(c.key) + " " + word.Render(c.word))
	}
	return []string{"", cell.Truncate(line.String(), w)}
}

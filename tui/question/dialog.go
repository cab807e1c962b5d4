// Package question is the dialog in which the model asks the person something: up to nine options, an
// answer in own words where that is welcome, or none.
//
// Like the approval it listens only after a pause without keys. Its texts are the model's and are shown
// neutralised. It must not know who asks or what an answer leads to. Start at Dialog.
package question

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/cell"
	"hermes/tui/composer"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// Quiet is how long no key must have come before one counts.
const Quiet = 400 * time.Millisecond

// maxOptions is how many options have a key.
const maxOptions = 9

// Dialog asks one question. Create it with New.
type Dialog struct {
	q       core.Question
	last    time.Time
	armed   bool
	sel     int
	writing bool
	field   *composer.Field
	scroll  int
	pages   int
	waiting int
	from    int // line of the choices that is shown first when not all fit
}

// New opens the dialog at now.
func New(q core.Question, now time.Time) *Dialog {
	if len(q.Options) > maxOptions {
		q.Options = q.Options[:maxOptions]
	}
	q.FreeText = q.FreeText || len(q.Options) == 0
	return &Dialog{q: q, last: now, writing: len(q.Options) == 0, field: composer.NewField("", q.Secret)}
}

// ID returns the question asked.
func (d *Dialog) ID() string { return d.q.ID }

// SetWaiting says how many questions stand behind this one.
func (d *Dialog) SetWaiting(n int) { d.waiting = n }

// Ready tells whether keys count at now.
func (d *Dialog) Ready(now time.Time) bool { return d.armed || now.Sub(d.last) >= Quiet }

// Remaining is how long the dialog still waits at now.
func (d *Dialog) Remaining(now time.Time) time.Duration {
	if d.Ready(now) {
		return 0
	}
	return Quiet - now.Sub(d.last)
}

// Update handles a key or a paste at now; name is the keystroke. answered is false while nothing is decided.
func (d *Dialog) Update(name string, msg tea.Msg, now time.Time) (a core.Answer, answered bool) {
	if !d.Ready(now) {
		d.last = now
		return core.Answer{}, false
	}
	d.armed = true
	if d.writing {
		return d.write(name, msg)
	}
	return d.choose(name, msg)
}

// rows counts the lines that can be selected: the options, and own words.
func (d *Dialog) rows() int {
	n := len(d.q.Options)
	if d.q.FreeText {
		n++
	}
	return n
}

func (d *Dialog) choose(name string, msg tea.Msg) (core.Answer, bool) {
	if _, paste := msg.(tea.PasteMsg); paste {
		if d.q.FreeText {
			d.writing = true
			d.field.Update(msg)
		}
		return core.Answer{}, false
	}
	switch name {
	case "esc":
		return core.Answer{Skipped: true}, true
	case "down", "j", "tab":
		d.sel = (d.sel + 1) % d.rows()
	case "up", "k", "shift+tab":
		d.sel = (d.sel + d.rows() - 1) % d.rows()
	case "pgdown", "ctrl+d":
		d.scroll += 10
	case "pgup", "ctrl+u":
		d.scroll -= 10
	case "enter":
		return d.pick(d.sel)
	case "e":
		d.writing = d.q.FreeText
	default:
		if len(name) == 1 && name[0] >= '1' && int(name[0]-'0') <= d.rows() {
			return d.pick(int(name[0] - '1'))
		}
	}
	d.scroll = min(max(d.scroll, 0), d.pages)
	return core.Answer{}, false
}

// pick answers with option i; the line behind the options opens the text field.
func (d *Dialog) pick(i int) (core.Answer, bool) {
	d.sel = i
	if i >= len(d.q.Options) {
		d.writing = true
		return core.Answer{}, false
	}
	return core.Answer{Text: d.q.Options[i], Option: i + 1}, true
}

func (d *Dialog) write(name string, msg tea.Msg) (core.Answer, bool) {
	if name == "esc" {
		if len(d.q.Options) == 0 {
			return core.Answer{Skipped: true}, true
		}
		d.writing = false
		return core.Answer{}, false
	}
	if d.field.Update(msg) == composer.Submit {
		if text := strings.TrimSpace(d.field.Text()); text != "" {
			return core.Answer{Text: text}, true
		}
	}
	return core.Answer{}, false
}

// View draws the dialog for a screen of w by h cells and the cursor within it (cx negative when
// nothing is being typed).
func (d *Dialog) View(st *theme.Styles, w, h int, now time.Time) (box []string, cx, cy int) {
	bw := min(w, 90)
	if w > 50 {
		bw = min(w-4, 90)
	}
	inner := max(bw-4, 1)
	choices, cx, cy := d.choices(st, inner, now)
	foot := d.foot(st, inner, now)
	text := cell.Wrap(strings.TrimSpace(cell.Clean(d.q.Text)), inner, "")
	if most := max(min(h, 40)-2-len(foot)-2-min(len(text), 2), 3); len(choices) > most {
		from := max(min(d.from, len(choices)-most), 0)
		choices, cy = choices[from:from+most], cy-from
		foot[0] = st.Warn.Render(cell.Truncate(fmt.Sprintf("%d answers · ↓ ↑ move", d.rows()), inner))
	}
	room := max(min(h, 40)-2-len(choices)-len(foot)-2, 1)
	d.pages = max(len(text)-room, 0)
	d.scroll = min(d.scroll, d.pages)
	if d.pages > 0 {
		text = text[d.scroll : d.scroll+room]
		foot[0] = st.Warn.Render(cell.Truncate(fmt.Sprintf("%d more lines · PgDn PgUp scroll", d.pages-d.scroll), inner))
	}
	lines := []string{""}
	for _, l := range text {
		lines = append(lines, st.Bold.Render(l))
	}
	lines = append(lines, "")
	top := len(lines)
	lines = append(append(lines, choices...), foot...)
	for i := range lines {
		lines[i] = " " + cell.Fit(lines[i], inner) + " "
	}
	badge := ""
	if d.waiting > 0 {
		badge = fmt.Sprintf("1 of %d", d.waiting+1)
	}
	box = pane.Frame(st, pane.Label{Title: "hermes asks", Badge: badge, Focused: true}, lines, bw, min(len(lines)+2, h))
	if cx >= 0 {
		cx, cy = cx+2, cy+top+1
	}
	return box, cx, cy
}

// choices draws the options and the field, and the cursor among them.
func (d *Dialog) choices(st *theme.Styles, w int, now time.Time) (lines []string, cx, cy int) {
	key := st.Key
	if !d.Ready(now) {
		key = st.Faint
	}
	cx = -1
	add := func(i int, text string) {
		if i == d.sel && !d.writing { // read in full before it is chosen
			d.from = len(lines) - 1
			for n, l := range cell.Wrap(cell.Line(text), max(w-4, 1), "") {
				lead := fmt.Sprintf("%d  ", i+1)
				if n > 0 {
					lead = "   "
				}
				lines = append(lines, st.Selected.Render(cell.Fit(lead+l, w)))
			}
			return
		}
		lines = append(lines, key.Render(fmt.Sprint(i+1))+"  "+st.Text.Render(cell.Truncate(cell.Line(text), w-4)))
	}
	for i, o := range d.q.Options {
		add(i, o)
	}
	switch {
	case d.writing:
		text, x := d.field.View(max(w-2, 1))
		cx, cy = x+2, len(lines)
		d.from = len(lines)
		lines = append(lines, st.Accent.Render("›")+" "+text)
	case d.q.FreeText:
		add(len(d.q.Options), "in your own words …")
	}
	return lines, cx, cy
}

func (d *Dialog) foot(st *theme.Styles, w int, now time.Time) []string {
	text := "a number or Enter answers · Esc skips the question"
	switch {
	case !d.Ready(now):
		text = "one moment …"
	case d.q.Secret:
		text = "Enter keeps it · Esc not now"
	case d.writing && len(d.q.Options) > 0:
		text = "Enter answers · Esc back to the options"
	case d.writing:
		text = "Enter answers · Esc skips the question"
	}
	return []string{"", st.Faint.Render(cell.Truncate(text, w))}
}

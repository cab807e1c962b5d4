// Package curator is the full-screen view of the upkeep of skills: what the last run did, what a run would do
// now and why, and the keys to run, pause and take a run back.
//
// It must not know ports, files or other views: the root hands it sheets and does what its actions ask for.
// Start at View.
package curator

import (
	"fmt"
	"strings"
	"time"

	"hermes/skills/curator"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// Sheet is what is known of the curator.
type Sheet struct {
	Status  curator.Status
	Enabled bool
	Last    *curator.Report // of the last run that changed something; nil for none
}

// Do says what the person asked for.
type Do int

// The actions of the view.
const (
	Nothing Do = iota
	Close
	Run
	DryRun
	Pause
	Resume
	Rollback
)

// View is the page. Create it with New.
type View struct {
	now   func() time.Time
	sheet *Sheet
	err   string
	note  string
	sure  Do

	scroll pane.Scroll
}

// New returns the view, which says that it reads until SetSheet or SetError.
func New(now func() time.Time) *View { return &View{now: now} }

// SetSheet shows s.
func (v *View) SetSheet(s Sheet) { v.sheet, v.err = &s, "" }

// SetError says why nothing could be read.
func (v *View) SetError(text string) { v.err = text }

// SetNote says what came of the last action.
func (v *View) SetNote(text string) { v.note = text }

// Update takes a key by its name.
func (v *View) Update(key string) Do {
	if key == "" {
		return Nothing
	}
	sure := v.sure
	v.sure, v.note = Nothing, ""
	switch key {
	case "esc", "q":
		return Close
	default:
		if !v.scroll.Key(key, 1) && v.sheet != nil {
			return v.act(key, sure)
		}
	}
	return Nothing
}

func (v *View) act(key string, sure Do) Do {
	switch key {
	case "n":
		return DryRun
	case ".":
		if v.sheet.Status.State.Paused {
			return Resume
		}
		return Pause
	case "r":
		if sure == Run {
			return Run
		}
		v.sure, v.note = Run, "r again runs it: "+v.would()+" R takes it back"
	case "R":
		switch {
		case v.sheet.Last == nil:
			v.note = "there is no run to take back"
		case sure == Rollback:
			return Rollback
		default:
			v.sure, v.note = Rollback, "R again takes the last run back: "+v.sheet.Last.Summary()
		}
	}
	return Nothing
}

// would is what a run would do, in one line.
func (v *View) would() string {
	return curator.Report{Steps: v.sheet.Status.Steps}.Summary()
}

// Draw draws the page for a screen of w by h cells.
func (v *View) Draw(st *theme.Styles, w, h int) []string {
	inner := max(w-4, 1)
	room := max(h-2-2, 1)
	body := append(cell.Block(v.body(st, inner, room), inner, room), v.foot(st, inner)...)
	for i, l := range body {
		body[i] = " " + cell.Fit(l, inner) + " "
	}
	badge := ""
	if v.sheet != nil && v.sheet.Status.State.Paused {
		badge = "paused"
	}
	return pane.Frame(st, pane.Label{Title: "Curator", Badge: badge, Focused: true}, body, w, h)
}

func (v *View) body(st *theme.Styles, w, h int) []string {
	switch {
	case v.err != "":
		return cell.Wrap(st.Bad.Render("⚠ "+cell.Line(v.err)), w, "")
	case v.sheet == nil:
		return []string{st.Faint.Render("Looking at the skills …")}
	}
	return v.scroll.Window(st, v.lines(st, w), w, h, "space")
}

func (v *View) lines(st *theme.Styles, w int) []string {
	var out []string
	say := func(draw func(...string) string, format string, args ...any) {
		for _, l := range cell.Wrap(cell.Line(fmt.Sprintf(format, args...)), max(w, 1), "") {
			out = append(out, draw(l))
		}
	}
	s := &v.sheet.Status
	say(st.Muted.Render, "The curator archives skills that the agent wrote and nobody used for long. It never deletes; pinned skills and those of scheduled jobs stay.")
	out = append(out, "")
	switch {
	case !v.sheet.Enabled:
		say(st.Warn.Render, "It is off (curator.enabled); r runs it by hand.")
	case s.State.Paused:
		say(st.Warn.Render, "It is paused; . lets it go on.")
	case s.Next.IsZero():
		say(st.Text.Render, "It has not run yet: its clock starts when a session begins.")
	case s.Next.Before(v.now()):
		say(st.Text.Render, "It runs when a session begins and nobody worked for a while.")
	default:
		say(st.Text.Render, "It runs by itself from %s on, when nobody worked for a while.", v.at(s.Next))
	}
	if !s.State.LastRun.IsZero() {
		say(st.Text.Render, "Last time: %s. %s", v.at(s.State.LastRun), s.State.LastSummary)
	}
	if len(s.Counts) > 0 {
		var parts []string
		for _, state := range []string{"active", "stale"} {
			parts = append(parts, fmt.Sprintf("%d %s", s.Counts[state], state))
		}
		say(st.Text.Render, "Skills it tends: %s.", strings.Join(parts, ", "))
	}
	out = append(out, "", st.Title.Render(cell.Truncate("What a run would do now", w)))
	say(st.Text.Render, "%s", v.would())
	out = append(out, steps(st, s.Steps, w, true)...)
	if v.sheet.Last != nil {
		out = append(out, "", st.Title.Render(cell.Truncate("The last run, "+v.at(v.sheet.Last.At), w)))
		say(st.Text.Render, "%s", v.sheet.Last.Summary())
		out = append(out, steps(st, v.sheet.Last.Steps, w, false)...)
	}
	return out
}

// steps are a line a skill: those that move first, then, when asked for, those that stay.
func steps(st *theme.Styles, list []curator.Step, w int, kept bool) []string {
	words := map[curator.Move]string{
		curator.Archive: "✗ archive", curator.MarkStale: "◷ stale", curator.Reactivate: "✓ active", curator.Seed: "· first seen", curator.Keep: "· stays",
	}
	var out []string
	for _, move := range []curator.Move{curator.Archive, curator.MarkStale, curator.Reactivate, curator.Seed, curator.Keep} {
		if move == curator.Keep && !kept {
			continue
		}
		style := st.Text
		switch move {
		case curator.Archive, curator.MarkStale:
			style = st.Warn
		case curator.Keep, curator.Seed:
			style = st.Muted
		case curator.Reactivate:
			style = st.Good
		}
		for _, s := range list {
			if s.Move != move {
				continue
			}
			reason := s.Reason
			if s.Error != "" {
				reason += " — not done: " + s.Error
			}
			nw := min(max(w/2-8, 8), 40)
			out = append(out, cell.Truncate("  "+style.Render(cell.Fit(words[move], 13))+st.Text.Render(cell.Fit(cell.Line(s.Name), nw))+" "+st.Muted.Render(cell.Line(reason)), w))
		}
	}
	return out
}

func (v *View) at(t time.Time) string { return t.In(v.now().Location()).Format("2 Jan 2006 15:04") }

// foot is the note and the keys.
func (v *View) foot(st *theme.Styles, w int) []string {
	note := ""
	if v.note != "" {
		note = st.Warn.Render(cell.Truncate(cell.Line(v.note), w))
	}
	pause := "pause"
	if v.sheet != nil && v.sheet.Status.State.Paused {
		pause = "resume"
	}
	hints := keys.Hints("r", "run", "n", "dry run", ".", pause, "R", "take the last run back", "j k", "scroll", "Esc", "close")
	return []string{note, pane.Hints(st, hints, w)}
}

// Package reviews shows the background agents: the standing pane with a line each and what waits for the
// person, and the desk, the full-screen view with their steps, changes and proposals.
//
// It must not know ports, files or other panes: the root hands it sheets, tells it what happens, and does what
// its actions ask for. Start at Pane; the desk is in desk.go, its drawing in detail.go.
package reviews

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes/core/text"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/core/review"
	"hermes/tui/cell"
	"hermes/tui/keys"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

var _ pane.Pane = (*Pane)(nil)

// Sheet is what is known of the background agents of a home.
type Sheet struct {
	Waiting []review.Waiting // oldest first
	Records []review.Record  // newest first
	Total   int              // reviews there ever were, as far as they are kept: numbers the records
	Paused  bool
	Today   review.Spent
	Counts  review.Counts
	// Standing counts the changes of each review that are in force; nil when that is not known.
	Standing map[string]int
	// Every says after how many user turns and model steps a review comes; 0 is never.
	EveryTurns, EverySteps int

	news map[string]bool // reviews that ended since it was read: what waits and stands of them is not known yet
}

// number is what record i is called.
func (s *Sheet) number(i int) string { return fmt.Sprintf("#%d", max(s.Total-i, 1)) }

// Pane is the standing pane. Create it with New.
type Pane struct {
	st      *theme.Styles
	now     func() time.Time
	w, h    int
	focused bool
	tick    int

	sheet  Sheet
	loaded bool
	err    string
	live   map[string]string // by review: what it does right now

	sel, top int
}

// New returns the pane, which says that it reads until SetSheet or SetError.
func New(st *theme.Styles, now func() time.Time) *Pane {
	return &Pane{st: st, now: now, live: map[string]string{}}
}

// SetTheme redraws in st.
func (p *Pane) SetTheme(st *theme.Styles) { p.st = st }

// SetTick turns the spinners.
func (p *Pane) SetTick(n int) { p.tick = n }

// Reset forgets everything.
func (p *Pane) Reset() {
	p.sheet, p.loaded, p.err, p.live, p.sel, p.top = Sheet{}, false, "", map[string]string{}, 0, 0
}

// SetSheet shows s.
func (p *Pane) SetSheet(s Sheet) {
	p.sheet, p.loaded, p.err = s, true, ""
	p.settle()
}

// SetError says why the reviews could not be read; what is shown stays.
func (p *Pane) SetError(text string) { p.err = cell.Line(text) }

// Apply takes a live event: the line of its review changes at once, before anything is read again.
func (p *Pane) Apply(e core.Event) {
	switch e := e.(type) {
	case *core.ReviewStarted:
		if p.find(e.ReviewID) == nil {
			p.sheet.Records = append([]review.Record{{ID: e.ReviewID, StartedAt: p.now()}}, p.sheet.Records...)
			p.sheet.Total++
		}
		r := p.find(e.ReviewID)
		r.Kind = e.Kind
		r.Trigger, r.Focus, r.State, r.MaxCalls = review.Trigger(e.Trigger), e.Focus, review.State(e.State), e.MaxCalls
		p.loaded = true
	case *core.ReviewStep:
		if r := p.find(e.ReviewID); r != nil {
			r.Calls = e.Calls
			p.live[e.ReviewID] = doing(e.Tool, string(e.Args))
		}
	case *core.ReviewEnded:
		if r := p.find(e.ReviewID); r != nil {
			r.State, r.Saved, r.Held, r.Calls, r.DurationMS = review.State(e.State), e.Saved, e.Held, e.Calls, e.Duration
			r.Usage, r.Cost, r.Note, r.Error = e.Usage, e.Cost, e.Note, e.Error
			if p.sheet.news == nil {
				p.sheet.news = map[string]bool{}
			}
			p.sheet.news[e.ReviewID] = true
		}
		delete(p.live, e.ReviewID)
	}
	p.settle()
}

func (p *Pane) find(id string) *review.Record {
	i := slices.IndexFunc(p.sheet.Records, func(r review.Record) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return &p.sheet.Records[i]
}

// Running tells whether a background agent is at work: then something turns.
func (p *Pane) Running() bool {
	return slices.ContainsFunc(p.sheet.Records, func(r review.Record) bool { return r.State == review.Running })
}

// Elsewhere tells whether a running one belongs to another program: its state comes by reading only.
func (p *Pane) Elsewhere(session string) bool {
	return slices.ContainsFunc(p.sheet.Records, func(r review.Record) bool { return !r.State.Ended() && r.SessionID != session })
}

// Paused tells whether learning is paused.
func (p *Pane) Paused() bool { return p.sheet.Paused }

// Waiting is how many proposals wait.
func (p *Pane) Waiting() int { return len(p.sheet.Waiting) }

// SetSize sets the cells of the body.
func (p *Pane) SetSize(w, h int) { p.w, p.h = max(w, 0), max(h, 0) }

// Focus gives the pane the keys.
func (p *Pane) Focus() { p.focused = true }

// Blur takes them away.
func (p *Pane) Blur() { p.focused = false }

// Update takes no keys of its own: all are bound by the root.
func (p *Pane) Update(tea.Msg) tea.Cmd { return nil }

// Title names the pane.
func (p *Pane) Title() string { return "Reviews" }

// Badge says what matters: "2 wait · paused".
func (p *Pane) Badge() string {
	var parts []string
	if n := len(p.sheet.Waiting); n > 0 {
		parts = append(parts, fmt.Sprintf("%d ✉", n))
	}
	if p.sheet.Paused {
		parts = append(parts, "paused")
	}
	return strings.Join(parts, " · ")
}

// ShortHelp lists the keys that matter.
func (p *Pane) ShortHelp() []keys.Hint {
	return []keys.Hint{{Key: "j k", Word: "move"}, {Key: "Enter", Word: "open"}, {Key: "q", Word: "back"}}
}

// rows is how many lines the list has: what waits is one.
func (p *Pane) rows() int { return len(p.sheet.Records) + p.inbox() }

func (p *Pane) inbox() int { return min(len(p.sheet.Waiting), 1) }

// View draws the lines that fit.
func (p *Pane) View() string {
	var out []string
	switch {
	case p.err != "":
		out = append(out, p.st.Bad.Render(cell.Truncate(" ⚠ "+p.err, p.w)))
	case !p.loaded:
		out = append(out, p.st.Faint.Render(cell.Truncate(" Reading the reviews …", p.w)))
	case p.rows() == 0:
		out = append(out, p.idle()...)
	}
	p.settle()
	for i := p.top; i < p.rows() && len(out) < p.h; i++ {
		out = append(out, p.line(i))
	}
	if len(out) > p.h {
		out = out[:p.h]
	}
	return strings.Join(out, "\n")
}

// idle says when the first review comes.
func (p *Pane) idle() []string {
	var out []string
	for _, l := range cell.Wrap(p.sheet.next(), max(p.w-2, 1), "") {
		out = append(out, cell.Truncate(" "+p.st.Faint.Render(l), p.w))
	}
	return out
}

// next says what the counters wait for.
func (s *Sheet) next() string {
	if s.Paused {
		return "Learning is paused; Ctrl+X . lets it go on."
	}
	var parts []string
	if s.EveryTurns > 0 {
		parts = append(parts, text.Count(max(s.EveryTurns-s.Counts.UserTurns, 1), "turn", "turns"))
	}
	if s.EverySteps > 0 {
		parts = append(parts, text.Count(max(s.EverySteps-s.Counts.ModelSteps, 1), "model step", "model steps"))
	}
	if len(parts) == 0 {
		return "Reviews are off; /review runs one."
	}
	return "Next review in " + strings.Join(parts, " or ") + "."
}

// line draws row i.
func (p *Pane) line(i int) string {
	mark := " "
	if p.focused && i == p.sel {
		mark = p.st.Accent.Render("▌")
	}
	if i < p.inbox() {
		n := len(p.sheet.Waiting)
		words := fmt.Sprintf("✉ %d %s for you", n, text.Plural(n, "change waits", "changes wait"))
		return cell.Truncate(mark+p.st.Warn.Render(cell.Truncate(words, max(p.w-1, 0))), p.w)
	}
	i -= p.inbox()
	return cell.Truncate(mark+p.record(i, max(p.w-2, 0)), p.w)
}

// record draws a review in w cells: sign, number, trigger, what it does or did; cost and age at the right.
func (p *Pane) record(i, w int) string {
	r := &p.sheet.Records[i]
	glyph, style := p.sheet.sign(p.st, r, p.tick)
	head := fmt.Sprintf("%s %s ", p.sheet.number(i), label(r))
	right := p.right(r)
	if w < 34 {
		right = ""
	}
	room := max(w-2-cell.Width(head)-cell.Width(right)-1, 0)
	text := cell.Fit(p.say(r), room)
	return style.Render(glyph) + " " + p.st.Muted.Render(head) + style.Render(text) + " " + p.st.Faint.Render(right)
}

// label says in few cells what a background agent is: of a review its trigger.
func label(r *review.Record) string {
	switch {
	case !review.IsReview(r.Kind):
		return r.Kind
	case r.Trigger == review.ByBoth:
		return "both"
	}
	return string(r.Trigger)
}

// right is what stands at the right of a line: cost, else how long ago.
func (p *Pane) right(r *review.Record) string {
	switch {
	case !r.State.Ended():
		return ""
	case r.Cost.Known && r.Cost.USD > 0:
		return fmt.Sprintf("$%.3f", r.Cost.USD)
	}
	return ago(p.now().Sub(r.StartedAt))
}

// say is what a review does or did, in words.
func (p *Pane) say(r *review.Record) string {
	if r.State == review.Running {
		if r.MaxCalls == 0 {
			return cell.Line(r.Focus)
		}
		return strings.TrimSpace(fmt.Sprintf("%d/%d calls %s", r.Calls, r.MaxCalls, p.live[r.ID]))
	}
	return p.sheet.outcome(r)
}

// doing is a call in words.
func doing(tool, args string) string {
	words := map[string]string{
		"memory": "remembering", "skill_manage": "writing", "skill_view": "reading", "skills_list": "looking at the skills", "read_file": "reading", "search_files": "searching",
	}[tool]
	if words == "" {
		words = tool
	}
	return cell.Line(strings.TrimSpace(words + " " + subject(args)))
}

// Summary is the pane in one line.
func (p *Pane) Summary(w int) string {
	var parts []string
	if n := len(p.sheet.Waiting); n > 0 {
		parts = append(parts, p.st.Warn.Render(fmt.Sprintf("✉ %d", n)))
	}
	if p.sheet.Paused {
		parts = append(parts, p.st.Warn.Render("paused"))
	}
	if len(p.sheet.Records) > 0 {
		r := &p.sheet.Records[0]
		glyph, style := p.sheet.sign(p.st, r, p.tick)
		parts = append(parts, style.Render(glyph+" "+p.sheet.number(0)+" "+p.say(r)))
	} else if len(parts) == 0 {
		parts = append(parts, p.st.Faint.Render(p.sheet.next()))
	}
	return cell.Truncate(cell.Fit(strings.Join(parts, p.st.Faint.Render(" · ")), w), w)
}

// settle keeps selection and scroll position within the list.
func (p *Pane) settle() {
	n := p.rows()
	p.sel = max(min(p.sel, n-1), 0)
	if p.h <= 0 {
		return
	}
	p.top = min(p.top, p.sel)
	p.top = max(p.top, p.sel-p.h+1)
	p.top = max(min(p.top, n-p.h), 0)
}

// Select moves the selection by n lines.
func (p *Pane) Select(n int) {
	p.sel = min(max(p.sel+n, 0), max(p.rows()-1, 0))
	p.settle()
}

// Page is how many lines a page key moves.
func (p *Pane) Page() int { return max(p.h-1, 1) }

// Click selects the line y of the body and tells whether there is one.
func (p *Pane) Click(y int) bool {
	if i := p.top + y; i < p.rows() {
		p.sel = i
		return true
	}
	return false
}

// SelectedID is the id of the selected review, or of the first proposal; "" when there is nothing.
func (p *Pane) SelectedID() string {
	switch i := p.sel - p.inbox(); {
	case p.rows() == 0:
		return ""
	case i < 0:
		return p.sheet.Waiting[0].ID
	default:
		return p.sheet.Records[i].ID
	}
}

// ago is a duration in one unit.
func ago(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

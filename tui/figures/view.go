// Package figures is the full-screen view of the insights: what was used and spent, when, with which tools, and
// what happened in the turns that loaded a skill, version by version.
//
// It must not know ports, files or other views: the root hands it reports and does what its actions ask for.
// Start at View; the sections are in draw.go.
package figures

import (
	"time"

	"hermes/core/insights"
	"hermes/tui/pane"
)

// Do says what the person asked for.
type Do int

// The actions of the view.
const (
	Nothing Do = iota
	Close
	Load     // the report of Days
	Rollback // Skill, to its version Hash
)

// Action is a request to the root.
type Action struct {
	Do    Do
	Days  int
	Skill string
	Hash  string
}

// View is the page. Create it with New.
type View struct {
	now    func() time.Time
	days   int
	report *insights.Report
	err    string
	note   string
	skill  int // the selected one
	sure   bool

	scroll pane.Scroll
	follow bool // scroll to the selected skill with the next frame
}

// New returns the view of the last days days.
func New(now func() time.Time, days int) *View { return &View{now: now, days: days} }

// Spans are the numbers of days to choose from, by the key that chooses them.
func spans() []int { return []int{7, 30, 90} }

// Days is the number of days that is shown or on its way.
func (v *View) Days() int { return v.days }

// SetReport shows r; one for other days came too late and is dropped.
func (v *View) SetReport(r insights.Report) {
	if r.Days != v.days {
		return
	}
	v.report, v.err = &r, ""
	v.skill = max(min(v.skill, len(r.Skills)-1), 0)
}

// SetError says why there is no report.
func (v *View) SetError(text string) { v.err = text }

// SetNote says what came of the last action.
func (v *View) SetNote(text string) { v.note = text }

// Update takes a key by its name.
func (v *View) Update(key string) Action {
	if key == "" {
		return Action{}
	}
	sure := v.sure
	v.sure, v.note = false, ""
	switch key {
	case "esc", "q":
		return Action{Do: Close}
	case "7", "3", "9":
		return v.span(map[string]int{"7": 7, "3": 30, "9": 90}[key])
	case "tab", "d":
		return v.span(v.other(1))
	case "shift+tab", "D":
		return v.span(v.other(-1))
	case "r":
		return Action{Do: Load, Days: v.days}
	case "n":
		v.pick(1)
	case "N":
		v.pick(-1)
	case "R":
		return v.rollback(sure)
	default:
		v.scroll.Key(key, 1)
	}
	return Action{}
}

// span asks for the report of days.
func (v *View) span(days int) Action {
	if days == v.days && v.report != nil {
		return Action{}
	}
	v.days = days
	return Action{Do: Load, Days: days}
}

// other is the number of days n further.
func (v *View) other(n int) int {
	all := spans()
	at := 0
	for i, d := range all {
		if d == v.days {
			at = i
		}
	}
	return all[(at+n+len(all))%len(all)]
}

// pick selects another skill.
func (v *View) pick(n int) {
	if v.report == nil || len(v.report.Skills) == 0 {
		v.note = "no skill was loaded in these days"
		return
	}
	v.skill = (v.skill + n + len(v.report.Skills)) % len(v.report.Skills)
	v.follow = true
}

// rollback goes back to the version before the present one, when the key comes twice.
func (v *View) rollback(sure bool) Action {
	if v.report == nil || len(v.report.Skills) == 0 {
		v.note = "no skill is selected"
		return Action{}
	}
	s := &v.report.Skills[v.skill]
	n := len(s.Versions)
	switch {
	case n < 2 || s.Versions[n-2].Hash == "":
		v.note = s.Name + " has no earlier version that was loaded"
	case sure:
		return Action{Do: Rollback, Skill: s.Name, Hash: s.Versions[n-2].Hash}
	default:
		v.sure, v.follow = true, true
		v.note = "R again takes " + s.Name + " back to " + version(s.Versions[n-2]) + "; its history keeps the present one"
	}
	return Action{}
}

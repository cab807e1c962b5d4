package browser

import (
	"fmt"
	"time"

	"hermes/core/ledger"
	"hermes/skills"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/theme"
)

// maxVersions is how many changes stand above the difference.
const maxVersions = 8

// history draws the changes of the selected skill and, below them, what the marked one did.
func (v *View) history(st *theme.Styles, r *row, w, h int) (fixed, rest []string) {
	d, ok := v.details[r.path()]
	fixed = append(fixed, v.title(st, r, w))
	switch {
	case !ok:
		return append(fixed, st.Faint.Render("reading its history …")), nil
	case len(d.Versions) == 0:
		for _, l := range cell.Wrap("No change of it is recorded: it is as it was put here. From the first change on, every version is kept.", w, "") {
			fixed = append(fixed, st.Muted.Render(l))
		}
		return fixed, nil
	}
	v.marked(&d)
	n := min(len(d.Versions), maxVersions, max(h/3, 2))
	top := max(min(v.change-n/2, len(d.Versions)-n), 0)
	for i := top; i < top+n; i++ {
		fixed = append(fixed, v.version(st, d.Versions[i], i == v.change, i == 0, w))
	}
	if more := len(d.Versions) - n; more > 0 {
		fixed = append(fixed, st.Faint.Render(cell.Truncate(fmt.Sprintf("  %d of %d changes", v.change+1, len(d.Versions)), w)))
	}
	fixed = append(fixed, "")
	from, to := v.span(d)
	diff, ok := v.diffs[diffKey(d.Path, from, to)]
	switch {
	case !ok:
		return fixed, []string{st.Faint.Render("reading what it changed …")}
	case diff == "":
		return fixed, []string{st.Muted.Render("Its files stayed as they were.")}
	}
	return fixed, card.Diff(st, diff, w)
}

// version is a change on one line.
func (v *View) version(st *theme.Styles, x skills.Version, marked, newest bool, w int) string {
	mark := "  "
	if marked {
		mark = st.Accent.Render("▸ ")
	}
	who := string(x.Actor)
	if x.Actor == ledger.You {
		who = "you"
	}
	line := mark + st.Muted.Render(x.Time.In(v.now().Location()).Format("2 Jan 15:04")) + " " + st.Text.Render(cell.Fit(who, 7)) + " " + st.Accent.Render(cell.Line(x.Action))
	if newest {
		line += st.Good.Render(" now")
	}
	if x.Reason != "" {
		line += st.Faint.Render("  " + cell.Line(x.Reason))
	}
	return cell.Truncate(line, w)
}

// ago is a moment in words.
func (v *View) ago(t time.Time) string {
	switch d := max(v.now().Sub(t), 0); {
	case t.IsZero():
		return "never"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
}

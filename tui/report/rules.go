package report

import (
	"fmt"

	"hermes/tui/cell"
	"hermes/tui/pane"
	"hermes/tui/theme"
)

// RuleList is the box over the stored approval rules: choose one, revoke it after asking again.
type RuleList struct {
	rules  []Rule
	loaded bool
	err    string
	sel    int
	asking bool
}

// SetRules gives the stored rules.
func (r *RuleList) SetRules(rules []Rule) {
	r.rules, r.loaded, r.err, r.asking = rules, true, "", false
	r.sel = min(r.sel, max(len(rules)-1, 0))
}

// SetError shows why the rules could not be read or revoked.
func (r *RuleList) SetError(text string) { r.err, r.loaded, r.asking = text, true, false }

// Key handles a keystroke: closed asks to close the box, revoke is the id of a rule to take back.
func (r *RuleList) Key(name string) (closed bool, revoke string) {
	if r.asking {
		r.asking = false
		if name == "y" && r.sel < len(r.rules) {
			return false, r.rules[r.sel].ID
		}
		return false, ""
	}
	switch name {
	case "esc", "q":
		return true, ""
	case "j", "down":
		r.sel++
	case "k", "up":
		r.sel--
	case "g", "home":
		r.sel = 0
	case "G", "end":
		r.sel = len(r.rules) - 1
	case "pgdown", "ctrl+d":
		r.sel += 10
	case "pgup", "ctrl+u":
		r.sel -= 10
	case "d":
		r.asking = len(r.rules) > 0
	}
	r.sel = min(max(r.sel, 0), max(len(r.rules)-1, 0))
	return false, ""
}

// View draws the box for a screen of w by h cells.
func (r *RuleList) View(st *theme.Styles, w, h int) []string {
	bw := min(w, 100)
	inner := max(bw-4, 1)
	rows := max(min(len(r.rules), 20), 3)
	bh := min(rows+5, h)
	room := max(bh-5, 1)
	lines := []string{""}
	switch {
	case !r.loaded:
		lines = append(lines, st.Muted.Render("loading…"))
	case len(r.rules) == 0 && r.err == "":
		lines = append(lines, st.Muted.Render(cell.Truncate("no rules are stored; a in an approval stores one", inner)))
	}
	top := max(min(r.sel-room/2, len(r.rules)-room), 0)
	for i := top; i < len(r.rules) && i < top+room; i++ {
		rule := r.rules[i]
		text, note := cell.Line(rule.Text), cell.Line(rule.Note)
		if note == "" && !rule.Added.IsZero() {
			note = rule.Added.Format("2006-01-02")
		}
		if i == r.sel {
			lines = append(lines, st.Selected.Render(cell.Sides("› "+text, note, inner, 20)))
		} else {
			lines = append(lines, cell.Sides("  "+st.Text.Render(text), st.Faint.Render(note), inner, 20))
		}
	}
	lines = append(cell.Block(lines, inner, max(bh-4, 0)), "", r.foot(st, inner))
	for i := range lines {
		lines[i] = " " + cell.Fit(lines[i], inner) + " "
	}
	label := pane.Label{Title: "Always allowed", Badge: fmt.Sprint(len(r.rules)), Focused: true}
	return pane.Frame(st, label, lines, bw, bh)
}

func (r *RuleList) foot(st *theme.Styles, w int) string {
	switch {
	case r.asking:
		return st.Warn.Render(cell.Truncate("Revoke this rule? y revokes, any other key keeps", w))
	case r.err != "":
		return st.Bad.Render(cell.Truncate("✗ "+cell.Line(r.err), w))
	default:
		return st.Faint.Render(cell.Truncate("d revoke · Esc close", w))
	}
}

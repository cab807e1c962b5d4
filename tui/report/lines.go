package report

import (
	"fmt"
	"strings"

	"hermes/core/text"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

// Lines draws the sections as bars, in lines of at most w cells.
func (u ContextUse) Lines(st *theme.Styles, w int) []string {
	out := []string{u.total(st, w), ""}
	whole, sum := u.Used, 0
	for _, s := range u.Sections {
		whole = max(whole, s.Tokens)
		sum += s.Tokens
	}
	if left := u.Used - sum; left > 0 { // the parts are estimates, the sum is what the server counted
		u.Sections = append(u.Sections[:len(u.Sections):len(u.Sections)], Section{Name: "the rest", Tokens: left, Note: "as the server counts"})
	}
	nameW := 8
	for _, s := range u.Sections {
		nameW = max(nameW, min(cell.Width(cell.Line(s.Name)), max(w/3, 8)))
	}
	noteW := 0
	for _, s := range u.Sections {
		noteW = max(noteW, min(cell.Width(cell.Line(s.Note)), max(w/4, 8)))
	}
	barW := min(max(w-nameW-20-noteW, 0), 40)
	for _, s := range u.Sections {
		name := cell.Fit(cell.Line(s.Name), nameW)
		size := fmt.Sprintf("%8s", text.Thousands(s.Tokens))
		line := st.Text.Render(name) + " " + st.Accent.Render(bar(s.Tokens, whole, barW)) + " " + st.Bold.Render(size)
		if share := percent(s.Tokens, whole); share != "" {
			line += st.Muted.Render(fmt.Sprintf(" %5s", share))
		}
		if s.Note != "" {
			line += "  " + st.Faint.Render(cell.Line(s.Note))
		}
		out = append(out, cell.Truncate(line, w))
	}
	if u.Compacts > 0 {
		out = append(out, "", st.Muted.Render(cell.Truncate("compaction starts at "+text.Thousands(u.Compacts)+" tokens; /compact does it now", w)))
	}
	return out
}

// total is the line over the sections: how full the window is.
func (u ContextUse) total(st *theme.Styles, w int) string {
	if u.Window <= 0 {
		return st.Bold.Render(cell.Truncate(text.Thousands(u.Used)+" tokens; the size of the window is not known", w))
	}
	text := fmt.Sprintf("%s of %s tokens · %s", text.Thousands(u.Used), text.Thousands(u.Window), percent(u.Used, u.Window))
	style := st.Good
	switch share := u.Used * 100 / u.Window; {
	case share >= 90:
		style, text = st.Bad, text+" · nearly full"
	case share >= 70:
		style, text = st.Warn, text+" · filling up"
	}
	barW := min(max(w-cell.Width(text)-1, 0), 40)
	return cell.Truncate(style.Render(bar(u.Used, u.Window, barW))+" "+st.Bold.Render(text), w)
}

// Lines draws what the undo does, or did when done is set, in lines of at most w cells.
func (u Undo) Lines(st *theme.Styles, w int, done bool) []string {
	var out []string
	say := func(text string) {
		for _, l := range cell.Wrap(text, w, "  ") {
			out = append(out, st.Text.Render(l))
		}
	}
	verb := "leave"
	if done {
		verb = "left"
	}
	if u.Text != "" {
		say("the turn “" + cell.Truncate(cell.Line(u.Text), max(w-12, 8)) + "”")
	}
	if u.Messages > 0 {
		say(fmt.Sprintf("%d messages %s the conversation", u.Messages, verb))
	}
	if len(u.Files) > 0 {
		out = append(out, "")
	}
	for _, f := range u.Files {
		out = append(out, f.lines(st, w)...)
	}
	if len(u.Files) == 0 {
		out = append(out, st.Muted.Render(cell.Truncate("no files were changed", w)))
	}
	if len(u.Notes) > 0 {
		out = append(out, "")
	}
	for _, n := range u.Notes {
		for _, l := range cell.Wrap("! "+cell.Clean(n), w, "  ") {
			out = append(out, st.Warn.Render(l))
		}
	}
	return out
}

func (f UndoFile) lines(st *theme.Styles, w int) []string {
	sign, style := "✓", st.Good
	switch f.Action {
	case Kept:
		sign, style = "!", st.Warn
	case Removed:
		sign, style = "−", st.Warn
	case Unchanged:
		sign, style = "=", st.Muted
	}
	left := style.Render(sign+" "+cell.Fit(cell.Line(f.Action), 9)) + " " + st.Text.Render(cell.TruncateLeft(cell.Line(f.Path), max(w-12, 8)))
	out := []string{cell.Truncate(left, w)}
	for _, why := range []string{f.Reason, f.Note} {
		if why == "" {
			continue
		}
		for _, l := range cell.Wrap(cell.Line(why), max(w-12, 8), "") {
			out = append(out, cell.Truncate(cell.Spaces(12)+st.Muted.Render(l), w))
		}
	}
	return out
}

// PreviewLines draws the end of a session in h lines of at most w cells; the newest stand last.
func PreviewLines(st *theme.Styles, past []PreviewLine, w, h int) []string {
	var out []string
	for i, p := range past {
		if i > 0 {
			out = append(out, "")
		}
		style := st.Muted
		switch p.Who {
		case "you":
			style = st.User
		case "hermes":
			style = st.Agent
		}
		out = append(out, style.Render(cell.Truncate(cell.Line(p.Who), w)))
		text := cell.Wrap(strings.TrimSpace(cell.Clean(p.Text)), w, "")
		if len(text) > 6 {
			text = append(text[:6:6], "…")
		}
		for _, l := range text {
			out = append(out, st.Text.Render(l))
		}
	}
	if len(out) > h {
		out = out[len(out)-h:]
		if out[0] == "" {
			out = out[1:]
		}
	}
	return out
}

// bar draws n of all in w cells.
func bar(n, all, w int) string {
	if all <= 0 || w <= 0 {
		return ""
	}
	full := min(max((n*w+all/2)/all, 0), w)
	if n > 0 && full == 0 {
		full = 1
	}
	return cell.Repeat("█", full) + cell.Repeat("░", w-full)
}

func percent(n, all int) string {
	if all <= 0 {
		return ""
	}
	if n > 0 && n*100/all == 0 {
		return "<1 %"
	}
	return fmt.Sprintf("%d %%", n*100/all)
}

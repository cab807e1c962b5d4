package cleanup

import (
	"strings"

	"hermes/core/memory"
	"hermes/core/text"
	"hermes/tui/cell"
	"hermes/tui/theme"
)

// HistoryLines tells the life of an entry, newest first, in lines of at most w cells.
func HistoryLines(st *theme.Styles, moments []memory.Moment, w int) []string {
	if len(moments) == 0 {
		return []string{st.Muted.Render(cell.Truncate("the ledger knows nothing of this entry", w))}
	}
	var out []string
	for i, m := range moments {
		if i > 0 {
			out = append(out, "")
		}
		c := m.Change
		head := c.Time.Local().Format("2006-01-02 15:04") + " · " + string(c.Actor) + " · " + c.Action + " in " + m.Target.File()
		if c.SessionID != "" {
			head += " · session " + c.SessionID
		}
		out = append(out, st.Accent.Render(cell.Truncate(cell.Line(head), w)))
		if c.Reason != "" && !says(m.Text, c.Reason) && !says(m.Was, c.Reason) {
			out = append(out, st.Muted.Render(cell.Truncate(cell.Line(c.Reason), w)))
		}
		out = append(out, side(st.Bad.Render, "− ", m, m.WasID, m.Was, w)...)
		out = append(out, side(st.Good.Render, "+ ", m, m.ID, m.Text, w)...)
	}
	return out
}

// says tells whether a reason only repeats the beginning of the entry.
func says(entry, reason string) bool {
	reason = strings.TrimSuffix(text.OneLine(reason), cell.Ellipsis)
	return reason != "" && strings.HasPrefix(text.OneLine(entry), reason)
}

// side draws one version of an entry.
func side(draw func(...string) string, sign string, m memory.Moment, id, words string, w int) []string {
	switch {
	case id == "":
		return nil
	case words == "":
		words = "entry " + id + " " + m.Missing()
	}
	var out []string
	for _, l := range cell.Wrap(sign+cell.Readable(words), w, "  ") {
		out = append(out, draw(l))
	}
	return out
}

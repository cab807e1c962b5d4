package card

import (
	"strings"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

// Diff draws a unified diff in lines of at most w cells. The signs stay, so it reads without colour.
func Diff(st *theme.Styles, diff string, w int) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(cell.Clean(diff), "\n"), "\n") {
		style := st.Muted
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			style = st.Bold
		case strings.HasPrefix(line, "@@"):
			style = st.Hunk
		case strings.HasPrefix(line, "+"):
			style = st.Add
		case strings.HasPrefix(line, "-"):
			style = st.Del
		}
		changed := strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-")
		for _, l := range cell.Wrap(line, w, "  ") {
			if changed { // the background runs to the edge
				l = cell.Fit(l, w)
			}
			out = append(out, style.Render(l))
		}
	}
	return out
}

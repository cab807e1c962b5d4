package sessions

import (
	"strings"
	"time"
	"unicode/utf8"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

// Found is what a full-text search found, best session first.
type Found struct {
	Query   string
	Total   int      // messages that match
	Limited string   // why there may be more, or why it was slow; "" when nothing is amiss
	Notes   []string // what of the query was not understood
	Partial bool     // the index is being built: asking again later finds it faster, or more
	Groups  []Group
}

// Group is a session with its best hits.
type Group struct {
	ID      string
	Title   string
	Started time.Time
	Hits    []Hit
}

// Hit is a message that matches; Message is "" when the title does.
type Hit struct {
	Message string
	Role    string // "user", "assistant", "tool", "title"
	Tool    string
	Time    time.Time
	Excerpt string   // raw
	Marks   [][2]int // byte ranges of Excerpt that match
}

// Who names the speaker of a hit.
func (h Hit) Who() string {
	switch h.Role {
	case "user":
		return "you"
	case "assistant":
		return "hermes"
	case "tool":
		return h.Tool
	}
	return h.Role
}

// Word is the first text of the excerpt that matched; "" when none is marked.
func (h Hit) Word() string {
	for _, m := range h.marks() {
		if w := strings.TrimSpace(h.Excerpt[m[0]:m[1]]); w != "" {
			return w
		}
	}
	return ""
}

// marks are the ranges that can be used: in order, apart, and at the bounds of characters.
func (h Hit) marks() [][2]int {
	var out [][2]int
	last := 0
	for _, m := range h.Marks {
		if m[0] < last || m[1] <= m[0] || m[1] > len(h.Excerpt) || !boundary(h.Excerpt, m[0]) || !boundary(h.Excerpt, m[1]) {
			continue
		}
		out = append(out, m)
		last = m[1]
	}
	return out
}

func boundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// Line draws the excerpt on one line of at most w cells, so that its first match is seen, with the matches
// marked.
func (h Hit) Line(st *theme.Styles, w int) string {
	flat := func(s string) string { return strings.ReplaceAll(cell.Clean(s), "\n", " ") }
	marks := h.marks()
	if len(marks) == 0 {
		return st.Text.Render(cell.Truncate(strings.TrimSpace(flat(h.Excerpt)), w))
	}
	lead := strings.TrimLeft(flat(h.Excerpt[:marks[0][0]]), " ")
	// What stands before the match gives way when the match would not be seen.
	first := cell.Width(flat(h.Excerpt[marks[0][0]:marks[0][1]]))
	if room := max(w/3, w-first-cell.Width(flat(h.Excerpt[marks[0][1]:]))); cell.Width(lead) > room {
		lead = cell.TruncateLeft(lead, room)
	}
	var b strings.Builder
	b.WriteString(st.Muted.Render(lead))
	at := marks[0][0]
	for _, m := range marks {
		b.WriteString(st.Muted.Render(flat(h.Excerpt[at:m[0]])))
		b.WriteString(st.Match.Render(flat(h.Excerpt[m[0]:m[1]])))
		at = m[1]
	}
	b.WriteString(st.Muted.Render(flat(h.Excerpt[at:])))
	return cell.Truncate(b.String(), w)
}

package sessions

import (
	"slices"
	"strings"

	"hermes/tui/cell"
	"hermes/tui/report"
	"hermes/tui/theme"
)

// ShowPreviews gives the selected place room; SetPreview fills it.
func (p *Picker) ShowPreviews() { p.previews = map[place][]report.PreviewLine{} }

// Previewed tells whether a place is known: the end of session id, or what stands around a message.
func (p *Picker) Previewed(id, message string) bool {
	_, ok := p.previews[place{id, message}]
	return ok
}

// SetPreview gives what stands at a place, oldest line first.
func (p *Picker) SetPreview(id, message string, lines []report.PreviewLine) {
	if p.previews == nil {
		p.ShowPreviews()
	}
	p.previews[place{id, message}] = lines
}

// previewLines draws the selected place in exactly h lines of exactly w cells: what the session is, then
// what was said.
func (p *Picker) previewLines(st *theme.Styles, w, h int) []string {
	l := p.selected()
	if l == nil || h <= 0 {
		return cell.Block(nil, w, h)
	}
	out := []string{p.about(st, l.row, w)}
	at := l.place()
	lines, ok := p.previews[at]
	switch {
	case p.previews == nil:
	case !ok:
		out = append(out, st.Faint.Render(cell.Truncate("reading …", w)))
	case len(lines) == 0:
		out = append(out, st.Faint.Render(cell.Truncate("nothing was said yet", w)))
	case l.hit != nil:
		out = append(out, around(st, l.hit.within(lines), l.hit.words(), w, h-1)...)
	default:
		out = append(out, report.PreviewLines(st, lines, w, h-1)...)
	}
	return cell.Block(out, w, h)
}

// about is the session in one line.
func (p *Picker) about(st *theme.Styles, r Row, w int) string {
	var parts []string
	for _, s := range []string{r.Model, r.Folder, r.ID} {
		if s = cell.Line(s); s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 3 && cell.Width(strings.Join(parts, " · ")) > w {
		parts = parts[:2]
	}
	return st.Faint.Render(cell.Truncate(strings.Join(parts, " · "), w))
}

// words are the matched texts of a hit, each once.
func (h Hit) words() []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range h.marks() {
		if w := strings.TrimSpace(cell.Line(h.Excerpt[m[0]:m[1]])); w != "" && !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// within are the lines, the excerpt standing for the message when that is too long to hold the match.
func (h Hit) within(lines []report.PreviewLine) []report.PreviewLine {
	out := slices.Clone(lines)
	for i := range out {
		if out[i].Here && !strings.Contains(out[i].Text, h.Word()) {
			out[i].Text = h.Excerpt
		}
	}
	return out
}

// around draws messages with the one that was looked for in the middle of h lines, its matches marked.
func around(st *theme.Styles, lines []report.PreviewLine, words []string, w, h int) []string {
	var out []string
	at, size := 0, 0
	for i, l := range lines {
		if i > 0 {
			out = append(out, "")
		}
		style, text := st.Muted, st.Muted
		switch l.Who {
		case "you":
			style = st.User
		case "hermes":
			style = st.Agent
		}
		from := len(out)
		mark := "  "
		if l.Here {
			mark, text = st.Accent.Render("▌ "), st.Text
		}
		out = append(out, mark+style.Render(cell.Truncate(cell.Line(l.Who), w-2)))
		body := cell.Wrap(strings.TrimSpace(cell.Clean(l.Text)), max(w-2, 1), "")
		if !l.Here && len(body) > 3 {
			body = append(body[:3:3], cell.Ellipsis)
		}
		hit := -1
		for n, b := range body {
			drawn, marked := highlight(st, b, words)
			if l.Here && marked {
				if hit < 0 {
					hit = n
				}
				out = append(out, mark+drawn)
				continue
			}
			out = append(out, mark+text.Render(b))
		}
		if l.Here {
			at, size = from, len(out)-from
			if hit > h/2 { // the match is far down in a long message
				at, size = from+1+hit-h/3, h
			}
		}
	}
	if len(out) <= h {
		return out
	}
	top := at - max((h-size)/2, 0)
	top = max(min(top, len(out)-h), 0)
	return out[top : top+h]
}

// highlight marks words in a line and tells whether one is there. Upper and lower case are the same.
func highlight(st *theme.Styles, s string, words []string) (string, bool) {
	low := strings.ToLower(s)
	if len(low) != len(s) { // an odd character changed its length: positions would lie
		low = s
	}
	var b strings.Builder
	found := false
	for at := 0; at < len(s); {
		from, to := len(s), len(s)
		for _, w := range words {
			w = strings.ToLower(w)
			i := at + strings.Index(low[at:], w)
			if w != "" && i >= at && i < from && boundary(s, i) && boundary(s, i+len(w)) {
				from, to = i, i+len(w)
			}
		}
		if from > at {
			b.WriteString(st.Text.Render(s[at:from]))
		}
		if from < len(s) {
			found = true
			b.WriteString(st.Match.Render(s[from:to]))
		}
		at = to
	}
	return b.String(), found
}

package sessions

import (
	"hermes/tui/cell"
	"hermes/tui/report"
	"hermes/tui/theme"
)

const (
	// besideFrom is the width of the box from which the preview stands beside the list.
	besideFrom = 100
	// belowFrom is the height of the screen from which it stands below.
	belowFrom  = 22
	belowLines = 7
)

// ShowPreviews gives the end of the selected session room; SetPreview fills it.
func (p *Picker) ShowPreviews() { p.previews = map[string][]report.PreviewLine{} }

// Selected returns the id of the selected session, "" when there is none.
func (p *Picker) Selected() string {
	if r := p.selected(); r != nil {
		return r.ID
	}
	return ""
}

// Previewed tells whether the end of session id is known.
func (p *Picker) Previewed(id string) bool {
	_, ok := p.previews[id]
	return ok
}

// SetPreview gives the end of session id, oldest line first.
func (p *Picker) SetPreview(id string, lines []report.PreviewLine) {
	if p.previews == nil {
		p.ShowPreviews()
	}
	p.previews[id] = lines
}

// previewLines draws the end of the selected session in exactly h lines of exactly w cells.
func (p *Picker) previewLines(st *theme.Styles, w, h int) []string {
	id := p.Selected()
	lines, ok := p.previews[id]
	switch {
	case id == "":
		return cell.Block(nil, w, h)
	case !ok:
		return cell.Block([]string{st.Faint.Render(cell.Truncate("reading …", w))}, w, h)
	case len(lines) == 0:
		return cell.Block([]string{st.Faint.Render(cell.Truncate("nothing was said yet", w))}, w, h)
	}
	return cell.Block(report.PreviewLines(st, lines, w, h), w, h)
}

// beside draws list and preview next to each other.
func (p *Picker) beside(st *theme.Styles, list []string, listW, w int) []string {
	right := p.previewLines(st, w-listW-3, len(list))
	out := make([]string, len(list))
	for i := range list {
		out[i] = cell.Fit(list[i], listW) + st.Faint.Render(" │ ") + right[i]
	}
	return out
}

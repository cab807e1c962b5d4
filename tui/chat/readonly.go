package chat

// SetReadOnly makes the pane show a stored session: without composer and queue, its keys always with the
// transcript. The root says so once, before the first frame.
func (p *Pane) SetReadOnly() {
	p.readOnly = true
	p.Read(true)
}

// Goto selects the entry of a message, or of the call with id call, and shows it a third below the top.
// It tells whether there is such an entry.
func (p *Pane) Goto(message, call string) bool {
	it := p.byID[message]
	if call != "" {
		it = p.byID["call "+call]
	}
	for i := range p.items {
		if it == nil || p.items[i] != it {
			continue
		}
		p.Read(true)
		p.sel = i
		p.unfold(i)
		if it.kind == kindTool && !it.open {
			it.open = true
			it.changed()
		}
		p.view.follow, p.view.top, p.view.line = false, i, 0
		p.up(p.transcriptHeight() / 3)
		p.Scroll(0)
		return true
	}
	return false
}

// NearestMessage is the id of the selected message, or of the last one before the selected card.
func (p *Pane) NearestMessage() string {
	if p.selected() == nil {
		return ""
	}
	for i := p.sel; i >= 0; i-- {
		if it := p.items[i]; it.id != "" && (it.kind == kindUser || it.kind == kindAgent) {
			return it.id
		}
	}
	return ""
}

// SearchFor looks for words as if they had been typed into the search field: Corpus and Found follow.
func (p *Pane) SearchFor(words string) {
	p.StartSearch()
	if !p.search.on {
		return
	}
	p.search.field.SetText(words)
	p.search.typing, p.search.query, p.search.busy = false, words, words != ""
}

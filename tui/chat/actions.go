package chat

import (
	"slices"
	"strings"

	"hermes/tui/card"
)

// Toggle opens or closes the selected item: a card, or the thinking of an answer. It tells whether
// there was anything to open.
func (p *Pane) Toggle() bool {
	it := p.selected()
	if it == nil {
		return false
	}
	switch it.kind {
	case kindTool, kindCompact:
		it.open = !it.open
	case kindNotice:
		if it.detail == "" {
			return false
		}
		it.open = !it.open
	case kindUser:
		if !it.long() {
			return false
		}
		it.open = !it.open
	case kindAgent:
		if it.think.Len() == 0 {
			return false
		}
		it.thinkOpen = !it.thinkOpen
	default:
		return false
	}
	it.changed()
	p.show(p.sel)
	return true
}

// Said tells whether the person has said anything.
func (p *Pane) Said() bool {
	return slices.ContainsFunc(p.items, func(it *item) bool { return it.kind == kindUser })
}

// ToggleAll opens all thinking and cards, or closes them when any is open.
func (p *Pane) ToggleAll() {
	open := true
	for _, it := range p.items {
		if it.open || it.thinkOpen {
			open = false
		}
	}
	for _, it := range p.items {
		it.open, it.thinkOpen = open && it.kind == kindTool, open && it.kind == kindAgent
		it.changed()
	}
}

// Copy returns the text of the selected entries as it was sent or received.
func (p *Pane) Copy() (string, bool) {
	if p.selected() == nil {
		return "", false
	}
	from, to := p.chosenRange()
	var parts []string
	for _, it := range p.items[from : to+1] {
		switch {
		case it.call != nil:
			parts = append(parts, it.call.Text())
		case it.kind == kindCompact:
			parts = append(parts, it.remedy)
		default:
			parts = append(parts, it.raw())
		}
	}
	p.from = -1
	return strings.Join(parts, "\n\n"), true
}

// Mark begins a selection of several entries at the selected one, or ends it.
func (p *Pane) Mark() {
	if p.from >= 0 || p.selected() == nil {
		p.from = -1
		return
	}
	p.from = p.sel
}

// Marking tells whether several entries are being selected.
func (p *Pane) Marking() bool { return p.from >= 0 }

// chosen tells whether entry i is selected.
func (p *Pane) chosen(i int) bool {
	from, to := p.chosenRange()
	return i >= from && i <= to
}

func (p *Pane) chosenRange() (from, to int) {
	from = p.sel
	if p.from >= 0 && p.from < len(p.items) {
		from = p.from
	}
	return min(from, p.sel), max(from, p.sel)
}

// SelectedCall returns the call of the selected card, or nil.
func (p *Pane) SelectedCall() *card.Call {
	if it := p.selected(); it != nil {
		return it.call
	}
	return nil
}

// SelectedMessage returns the id of the selected message, "" when the selection is none.
func (p *Pane) SelectedMessage() string {
	if it := p.selected(); it != nil && (it.kind == kindUser || it.kind == kindAgent) {
		return it.id
	}
	return ""
}

func (p *Pane) selected() *item {
	if !p.reading || p.sel >= len(p.items) {
		return nil
	}
	return p.items[p.sel]
}

// Warm counts the entries that hold drawn lines.
func (p *Pane) Warm() int { return len(p.warm) }

// Len counts the entries of the transcript.
func (p *Pane) Len() int { return len(p.items) }

// TopItem is the index of the entry at the top of the view.
func (p *Pane) TopItem() int { return p.view.top }

// Drop removes the entry with message id, all that follow and their calls: the turn was undone. An id
// that is not there removes nothing.
func (p *Pane) Drop(id string) {
	first := p.byID[id]
	if first == nil {
		return
	}
	for i, it := range p.items {
		if it != first {
			continue
		}
		for _, gone := range p.items[i:] {
			delete(p.byID, gone.id)
			if gone.call != nil {
				p.log.Remove(gone.call.ID)
			}
		}
		p.items = p.items[:i:i]
		break
	}
	p.warm, p.sel = nil, max(len(p.items)-1, 0)
	for _, it := range p.items {
		if it.lines.ok {
			p.warm = append(p.warm, it)
		}
	}
	p.reading = p.reading && len(p.items) > 0
	p.Follow()
}

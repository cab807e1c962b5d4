package sessions

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/composer"
)

// Update handles a key or a paste.
func (p *Picker) Update(msg tea.Msg) Action {
	name := ""
	if k, ok := msg.(tea.KeyPressMsg); ok {
		name = k.String()
	}
	switch p.mode {
	case filtering:
		p.filterKey(name, msg)
		return Action{}
	case renaming:
		return p.renameKey(name, msg)
	case deleting:
		p.mode = browsing
		if l := p.selected(); name == "y" && l != nil {
			return Action{Do: Delete, ID: l.row.ID}
		}
		return Action{}
	default:
		return p.browseKey(name)
	}
}

func (p *Picker) filterKey(name string, msg tea.Msg) {
	switch name {
	case "esc":
		p.clear()
		p.mode = browsing
	case "enter":
		p.mode = browsing
	case "up", "down":
		p.mode = browsing
		p.move(name)
	default:
		before := p.filter.Text()
		p.filter.Update(msg)
		if p.filter.Text() != before {
			p.changed()
		}
	}
}

// clear ends the search.
func (p *Picker) clear() {
	if p.filter.Text() != "" {
		p.filter.SetText("")
		p.changed()
	}
}

func (p *Picker) renameKey(name string, msg tea.Msg) Action {
	switch name {
	case "esc":
		p.mode = browsing
	case "enter":
		p.mode = browsing
		if title := strings.TrimSpace(p.name.Text()); title != "" && p.selected() != nil {
			return Action{Do: Rename, ID: p.selected().row.ID, Title: title}
		}
	default:
		p.name.Update(msg)
	}
	return Action{}
}

func (p *Picker) browseKey(name string) Action {
	if p.move(name) {
		return Action{}
	}
	p.err = ""
	switch name {
	case "esc":
		if p.filter.Text() != "" {
			p.clear()
			return Action{}
		}
		return Action{Do: Close}
	case "q":
		return Action{Do: Close}
	case "/":
		p.mode = filtering
		return Action{}
	case "n":
		return Action{Do: Start}
	case "a":
		p.tasks = !p.tasks
		p.arrange()
		return Action{}
	}
	if l := p.selected(); l != nil {
		return p.onLine(name, *l)
	}
	return Action{}
}

// onLine handles the keys that are about the selected line.
func (p *Picker) onLine(name string, l line) Action {
	r := l.row
	switch name {
	case "enter":
		if l.hit != nil {
			return l.read()
		}
		return Action{Do: Resume, ID: r.ID}
	case "o", "v", "space":
		return l.read()
	case "f":
		return Action{Do: Fork, ID: r.ID, Message: l.place().message}
	case "e":
		return Action{Do: Export, ID: r.ID}
	case "c":
		return Action{Do: Resume, ID: r.ID}
	case "r":
		p.mode, p.name = renaming, composer.NewField(r.Title, false)
	case "d":
		if r.ID == p.current || r.Open {
			p.err = "this session is open; close it before deleting it"
			return Action{}
		}
		p.mode = deleting
	}
	return Action{}
}

// read asks for the session at the line's place.
func (l line) read() Action {
	a := Action{Do: Read, ID: l.row.ID, Message: l.place().message}
	if l.hit != nil {
		a.Words = l.hit.Word()
	}
	return a
}

// Click selects line y of what View drew last; it tells whether the line was selected already.
func (p *Picker) Click(y int) (again bool) {
	i := p.top + y - p.first
	if p.mode == renaming || p.mode == deleting || y < p.first || y >= p.first+p.page || i >= len(p.lines) {
		return false
	}
	again = i == p.sel && p.mode == browsing
	p.mode, p.sel, p.moved, p.err = browsing, i, true, ""
	return again
}

func (p *Picker) move(name string) bool {
	switch name {
	case "j", "down":
		p.sel++
	case "k", "up":
		p.sel--
	case "g", "home":
		p.sel = 0
	case "G", "end":
		p.sel = len(p.lines) - 1
	case "ctrl+d", "pgdown":
		p.sel += max(p.page-1, 1)
	case "ctrl+u", "pgup":
		p.sel -= max(p.page-1, 1)
	case "J", "tab":
		p.sel = p.session(1)
	case "K", "shift+tab":
		p.sel = p.session(-1)
	default:
		return false
	}
	p.sel = min(max(p.sel, 0), max(len(p.lines)-1, 0))
	p.err, p.moved = "", true
	return true
}

// session is the line of the next session in a direction.
func (p *Picker) session(by int) int {
	for i := p.sel + by; i >= 0 && i < len(p.lines); i += by {
		if p.lines[i].hit == nil {
			return i
		}
	}
	return p.sel
}

// Typing tells whether letters are text or an answer right now, and not keys.
func (p *Picker) Typing() bool { return p.mode != browsing }

// Editing tells whether a name is being written, or a yes or no is waited for.
func (p *Picker) Editing() bool { return p.mode == renaming || p.mode == deleting }

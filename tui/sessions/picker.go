// Package sessions is the picker over stored sessions: filter, resume, rename, fork, delete (asked
// again), export. It draws and decides what was asked for; the root does it.
//
// It must not know stores or conversations. Start at Picker.
package sessions

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/composer"
	"hermes/tui/match"
	"hermes/tui/report"
)

// Row is one stored session.
type Row struct {
	ID       string
	Title    string
	Model    string // "provider/model" of the last turn; may be empty
	Folder   string
	Updated  time.Time
	Messages int  // messages of people and models
	Open     bool // held by a process, this one or another
}

// Do says what the person asked for.
type Do int

// The actions of the picker.
const (
	Nothing Do = iota
	Close
	Resume
	Start // a new session
	Rename
	Fork
	Delete
	Export
)

// Action is a request about session ID; Title belongs to Rename.
type Action struct {
	Do    Do
	ID    string
	Title string
}

type mode int

const (
	browsing mode = iota
	filtering
	renaming
	deleting
)

// Picker is the list. Create it with New; it shows "loading" until SetRows or SetError.
type Picker struct {
	current string // id of the open session
	rows    []Row
	shown   []Row
	loaded  bool
	err     string
	mode    mode
	filter  *composer.Field
	name    *composer.Field
	sel     int
	top     int
	now     func() time.Time
	// previews are the ends of sessions by id; nil when they are not shown.
	previews map[string][]report.PreviewLine
}

// New returns a picker; current is the id of the open session.
func New(current string, now func() time.Time) *Picker {
	return &Picker{current: current, now: now, filter: composer.NewField("", false)}
}

// SetRows gives the sessions, last used first. The selection stays on its session.
func (p *Picker) SetRows(rows []Row) {
	id := ""
	if r := p.selected(); r != nil {
		id = r.ID
	}
	p.rows, p.loaded, p.err = rows, true, ""
	p.refilter()
	for i, r := range p.shown {
		if r.ID == id {
			p.sel = i
		}
	}
}

// SetError shows why the list could not be read or an action failed.
func (p *Picker) SetError(text string) { p.err, p.loaded = text, true }

func (p *Picker) refilter() {
	texts := make([]string, len(p.rows))
	for i, r := range p.rows {
		texts[i] = r.Title + " " + r.ID + " " + r.Model + " " + r.Folder
	}
	p.shown = p.shown[:0:0]
	for _, i := range match.Rank(p.filter.Text(), texts, 0) {
		p.shown = append(p.shown, p.rows[i])
	}
	p.sel = min(p.sel, max(len(p.shown)-1, 0))
}

func (p *Picker) selected() *Row {
	if p.sel >= len(p.shown) {
		return nil
	}
	return &p.shown[p.sel]
}

// Update handles a key or a paste.
func (p *Picker) Update(msg tea.Msg) Action {
	name := ""
	if k, ok := msg.(tea.KeyPressMsg); ok {
		name = k.String()
	}
	switch p.mode {
	case filtering:
		return p.filterKey(name, msg)
	case renaming:
		return p.renameKey(name, msg)
	case deleting:
		p.mode = browsing
		if r := p.selected(); name == "y" && r != nil {
			return Action{Do: Delete, ID: r.ID}
		}
		return Action{}
	default:
		return p.browseKey(name)
	}
}

func (p *Picker) filterKey(name string, msg tea.Msg) Action {
	switch name {
	case "esc":
		p.filter.SetText("")
		p.mode = browsing
	case "enter", "up", "down":
		p.mode = browsing
	default:
		before := p.filter.Text()
		p.filter.Update(msg)
		if p.filter.Text() != before {
			p.sel = 0
		}
	}
	p.refilter()
	return Action{}
}

func (p *Picker) renameKey(name string, msg tea.Msg) Action {
	switch name {
	case "esc":
		p.mode = browsing
	case "enter":
		p.mode = browsing
		if title := strings.TrimSpace(p.name.Text()); title != "" && p.selected() != nil {
			return Action{Do: Rename, ID: p.selected().ID, Title: title}
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
	switch name {
	case "esc", "q":
		return Action{Do: Close}
	case "/":
		p.mode = filtering
		return Action{}
	case "n":
		return Action{Do: Start}
	}
	r := p.selected()
	if r == nil {
		return Action{}
	}
	switch name {
	case "enter":
		return Action{Do: Resume, ID: r.ID}
	case "f":
		return Action{Do: Fork, ID: r.ID}
	case "e":
		return Action{Do: Export, ID: r.ID}
	case "r":
		p.mode, p.name = renaming, composer.NewField(r.Title, false)
	case "d":
		if r.ID == p.current || r.Open {
			p.err = "this session is open; close it before deleting it"
			return Action{}
		}
		p.mode = deleting
	}
	p.err = ""
	return Action{}
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
		p.sel = len(p.shown) - 1
	case "ctrl+d", "pgdown":
		p.sel += 10
	case "ctrl+u", "pgup":
		p.sel -= 10
	default:
		return false
	}
	p.sel = min(max(p.sel, 0), max(len(p.shown)-1, 0))
	p.err = ""
	return true
}

// Package sessions is the view over stored sessions: by recency, or what a search over everything ever
// said found in them, with the place in the transcript beside. From here a session is read, resumed,
// forked, renamed, exported or deleted (asked again). It draws and decides what was asked for; the root
// does it, and searches.
//
// It must not know stores, conversations or the index. Start at Picker; its keys are in keys.go, the
// drawing in view.go and preview.go, what a search brings in found.go.
package sessions

import (
	"slices"
	"strings"
	"time"

	"hermes/core"
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
	Messages int // messages of people and models
	Bytes    int64
	Cost     core.Cost
	Open     bool // held by a process, this one or another
	Task     bool // the transcript of a sub-agent
}

// Do says what the person asked for.
type Do int

// The actions of the view.
const (
	Nothing Do = iota
	Close
	Resume
	Start // a new session
	Rename
	Fork // up to Message, or all of it
	Delete
	Export
	Read // read only, at Message
)

// Action is a request about session ID; Title belongs to Rename.
type Action struct {
	Do      Do
	ID      string
	Message string
	Title   string
	Words   string // what to mark when reading
}

type mode int

const (
	browsing mode = iota
	filtering
	renaming
	deleting
)

// line is one line of the list: a session, or a hit in it.
type line struct {
	row Row
	hit *Hit // nil: the session itself
}

// Picker is the view. Create it with New; it shows "loading" until SetRows or SetError.
type Picker struct {
	priced  bool   // some session has a price: the column is worth its room
	current string // id of the open session
	rows    []Row
	byID    map[string]Row
	lines   []line
	shown   int // sessions among lines
	hidden  int // sub-agents that are left out
	tasks   bool
	loaded  bool
	err     string
	mode    mode
	filter  *composer.Field
	name    *composer.Field
	sel     int
	top     int
	moved   bool // the person chose a line since the query changed
	page    int  // lines of the list as last drawn
	first   int  // … and the line it began at
	now     func() time.Time

	searches bool   // a search follows each change of the query
	busy     string // the query being searched for; "" when none is
	found    *Found // of the present query; nil while it is not known
	failed   string // why the search failed

	// previews are parts of sessions by id and message; nil when they are not shown.
	previews map[place][]report.PreviewLine
}

// place is a session, or a message in it.
type place struct{ id, message string }

// New returns the view; current is the id of the open session.
func New(current string, now func() time.Time) *Picker {
	return &Picker{current: current, now: now, filter: composer.NewField("", false), byID: map[string]Row{}}
}

// Searches says that the root searches for Query after each change and tells with SetFound.
func (p *Picker) Searches() { p.searches = true }

// Query is what is looked for now.
func (p *Picker) Query() string { return p.filter.Text() }

// SetRows gives the sessions, last used first. The selection stays on its session.
func (p *Picker) SetRows(rows []Row) {
	p.rows, p.loaded, p.err, p.priced = rows, true, "", false
	p.byID = make(map[string]Row, len(rows))
	for _, r := range rows {
		p.byID[r.ID] = r
		p.priced = p.priced || dollars(r) != ""
	}
	p.arrange()
}

// SetError shows why the list could not be read or an action failed.
func (p *Picker) SetError(text string) { p.err, p.loaded = text, true }

// SetSearching says that query is being searched for.
func (p *Picker) SetSearching(query string) { p.busy = query }

// SetFound brings what a search for query found, or why it failed. Answers to older queries are dropped.
func (p *Picker) SetFound(query string, f Found, err string) {
	if query != p.Query() {
		return
	}
	p.busy, p.found, p.failed = "", &f, err
	if err != "" {
		p.found = nil
	}
	p.arrange()
	if !p.moved {
		p.sel, p.top = 0, 0
		if len(p.lines) > 1 && p.lines[1].hit != nil { // the best place, not the session around it
			p.sel = 1
		}
	}
}

// changed hears that another query was typed. What the last one found stays in sight until the answer.
func (p *Picker) changed() {
	p.failed, p.busy = "", ""
	if p.Query() == "" || !p.searches {
		p.found = nil
	}
	p.sel, p.top, p.moved, p.lines = 0, 0, false, nil
	p.arrange()
}

// arrange makes the lines: what the search found, best session first, then sessions whose title, model or
// folder fits what was typed.
func (p *Picker) arrange() {
	was := p.at()
	p.lines, p.shown, p.hidden = nil, 0, 0
	taken := map[string]bool{}
	if p.found != nil {
		for i := range p.found.Groups {
			g := &p.found.Groups[i]
			row, known := p.byID[g.ID]
			switch {
			case !known && p.loaded:
				continue // deleted since
			case !known:
				row = Row{ID: g.ID, Title: g.Title, Updated: g.Started}
			}
			taken[g.ID] = true
			if row.Task && !p.tasks {
				p.hidden++
				continue
			}
			p.shown++
			p.lines = append(p.lines, line{row: row})
			for h := range g.Hits {
				if g.Hits[h].Message != "" {
					p.lines = append(p.lines, line{row: row, hit: &g.Hits[h]})
				}
			}
		}
	}
	for _, i := range p.named() {
		switch r := p.rows[i]; {
		case taken[r.ID]:
		case r.Task && !p.tasks:
			p.hidden++
		default:
			p.shown++
			p.lines = append(p.lines, line{row: r})
		}
	}
	p.sel = min(p.sel, max(len(p.lines)-1, 0))
	for i, l := range p.lines {
		if was.id != "" && l.place() == was {
			p.sel = i
			break
		}
	}
}

// named are the rows whose title, id, model or folder fits what was typed. Beside a full-text search only
// words as they stand count: it finds enough.
func (p *Picker) named() []int {
	texts := make([]string, len(p.rows))
	for i, r := range p.rows {
		texts[i] = r.Title + " " + r.ID + " " + r.Model + " " + r.Folder
	}
	words := strings.Fields(strings.ToLower(p.Query()))
	if !p.searches || len(words) == 0 {
		return match.Rank(p.Query(), texts, 0)
	}
	var out []int
	for i, t := range texts {
		t = strings.ToLower(t)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(t, strings.Trim(w, `"`)) }) {
			out = append(out, i)
		}
	}
	return out
}

func (l line) place() place {
	if l.hit != nil {
		return place{l.row.ID, l.hit.Message}
	}
	return place{id: l.row.ID}
}

// at is the selected place; its zero value when there is none.
func (p *Picker) at() place {
	if l := p.selected(); l != nil {
		return l.place()
	}
	return place{}
}

func (p *Picker) selected() *line {
	if p.sel >= len(p.lines) {
		return nil
	}
	return &p.lines[p.sel]
}

// Selected returns the ids of the selected session and message; the message is empty on a session.
func (p *Picker) Selected() (id, message string) {
	at := p.at()
	return at.id, at.message
}

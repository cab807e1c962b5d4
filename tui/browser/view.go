// Package browser is the full-screen view of all skills: the list with what is worth knowing, the text of one
// skill, its history with differences, the whole index as the model sees it, and what a person does with a
// skill: pin, archive, restore, roll back, edit, shorten its description.
//
// It must not know ports, files or other views: the root hands it sheets and does what its actions ask for.
// Start at View; the keys are in keys.go, the list in list.go, the text of a skill in detail.go, its changes in
// history.go, the new description in short.go.
package browser

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core/text"
	"hermes/skills"
	"hermes/skills/guard"
	"hermes/tui/composer"
	"hermes/tui/markdown"
	"hermes/tui/match"
	"hermes/tui/theme"
)

// Sheet is what is listed.
type Sheet struct {
	Checked  []skills.Checked
	Archived []skills.Archived
	// Next is what a session that is opened now would be told.
	Next skills.Index
	// Commands say how each skill is invoked, or why it cannot be, by the path of its SKILL.md.
	Commands map[string]string
}

// Detail is what belongs to one skill and is read when it is looked at.
type Detail struct {
	Path     string // of its SKILL.md
	Text     string // the whole file
	Files    []string
	Scan     guard.Report
	Versions []skills.Version // newest first
	Missing  []string         // variables and files that it needs and that are not there
	// Problems are what could not be read or looked at, one line each.
	Problems []string
}

// Verb is a change that a person asks for.
type Verb int

// The verbs.
const (
	Pin Verb = iota + 1
	Unpin
	Archive
	Restore
	Rollback
	Edit
	Describe
)

// Task is a change to one skill.
type Task struct {
	Verb Verb
	Path string // of its SKILL.md
	Name string // of the archived skill, for Restore
	ID   string // the change to go back to, for Rollback
	Text string // the new SKILL.md, or the new description
	Base string // hash of the SKILL.md that was edited
}

// Done is what came of a task.
type Done struct {
	Said string // one line about it
	Path string // where the SKILL.md stands now; "" when it did not move
}

// Do says what the person asked for.
type Do int

// The actions of the view.
const (
	Nothing Do = iota
	Close
	Load   // the detail of Path
	Diff   // between the changes From and To of Path
	Change // Task
	Editor // Text of Path is to be edited
	Copy   // Text
	Open   // the session ID
)

// Action is a request to the root.
type Action struct {
	Do   Do
	Path string
	From string
	To   string
	ID   string
	Text string
	Task Task
}

type tab int

const (
	skillTab tab = iota
	historyTab
	indexTab
	tabs
)

// View is the browser. Create it with New.
type View struct {
	now    func() time.Time
	sheet  Sheet
	loaded bool
	err    string
	note   string
	want   string // path to begin at

	all, rows []row
	sel, top  int
	filter    *composer.Field
	typing    bool
	clicked   int // first screen line of the list as last drawn
	shown     int // lines of the list as last drawn

	tab    tab
	whole  bool // the detail has the whole view
	scroll int
	page   int // lines of the detail as last drawn
	length int // of the detail
	change int // the version that has the mark
	sure   string
	short  *short

	details map[string]Detail
	diffs   map[string]string
	asked   map[string]bool
	doc     drawn
}

// drawn is the rendered body of the skill that was drawn last.
type drawn struct {
	path, text string
	st         *theme.Styles
	by         *markdown.Renderer
	doc        *markdown.Doc
}

// row is a skill in the list: one of the library, or one of the archive.
type row struct {
	checked  *skills.Checked
	archived *skills.Archived
}

func (r *row) entry() *skills.Entry {
	if r.archived != nil {
		return &r.archived.Entry
	}
	return &r.checked.Entry
}

// path is the SKILL.md and names the row.
func (r *row) path() string {
	if r.archived != nil {
		return filepath.Join(r.archived.Folder, skills.FileName)
	}
	return r.checked.Path
}

func (r *row) name() string {
	if r.archived != nil {
		return r.archived.Name
	}
	return r.checked.Name
}

// New returns the view, which begins at the skill whose SKILL.md is want ("" for the first) and shows those
// that fit filter.
func New(now func() time.Time, want, filter string) *View {
	return &View{
		now: now, want: want, filter: composer.NewField(filter, false),
		details: map[string]Detail{}, diffs: map[string]string{}, asked: map[string]bool{},
	}
}

// SetSheet shows s. What was read of its skills is read again.
func (v *View) SetSheet(s Sheet) {
	v.sheet, v.loaded, v.err = s, true, ""
	v.asked, v.diffs = map[string]bool{}, map[string]string{}
	v.all = make([]row, 0, len(s.Checked)+len(s.Archived))
	for i := range s.Checked {
		v.all = append(v.all, row{checked: &s.Checked[i]})
	}
	slices.SortStableFunc(v.all, func(a, b row) int {
		if c := strings.Compare(a.checked.Category, b.checked.Category); c != 0 {
			return c
		}
		return strings.Compare(a.checked.Name, b.checked.Name)
	})
	for i := range s.Archived {
		v.all = append(v.all, row{archived: &s.Archived[i]})
	}
	want := v.selectedPath()
	if v.want != "" {
		want, v.want = v.want, ""
	}
	v.arrange(want)
	if v.selectedPath() == want { // it was changed, and stays in sight even if it no longer fits the filter
		return
	}
	for i := range v.all {
		if v.all[i].path() == want {
			v.rows = append([]row{v.all[i]}, v.rows...)
			v.sel = 0
		}
	}
}

// arrange filters the rows; the selection goes to path when it is among them.
func (v *View) arrange(path string) {
	v.rows = v.rows[:0:0]
	names, texts := make([]string, len(v.all)), make([]string, len(v.all))
	for i := range v.all {
		e := v.all[i].entry()
		names[i] = v.all[i].name()
		texts[i] = strings.ToLower(names[i] + " " + e.Category + " " + e.Description + " " + strings.Join(v.all[i].states(), " "))
	}
	for _, i := range fitting(v.filter.Text(), names, texts) {
		v.rows = append(v.rows, v.all[i])
	}
	v.sel = max(min(v.sel, len(v.rows)-1), 0)
	for i := range v.rows {
		if v.rows[i].path() == path {
			v.sel = i
		}
	}
}

// fitting are the skills that fit a filter, best first: those with every word in the name, those with every
// word somewhere, and those whose name holds the letters in order, which nearly every description does.
func fitting(filter string, names, texts []string) []int {
	words := strings.Fields(strings.ToLower(filter))
	holds := func(text string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	}
	loose := match.Rank(filter, names, 0)
	out := slices.DeleteFunc(slices.Clone(loose), func(i int) bool { return !holds(strings.ToLower(names[i])) })
	for i, text := range texts {
		if !slices.Contains(out, i) && holds(text) {
			out = append(out, i)
		}
	}
	for _, i := range loose {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// SetError says why the skills could not be read; what is shown stays.
func (v *View) SetError(text string) { v.err = text }

// SetNote says what came of the last action.
func (v *View) SetNote(text string) { v.note = text }

// Follow selects the skill whose SKILL.md is path when the sheet with it comes: it was moved.
func (v *View) Follow(path string) { v.want = path }

// SetDetail takes what was asked for by Load.
func (v *View) SetDetail(d Detail) {
	old := v.details[d.Path]
	v.details[d.Path] = d
	if d.Path != v.selectedPath() {
		return
	}
	if v.change > 0 && v.change < len(old.Versions) { // the mark stays on its version
		id := old.Versions[v.change].ID
		if i := slices.IndexFunc(d.Versions, func(x skills.Version) bool { return x.ID == id }); i >= 0 {
			v.change = i
		}
	}
	v.change = min(v.change, max(len(d.Versions)-1, 0))
}

// SetDiff takes what was asked for by Diff.
func (v *View) SetDiff(path, from, to, diff string) { v.diffs[diffKey(path, from, to)] = diff }

func diffKey(path, from, to string) string { return path + "\x00" + from + "\x00" + to }

func (v *View) selected() *row {
	if v.sel < 0 || v.sel >= len(v.rows) {
		return nil
	}
	return &v.rows[v.sel]
}

func (v *View) selectedPath() string {
	if r := v.selected(); r != nil {
		return r.path()
	}
	return ""
}

// detail is what is known of the selected skill.
func (v *View) detail() Detail { return v.details[v.selectedPath()] }

// Missing asks for what is about to be shown and was not read yet, once; Nothing when all is there.
func (v *View) Missing() Action {
	path := v.selectedPath()
	if path == "" {
		return Action{}
	}
	if !v.asked[path] {
		v.asked[path] = true
		return Action{Do: Load, Path: path}
	}
	d := v.detail()
	if _, ok := v.marked(&d); ok && v.tab == historyTab {
		from, to := v.span(d)
		key := diffKey(path, from, to)
		if _, ok := v.diffs[key]; !ok && !v.asked[key] {
			v.asked[key] = true
			return Action{Do: Diff, Path: path, From: from, To: to}
		}
	}
	return Action{}
}

// marked is the version that has the mark; ok is false when there is none.
func (v *View) marked(d *Detail) (x skills.Version, ok bool) {
	if len(d.Versions) == 0 {
		return x, false
	}
	v.change = max(min(v.change, len(d.Versions)-1), 0) // another skill, or fewer versions than there were
	return d.Versions[v.change], true
}

// span are the changes between which the marked version of d is compared: itself and the one before.
func (v *View) span(d Detail) (from, to string) {
	if v.change+1 < len(d.Versions) {
		from = d.Versions[v.change+1].ID
	}
	return from, d.Versions[v.change].ID
}

// states are the words for what is special about a skill.
func (r *row) states() []string {
	if r.archived != nil {
		return []string{"archived"}
	}
	var out []string
	if r.checked.Origin.Pinned {
		out = append(out, "pinned")
	}
	if !r.checked.Visible {
		out = append(out, "hidden")
	}
	if r.checked.Origin.Record.State == skills.StateStale {
		out = append(out, "stale")
	}
	return out
}

// cutTail is what of a description the model does not see; "" when it sees all.
func cutTail(e *skills.Entry) string {
	if !e.Cut() {
		return ""
	}
	kept := text.Len(strings.TrimSuffix(e.Short(), "..."))
	return string([]rune(e.Description)[min(kept, text.Len(e.Description)):])
}

package skillpane

import (
	"cmp"
	"slices"
	"strings"

	"hermes/core/text"
	"hermes/skills"
)

// Sheet is what the pane shows.
type Sheet struct {
	// Prompt is what the open session was told, in its order.
	Prompt []skills.Listed
	// Checked are all skills as they stand on disk.
	Checked []skills.Checked
	// Off says that the session has no tool to load a skill with, so none is offered, now or later.
	Off bool
	// Loaded and Made are what the session loaded and what was changed since it began.
	Loaded, Made []Mark
}

// Mark names a skill that something happened to.
type Mark struct {
	Category string // "" for none
	Name     string // of the skill or of its folder
	Folder   string // when it is known exactly, absolute; then Category says nothing
	Action   string // what was changed; "" of a skill that was loaded
	Anywhere bool   // the category is not known
}

func (m Mark) id() string { return m.Category + "\x00" + m.Name }

func (m Mark) means(c *skills.Checked) bool { return m.Means(c.Entry) }

// Means reports whether the mark is about e.
func (m Mark) Means(e skills.Entry) bool {
	switch {
	case m.Folder != "":
		return m.Folder == e.Folder
	case strings.Contains(m.Name, "/"):
		return m.Name == e.Qualified()
	}
	return (m.Category == e.Category || m.Anywhere) && e.Named(m.Name)
}

// Warned reports whether something about a skill is to be put right. That a whole category is listed by its
// names says its head line.
func Warned(c *skills.Checked) bool {
	return slices.ContainsFunc(c.Warnings, func(w skills.Warning) bool {
		return !w.Code.Information() && !w.Code.Hides() && w.Code != skills.CodeNamesOnly
	})
}

// state says how a line stands to the library of now.
type state int

const (
	same    state = iota
	fresh         // not in the prompt; the next session sees it
	changed       // patched, or described otherwise, since
	gone          // archived or hidden since
)

// row is one line of the pane.
type row struct {
	head     bool
	category string
	about    string // of a head
	names    bool   // the category is listed by names only
	key      string // SKILL.md; "" when it is gone
	marks    []string
	name     string
	text     string
	length   int // of the whole description, when the prompt cuts it
	loaded   bool
	warned   bool
	state    state
}

func (r *row) is(mark string) bool { return slices.Contains(r.marks, mark) }

// general is what skills without a category are listed under.
const general = "general"

func sectionOf(category string) string { return cmp.Or(category, general) }

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">") //nolint:gochecknoglobals // a constant

// rows puts the lines of the prompt and what came since into one list by category.
func (s *Sheet) rows() []row {
	used := map[string]bool{}
	byCategory := map[string][]row{}
	heads := map[string]row{}
	var order []string
	add := func(r row, head row) {
		if _, ok := heads[r.category]; !ok {
			heads[r.category] = head
			order = append(order, r.category)
		}
		byCategory[r.category] = append(byCategory[r.category], r)
	}
	index := s.byName()
	for _, l := range s.Prompt {
		category := unescape.Replace(l.Category)
		r := row{category: category, name: unescape.Replace(l.Name), text: unescape.Replace(l.Text), names: l.NamesOnly, state: gone}
		if c := index[category+"\x00"+r.name]; c != nil {
			used[c.Path] = true
			s.fill(&r, c)
			if c.Visible {
				r.state = same
			}
			if r.state == same && (s.was(c) || !l.NamesOnly && l.Text != c.IndexDescription) {
				r.state = changed
			}
		}
		add(r, row{head: true, category: category, about: unescape.Replace(l.About), names: l.NamesOnly})
	}
	told := len(order)
	if s.Off {
		return s.listed(order, heads, byCategory)
	}
	for i := range s.Checked {
		c := &s.Checked[i]
		if !c.Visible || used[c.Path] {
			continue
		}
		r := row{category: sectionOf(c.Category), name: unescape.Replace(c.IndexName), text: unescape.Replace(c.IndexDescription), state: fresh}
		s.fill(&r, c)
		add(r, row{head: true, category: r.category})
	}
	s.announce(add)
	slices.Sort(order[told:])
	return s.listed(order, heads, byCategory)
}

// listed puts the rows of all categories under their heads.
func (*Sheet) listed(order []string, heads map[string]row, byCategory map[string][]row) []row {
	var out []row
	for _, category := range order {
		out = append(append(out, heads[category]), byCategory[category]...)
	}
	return out
}

// announce adds skills that an event told of and that were not read yet.
func (s *Sheet) announce(add func(r, head row)) {
	known := map[string]bool{}
	for _, m := range s.Made {
		if m.Action != string(skills.Create) || known[m.id()] || slices.ContainsFunc(s.Checked, func(c skills.Checked) bool { return m.means(&c) }) {
			continue
		}
		if i := slices.IndexFunc(s.Made, func(o Mark) bool { return o.id() == m.id() && (o.Action == "delete" || o.Action == "archive") }); i >= 0 {
			continue
		}
		known[m.id()] = true
		category := sectionOf(m.Category)
		add(row{category: category, name: m.Name, state: fresh, marks: []string{m.id()}}, row{head: true, category: category})
	}
}

// byName finds a skill by its category and any of the names that the prompt may use.
func (s *Sheet) byName() map[string]*skills.Checked {
	out := map[string]*skills.Checked{}
	for i := range s.Checked {
		if c := &s.Checked[i]; c.Visible {
			out[sectionOf(c.Category)+"\x00"+unescape.Replace(c.IndexName)] = c
		}
	}
	for i := range s.Checked {
		c := &s.Checked[i]
		for _, name := range []string{c.Qualified(), text.OneLine(c.Qualified()), c.Dir, text.OneLine(c.Dir), c.Name} {
			key := sectionOf(c.Category) + "\x00" + name
			if o := out[key]; o == nil || c.Visible && !o.Visible {
				out[key] = c
			}
		}
	}
	return out
}

// fill takes what is known of c.
func (s *Sheet) fill(r *row, c *skills.Checked) {
	r.key = c.Path
	r.marks = []string{Mark{Category: c.Category, Name: c.Name}.id(), Mark{Category: c.Category, Name: c.Dir}.id()}
	r.warned = Warned(c)
	if c.Cut() {
		r.length = text.Len(c.Description)
	}
	r.loaded = slices.ContainsFunc(s.Loaded, func(m Mark) bool { return m.means(c) })
}

// was reports whether the text of c was changed since the session began.
func (s *Sheet) was(c *skills.Checked) bool {
	return slices.ContainsFunc(s.Made, func(m Mark) bool { return m.Action != "pin" && m.Action != "unpin" && m.means(c) })
}

func (s *Sheet) count(rows []row) counts {
	c := counts{shown: len(s.Prompt)}
	for i := range rows {
		if !rows[i].head && rows[i].state == fresh {
			c.fresh++
		}
	}
	for i := range s.Checked {
		if !s.Checked[i].Visible {
			c.hidden++
		}
		if Warned(&s.Checked[i]) {
			c.warned++
		}
	}
	return c
}

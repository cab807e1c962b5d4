package skills

import (
	"cmp"
	"context"
	_ "embed" // the texts of the prompt
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes/core/text"
)

//go:embed index.md
var indexText string

//go:embed guidance.md
var guidanceText string

// Guidance is the section of the system prompt that goes with skill_manage.
func Guidance() string { return strings.TrimSpace(guidanceText) }

// manual is the skill about this program; the index names it when it is there.
const manual = "hermes-workspace"

// general is what skills without a category are listed under.
const general = "general"

// Index is the part of the system prompt that lists skills, and how it came about.
type Index struct {
	// Text is the whole section; "" when there is nothing to list.
	Text string
	// Lines are the skills in it, in order; Hidden those left out.
	Lines  []Line
	Hidden []HiddenSkill
	// NamesOnly are categories that had to shrink to their names, in the order of the text.
	NamesOnly []string
	// Tokens is an estimate for Text, Budget what it may have.
	Tokens, Budget int

	stamp string // of the usage file, when it decided something
}

// Line is a skill as the model sees it.
type Line struct {
	Entry
	Shown     string // the name to load it by, escaped
	Text      string // description behind it, escaped, with its marks; "" for none
	NamesOnly bool
}

// HiddenSkill is a skill that is not offered, with the reasons.
type HiddenSkill struct {
	Entry
	Why []Warning
}

// Index makes the section for s. Equal skills on disk and an equal scope give equal bytes, in whatever
// order the files were made.
func (l *Library) Index(ctx context.Context, s Scope) (Index, error) {
	list, categories, generation, err := l.load(ctx)
	if err != nil {
		return Index{}, err
	}
	key := fmt.Sprintf("%d\x00%q\x00%t%q\x00%t%q\x00%q\x00%s\x00%d", generation, l.roots, s.Tools == nil, sorted(s.Tools),
		s.Toolsets == nil, sorted(s.Toolsets), l.opts.Disabled, l.opts.OS, l.budget(s))
	l.mu.Lock()
	x, ok := l.rendered.get(key)
	l.mu.Unlock()
	if ok && (x.stamp == "" || x.stamp == l.Usage().stamp()) && !dependsOnEnvironment(list) {
		return x, nil
	}
	x = l.render(list, categories, s)
	l.mu.Lock()
	l.rendered.put(key, x)
	l.mu.Unlock()
	return x, nil
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func dependsOnEnvironment(list []Entry) bool {
	return slices.ContainsFunc(list, func(e Entry) bool { return len(e.Meta.Environments) > 0 })
}

func (l *Library) budget(s Scope) int {
	switch {
	case l.opts.Budget > 0:
		return l.opts.Budget
	case s.Window > 0:
		return min(max(s.Window/25, 1500), 8000)
	}
	return 4000
}

// section is a category of the index.
type section struct {
	name      string
	head      string
	lines     []Line
	namesOnly bool
}

func (l *Library) render(list []Entry, categories map[string]string, s Scope) Index {
	x := Index{Budget: l.budget(s)}
	var shown []Entry
	for _, e := range list {
		if why := l.Hidden(e, s); len(why) > 0 {
			x.Hidden = append(x.Hidden, HiddenSkill{e, why})
		} else {
			shown = append(shown, e)
		}
	}
	sections := arrange(shown, categories)
	if len(sections) == 0 {
		return x
	}
	before, after := frame(s.Tools, shown)
	tokens := Tokens(before) + Tokens(after)
	for _, c := range sections {
		tokens += Tokens(c.text())
	}
	if tokens > x.Budget {
		tokens += Tokens(namesOnlyNote)
		scores := l.Usage().scores()
		x.stamp = l.Usage().stamp()
		for _, c := range leastUsed(sections, scores) {
			if tokens <= x.Budget {
				break
			}
			full := Tokens(c.text())
			c.namesOnly = true
			if small := Tokens(c.text()); small < full {
				tokens += small - full
			} else {
				c.namesOnly = false
			}
		}
	}
	var b strings.Builder
	b.WriteString(before)
	for _, c := range sections {
		b.WriteString(c.text())
		for i := range c.lines {
			c.lines[i].NamesOnly = c.namesOnly
		}
		x.Lines = append(x.Lines, c.lines...)
		if c.namesOnly {
			x.NamesOnly = append(x.NamesOnly, c.name)
		}
	}
	b.WriteString(after)
	if len(x.NamesOnly) > 0 {
		b.WriteString(namesOnlyNote)
	}
	x.Text = strings.TrimSpace(b.String())
	x.Tokens = Tokens(x.Text)
	return x
}

const namesOnlyNote = "Categories marked [names only] are listed without descriptions to save room; `skill_view` loads their skills all the same.\n"

// frame is the text around the list. What tools says is not there is not mentioned.
func frame(tools []string, shown []Entry) (before, after string) {
	drop := func(text, word string) string {
		return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(s string) bool { return strings.Contains(s, word) }), "\n")
	}
	intro := strings.TrimSpace(indexText)
	if tools != nil && !slices.Contains(tools, "skill_manage") {
		intro = drop(intro, "skill_manage")
	}
	if !slices.ContainsFunc(shown, func(e Entry) bool { return e.Named(manual) }) {
		intro = drop(intro, manual)
	}
	return intro + "\n<available_skills>\n", "</available_skills>\nGo on without a skill only when none of the list is relevant.\n"
}

// arrange groups the skills by category and marks those that share a name.
func arrange(list []Entry, categories map[string]string) []*section {
	twins := Duplicates(list)
	byName := map[string]*section{}
	var out []*section
	for _, e := range list {
		name := e.Category
		if name == "" {
			name = general
		}
		c := byName[name]
		if c == nil {
			c = &section{name: name, head: escape(oneLine(name))}
			if d := categories[name]; d != "" && poison(name, d) == "" {
				c.head += ": " + escape(text.Cut(d, IndexDescription))
			} else {
				c.head += ":"
			}
			byName[name] = c
			out = append(out, c)
		}
		c.lines = append(c.lines, lineOf(e, twins[e.Path]))
	}
	slices.SortFunc(out, func(a, b *section) int { return strings.Compare(a.name, b.name) })
	for _, c := range out {
		slices.SortFunc(c.lines, func(a, b Line) int {
			return cmp.Or(strings.Compare(a.Shown, b.Shown), strings.Compare(a.Rel, b.Rel), strings.Compare(a.Path, b.Path))
		})
	}
	return out
}

// lineOf is how the model sees e beside the skills that share a name with it.
func lineOf(e Entry, twins []Entry) Line {
	n := Line{Entry: e, Shown: escape(e.Name), Text: escape(e.Short())}
	if e.Threat != "" {
		n.Text = "[its description is withheld: it reads like an attack]"
		if poison(e.Name, "") != "" {
			n.Shown = escape(oneLine(e.Dir))
		}
	}
	if e.Root.Kind == RootProject {
		n.Text = join("[project]", n.Text)
	}
	if len(twins) == 0 {
		return n
	}
	rival := slices.ContainsFunc(twins, func(t Entry) bool { return t.Root.Kind == RootProject })
	if e.Root.Kind != RootProject || rival {
		n.Shown = escape(oneLine(e.Call(twins)))
	}
	var where []string
	for _, t := range twins {
		where = append(where, string(t.Root.Kind)+" "+oneLine(t.Qualified()))
	}
	slices.Sort(where)
	n.Text = join(escape("[same name: "+text.Cut(strings.Join(where, ", "), IndexDescription)+"]"), n.Text)
	return n
}

func join(mark, description string) string { return strings.TrimSpace(mark + " " + description) }

// text is the category as it stands in the prompt.
func (c *section) text() string {
	var b strings.Builder
	if c.namesOnly {
		names := make([]string, len(c.lines))
		for i, n := range c.lines {
			names[i] = n.Shown
		}
		b.WriteString("  " + escape(oneLine(c.name)) + " [names only]: " + strings.Join(names, ", ") + "\n")
		return b.String()
	}
	b.WriteString("  " + c.head + "\n")
	for _, n := range c.lines {
		b.WriteString("    - " + n.Shown)
		if n.Text != "" {
			b.WriteString(": " + n.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// leastUsed orders sections by how little their skills were used.
func leastUsed(sections []*section, scores map[string]int) []*section {
	sum := map[*section]int{}
	for _, c := range sections {
		for _, n := range c.lines {
			sum[c] += scores[n.Dir]
		}
	}
	out := slices.Clone(sections)
	slices.SortStableFunc(out, func(a, b *section) int {
		return cmp.Or(cmp.Compare(sum[a], sum[b]), cmp.Compare(len(b.lines), len(a.lines)), strings.Compare(a.name, b.name))
	})
	return out
}

// escape keeps text from ending or faking a tag of the index.
func escape(s string) string {
	if !strings.ContainsAny(s, "<>") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "<", "&lt;"), ">", "&gt;")
}

// Tokens estimates the tokens of s: four ASCII characters or one other character each.
func Tokens(s string) int {
	ascii := 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			ascii++
		}
	}
	other := 0
	if ascii < len(s) {
		other = utf8.RuneCountInString(s) - ascii
	}
	return (ascii+3)/4 + other
}

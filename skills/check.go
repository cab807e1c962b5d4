package skills

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core/ledger"
	"hermes/core/text"
)

// Checked is a skill with everything that its owner should know about it.
type Checked struct {
	Entry

	Warnings []Warning
	Origin   Origin
	// IndexName is the name that the prompt shows, which loads this skill and no other.
	IndexName string
	// IndexDescription is what the prompt shows of the description, marks and all.
	IndexDescription string
	Visible          bool
	HiddenBy         []Code
}

// neverUsed is how old a skill of the agent is before it counts as never used.
const neverUsed = 30 * 24 * time.Hour

// Check reads every skill whole and lists what deserves a look, in the order of Entries. It is the one
// list that the pane, the commands, the tools and doctor show.
func (l *Library) Check(ctx context.Context, s Scope) ([]Checked, error) {
	list, err := l.Entries(ctx)
	if err != nil {
		return nil, err
	}
	index, err := l.Index(ctx, s)
	if err != nil {
		return nil, err
	}
	c := l.newChecker(list)
	lines := map[string]Line{}
	for _, n := range index.Lines {
		lines[n.Path] = n
	}
	out := make([]Checked, 0, len(list))
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := Checked{Entry: e, Origin: c.origin(e)}
		n, ok := lines[e.Path]
		k.Visible, k.IndexName, k.IndexDescription = ok, escape(e.Name), escape(e.Short())
		if ok {
			k.IndexName, k.IndexDescription = n.Shown, n.Text
		}
		for _, w := range l.Hidden(e, s) {
			k.HiddenBy = append(k.HiddenBy, w.Code)
			k.Warnings = append(k.Warnings, w)
		}
		if n.NamesOnly {
			k.Warnings = append(k.Warnings, Warning{Code: CodeNamesOnly, Message: "its category is listed without descriptions, because the index would be too long; it still loads by name"})
		}
		data, err := ReadSome(e.Path)
		if err != nil {
			data = nil
		}
		k.Warnings = append(k.Warnings, c.skill(ctx, e, data)...)
		out = append(out, k)
	}
	return out, nil
}

// foresee are the warnings about the skill of p as it will be.
func (l *Library) foresee(ctx context.Context, p *Plan, list []Entry) []Warning {
	if p.Action == Delete {
		return nil
	}
	e := p.Entry
	data, err := ReadSome(e.Path)
	if err != nil && p.Action != Create {
		return nil
	}
	overlay := map[string]bool{}
	for _, c := range p.files {
		overlay[c.rel] = c.after != nil
		if c.rel != FileName {
			continue
		}
		data = c.after
		rec := fileRecord{Mtime: e.Modified.UnixNano(), Size: int64(len(data))}
		rec.note(data)
		e = rec.entry(found{root: e.Root, rel: e.Rel, folder: e.Folder, file: e.Path, linked: e.Linked})
	}
	list = slices.Clone(list)
	if i := slices.IndexFunc(list, func(o Entry) bool { return o.Path == e.Path }); i >= 0 {
		list[i] = e
	} else {
		list = append(list, e)
	}
	c := l.newChecker(list)
	c.overlay = overlay
	c.fresh = p.Action == Create && p.by.Actor != ledger.You
	return c.skill(ctx, e, data)
}

// checker knows what the skills of one library have to do with each other.
type checker struct {
	lib     *Library
	twins   map[string][]Entry
	names   map[string]bool
	near    map[string]Entry
	origins func(Entry) Origin
	overlay map[string]bool // files of the skill in question that will be there, or not
	fresh   bool            // the skill in question is one the agent is about to write
}

func (l *Library) newChecker(list []Entry) *checker {
	c := &checker{lib: l, twins: Duplicates(list), names: map[string]bool{}, near: nearDuplicates(list)}
	for _, e := range list {
		c.names[e.Dir], c.names[e.Name], c.names[e.Rel] = true, true, true
	}
	if o, err := l.Origins(); err == nil {
		c.origins = o
	}
	return c
}

func (c *checker) origin(e Entry) Origin {
	if c.origins == nil {
		return Origin{By: OriginHand}
	}
	return c.origins(e)
}

// skill lists the warnings about one skill whose SKILL.md is data.
func (c *checker) skill(ctx context.Context, e Entry, data []byte) []Warning {
	var out []Warning
	add := func(code Code, line int, format string, args ...any) {
		out = append(out, Warning{Code: code, Message: fmt.Sprintf(format, args...), File: FileName, Line: line})
	}
	d := Parse(data)
	lines := map[string]int{}
	for _, k := range d.Meta.Keys {
		lines[k.Path] = k.Line
	}
	if e.Fault.Code != "" {
		w := e.Fault
		w.Message = e.Path + ": " + w.Message
		out = append(out, w)
	}
	switch {
	case e.Description == "":
		add(CodeDescriptionMissing, lines["description"], "the prompt shows the bare name: the model cannot know when to load it")
	case e.Cut():
		add(CodeDescriptionCut, lines["description"], "%d/%d characters; the model sees %q", text.Len(e.Description), IndexDescription, e.Short())
	}
	switch f := c.lib.shared.steering(ctx, e, "", ledger.Hash(data), seen(data)); {
	case e.Threat != "":
		add(CodeDescriptionBlocked, lines["description"], "the name or description reads like an attempt to steer the agent (%s); the prompt withholds it", e.Threat)
	case f != nil:
		add(CodeSuspicious, f.Line, "reads like an attack (%s); the agent is warned when it loads the skill", f.ID)
	}
	if d.Has && d.Meta.Name != "" && d.Meta.Name != e.Dir {
		add(CodeNameMismatch, lines["name"], "the frontmatter says %q, the folder is %q", oneLine(d.Meta.Name), e.Dir)
	}
	out = append(out, c.collisions(e)...)
	out = append(out, c.relations(e, lines)...)
	if o, ok := c.near[e.Path]; ok {
		add(CodeNearDuplicate, 0, "says nearly the same as %s; consider merging them", o.Qualified())
	}
	out = append(out, unknownKeys(d.Meta.Keys)...)
	if n := text.Len(string(data)); len(data) == maxSome {
		add(CodeTooLarge, 0, "%s bytes; at most %s characters can be written, and only its beginning was looked at", text.Thousands(int(e.Size)), text.Thousands(MaxContent))
	} else if n > MaxContent {
		add(CodeTooLarge, 0, "%s characters; at most %s can be written, and reading it costs that much of the context", text.Thousands(n), text.Thousands(MaxContent))
	}
	own := c.origin(e)
	if data != nil {
		out = append(out, sections(d, own.By == OriginAgent || c.fresh)...)
		out = append(out, c.references(e, d, data)...)
	}
	if r := own.Record; own.By == OriginAgent && r.UseCount == 0 && !r.Created.IsZero() && c.lib.opts.Now().Sub(r.Created) > neverUsed {
		add(CodeNeverUsed, 0, "written %s and never used since", r.Created.Format(time.DateOnly))
	}
	return out
}

func (c *checker) collisions(e Entry) []Warning {
	var out []Warning
	for _, t := range c.twins[e.Path] {
		w := Warning{Code: CodeDuplicateName, Message: fmt.Sprintf("%s (%s) answers to the same name; this one loads as %s", t.Qualified(), t.Path, e.Call(c.twins[e.Path]))}
		if t.Root.Kind == RootProject && e.Root.Kind != RootProject {
			w.Code, w.Message = CodeShadowed, fmt.Sprintf("the skill of the project at %s is taken when the name is used alone; this one loads as %s", t.Path, e.Call(c.twins[e.Path]))
		}
		out = append(out, w)
	}
	return out
}

func (c *checker) relations(e Entry, lines map[string]int) []Warning {
	var out []Warning
	line := lines["metadata.hermes.related_skills"]
	if line == 0 {
		line = lines["related_skills"]
	}
	for _, r := range e.Meta.Related {
		r = oneLine(r)
		if c.names[r] {
			continue
		}
		m := fmt.Sprintf("related_skills names %q, which is no skill here", r)
		if near := nearestName(r, c.names); near != "" {
			m += fmt.Sprintf("; did you mean %q?", near)
		}
		out = append(out, Warning{Code: CodeDanglingRelation, Message: m, File: FileName, Line: line})
	}
	return out
}

func nearestName(name string, names map[string]bool) string {
	best, at := "", 3
	for n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < at || d == at && d < 3 && n < best {
			best, at = n, d
		}
	}
	return best
}

// knownKeys are the keys of the format, by the mapping they stand in.
func knownKeys() map[string][]string {
	return map[string][]string{
		"": {
			"name", "description", "version", "author", "license", "platforms", "environments", "compatibility", "metadata", "tags",
			"related_skills", "triggers", "required_environment_variables", "required_credential_files", "prerequisites", "setup", "allowed-tools",
		},
		"metadata.": {"hermes"},
		"metadata.hermes.": {
			"tags", "related_skills", "triggers", "requires_tools", "requires_toolsets", "fallback_for_tools", "fallback_for_toolsets", "config", "blueprint", "category",
		},
	}
}

func conditionKeys() []string {
	return []string{"requires_tools", "requires_toolsets", "fallback_for_tools", "fallback_for_toolsets"}
}

// onlyAt is the one place where a key is read that people like to put elsewhere, "" for other keys.
func onlyAt(name string) string {
	switch name {
	case "platforms", "environments", "required_environment_variables", "required_credential_files":
		return "at the top"
	}
	if slices.Contains(conditionKeys(), name) {
		return "below metadata.hermes"
	}
	return ""
}

// unknownKeys are keys that look like misspelt known ones, and known ones where they mean nothing.
func unknownKeys(keys []Key) []Warning {
	known := knownKeys()
	var out []Warning
	for _, k := range keys {
		i := strings.LastIndexByte(k.Path, '.') + 1
		prefix, name := k.Path[:i], k.Path[i:]
		list, ok := known[prefix]
		if !ok || slices.Contains(list, name) {
			continue
		}
		m := ""
		if at := onlyAt(name); at != "" {
			m = fmt.Sprintf("the key %q counts only %s; nobody reads it where it stands", oneLine(name), at)
		} else if want := meant(name, list); want != "" {
			m = fmt.Sprintf("the key %q is not known; did you mean %q?", oneLine(name), want)
		} else if want := meant(name, conditionKeys()); want != "" {
			m = fmt.Sprintf("the key %q is not known; did you mean %q below metadata.hermes?", oneLine(name), want)
		}
		if m != "" {
			out = append(out, Warning{Code: CodeUnknownKey, Message: m, File: FileName, Line: k.Line})
		}
	}
	return out
}

// meant is the known key that name is nearest to, "" when none is near.
func meant(name string, known []string) string {
	folded := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(name))
	best, at := "", 3
	for _, want := range known {
		if d := distance(folded, strings.ReplaceAll(want, "-", "_")); d < at && d*3 <= len(want) {
			best, at = want, d
		}
	}
	return best
}

// headings are the headings of a text in lower case, whole bold lines included.
func headings(body string) []string {
	var out []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			line = strings.Trim(line, "# \t")
		case strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimSuffix(line, ":"), "**"):
			line = strings.Trim(line, "*: ")
		default:
			continue
		}
		out = append(out, strings.ToLower(line))
	}
	return out
}

// sections tells which sections a reader would look for in vain. Skills of the agent must have all four;
// for others the first is enough.
func sections(d Document, all bool) []Warning {
	have := headings(d.Body)
	want := []struct {
		name  string
		words []string
	}{
		{"When to Use", []string{"when to", "use when", "when not", "trigger", "use case", "何时", "什么时候", "适用", "使用场景", "いつ"}},
		{"Procedure", []string{"procedure", "step", "workflow", "how to", "how it", "process", "instruction", "usage", "quick start", "步骤", "流程", "做法", "手順"}},
		{"Pitfalls", []string{"pitfall", "gotcha", "mistake", "caveat", "warning", "troubleshoot", "limitation", "avoid", "注意", "陷阱", "坑"}},
		{"Verification", []string{"verif", "check", "test", "validat", "done when", "验证", "检查", "確認"}},
	}
	if !all {
		want = want[:1]
	}
	var gone []string
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h string) bool {
			return slices.ContainsFunc(w.words, func(s string) bool { return strings.Contains(h, s) })
		}) {
			gone = append(gone, w.name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return []Warning{{Code: CodeMissingSection, Message: "no section " + strings.Join(gone, ", "), File: FileName}}
}

var (
	fenced   = text.NewPattern("(?ms)^ {0,3}```.*?^ {0,3}```[ \t]*\r?$|^ {0,3}~~~.*?^ {0,3}~~~[ \t]*\r?$")
	linked   = text.NewPattern(`\]\(\s*<?([^)\s>#]+)[^)]*\)`)
	named4   = text.NewPattern("(?:^|[\\s`\"'(])((?:\\./)?(?:references|templates|assets|scripts)/[\\w./-]*\\w)")
	openLink = text.NewPattern(`^(?:[a-z][a-z0-9+.-]*:|/|~|mailto:)|[<>{}$*|\\…]`)
)

// references are the files that the text names and that are not there.
func (c *checker) references(e Entry, d Document, data []byte) []Warning {
	body := d.Body
	if !strings.Contains(body, "](") && !slices.ContainsFunc(supportFolders(), func(f string) bool { return strings.Contains(body, f+"/") }) {
		return nil // most skills; the expressions below are slow
	}
	body = fenced.Regexp().ReplaceAllStringFunc(body, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	first := 1 + strings.Count(string(data[:min(d.End, len(data))]), "\n")
	scripts := c.stands(e, "scripts")
	seen := map[string]bool{}
	var out []Warning
	check := func(ref string, at int) {
		ref = strings.TrimPrefix(ref, "./")
		if seen[ref] || !strings.ContainsAny(ref, "./") || openLink.Regexp().MatchString(ref) || strings.HasPrefix(ref, "..") {
			return
		}
		seen[ref] = true
		if strings.HasPrefix(ref, "scripts/") && !scripts || c.stands(e, ref) {
			return
		}
		out = append(out, Warning{
			Code: CodeBrokenReference, Message: fmt.Sprintf("it names %s, which is not there", text.Cut(oneLine(ref), 120)),
			File: FileName, Line: first + strings.Count(body[:at], "\n"),
		})
	}
	for _, m := range linked.Regexp().FindAllStringSubmatchIndex(body, -1) {
		check(body[m[2]:m[3]], m[2])
	}
	for _, m := range named4.Regexp().FindAllStringSubmatchIndex(body, -1) {
		check(body[m[2]:m[3]], m[2])
	}
	return out
}

// stands reports whether a file or folder is there, below the skill or (for a link to another skill) at it.
func (c *checker) stands(e Entry, ref string) bool {
	if there, ok := c.overlay[ref]; ok {
		return there
	}
	for name, there := range c.overlay {
		if there && strings.HasPrefix(name, strings.TrimSuffix(ref, "/")+"/") {
			return true
		}
	}
	_, err := os.Stat(filepath.Join(e.Folder, filepath.FromSlash(ref)))
	return err == nil
}

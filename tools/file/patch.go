package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/fuzzy"
	"hermes/core/text"
	"hermes/tools"
)

// Patch is the patch tool.
type Patch struct{ opts Options }

var _ tools.Guarded = (*Patch)(nil)

// Spec describes the tool.
func (*Patch) Spec() core.ToolSpec {
	return spec("patch", patchText, `{"type":"object","properties":{`+
		`"mode":{"type":"string","enum":["replace","patch"],"description":"Replace one passage, or apply a patch body; default replace."},`+
		`"path":{"type":"string","description":"File to change, for mode replace."},`+
		`"old_string":{"type":"string","description":"The passage to replace, for mode replace."},`+
		`"new_string":{"type":"string","description":"What comes in its place; empty deletes it."},`+
		`"replace_all":{"type":"boolean","description":"Replace every place, not only a single one; default false."},`+
		`"patch":{"type":"string","description":"The patch body, for mode patch."}`+
		`},"required":[],"additionalProperties":false}`)
}

type patchArguments struct {
	Mode       string  `json:"mode"`
	Path       string  `json:"path"`
	Old        *string `json:"old_string"`
	New        *string `json:"new_string"`
	ReplaceAll bool    `json:"replace_all"`
	Patch      string  `json:"patch"`
}

// edited is a whole call that was checked and can be carried out.
type edited struct {
	changes []*change
	notes   []string
	inexact bool
	count   int // replacements, of mode replace
}

// Guard reads the files, fits every change, and judges every path of the call.
func (t *Patch) Guard(_ context.Context, run core.ToolRun) tools.Verdict {
	e, denied, err := t.prepare(run)
	switch {
	case len(denied) > 0:
		return tools.Deny("patch", denied...)
	case err != nil:
		return tools.Unable(broken("patch was not run", err))
	}
	v := tools.Verdict{Run: func(_ context.Context, run core.ToolRun) core.ToolResult { return t.finish(run, e) }}
	var asked []string
	var diffs strings.Builder
	for _, c := range e.changes {
		diffs.WriteString(c.diff)
		if action, why := t.opts.Policy.Write(c.path); action == tools.ActionAsk {
			v.Action = tools.ActionAsk
			v.Reasons = append(v.Reasons, c.path+" "+why)
			asked = append(asked, c.path)
		}
		if tools.Instructions(c.path) {
			v.Action, v.Firm = tools.ActionAsk, true
			v.Reasons = append(v.Reasons, c.path+" tells agents what to do in later sessions")
		}
	}
	v.Diff = diffs.String()
	v.Subject = paths(e.changes)
	if v.Action == tools.ActionAsk {
		slices.Sort(asked)
		v.Rule = "patch: exactly " + strings.Join(asked, ", ")
	}
	return v
}

func paths(list []*change) string {
	var out []string
	for _, c := range list {
		out = append(out, c.path)
	}
	return strings.Join(out, ", ")
}

// Run applies without asking, but never to a protected file.
func (t *Patch) Run(_ context.Context, run core.ToolRun) core.ToolResult {
	e, denied, err := t.prepare(run)
	switch {
	case len(denied) > 0:
		return tools.Fail("patch was not run: " + strings.Join(denied, "; ") + ".")
	case err != nil:
		return broken("patch was not run", err)
	}
	return t.finish(run, e)
}

// prepare works out the whole change and writes nothing. denied names paths that are off limits.
func (t *Patch) prepare(run core.ToolRun) (e *edited, denied []string, err error) {
	var a patchArguments
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return nil, nil, err
	}
	if a.Mode == "" && a.Patch != "" && a.Old == nil {
		a.Mode = "patch"
	}
	if a.Mode == "patch" {
		return t.prepareBody(run, a.Patch)
	}
	switch {
	case a.Old == nil || a.New == nil:
		return nil, nil, errors.New("mode replace needs path, old_string and new_string")
	case a.Patch != "":
		return nil, nil, errors.New("a patch body needs mode patch")
	}
	return t.prepareReplace(run, a)
}

// open resolves and judges one path and reads what is there.
func (t *Patch) open(name string) (c *change, denied string, err error) {
	path, err := t.opts.resolve(name)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if action, why := t.opts.Policy.Write(path); action == tools.ActionDeny {
		return nil, path + " " + why, nil
	}
	if kind := documentKind(path); kind != "" {
		return nil, path + " is " + kind + ", which text cannot be", nil
	}
	if c, err = t.opts.look(path); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	return c, "", nil
}

func (t *Patch) prepareReplace(run core.ToolRun, a patchArguments) (*edited, []string, error) {
	c, denied, err := t.open(a.Path)
	switch {
	case denied != "":
		return nil, []string{denied}, nil
	case err != nil:
		return nil, nil, err
	case !c.exists:
		return nil, nil, errors.New(strings.TrimSuffix(t.opts.notFound(a.Path, c.path).Content, ".") + " write_file creates files")
	}
	if reason := unwantedText(*a.New); reason != "" {
		return nil, []string{reason}, nil
	}
	if err := c.decode(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", a.Path, err)
	}
	r, err := fuzzy.Replace(c.oldText, *a.Old, *a.New, a.ReplaceAll)
	if err != nil {
		return nil, nil, t.unfit(run, c, err)
	}
	if err := c.edit(r.Content); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", a.Path, err)
	}
	e := &edited{changes: []*change{c}, count: r.Count, inexact: !r.Exact}
	if !r.Exact {
		e.notes = append(e.notes, "the passage was not found exactly but by "+tolerance(r))
	}
	t.warnChanged(run, e)
	return e, nil, nil
}

// warnChanged notes files that are not what this session last saw.
func (t *Patch) warnChanged(run core.ToolRun, e *edited) {
	for _, c := range e.changes {
		if c.exists && t.opts.Seen.changed(run.SessionID, c) {
			e.notes = append(e.notes, c.shown+" had changed since it was last read or written here; the change was fitted to what is there now")
		}
	}
}

// unfit words that an edit does not fit c, more urgently when it keeps happening.
func (t *Patch) unfit(run core.ToolRun, c *change, err error) error {
	msg := c.shown + ": " + strings.TrimSuffix(err.Error(), ".")
	if a, why := t.opts.Policy.Read(c.path, run.SessionID); a != tools.ActionAllow {
		msg = c.shown + " " + why + ", and the change does not fit it; its text is not shown unasked" // the help quotes lines
	}
	if t.opts.Seen.changed(run.SessionID, c) {
		msg += "\nThe file has changed since it was last read here: read it again"
	}
	if n := t.opts.Seen.failed(run.SessionID, c.path); n >= 3 {
		msg += fmt.Sprintf("\nThis is failure %d in a row on this file: read the place with read_file and copy the lines from there, or rewrite the file with write_file", n)
	}
	return errors.New(msg)
}

// prepareBody works out a patch body: every hunk of every file is fitted before anything is written.
func (t *Patch) prepareBody(run core.ToolRun, src string) (*edited, []string, error) {
	sections, err := parsePatch(src)
	if err != nil {
		return nil, nil, err
	}
	e := &edited{}
	var denied, faults []string
	taken := map[string]bool{}
	for _, s := range merged(sections) {
		list, no, err := t.section(run, s, e)
		denied = append(denied, no...)
		if err != nil {
			faults = append(faults, err.Error())
		}
		for _, c := range list {
			if taken[c.path] {
				faults = append(faults, c.shown+" is named twice in the patch")
			}
			taken[c.path] = true
		}
		e.changes = append(e.changes, list...)
	}
	if len(faults) > 0 {
		return nil, denied, errors.New("nothing was written.\n" + strings.Join(faults, "\n"))
	}
	t.warnChanged(run, e)
	return e, denied, nil
}

// merged joins updates of one path that stand under several headers.
func merged(in []section) []section {
	var out []section
	for _, s := range in {
		i := slices.IndexFunc(out, func(o section) bool {
			return o.path == s.path && o.op == opUpdate && s.op == opUpdate && o.to == "" && s.to == ""
		})
		if i < 0 {
			out = append(out, s)
			continue
		}
		out[i].hunks = append(out[i].hunks, s.hunks...)
	}
	return out
}

// section turns what a patch does to one file into changes.
func (t *Patch) section(run core.ToolRun, s section, e *edited) (list []*change, denied []string, err error) {
	c, no, err := t.open(s.path)
	if no != "" || err != nil {
		if no != "" {
			denied = append(denied, no)
		}
		return nil, denied, err
	}
	switch {
	case s.op == opAdd && c.exists:
		return nil, nil, fmt.Errorf("%s exists already: use \"*** Update File:\"", s.path)
	case s.op == opAdd:
		if reason := unwantedText(s.content); reason != "" {
			return nil, []string{reason}, nil
		}
		c.whole = true
		return []*change{c}, nil, c.edit(s.content)
	case !c.exists:
		return nil, nil, errors.New(strings.TrimSuffix(t.opts.notFound(s.path, c.path).Content, "."))
	case (s.op == opDelete || s.to != "") && t.link(s.path):
		return nil, nil, fmt.Errorf("%s is a link; name the file itself, %s", s.path, c.shown)
	case s.op == opDelete:
		c.remove = true
		if c.decode() == nil {
			c.diff = diffOf(c.shown, "/dev/null", c.oldText, "")
		}
		return []*change{c}, nil, nil
	}
	return t.update(run, s, c, e)
}

func (t *Patch) update(run core.ToolRun, s section, c *change, e *edited) (list []*change, denied []string, err error) {
	c.data = c.old
	if len(s.hunks) > 0 {
		for _, h := range s.hunks {
			if reason := unwantedText(h.added()); reason != "" {
				return nil, []string{reason}, nil
			}
		}
		if err := c.decode(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.path, err)
		}
		after, notes, err := applyHunks(c.oldText, s.hunks)
		if err != nil {
			return nil, nil, t.unfit(run, c, err)
		}
		if err := c.edit(after); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.path, err)
		}
		for _, n := range notes {
			e.inexact = true
			e.notes = append(e.notes, c.shown+": "+n)
		}
	}
	if s.to == "" {
		return []*change{c}, nil, nil
	}
	to, no, err := t.open(s.to)
	switch {
	case no != "":
		return nil, []string{no}, nil
	case err != nil:
		return nil, nil, err
	case to.exists:
		return nil, nil, fmt.Errorf("%s exists already: %s cannot be moved there", s.to, s.path)
	}
	to.data, to.mode, to.from, to.newText = c.data, c.mode, c.shown, c.newText
	to.diff = diffOf(c.shown, to.shown, c.oldText, c.newText)
	gone := &change{path: c.path, shown: c.shown, old: c.old, exists: true, mode: c.mode, remove: true}
	return []*change{to, gone}, nil, nil
}

// link reports whether the name itself is a link.
func (t *Patch) link(name string) bool {
	info, err := os.Lstat(t.opts.Workdir.Abs(name))
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

// added is the text a hunk brings.
func (h hunk) added() string {
	var b strings.Builder
	for _, l := range h.lines {
		if l.op == '+' {
			b.WriteString(l.text + "\n")
		}
	}
	return b.String()
}

// maxShownDiff is how much of an inexact change is shown to the model, in code points.
const maxShownDiff = 4_000

// finish carries the call out and tells what was done.
func (t *Patch) finish(run core.ToolRun, e *edited) core.ToolResult {
	var list []*change
	for _, c := range e.changes {
		if c.remove || !c.exists || string(c.data) != string(c.old) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return core.ToolResult{OK: true, Content: paths(e.changes) + ": nothing to change.", Detail: &core.ToolDetail{Summary: "unchanged", Path: e.changes[0].path}}
	}
	notes, err := t.opts.carryOut(run, list)
	if err != nil {
		return broken("patch was not run", err)
	}
	detail := &core.ToolDetail{Path: list[0].path}
	var b strings.Builder
	plus, minus := 0, 0
	for _, c := range list {
		detail.Diff += c.diff
		p, m := counts(c.diff)
		plus, minus = plus+p, minus+m
		if c.remove && slices.ContainsFunc(list, func(o *change) bool { return o.from == c.shown }) {
			continue // told by where it went
		}
		fmt.Fprintf(&b, "Patched %s: %s", c.shown, c.summary())
		if e.count > 1 {
			fmt.Fprintf(&b, " (%d replacements)", e.count)
		}
		b.WriteString(".\n")
	}
	detail.Summary = fmt.Sprintf("+%d -%d", plus, minus)
	if len(list) > 1 {
		detail.Summary += " in " + text.Count(len(list), "file", "files")
	}
	out := strings.TrimSuffix(b.String(), "\n") + noted(append(e.notes, notes...))
	if e.inexact {
		out += "\n" + text.Cut(detail.Diff, maxShownDiff)
	}
	return core.ToolResult{OK: true, Content: out, Detail: detail}
}

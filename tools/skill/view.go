package skill

import (
	"context"
	_ "embed" // the description
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/text"
	"hermes/skills"
	"hermes/tools"
)

//go:embed view.md
var viewText string

const (
	// pageSize is how much of a text one answer holds, in code points.
	pageSize = 40_000
	// maxAnswer is the whole answer, with what is around the text.
	maxAnswer = 60_000
)

// viewer is skill_view.
type viewer struct{ *set }

var (
	_ core.Tool       = (*viewer)(nil)
	_ tools.Capped    = (*viewer)(nil)
	_ tools.Forgetter = (*viewer)(nil)
	_ tools.Patient   = (*viewer)(nil)
)

// OutputLimit is the longest answer.
func (*viewer) OutputLimit() int { return maxAnswer }

// WaitsForOthers: a missing secret waits for the person's answer.
func (*viewer) WaitsForOthers() {}

// Forget takes back what a session has before it, after a compaction.
func (v *viewer) Forget(sessionID, path string) { v.seen.forgetSession(sessionID, path) }

// ReadsOnly: a view may run beside other reading calls, unless somebody may have to be asked.
func (v *viewer) ReadsOnly(json.RawMessage) bool { return v.Secrets == nil }

// Spec describes the tool.
func (*viewer) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: View, Description: strings.TrimSpace(viewText),
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"name":{"type":"string","description":"The skill: its name, or category/name."},` +
			`"file_path":{"type":"string","description":"A file of the skill, for example references/api.md."},` +
			`"offset":{"type":"integer","minimum":0,"description":"Where to go on in a long text, in characters."}` +
			`},"required":["name"],"additionalProperties":false}`),
	}
}

// loaded is the answer for a SKILL.md. The activation note comes first.
type loaded struct {
	Success     bool                `json:"success"`
	Activation  string              `json:"activation"`
	Name        string              `json:"name"`
	Description string              `json:"description"`
	Tags        []string            `json:"tags"`
	Related     []string            `json:"related_skills"`
	Content     string              `json:"content"`
	Truncated   bool                `json:"truncated,omitempty"`
	NextOffset  int                 `json:"next_offset,omitempty"`
	TotalChars  int                 `json:"total_chars,omitempty"`
	Path        string              `json:"path"`
	Folder      string              `json:"skill_dir"`
	Linked      map[string][]string `json:"linked_files"`
	UsageHint   string              `json:"usage_hint,omitempty"`
	Variables   []skills.Variable   `json:"required_environment_variables"`
	Missing     []string            `json:"missing_required_environment_variables"`
	MissingFile []string            `json:"missing_credential_files"`
	SetupNeeded bool                `json:"setup_needed"`
	Skipped     bool                `json:"setup_skipped"`
	Readiness   string              `json:"readiness_status"`
	SetupNote   string              `json:"setup_note,omitempty"`
	SetupHelp   string              `json:"setup_help,omitempty"`
	Settings    []skills.Value      `json:"settings,omitempty"`
	Compatible  string              `json:"compatibility,omitempty"`
	Note        string              `json:"note,omitempty"`
	Warnings    []skills.Warning    `json:"warnings"`
}

// fileAnswer is the answer for a supporting file.
type fileAnswer struct {
	Success    bool             `json:"success"`
	Name       string           `json:"name"`
	File       string           `json:"file"`
	Content    string           `json:"content"`
	FileType   string           `json:"file_type"`
	Binary     bool             `json:"is_binary,omitempty"`
	Size       int64            `json:"size"`
	Path       string           `json:"path"`
	Truncated  bool             `json:"truncated,omitempty"`
	NextOffset int              `json:"next_offset,omitempty"`
	TotalChars int              `json:"total_chars,omitempty"`
	Warnings   []skills.Warning `json:"warnings"`
}

// unchanged is the answer to a repeated view.
type unchanged struct {
	Success  bool   `json:"success"`
	Status   string `json:"status"`
	Name     string `json:"name"`
	File     string `json:"file,omitempty"`
	Dedup    bool   `json:"dedup"`
	Returned bool   `json:"content_returned"`
	Message  string `json:"message"`
}

// Run gives the skill or one of its files.
func (v *viewer) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	var a struct {
		Name     string `json:"name"`
		FilePath string `json:"file_path"`
		Offset   int    `json:"offset"`
	}
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return tools.Fail("The arguments cannot be read: " + err.Error() + ".")
	}
	w, err := v.Library.View(ctx, a.Name, a.FilePath)
	if err != nil {
		return failed(err)
	}
	if total := text.Len(w.Marked()); !w.Binary && a.Offset > 0 && a.Offset >= total {
		return failed(&skills.RefusedError{Code: skills.RefusedMissing, Name: w.Rel, Message: fmt.Sprintf("The text has %s characters; nothing stands at offset %s.", text.Thousands(total), text.Thousands(a.Offset))})
	}
	needs := v.needs(ctx, run, w)
	v.seen.know(session(run), w.Path, w.Hash)
	if v.seen.repeated(session(run), fmt.Sprintf("%s\x00%d", w.Path, a.Offset), w.Hash) && needs.Ready() {
		return result(true, unchanged{
			Success: true, Status: "unchanged", Name: w.Name, File: w.File, Dedup: true,
			Message: "It has not changed since you loaded it in this conversation; its text stands above.",
		}, &core.ToolDetail{Summary: "unchanged", Path: w.Path})
	}
	v.tell(ctx, run, w)
	if w.File != "" {
		return v.file(w, a.Offset)
	}
	return v.skill(w, needs, v.settings(ctx, run, w.Entry), a.Offset)
}

// needs is what the skill needs, after the person was asked for what is missing.
func (v *viewer) needs(ctx context.Context, run core.ToolRun, w skills.View) skills.Needs {
	has := func(name string) bool { return v.Lookup(name) != "" }
	n := v.Library.Needs(w.Entry, has)
	if v.Secrets == nil || w.File != "" || len(n.Variables) == 0 || v.By(run).Actor != ledger.Agent {
		return n
	}
	given := map[string]bool{}
	for _, m := range n.Variables {
		if m.Optional && !has(m.Name) {
			continue
		}
		set, err := v.Secrets.Capture(ctx, run, w.Qualified(), m)
		if err != nil {
			break // nobody there: what is missing is told instead
		}
		given[m.Name] = set
	}
	return v.Library.Needs(w.Entry, func(name string) bool {
		if set, asked := given[name]; asked {
			return set
		}
		return has(name)
	})
}

// settings are the skill's settings, after the person was asked for those that nobody set.
func (v *viewer) settings(ctx context.Context, run core.ToolRun, e skills.Entry) []skills.Value {
	if v.Secrets == nil || len(e.Meta.Settings) == 0 || v.By(run).Actor != ledger.Agent {
		return v.Library.Values(e)
	}
	return v.Secrets.Settle(ctx, run, e)
}

// tell counts the view and says it to the screen; text that tries to steer the agent is said to the person. To look at
// a skill in order to repair or tend it is no use of it.
func (v *viewer) tell(ctx context.Context, run core.ToolRun, w skills.View) {
	if by := v.By(run).Actor; by != ledger.Review && by != ledger.Curator {
		v.Library.Usage().Bump(ctx, w.Dir, skills.Viewed)
	}
	head := core.Meta{SessionID: run.SessionID, RunID: run.RunID}
	l := &core.SkillLoaded{Meta: head, Name: w.Name, Category: w.Category, File: w.File, By: string(skills.ByTool)}
	if w.File == "" {
		l.Version = w.Hash
	}
	v.emit(l)
	if w.Finding != nil {
		v.emit(&core.Notice{
			Meta: head, Level: core.LevelWarn,
			Text:   fmt.Sprintf("The skill %s holds text that reads like an attempt to steer the agent: %s, line %d (%s).", w.Qualified(), filepath.Base(w.Path), w.Finding.Line, w.Finding.ID),
			Remedy: "It was marked for the agent. Look at " + w.Path + ", and archive the skill when you do not trust it.",
		})
	}
}

// warned are the warnings that go with the text.
func warned(w skills.View) []skills.Warning {
	out := []skills.Warning{}
	if w.Fault.Code != "" && w.File == "" {
		out = append(out, w.Fault)
	}
	if w.Finding != nil {
		out = append(out, skills.Warning{Code: "injection", Message: w.Mark(), File: firstOf(w.File, skills.FileName), Line: w.Finding.Line})
	}
	return out
}

func (v *viewer) skill(w skills.View, n skills.Needs, settings []skills.Value, offset int) core.ToolResult {
	page, next, total := cutPage(w.Marked(), offset)
	out := loaded{
		Success: true, Activation: skills.Activation(w.Name), Name: w.Name, Description: w.Description, Tags: append([]string{}, w.Meta.Tags...),
		Related: append([]string{}, w.Meta.Related...), Content: page, Path: w.Path, Folder: w.Folder, Linked: skills.LinkedFiles(w.Folder),
		Variables: append([]skills.Variable{}, n.Variables...), Missing: []string{}, MissingFile: append([]string{}, n.Files...),
		SetupNeeded: !n.Ready(), Skipped: !n.Ready() && v.Secrets != nil, Readiness: "available", SetupNote: n.Note(), Settings: settings,
		Compatible: w.Meta.Compatibility, Note: w.Notes(), Warnings: warned(w),
	}
	if next > 0 {
		out.Truncated, out.NextOffset, out.TotalChars = true, next, total
	}
	if len(out.Linked) == 0 {
		out.Linked = nil
	} else {
		out.UsageHint = fmt.Sprintf("Read a file with skill_view(name=%q, file_path=…).", w.Call)
	}
	for _, m := range n.Missing {
		out.Missing = append(out.Missing, m.Name)
	}
	if out.SetupNeeded {
		out.Readiness, out.SetupHelp = "setup_needed", w.Meta.SetupHelp
	}
	return result(true, out, &core.ToolDetail{Summary: "loaded " + w.Qualified(), Path: w.Path})
}

func (v *viewer) file(w skills.View, offset int) core.ToolResult {
	out := fileAnswer{
		Success: true, Name: w.Qualified(), File: w.File, FileType: strings.ToLower(filepath.Ext(w.File)), Size: w.Size, Path: w.Path, Warnings: warned(w),
	}
	if w.Binary {
		out.Binary = true
		out.Content = fmt.Sprintf("[Binary file of %s bytes; use it by its path.]", text.Thousands(int(w.Size)))
		return result(true, out, &core.ToolDetail{Summary: "binary file", Path: w.Path})
	}
	page, next, total := cutPage(w.Marked(), offset)
	out.Content = page
	if next > 0 {
		out.Truncated, out.NextOffset, out.TotalChars = true, next, total
	}
	return result(true, out, &core.ToolDetail{Summary: "loaded " + w.File + " of " + w.Qualified(), Path: w.Path})
}

// cutPage is the part of s that begins at offset, and where the next begins (0 for none); all in code
// points. It ends at a line where it can.
func cutPage(s string, offset int) (page string, next, total int) {
	r := []rune(s)
	total = len(r)
	offset = min(max(offset, 0), total)
	end := min(offset+pageSize, total)
	if end == total {
		return string(r[offset:]), 0, total
	}
	for at := end; at > end-2000; at-- {
		if r[at-1] == '\n' {
			end = at
			break
		}
	}
	return string(r[offset:end]), end, total
}

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

//go:embed manage.md
var manageText string

// manager is skill_manage.
type manager struct{ *set }

var (
	_ core.Tool     = (*manager)(nil)
	_ tools.Patient = (*manager)(nil)
)

// WaitsForOthers: a dangerous change waits for the person's answer.
func (*manager) WaitsForOthers() {}

// Spec describes the tool.
func (*manager) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: Manage, Description: strings.TrimSpace(manageText),
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"action":{"type":"string","enum":["create","patch","edit","delete","write_file","remove_file"],"description":"What to do."},` +
			`"name":{"type":"string","description":"The skill: its name, or category/name."},` +
			`"content":{"type":"string","description":"create, edit: the whole SKILL.md."},` +
			`"category":{"type":"string","description":"create: the folder to put it in, for example devops."},` +
			`"old_string":{"type":"string","description":"patch: the passage to replace, copied exactly."},` +
			`"new_string":{"type":"string","description":"patch: what takes its place; empty deletes it."},` +
			`"replace_all":{"type":"boolean","description":"patch: replace every occurrence."},` +
			`"file_path":{"type":"string","description":"patch, write_file, remove_file: a file below the skill, for example references/api.md."},` +
			`"file_content":{"type":"string","description":"write_file: the whole file."},` +
			`"absorbed_into":{"type":"string","description":"delete: the skill that took over its content; empty when it was dropped on purpose."}` +
			`},"required":["action","name"],"additionalProperties":false}`),
	}
}

// heldError ends a change that waits for a person.
type heldError struct {
	note string
	why  core.Held
}

// Error is the note.
func (h *heldError) Error() string { return h.note }

// Run makes the change, or says why not.
func (m *manager) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	var a skills.Arguments
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return tools.Fail("Nothing was changed: the arguments cannot be read: " + err.Error() + ".")
	}
	by, op := m.By(run), a.Op()
	op.Base = m.base(ctx, run, op)
	g := gate{manager: m, run: run, by: by}
	out, err := m.Library.Do(ctx, by, op, g.pass)
	if g.held != nil {
		return result(true, holding{Success: true, Held: true, Message: g.held.note}, &core.ToolDetail{Summary: "waits for the person: " + string(g.held.why)})
	}
	if err != nil {
		return failed(err)
	}
	return m.done(run, out)
}

// base is the version of the file to change that this session knows.
func (m *manager) base(ctx context.Context, run core.ToolRun, op skills.Op) string {
	if op.Action != skills.Edit && op.Action != skills.WriteFile && op.Action != skills.RemoveFile {
		return ""
	}
	found, err := m.Library.Find(ctx, op.Name)
	if err != nil {
		return "" // the plan says why
	}
	file := strings.TrimSpace(op.File)
	if op.Action == skills.Edit || file == "" {
		file = skills.FileName
	}
	return m.seen.known(session(run), filepath.Join(found.Folder, filepath.FromSlash(file)))
}

// session keeps apart what sub-agents and the session's own agent have seen.
func session(run core.ToolRun) string { return run.SessionID + "\x00" + run.Agent }

// gate decides on the plans of one call.
type gate struct {
	*manager

	run      core.ToolRun
	by       ledger.Change
	held     *heldError
	approved string // the difference that the person said yes to
}

// pass lets a plan be made, keeps it as a proposal, or refuses it.
func (g *gate) pass(ctx context.Context, p *skills.Plan) error {
	why := p.Held
	if why == "" && g.Why != nil {
		why = g.Why(g.by)
	}
	dangerous := p.Verdict.Decision == skills.DecisionAsk
	switch {
	case g.by.Actor == ledger.You:
		return nil
	case p.NewSecret():
		return &skills.RefusedError{Code: skills.RefusedSecret, Name: p.Entry.Rel, Message: "The text holds what looks like a key or password. A skill does not keep secrets: name the environment variable that holds it. Nothing was changed."}
	case p.Verdict.Decision != skills.DecisionAllow && !dangerous:
		return blocked(p, "The change was not made: the scan found something that is not let in.")
	case why != "":
		return g.hold(ctx, p, why)
	case !dangerous || g.approved == p.Diff && p.Diff != "":
		return nil
	case g.Approver == nil || g.by.Actor != ledger.Agent:
		return g.hold(ctx, p, core.HeldDangerous)
	}
	d, said := g.Approver.Approve(ctx, core.Approval{
		ID: "skill-" + g.run.CallID, SessionID: g.run.SessionID, RunID: g.run.RunID, CallID: g.run.CallID, Agent: g.run.Agent, Tool: Manage,
		Subject: string(p.Action) + " " + p.Entry.Qualified(), Reasons: append([]string{"the scan of the skill found something dangerous"}, p.Verdict.Findings...),
		Diff: p.Diff,
	})
	if d == core.DecideDeny {
		r := blocked(p, "The user did not allow this change. Do not try it another way.")
		if said != "" {
			r.Message += " They said: " + said
		}
		return r
	}
	g.approved = p.Diff
	return nil
}

func blocked(p *skills.Plan, message string) *skills.RefusedError {
	return &skills.RefusedError{Code: skills.RefusedGuard, Name: p.Entry.Rel, Message: message + " Nothing was changed.", Report: p.Verdict.Report, Findings: p.Verdict.Findings}
}

// hold keeps the plan as a proposal.
func (g *gate) hold(ctx context.Context, p *skills.Plan, why core.Held) error {
	if g.Holder == nil {
		return &skills.RefusedError{Code: skills.RefusedReadOnly, Name: p.Entry.Rel, Message: fmt.Sprintf("The change would have to wait for the user (%s), and there is no inbox here. Nothing was changed.", why)}
	}
	proposal := p.Proposal(g.run.Arguments, why)
	proposal.CallID = g.run.CallID
	kept, note, err := g.Holder.Hold(ctx, proposal)
	if err != nil {
		return err
	}
	if g.Added != nil {
		g.Added(kept)
	}
	g.held = &heldError{note, why}
	return g.held
}

// holding is the answer when the change waits for the person.
type holding struct {
	Success bool   `json:"success"`
	Held    bool   `json:"held"`
	Message string `json:"message"`
}

// success is the answer to a change.
type success struct {
	Success  bool             `json:"success"`
	Message  string           `json:"message"`
	Path     string           `json:"path,omitempty"`
	SkillMD  string           `json:"skill_md,omitempty"`
	Category string           `json:"category,omitempty"`
	Change   *change          `json:"_change,omitempty"`
	Match    *match           `json:"match,omitempty"`
	Hint     string           `json:"hint,omitempty"`
	Preview  string           `json:"system_prompt_preview,omitempty"`
	Archived string           `json:"_archived,omitempty"`
	Warnings []skills.Warning `json:"warnings"`
	LedgerID string           `json:"ledger_id"`
}

type change struct {
	Description string `json:"description,omitempty"`
	Old         string `json:"old,omitempty"`
	New         string `json:"new,omitempty"`
}

// match says how a patch found its place.
type match struct {
	Count    int    `json:"count"`
	Strategy string `json:"strategy"`
	Exact    bool   `json:"exact"`
}

// done answers a change that was made.
func (m *manager) done(run core.ToolRun, out skills.Outcome) core.ToolResult {
	p, e := out.Plan, out.Entry
	s := success{Success: true, Message: message(out), Category: e.Category, LedgerID: out.LedgerID, Warnings: append([]skills.Warning{}, p.Warnings...)}
	file := p.Changed()
	full := filepath.Join(e.Folder, filepath.FromSlash(file))
	switch p.Action {
	case skills.Create:
		s.Path, s.SkillMD = e.Rel, e.Path
		s.Change = &change{Description: text.Cut(e.Description, 120)}
		s.Hint = "Supporting files are added with action write_file: file_path references/…, templates/…, scripts/… or assets/…. The list in the prompt shows the skill from the next session on."
	case skills.Edit:
		s.Path = full
		s.Change = &change{Description: text.Cut(e.Description, 120)}
	case skills.Patch:
		s.Path = full
		s.Change = &change{Old: text.Cut(*p.Old, 200), New: text.Cut(*p.New, 200)}
		s.Match = &match{Count: p.Match.Count, Strategy: p.Match.Strategy, Exact: p.Match.Exact}
	case skills.Delete:
		s.Archived = out.Archived
	default:
		s.Path = full
	}
	if e.Cut() && file == skills.FileName {
		s.Preview = "- " + e.Name + ": " + e.Short()
	}
	if after := p.After(); after != nil {
		m.seen.know(session(run), full, ledger.Hash(after))
	}
	return result(true, s, &core.ToolDetail{Summary: s.Message, Diff: p.Diff, Path: firstOf(s.SkillMD, s.Path)})
}

func message(out skills.Outcome) string {
	p, name := out.Plan, out.Entry.Qualified()
	switch p.Action {
	case skills.Create:
		return "Created the skill " + name + "."
	case skills.Edit:
		return "Replaced SKILL.md of " + name + "."
	case skills.Patch:
		s := fmt.Sprintf("Patched %s of %s (%d %s).", p.Changed(), name, p.Match.Count, text.Plural(p.Match.Count, "replacement", "replacements"))
		if !p.Match.Exact {
			s += " The passage was not found exactly but by tolerance (" + p.Match.Strategy + "); look at the result if that surprises you."
		}
		return s
	case skills.WriteFile:
		return "Wrote " + p.Changed() + " of " + name + "."
	case skills.RemoveFile:
		return "Removed " + p.Changed() + " of " + name + "."
	default:
		return "Archived " + name + ". The user can bring it back with hermes skills restore " + filepath.Base(out.Archived) + "."
	}
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

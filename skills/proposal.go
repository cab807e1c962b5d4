package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"hermes/core"
	"hermes/core/ledger"
)

// Arguments are those of the tool skill_manage; a proposal keeps them.
type Arguments struct {
	Action       string  `json:"action"`
	Name         string  `json:"name"`
	Category     string  `json:"category,omitempty"`
	Content      *string `json:"content,omitempty"`
	OldString    *string `json:"old_string,omitempty"`
	NewString    *string `json:"new_string,omitempty"`
	ReplaceAll   bool    `json:"replace_all,omitempty"`
	FilePath     string  `json:"file_path,omitempty"`
	FileContent  *string `json:"file_content,omitempty"`
	AbsorbedInto *string `json:"absorbed_into,omitempty"`
}

// Op is the change that the arguments mean.
func (a Arguments) Op() Op {
	return Op{
		Action: Action(strings.ToLower(strings.TrimSpace(a.Action))), Name: a.Name, Category: a.Category, Content: a.Content,
		Old: a.OldString, New: a.NewString, ReplaceAll: a.ReplaceAll, File: a.FilePath, Body: a.FileContent, AbsorbedInto: a.AbsorbedInto,
	}
}

// Proposal makes p, which waits for the reason given, a proposal. The caller adds where it came from.
func (p *Plan) Proposal(arguments json.RawMessage, why core.Held) core.Proposal {
	return core.Proposal{
		Store: core.StoreSkills, Action: string(p.Action), Subject: p.Entry.Subject(), Arguments: arguments, Diff: p.Diff, Base: p.Base,
		Held: why, Reason: p.describe(), Findings: p.Verdict.Findings, Actor: string(p.by.Actor), SessionID: p.by.SessionID, RunID: p.by.RunID,
		ReviewID: p.by.ReviewID, Taint: p.by.Taint,
	}
}

// Applier accepts proposals for this library.
func (l *Library) Applier() core.Applier { return applier{l} }

type applier struct{ l *Library }

// Preview checks p against what is on disk now and returns the diff that Apply would make.
func (a applier) Preview(ctx context.Context, p core.Proposal) (string, error) {
	plan, err := a.plan(ctx, p)
	if err != nil {
		return "", err
	}
	return plan.Diff, nil
}

// Apply makes the change in the person's name; who wished it and from where stays with it.
func (a applier) Apply(ctx context.Context, p core.Proposal) (string, error) {
	plan, err := a.plan(ctx, p)
	if err != nil {
		return "", err
	}
	out, err := a.l.Make(ctx, plan)
	if err != nil {
		return "", err
	}
	if plan.Action == Create { // the agent wrote it, the person let it
		a.l.note(a.l.Usage().Update(ctx, out.Entry.Dir, func(r *Record) { r.CreatedBy = ByAgent }))
	}
	return out.LedgerID, nil
}

// plan is p as a change by the person on what is there now.
func (a applier) plan(ctx context.Context, p core.Proposal) (*Plan, error) {
	var args Arguments
	if err := json.Unmarshal(p.Arguments, &args); err != nil {
		return nil, &core.Error{Code: core.CodeUsage, Op: "read proposal", Subject: p.ID, Err: err}
	}
	op := args.Op()
	op.Reason = p.Reason
	if rel, ok := strings.CutPrefix(p.Subject, kind+":"); ok && op.Action != Create {
		op.Name = rel
	}
	for name, want := range p.Base {
		now, err := hashFile(a.l.opts.Ledger.Path(name))
		if err != nil {
			return nil, err
		}
		if now != want {
			return nil, &core.Error{
				Code: core.CodeBusy, Op: "apply proposal", Subject: name, Err: errors.New("the file was changed since the proposal was made"),
				Hint: "Reject it, or have the change proposed again.",
			}
		}
	}
	plan, err := a.l.Plan(ctx, ledger.Change{Actor: ledger.You, SessionID: p.SessionID, RunID: p.RunID, ReviewID: p.ReviewID, Taint: p.Taint}, op)
	var r *RefusedError
	if errors.As(err, &r) && r.Code == RefusedCollision {
		return nil, &core.Error{Code: core.CodeBusy, Op: "apply proposal", Subject: p.Subject, Err: err, Hint: "Reject it, or rename the skill that is there."}
	}
	if err != nil {
		return nil, fmt.Errorf("apply proposal: %w", err)
	}
	return plan, nil
}

// Draft is a skill as a proposal would leave it.
type Draft struct {
	Entry    Entry
	Files    map[string][]byte // what the proposal writes, by the path below the skill's folder; SKILL.md always
	Warnings []Warning
	Verdict  Verdict // of the guard
}

// Draft shows what accepting p now would make. What takes a skill or a file away leaves nothing of it.
func (l *Library) Draft(ctx context.Context, p core.Proposal) (Draft, error) {
	plan, err := applier{l}.plan(ctx, p)
	if err != nil {
		return Draft{}, err
	}
	d := Draft{Entry: plan.Entry, Files: map[string][]byte{}, Warnings: plan.Warnings, Verdict: plan.Verdict}
	for _, c := range plan.files {
		if c.after != nil {
			d.Files[c.rel] = c.after
		}
	}
	if d.Files[FileName] == nil && plan.Action != Delete {
		if d.Files[FileName], err = os.ReadFile(plan.Entry.Path); err != nil {
			return d, &core.Error{Op: "read skill", Subject: plan.Entry.Rel, Err: err}
		}
	}
	doc := Parse(d.Files[FileName])
	d.Entry.Description = doc.Meta.Description
	return d, nil
}

// hashFile is the hash of a file, "" when there is none.
func hashFile(file string) (string, error) {
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", &core.Error{Op: "read", Subject: file, Err: err}
	}
	return ledger.Hash(data), nil
}

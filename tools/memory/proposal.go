package memory

import (
	"context"
	"encoding/json"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/memory"
)

// Inbox is the gate that keeps changes for the person, as proposals. Nil functions say no.
type Inbox struct {
	Store  *memory.Store
	Holder core.Holder
	// Why says whether a change by this actor must wait, "" when it need not.
	Why func(by ledger.Change) core.Held
	// Added hears of each proposal; may be nil.
	Added func(core.Proposal)
}

var _ Gate = Inbox{}

// Hold checks the change as if it were made, and keeps it when it must wait.
func (i Inbox) Hold(ctx context.Context, run core.ToolRun, by ledger.Change, t memory.Target, ops []memory.Op) (note string, held bool, err error) {
	why := i.Why(by)
	if why == "" {
		return "", false, nil
	}
	diff, err := i.Store.Preview(ctx, by, t, ops...)
	if err != nil {
		return "", false, err
	}
	args, err := arguments(t, ops)
	if err != nil {
		return "", false, err
	}
	kept, note, err := i.Holder.Hold(ctx, core.Proposal{
		Store: core.StoreMemory, Action: actionOf(ops), Subject: t.Subject(), Arguments: args, Diff: diff, Held: why, Reason: by.Reason,
		Actor: string(by.Actor), SessionID: by.SessionID, RunID: by.RunID, CallID: run.CallID, ReviewID: by.ReviewID, Taint: by.Taint,
	})
	if err != nil {
		return "", false, err
	}
	if i.Added != nil {
		i.Added(kept)
	}
	return note, true, nil
}

func actionOf(ops []memory.Op) string {
	if len(ops) == 1 {
		return string(ops[0].Action)
	}
	return "update"
}

// call is a call of the tool as it is stored.
type call struct {
	Target     memory.Target `json:"target"`
	Operations []stored      `json:"operations"`
}

type stored struct {
	Action  memory.Action `json:"action"`
	Content string        `json:"content,omitempty"`
	OldText string        `json:"old_text,omitempty"`
}

// arguments are the tool's arguments for ops.
func arguments(t memory.Target, ops []memory.Op) (json.RawMessage, error) {
	c := call{Target: t}
	for _, o := range ops {
		s := stored{Action: o.Action, Content: o.Text, OldText: o.Old}
		if o.ID != "" {
			s.OldText = "id:" + o.ID
		}
		c.Operations = append(c.Operations, s)
	}
	return json.Marshal(c)
}

// Applier makes proposals for memory real.
type Applier struct{ Store *memory.Store }

var _ core.Applier = Applier{}

// Preview is the difference that accepting p makes now.
func (a Applier) Preview(ctx context.Context, p core.Proposal) (string, error) {
	t, ops, err := parse(p.Arguments)
	if err != nil {
		return "", err
	}
	return a.Store.Preview(ctx, accepted(p), t, ops...)
}

// Apply makes the change in the person's name; session, run and review stay its origin.
func (a Applier) Apply(ctx context.Context, p core.Proposal) (string, error) {
	t, ops, err := parse(p.Arguments)
	if err != nil {
		return "", err
	}
	out, err := a.Store.Do(ctx, accepted(p), t, ops...)
	return out.LedgerID, err
}

func accepted(p core.Proposal) ledger.Change {
	return ledger.Change{
		Actor: ledger.You, SessionID: p.SessionID, RunID: p.RunID, ReviewID: p.ReviewID, Taint: p.Taint,
		Reason: "accepted proposal " + p.ID + " of " + p.Actor,
	}
}

// parse reads the tool's arguments of either form.
func parse(args json.RawMessage) (memory.Target, []memory.Op, error) {
	var a struct {
		operation

		Target     memory.Target `json:"target"`
		Operations []operation   `json:"operations"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return "", nil, &core.Error{Code: core.CodeUsage, Op: "read proposal", Err: err, Hint: `Its arguments are those of the memory tool: {"target":"user","operations":[{"action":"add","content":"…"}]}`}
	}
	ops, err := a.ops(a.Operations)
	return a.Target, ops, err
}

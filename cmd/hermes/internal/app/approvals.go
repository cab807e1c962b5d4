package app

import (
	"context"
	"time"

	"hermes/core"
)

// approvals asks the person through events and waits for the answer. It is a core.Approver for the
// tools and the port the dialog answers to.
type approvals struct {
	emit    func(core.Event)
	record  func(core.Record)
	timeout time.Duration
	waiting waiting[core.Decision]
}

func newApprovals(timeout time.Duration, emit func(core.Event), record func(core.Record)) *approvals {
	return &approvals{emit: emit, record: record, timeout: timeout, waiting: waiting[core.Decision]{prefix: "a"}}
}

// Approve asks and blocks until the person answered, ctx ended or the time is up.
func (a *approvals) Approve(ctx context.Context, ask core.Approval) (core.Decision, string) {
	id, answer, done := a.waiting.ask(ask.ID)
	defer done()
	ask.ID = id

	a.emit(stamped(&core.ApprovalAsked{Approval: ask}, ask))
	late := time.NewTimer(a.timeout)
	defer late.Stop()
	d, why := core.DecideDeny, ""
	select {
	case d = <-answer:
		if d == core.DecideDeny {
			why = "the person said no"
		}
	case <-ctx.Done():
		why = "interrupted before the person answered"
	case <-late.C:
		why = "nobody answered within " + a.timeout.String()
	}
	a.record(core.Record{Type: core.RecordApproval, RunID: ask.RunID, Target: ask.CallID, Reason: string(d), Text: ask.Tool + ": " + ask.Subject})
	a.emit(stamped(&core.ApprovalDone{ID: ask.ID, Decision: d, Why: why}, ask))
	return d, why
}

// Answer decides approval id.
func (a *approvals) Answer(id string, d core.Decision) error { return a.waiting.answer(id, d) }

// refuser denies everything that asks: in an unattended run nobody is there to say yes.
func refuser(emit func(core.Event), record func(core.Record)) core.Approver {
	return core.ApproverFunc(func(_ context.Context, ask core.Approval) (core.Decision, string) {
		const why = "nobody is here to approve it; run it in the workspace, or pass --yolo"
		record(core.Record{Type: core.RecordApproval, RunID: ask.RunID, Target: ask.CallID, Reason: string(core.DecideDeny), Text: ask.Tool + ": " + ask.Subject})
		emit(stamped(&core.ApprovalAsked{Approval: ask}, ask))
		emit(stamped(&core.ApprovalDone{ID: ask.ID, Decision: core.DecideDeny, Why: why}, ask))
		return core.DecideDeny, "nobody is here to approve it" // the model can neither open the workspace nor pass a flag
	})
}

// stamped gives e the session and run of ask.
func stamped[E core.Event](e E, ask core.Approval) E {
	h := e.Head()
	h.SessionID, h.RunID, h.Channel = ask.SessionID, ask.RunID, core.ChannelChat
	return e
}

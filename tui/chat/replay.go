package chat

import (
	"hermes/core"
)

// Replay rebuilds the transcript from stored records and fills the log with their calls.
func (p *Pane) Replay(past []core.Record) {
	void := map[string]bool{}
	for _, r := range past {
		if r.Type == core.RecordDiscard {
			void[r.Target] = true
		}
	}
	open := false // a run waits for its answer or its end
	for i, r := range past {
		if open && r.Type == core.RecordRunStarted {
			p.addCut()
		}
		open = openAfter(open, r, void)
		switch r.Type {
		case core.RecordMessage:
			if r.Message != nil && !void[r.Message.ID] {
				p.replayMessage(r)
			}
		case core.RecordTitle:
			p.SetTitle(r.Title)
		case core.RecordModel:
			p.AddNotice(core.Notice{Level: core.LevelInfo, Text: "model: " + r.Model})
		case core.RecordNote:
			p.AddNotice(core.Notice{Level: core.Level(r.Reason), Text: r.Text})
		case core.RecordUndo:
			p.Drop(r.Target)
			p.AddNotice(core.Notice{Level: core.LevelInfo, Text: "a turn was undone here"})
		case core.RecordCompacted:
			p.replayCompacted(past[:i], r)
		case core.RecordRunEnded:
			p.replayEnd(r)
		default:
		}
	}
	p.log.Stop()
	if open && !p.readOnly { // what is only read may be at work in another process
		p.addCut()
	}
	p.Follow()
}

// openAfter tells whether a run is without its answer and its end after r. A crash, a kill or a full disk
// leave it so.
func openAfter(open bool, r core.Record, void map[string]bool) bool {
	switch r.Type {
	case core.RecordRunStarted:
		return true
	case core.RecordRunEnded, core.RecordUndo:
		return false
	case core.RecordMessage:
		if m := r.Message; open && m != nil && !void[m.ID] { // a fork at an answer leaves the end behind
			return m.Role != core.RoleAssistant || m.Incomplete || len(m.ToolCalls) > 0
		}
	default:
	}
	return open
}

func (p *Pane) replayMessage(r core.Record) {
	m := *r.Message
	switch m.Role {
	case core.RoleUser:
		p.addUser(m)
	case core.RoleAssistant:
		if m.Content != "" || m.Reasoning != nil || m.Incomplete {
			p.add(&item{kind: kindAgent, id: m.ID}).settle(m)
		}
		for _, c := range m.ToolCalls {
			p.addCall(p.log.Replay(c, r.Time))
		}
	case core.RoleTool:
		p.log.Finish(m.ToolCallID, r)
	default:
	}
}

func (p *Pane) replayEnd(r core.Record) {
	var err *core.RunError
	if r.Text != "" {
		err = &core.RunError{Message: r.Text}
	}
	p.addEnd(core.EndReason(r.Reason), err, 0)
}

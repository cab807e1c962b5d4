package chat

import (
	"fmt"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/markdown"
)

// Apply takes one event of the open session. The root has given it to the log already; call is the
// tool call it concerned, or nil.
func (p *Pane) Apply(e core.Event, call *card.Call) {
	switch e := e.(type) {
	case *core.RunStarted:
		p.running = true
		p.addUser(e.Message)
	case *core.TextDelta:
		it := p.agent(e.MessageID)
		it.doc.Append(e.Text)
		it.changed()
	case *core.ReasoningDelta:
		it := p.agent(e.MessageID)
		it.think.WriteString(e.Text)
		it.changed()
	case *core.MessageEnded:
		p.endMessage(e.Message, e.Void)
	case *core.ToolStarted:
		p.addCall(call)
	case *core.QueueChanged:
		p.queue = e.Queue
	case *core.Notice:
		p.AddNotice(*e)
	case *core.Steered:
		p.add(&item{kind: kindUser, text: e.Text, steered: true})
	case *core.Compacted:
		p.addCompacted(e)
	case *core.RunEnded:
		p.endRun(e)
	}
	if call != nil {
		p.addCall(call)
	}
}

// AddNotice shows a notice in the transcript.
func (p *Pane) AddNotice(n core.Notice) {
	p.add(&item{kind: kindNotice, text: n.Text, remedy: n.Remedy, level: n.Level, detail: n.Detail})
}

// AddError shows a failure that belongs to no run.
func (p *Pane) AddError(err error) {
	p.add(&item{kind: kindNotice, text: err.Error(), remedy: core.HintOf(err), level: core.LevelError})
}

// Clear empties the transcript on screen; the session keeps it.
func (p *Pane) Clear() {
	p.items, p.warm, p.byID = nil, nil, map[string]*item{}
	p.view, p.sel, p.reading = viewport{follow: true}, 0, false
}

func (p *Pane) add(it *item) *item {
	p.items = append(p.items, it)
	if it.id != "" {
		p.byID[it.id] = it
	}
	if !p.view.follow {
		p.view.unseen++
	}
	return it
}

func (p *Pane) addUser(m core.Message) {
	again := m.ID != "" && p.byID[m.ID] != nil
	if again || m.ID == "" && m.Display() == "" { // a retry repeats what is here already and brings no message
		return
	}
	if m.Role != core.RoleUser && m.Role != "" {
		return
	}
	p.add(&item{kind: kindUser, id: m.ID, text: m.Display(), own: m.Note})
}

func (p *Pane) addCall(call *card.Call) {
	if call == nil || p.byID["call "+call.ID] != nil {
		return
	}
	p.add(&item{kind: kindTool, id: "call " + call.ID, call: call})
}

// AddShell shows the card of a line the person runs; the model does not see it.
func (p *Pane) AddShell(call *card.Call) {
	p.add(&item{kind: kindTool, id: call.ID, call: call, private: true})
}

// Shared marks a shell card as sent to the model.
func (p *Pane) Shared(call *card.Call) {
	if it := p.byID[call.ID]; it != nil {
		it.private = false
		it.changed()
	}
}

// agent returns the item of the streaming message id.
func (p *Pane) agent(id string) *item {
	if it := p.byID[id]; it != nil && it.kind == kindAgent {
		if !it.live { // more text after its end: it goes on
			it.doc, it.live = markdown.NewDoc(it.text, false), true
		}
		return it
	}
	return p.add(&item{kind: kindAgent, id: id, doc: markdown.NewDoc("", false), live: true})
}

// endMessage replaces what streamed by what was stored.
func (p *Pane) endMessage(m core.Message, void bool) {
	if m.Role == core.RoleUser {
		p.addUser(m)
		return
	}
	if m.Role == core.RoleTool {
		return
	}
	it := p.byID[m.ID]
	if void {
		p.remove(it)
		return
	}
	if it == nil {
		if m.Content == "" && m.Reasoning == nil {
			return
		}
		it = p.add(&item{kind: kindAgent, id: m.ID})
	}
	it.settle(m)
}

// settle gives the item the final form of its message.
func (it *item) settle(m core.Message) {
	if it.doc != nil && it.doc.Raw() == m.Content {
		it.doc.Close() // what is drawn stays drawn
	} else {
		it.doc = nil
	}
	it.text = m.Content
	if m.Reasoning != nil && m.Reasoning.Text != it.think.String() {
		it.think.Reset()
		it.think.WriteString(m.Reasoning.Text)
	}
	it.live, it.incomplete = false, m.Incomplete
	it.changed()
}

func (p *Pane) remove(gone *item) {
	for i, it := range p.items {
		if it == gone {
			p.items = append(p.items[:i:i], p.items[i+1:]...)
			delete(p.byID, gone.id)
			p.sel = min(p.sel, max(len(p.items)-1, 0))
			p.view.top = min(p.view.top, max(len(p.items)-1, 0))
			return
		}
	}
}

func (p *Pane) endRun(e *core.RunEnded) {
	p.running = false
	for i := len(p.items) - 1; i >= 0; i-- {
		it := p.items[i]
		if it.live {
			it.document().Close()
			it.text, it.live = it.doc.Raw(), false
			it.incomplete = e.Reason != core.EndAnswered
			it.changed()
		}
		if it.call != nil {
			it.changed()
		}
		if it.kind == kindUser {
			break
		}
	}
	p.addEnd(e.Reason, e.Error, e.Requests)
}

const again = "/retry tries again, or send a new message"

// addCut says that a run has no end: the process that ran it died.
func (p *Pane) addCut() {
	p.add(&item{kind: kindEnd, level: core.LevelWarn, text: "cut off: this turn was not finished", remedy: again})
}

// addEnd says how a run ended when it was not with an answer.
func (p *Pane) addEnd(reason core.EndReason, err *core.RunError, requests int) {
	switch reason {
	case core.EndInterrupted:
		p.add(&item{kind: kindEnd, level: core.LevelWarn, text: "interrupted", remedy: again})
	case core.EndBudget:
		text := "stopped: the limit of model requests for one turn is reached"
		if requests > 0 {
			text = fmt.Sprintf("stopped after %d model requests, the limit for one turn", requests)
		}
		p.add(&item{kind: kindEnd, level: core.LevelWarn, text: text, remedy: `say "continue" to go on`})
	case core.EndError:
		it := &item{kind: kindEnd, level: core.LevelError, text: "the turn failed", remedy: again}
		if err != nil {
			it.text = err.Message
			if err.Remedy != "" {
				it.remedy = err.Remedy + " · " + again
			}
		}
		p.add(it)
	default:
	}
}

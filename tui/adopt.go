package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/layout"
)

// adopt replaces the open workspace by ws: the old one is closed in the background, the screen is
// rebuilt from ws. A draft stays with its session.
func (m *Model) adopt(ws Workspace) tea.Cmd {
	old, text := m.ws, m.chat.Composer().Text()
	m.note.toast = "" // it was about the old one
	var cmds []tea.Cmd
	if text != "" && old.Conversation != nil && !m.chat.Said() { // nothing leads back to that session
		m.chat.Composer().AddHistory(text)
		cmds = append(cmds, m.historyAddCmd(text), m.toast(core.LevelInfo, "what was not sent: Up brings it back"))
		text = ""
	}
	if old.Conversation != nil {
		cmds = append(cmds, m.closeCmd(old, text))
	}
	m.chat.Composer().Reset()
	m.show(ws)
	return tea.Batch(append(cmds, m.connect())...)
}

// show puts ws on the screen without any I/O; connect does what needs some.
func (m *Model) show(ws Workspace) {
	gen := m.ws.gen + 1
	if m.ws.cancel != nil {
		m.ws.cancel() // ends a running ! line, too
	}
	m.shell, m.files, m.slash = nil, files{}, completion{}
	m.ws = open{Workspace: ws, gen: gen}
	m.log = card.NewLog()
	m.chat.Reset(m.log)
	m.tools.Reset(m.log)
	m.memory.Reset(ws.Info.SessionID)
	m.reviews.Reset()
	m.skills.Reset()
	m.onboard, m.layers, m.asks, m.quests, m.run = nil, nil, approvals{}, questions{}, run{}
	m.chat.SetTitle(ws.Info.Title)
	m.chat.Replay(ws.Info.Past)
	m.run.meter = meterOf(ws.Info)
	m.tools.SetTodos(ws.Info.Todos)
	for _, n := range ws.Info.Notices {
		m.chat.AddNotice(n)
	}
	m.focusPane(layout.Chat)
	m.place()
}

// connect starts listening to the adopted workspace and loads history and draft.
func (m *Model) connect() tea.Cmd {
	if m.ws.Conversation == nil {
		return nil
	}
	m.ws.ctx, m.ws.cancel = context.WithCancel(m.ctx) //nolint:fatcontext // one per workspace, ended by show
	return tea.Batch(m.waitCmd(), m.historyCmd(), m.draftLoadCmd(), m.memoryCmd(), m.reviewsCmd(), m.skillsCmd())
}

// applyEvents takes one batch and waits for the next.
func (m *Model) applyEvents(msg eventsMsg) tea.Cmd {
	if msg.gen != m.ws.gen {
		return nil
	}
	m.ws.last = m.opt.Now()
	var cmds []tea.Cmd
	for _, e := range msg.batch {
		cmds = append(cmds, m.applyEvent(e))
	}
	if msg.ok {
		cmds = append(cmds, m.waitCmd())
	}
	return tea.Batch(append(cmds, m.tickIfBusy())...)
}

func (m *Model) applyEvent(e core.Event) tea.Cmd {
	h := e.Head()
	switch e := e.(type) {
	case *core.UsageReported:
		m.run.meter.add(*e)
		return nil
	case *core.MemoryChanged:
		return tea.Batch(m.memoryChanged(), m.journeysCmd())
	case *core.SkillChanged, *core.SkillLoaded:
		return m.skillNews(e)
	case *core.ReviewStarted, *core.ReviewStep, *core.ReviewEnded, *core.ProposalAdded:
		return m.learned(e)
	case *core.ApprovalAsked:
		m.chat.Apply(e, m.log.Apply(e))
		return tea.Batch(m.ask(e.Approval), m.ring("asks for approval: "+e.Approval.Tool))
	case *core.ApprovalDone:
		return m.approvalDone(e)
	case *core.QuestionAsked:
		return tea.Batch(m.wonder(e.Question), m.ring("has a question"))
	case *core.QuestionDone:
		return m.questionDone(e.ID)
	}
	_, notice := e.(*core.Notice) // of learning, too: what was held or failed is told where the person looks
	if h.Channel == core.ChannelLearning && !notice || (h.SessionID != "" && h.SessionID != m.ws.Info.SessionID) {
		return nil // the learning panes come with their own reader
	}
	switch e := e.(type) {
	case *core.RunStarted:
		m.run.id = h.RunID
		m.run.active, m.run.stops, m.run.started = true, false, m.opt.Now()
		m.run.failed, m.run.ended = false, false
	case *core.Titled:
		m.ws.Info.Title = e.Title
		m.chat.SetTitle(e.Title)
	case *core.QueueChanged:
		m.queueChanged(e.Queue)
	case *core.TodoChanged:
		m.tools.SetTodos(e.Items)
		return nil
	case *core.Compacted:
		m.run.meter.compacted(e.After)
	case *core.RunEnded:
		m.run.active, m.run.stops = false, false
		m.run.failed, m.run.ended = e.Reason == core.EndError, true
		m.log.Stop()
		m.dropAsks()
	}
	m.chat.Apply(e, m.log.Apply(e))
	if _, ended := e.(*core.RunEnded); ended {
		if len(m.chat.Queue()) == 0 {
			return tea.Batch(m.learnedChanged(), m.ring("is done"+m.titled()))
		}
		return m.learnedChanged() // its commands may have changed the files
	}
	return nil
}

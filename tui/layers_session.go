package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/question"
	"hermes/tui/report"
	"hermes/tui/theme"
	"hermes/tui/viewer"
)

// The messages of the commands behind these layers.
type (
	contextMsg struct {
		gen int
		use ContextUse
		err error
	}
	// undoMsg carries what an undo would do, or did when done is set.
	undoMsg struct {
		gen    int
		report UndoReport
		done   bool
		err    error
	}
	rulesMsg struct {
		gen   int
		rules []Rule
		err   error
	}
	compactMsg struct {
		gen int
		err error
	}
)

// questions are the questions waiting for an answer, the first one shown.
type questions struct {
	waiting []core.Question
	layer   *questionLayer
}

type questionLayer struct{ dialog *question.Dialog }

// wonder queues a question and shows it when it is the first.
func (m *Model) wonder(q core.Question) tea.Cmd {
	m.quests.waiting = append(m.quests.waiting, q)
	if m.quests.layer != nil {
		m.quests.layer.dialog.SetWaiting(len(m.quests.waiting) - 1)
		return nil
	}
	return m.showQuestion()
}

func (m *Model) showQuestion() tea.Cmd {
	if m.quests.layer != nil {
		m.pop(m.quests.layer)
		m.quests.layer = nil
	}
	if len(m.quests.waiting) == 0 {
		return nil
	}
	l := &questionLayer{dialog: question.New(m.quests.waiting[0], m.opt.Now())}
	l.dialog.SetWaiting(len(m.quests.waiting) - 1)
	m.quests.layer = l
	m.push(l)
	return redrawIn(question.Quiet)
}

// questionDone takes question id off the queue, wherever it was answered.
func (m *Model) questionDone(id string) tea.Cmd {
	for i, q := range m.quests.waiting {
		if q.ID != id {
			continue
		}
		m.quests.waiting = append(m.quests.waiting[:i:i], m.quests.waiting[i+1:]...)
		if i == 0 {
			return m.showQuestion()
		}
		m.quests.layer.dialog.SetWaiting(len(m.quests.waiting) - 1)
		return nil
	}
	return nil
}

func (l *questionLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.dialog.View(m.st, w, h, m.opt.Now())
}

func (l *questionLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	name := ""
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name = keyName(key)
	}
	ready := l.dialog.Ready(m.opt.Now())
	a, answered := l.dialog.Update(name, msg, m.opt.Now())
	if !ready {
		return m.typeOn(msg)
	}
	if !answered {
		return nil
	}
	id, port := l.dialog.ID(), m.ws.Questions
	done := m.questionDone(id)
	if port == nil {
		return tea.Batch(done, m.toast(core.LevelWarn, "questions: "+notHere))
	}
	return tea.Batch(done, func() tea.Msg {
		if err := port.Answer(id, a); err != nil && core.CodeOf(err) != core.CodeNotFound {
			return doneMsg{err: err}
		}
		return nil
	})
}

// showTask opens the last steps of a sub-agent.
func (m *Model) showTask(t *card.Task) tea.Cmd {
	m.showText(t.Answer, viewer.New(t.Title, m.scr.w, func(st *theme.Styles, w int) []string {
		return append([]string{t.Header(st, m.run.tick, m.opt.Now(), w), ""}, t.Full(st, w)...)
	}))
	return nil
}

func (m *Model) compactCmd(focus string) tea.Cmd {
	port, gen, ctx := m.ws.Compactor, m.ws.gen, m.ws.ctx
	m.run.compacts, m.run.started = true, m.opt.Now()
	return tea.Batch(m.tickIfBusy(), func() tea.Msg { return compactMsg{gen: gen, err: port.Compact(ctx, focus)} })
}

func (m *Model) compactEnded(msg compactMsg) tea.Cmd {
	if msg.gen != m.ws.gen {
		return nil
	}
	m.run.compacts = false
	if msg.err != nil {
		return m.fail(msg.err)
	}
	return nil
}

func (m *Model) contextCmd() tea.Cmd {
	port, gen, ctx := m.ws.Contexts, m.ws.gen, m.ws.ctx
	return func() tea.Msg {
		use, err := port.Context(ctx)
		return contextMsg{gen: gen, use: use, err: err}
	}
}

func (m *Model) contextCame(msg contextMsg) tea.Cmd {
	switch {
	case msg.gen != m.ws.gen:
		return nil
	case msg.err != nil:
		return m.fail(msg.err)
	}
	m.pushLate(&textLayer{view: viewer.New("Context of the next request", 90, msg.use.Lines)})
	return nil
}

// undoLayer asks before the last turn is taken back.
type undoLayer struct {
	view *viewer.View
	busy bool
}

func (m *Model) undoCmd(done bool) tea.Cmd {
	port, gen, ctx := m.ws.Undoer, m.ws.gen, m.ws.ctx
	return func() tea.Msg {
		call := port.Preview
		if done {
			call = port.Undo
		}
		r, err := call(ctx)
		return undoMsg{gen: gen, report: r, done: done, err: err}
	}
}

func (m *Model) undoCame(msg undoMsg) tea.Cmd {
	if msg.gen != m.ws.gen {
		return nil
	}
	for _, l := range m.layers {
		if u, ok := l.(*undoLayer); ok {
			m.pop(u)
			break
		}
	}
	if msg.err != nil {
		return m.fail(msg.err)
	}
	if !msg.done {
		m.pushLate(&undoLayer{view: viewer.New("Undo the last turn?", 90, func(st *theme.Styles, w int) []string {
			return append(msg.report.Lines(st, w, false), "", st.Key.Render("y")+st.Text.Render(" undo   ")+st.Key.Render("Esc")+st.Text.Render(" keep"))
		})})
		return nil
	}
	return m.undone(msg.report)
}

// undone shows the screen without the turn; what the person had said is in the composer again.
func (m *Model) undone(r UndoReport) tea.Cmd {
	m.chat.Drop(r.Message)
	m.run.meter.prompt = core.Tokens{} // the next request says how full the window is
	if m.chat.Composer().Empty() && r.Text != "" {
		m.chat.Composer().SetText(r.Text)
	}
	kept := 0
	for _, f := range r.Files {
		if f.Action == report.Kept {
			kept++
		}
	}
	if kept > 0 || len(r.Notes) > 0 {
		m.pushLate(&textLayer{view: viewer.New("Undone", 90, func(st *theme.Styles, w int) []string { return r.Lines(st, w, true) })})
	}
	text := "the last turn is undone"
	if n := len(r.Files); n > 0 {
		text += fmt.Sprintf(" · %d of %d files as before", n-kept, n)
	}
	return tea.Batch(m.toast(core.LevelInfo, text), m.draftLater())
}

func (l *undoLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.view.Draw(m.st, w, h), -1, 0
}

func (l *undoLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch name := keyName(key); {
	case l.busy:
	case name == "esc" || name == "q" || name == "n":
		m.pop(l)
	case name == "y":
		if why := whyNoUndo(m); why != "" { // a run started meanwhile
			m.pop(l)
			return m.toast(core.LevelWarn, "undo: "+why)
		}
		l.busy = true
		return m.undoCmd(true)
	default:
		l.view.Key(name)
	}
	return nil
}

// rulesLayer lists the stored approval rules.
type rulesLayer struct{ list *report.RuleList }

func (m *Model) showRules() tea.Cmd {
	m.push(&rulesLayer{list: &report.RuleList{}})
	return m.rulesCmd()
}

func (m *Model) rulesCmd() tea.Cmd {
	port, gen, ctx := m.ws.Rules, m.ws.gen, m.ws.ctx
	return func() tea.Msg {
		rules, err := port.List(ctx)
		return rulesMsg{gen: gen, rules: rules, err: err}
	}
}

func (m *Model) rulesCame(msg rulesMsg) tea.Cmd {
	for _, l := range m.layers {
		r, ok := l.(*rulesLayer)
		switch {
		case !ok || msg.gen != m.ws.gen:
		case msg.err != nil:
			r.list.SetError(msg.err.Error())
		default:
			r.list.SetRules(msg.rules)
		}
	}
	return nil
}

func (l *rulesLayer) setError(text string) { l.list.SetError(text) }

func (l *rulesLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.list.View(m.st, w, h), -1, 0
}

func (l *rulesLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	closed, revoke := l.list.Key(keyName(key))
	if closed {
		m.pop(l)
	}
	if revoke == "" {
		return nil
	}
	port := m.ws.Rules
	return m.doCmd("revoked", (*Model).rulesCmd, func(ctx context.Context) error { return port.Revoke(ctx, revoke) })
}

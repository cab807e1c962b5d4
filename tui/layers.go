package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/approval"
	"hermes/tui/card"
	"hermes/tui/picker"
	"hermes/tui/theme"
	"hermes/tui/viewer"
)

// layer is an overlay: asked for keys first, drawn last. draw returns the box and the cursor within
// it (cx negative when nothing is typed).
type layer interface {
	update(m *Model, msg tea.Msg) tea.Cmd
	draw(m *Model, w, h int) (box []string, cx, cy int)
}

func (m *Model) push(l layer) { m.layers = append(m.layers, l) }

// pop removes l wherever it lies.
func (m *Model) pop(l layer) {
	for i, o := range m.layers {
		if o == l {
			m.layers = append(m.layers[:i:i], m.layers[i+1:]...)
			return
		}
	}
}

// textLayer shows text that scrolls.
type textLayer struct {
	view *viewer.View
	copy string // what y copies; "" for nothing
}

func (l *textLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch name := keyName(key); {
	case name == "esc" || name == "q":
		m.pop(l)
	case name == "y" && l.copy != "":
		return m.copyCmd(l.copy)
	default:
		l.view.Key(name)
	}
	return nil
}

func (l *textLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.view.Draw(m.st, w, h), -1, 0
}

// showText opens a text of which y copies text.
func (m *Model) showText(text string, view *viewer.View) {
	m.push(&textLayer{copy: text, view: view.Hint("y", "copies")})
}

// showCall opens the full output of c.
func (m *Model) showCall(c *card.Call) tea.Cmd {
	if c == nil {
		return nil
	}
	title := c.Tool + "  " + c.Summary
	m.showText(c.Text(), viewer.New(title, m.scr.w, func(st *theme.Styles, w int) []string {
		head := []string{c.Header(st, m.run.tick, m.opt.Now(), w, 0), ""}
		return append(head, c.Full(st, w)...)
	}))
	return nil
}

// showHelp opens the key table.
func (m *Model) showHelp() tea.Cmd {
	m.push(&textLayer{view: viewer.New("Keys and commands", helpWidth, m.helpLines)})
	return nil
}

// switchSession opens another session unless a run would be lost from sight.
func (m *Model) switchSession(f func(ctx context.Context, o Opener) (Workspace, error)) tea.Cmd {
	if why := whyNoSwitch(m); why != "" {
		return m.fail(&core.Error{Code: core.CodeBusy, Op: "open session", Hint: why})
	}
	opener := m.ws.Opener
	return m.openHeld(func(ctx context.Context) (Workspace, error) { return f(ctx, opener) })
}

// modelLayer is the model picker.
type modelLayer struct{ picker *picker.Picker }

func (m *Model) showModels() tea.Cmd {
	note := "Enter switches; the next turn starts a new prompt cache · Esc closes"
	if p := m.run.meter.prompt; p.Known && p.N > 0 {
		note = fmt.Sprintf("Enter switches; the next turn sends about %d,000 tokens uncached · Esc closes", (p.N+999)/1000)
	}
	l := &modelLayer{picker: picker.New("Model", note)}
	l.picker.AllowFree("use")
	m.push(l)
	return m.modelsCmd()
}

func (m *Model) modelsCame(msg modelsMsg) tea.Cmd {
	if m.onboard != nil {
		m.ws.busy = nil
		if msg.err != nil {
			m.onboard.SetError(msg.err.Error(), core.HintOf(msg.err))
		} else {
			m.onboard.SetModels(msg.models)
		}
		return nil
	}
	for _, l := range m.layers {
		p, ok := l.(*modelLayer)
		if !ok {
			continue
		}
		if msg.err != nil {
			p.picker.SetError(msg.err.Error())
			continue
		}
		items := make([]picker.Item, len(msg.models))
		for i, name := range msg.models {
			items[i] = picker.Item{ID: name, Label: name}
			if name == m.ws.Info.Model.Model {
				items[i].Note = "in use"
			}
		}
		p.picker.SetItems(items, m.ws.Info.Model.Model)
	}
	return nil
}

func (l *modelLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.picker.View(m.st, w, h)
}

func (l *modelLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	switch outcome, item := l.picker.Update(msg); outcome {
	case picker.Closed:
		m.pop(l)
	case picker.Picked:
		m.pop(l)
		return m.switchCmd(item.ID)
	case picker.None:
	}
	return nil
}

func (m *Model) switched(msg switchedMsg) tea.Cmd {
	if msg.err != nil {
		return m.fail(msg.err)
	}
	if msg.gen == m.ws.gen {
		m.ws.Info.Model = msg.info
	}
	return m.toast(core.LevelInfo, "model: "+msg.info.Model)
}

// promptLayer asks for one line and hands it to then.
type promptLayer struct {
	prompt *picker.Prompt
	then   func(m *Model, text string) tea.Cmd
}

func (l *promptLayer) draw(m *Model, w, _ int) (box []string, cx, cy int) {
	return l.prompt.View(m.st, w)
}

func (l *promptLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	switch outcome, text := l.prompt.Update(msg); outcome {
	case picker.Closed:
		m.pop(l)
	case picker.Picked:
		m.pop(l)
		if text != "" {
			return l.then(m, text)
		}
	case picker.None:
	}
	return nil
}

// approvals are the dialogs waiting for an answer, the first one shown.
type approvals struct {
	waiting []core.Approval
	calls   map[string]string // approval id to call id
	layer   *approvalLayer
}

type approvalLayer struct{ dialog *approval.Dialog }

// ask queues an approval and shows it when it is the first.
func (m *Model) ask(a core.Approval) tea.Cmd {
	if m.asks.calls == nil {
		m.asks.calls = map[string]string{}
	}
	m.asks.calls[a.ID] = a.CallID
	m.asks.waiting = append(m.asks.waiting, a)
	if m.asks.layer != nil {
		m.asks.layer.dialog.SetWaiting(len(m.asks.waiting) - 1)
		return nil
	}
	return m.showAsk()
}

// showAsk puts the first waiting approval on top.
func (m *Model) showAsk() tea.Cmd {
	if m.asks.layer != nil {
		m.pop(m.asks.layer)
		m.asks.layer = nil
	}
	if len(m.asks.waiting) == 0 {
		return nil
	}
	l := &approvalLayer{dialog: approval.New(m.asks.waiting[0], m.opt.Now())}
	l.dialog.SetWaiting(len(m.asks.waiting) - 1)
	m.asks.layer = l
	m.push(l)
	return redrawIn(approval.Quiet)
}

// rearm redraws; while a dialog still ignores keys it asks to be called again.
func (m *Model) rearm() tea.Cmd {
	var left time.Duration
	if m.asks.layer != nil {
		left = m.asks.layer.dialog.Remaining(m.opt.Now())
	}
	if m.quests.layer != nil {
		left = max(left, m.quests.layer.dialog.Remaining(m.opt.Now()))
	}
	if left > 0 {
		return redrawIn(left)
	}
	return nil
}

// resolve takes approval id off the queue and shows the next.
func (m *Model) resolve(id string) tea.Cmd {
	for i, a := range m.asks.waiting {
		if a.ID != id {
			continue
		}
		m.asks.waiting = append(m.asks.waiting[:i:i], m.asks.waiting[i+1:]...)
		if i == 0 {
			return m.showAsk()
		}
		m.asks.layer.dialog.SetWaiting(len(m.asks.waiting) - 1)
		return nil
	}
	return nil
}

// approvalDone hears that an approval was decided, here or elsewhere (time-out, interrupt).
func (m *Model) approvalDone(e *core.ApprovalDone) tea.Cmd {
	m.log.Approved(m.asks.calls[e.ID], e.Decision, e.Why, e.Time)
	delete(m.asks.calls, e.ID)
	return m.resolve(e.ID)
}

// dropAsks closes all dialogs: their run has ended.
func (m *Model) dropAsks() {
	m.asks.waiting, m.quests.waiting = nil, nil
	m.showAsk()
	m.showQuestion()
}

func (l *approvalLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.dialog.View(m.st, w, h, m.opt.Now()), -1, 0
}

func (l *approvalLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	now := m.opt.Now()
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return m.typeOn(msg)
	}
	ready := l.dialog.Ready(now)
	d, answered := l.dialog.Key(keyName(key), now)
	if !ready {
		return m.typeOn(msg)
	}
	if !answered {
		return nil
	}
	id := l.dialog.ID()
	if d != core.DecideDeny {
		m.log.Approved(l.dialog.CallID(), d, "", m.opt.Now())
	}
	return tea.Batch(m.answerCmd(id, d), m.resolve(id))
}

// helpLines draws the table of bindings.
func (m *Model) helpLines(st *theme.Styles, w int) []string { return drawHelp(m, st, w) }

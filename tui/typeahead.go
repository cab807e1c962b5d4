package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/approval"
	"hermes/tui/layout"
)

// typingPause is how long after a keystroke in the composer the next one still belongs to the same text.
const typingPause = time.Second

// held is what was typed while another session opens: it was meant for that one.
type held struct {
	on   bool
	msgs []tea.Msg
}

// openHeld is openCmd for a session that replaces an open one.
func (m *Model) openHeld(f func(ctx context.Context) (Workspace, error)) tea.Cmd {
	m.held = held{on: true}
	return m.openCmd(f)
}

// stageHeld keeps keys and pastes until the session they are meant for is there. Who does not want to
// wait presses Esc or Ctrl+C.
func (m *Model) stageHeld(msg tea.Msg) (tea.Cmd, bool) {
	if !m.held.on || !isInput(msg) {
		return nil, false
	}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch keyName(key) {
		case "ctrl+z", "ctrl+l":
			return nil, false
		case "ctrl+c", "esc":
			return tea.Batch(m.handOn(false), m.route(msg)), true
		}
	}
	m.held.msgs = append(m.held.msgs, msg)
	return nil, true
}

// handOn hands on what was held. When the session did not open only the text of it is kept, in the
// composer: a key meant for elsewhere must not send or delete anything here.
func (m *Model) handOn(opened bool) tea.Cmd {
	msgs := m.held.msgs
	m.held = held{}
	var cmds []tea.Cmd
	for _, msg := range msgs {
		if opened {
			cmds = append(cmds, m.route(msg))
			continue
		}
		if !isText(msg) || m.covered() || !m.composing() {
			break
		}
		cmds = append(cmds, m.typeText(msg))
	}
	return tea.Batch(cmds...)
}

// composing tells whether the composer has the keys when nothing lies over it.
func (m *Model) composing() bool { return m.scr.focus == layout.Chat && !m.chat.Reading() }

// typeText changes the composer's text by a key or a paste.
func (m *Model) typeText(msg tea.Msg) tea.Cmd {
	m.typed, m.ws.draft.begun = m.opt.Now(), true
	m.chat.Composer().Update(msg)
	return tea.Batch(m.complete(), m.draftLater())
}

// late is a box that opened by itself, when the answer to a command came.
type late struct {
	box  layer
	last time.Time // when it came, or the last key that was not for it
}

// pushLate opens a box that was not there when the last key was pressed.
func (m *Model) pushLate(l layer) {
	m.late = late{box: l, last: m.opt.Now()}
	m.push(l)
}

// tooEarly tells whether the person is still typing what they typed when l opened.
func (m *Model) tooEarly(l layer) bool {
	now := m.opt.Now()
	if l != m.late.box || now.Sub(m.late.last) >= approval.Quiet || now.Sub(m.typed) > typingPause {
		return false
	}
	m.late.last = now
	return true
}

// typeOn takes what was still meant for the composer when a dialog opened under the typing hand. Only
// who was typing is typing on: an answer that came too early is not text.
func (m *Model) typeOn(msg tea.Msg) tea.Cmd {
	if !isText(msg) || !m.composing() || m.opt.Now().Sub(m.typed) > typingPause {
		return nil
	}
	for _, l := range m.layers {
		switch l.(type) {
		case *approvalLayer, *questionLayer:
		default:
			if l != m.late.box {
				return nil
			}
		}
	}
	return m.typeText(msg)
}

// isText tells whether msg does nothing but change a text.
func isText(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return true
	case tea.KeyPressMsg:
		return msg.Text != "" && msg.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock|tea.ModScrollLock) == 0 || keyName(msg) == "backspace"
	}
	return false
}

// draftCame puts the stored draft into the composer. Who was faster keeps what they typed; the draft is
// then a step back in the history.
func (m *Model) draftCame(msg draftMsg) tea.Cmd {
	c := m.chat.Composer()
	switch {
	case msg.gen != m.ws.gen || msg.text == "" || msg.text == c.Text():
		return nil
	case !c.Empty() || m.ws.draft.begun:
		c.AddHistory(msg.text)
		return m.toast(core.LevelInfo, "the draft of last time: Up brings it back")
	}
	c.SetText(msg.text)
	m.ws.draft.saved = msg.text
	return nil
}

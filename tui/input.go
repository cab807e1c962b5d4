package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"hermes/core"
	"hermes/tui/cell"
	"hermes/tui/composer"
	"hermes/tui/keys"
	"hermes/tui/layout"
	"hermes/tui/onboard"
)

const (
	// armFor is how long a first Ctrl+C on an idle, empty prompt keeps quitting armed.
	armFor = 2 * time.Second
	// colorfulFrom is the least colour profile that is drawn in colour.
	colorfulFrom = colorprofile.ANSI
)

// cancelKey is Ctrl+C: copy a selection, else interrupt, else clear the draft, else arm quitting, else quit.
func (m *Model) cancelKey() tea.Cmd {
	now := m.opt.Now()
	switch {
	case m.sel.text != "":
		text := m.sel.text
		m.unmark()
		return m.copyCmd(text)
	case m.onboard != nil && m.onboard.Busy():
		m.giveUp()
		return nil
	case m.onboard == nil && m.stopShell():
		m.note.armed = time.Time{}
		return nil
	case m.onboard == nil && m.run.active:
		m.note.armed = time.Time{}
		return m.interrupt()
	case m.onboard == nil && !m.chat.Composer().Empty():
		text := m.chat.Composer().Text()
		m.chat.Composer().AddHistory(text)
		m.chat.Composer().Reset()
		m.slash = completion{}
		m.note.armed = time.Time{}
		return tea.Batch(m.draftLater(), m.toast(core.LevelInfo, "draft cleared · Up brings it back"))
	case now.Before(m.note.armed):
		return tea.Quit
	}
	m.note.armed = now.Add(armFor)
	return redrawIn(armFor)
}

// interrupt asks the running turn to end; the status bar says so until it has.
func (m *Model) interrupt() tea.Cmd {
	m.run.stops, m.note.toast = true, ""
	return m.interruptCmd()
}

// escape closes the top layer, else interrupts, never quits. Overlays handle it themselves.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.slash.open():
		m.slash = completion{dismissed: m.chat.Composer().Text()}
		if token := m.chat.Composer().Token(); strings.HasPrefix(token, "@") {
			m.slash.dismissed = token
		}
	case m.chat.EndSearch():
	case m.chat.Marking():
		m.chat.Mark()
	case m.stopShell():
	case m.run.active:
		return m.interrupt()
	case m.scr.focus != layout.Chat || m.chat.Reading():
		m.focusComposer()
	case m.scr.zoom:
		m.scr.zoom = false
		m.place()
		return m.remember()
	}
	return nil
}

// composerInput handles keys and pastes while the composer has them.
func (m *Model) composerInput(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name := keyName(key)
		if cmd, done := m.slashKey(name); done {
			return cmd
		}
		if empty := m.chat.Composer().Empty(); empty && name == "ctrl+d" {
			m.note.by = "Ctrl+D"
			return m.cancelKey()
		} else if empty && name == "end" {
			m.chat.Follow()
			return nil
		}
		if a, ok := m.find(keys.Composer, name); ok {
			return m.do(a, "")
		}
	}
	if isText(msg) {
		return m.typeText(msg)
	}
	outcome := m.chat.Composer().Update(msg)
	offer := m.complete()
	if outcome == composer.Submit {
		return m.submit()
	}
	return tea.Batch(offer, m.draftLater())
}

// submit sends the composer's text, or runs it when it is a slash command.
func (m *Model) submit() tea.Cmd {
	text := m.chat.Composer().Text()
	m.typed = time.Time{} // what is pressed next is no part of it
	if strings.TrimSpace(text) == "" {
		if queue := m.chat.Queue(); len(queue) > 0 && !m.run.active {
			return m.queueCmd(queue) // what waits since an interrupt goes on
		}
		return nil
	}
	if name, args, ok := parseSlash(text); ok {
		return m.slashCommand(name, args, text)
	}
	if command, ok := shellLine(text); ok && m.ws.Shell != nil {
		m.chat.Composer().AddHistory(text)
		m.chat.Composer().Reset()
		return tea.Batch(m.startShell(command), m.historyAddCmd(text), m.draftLater())
	}
	return m.sendText(text)
}

// sendText sends what stands in the composer.
func (m *Model) sendText(text string) tea.Cmd {
	m.chat.Composer().AddHistory(text)
	m.chat.Composer().Reset()
	m.slash = completion{}
	m.chat.Follow()
	return tea.Batch(m.sendCmd(text), m.historyAddCmd(text), m.draftLater())
}

// sent puts the text back when it was not accepted.
func (m *Model) sent(msg sentMsg) tea.Cmd {
	if msg.err == nil || msg.gen != m.ws.gen {
		return nil
	}
	if text := msg.text; text != "" {
		if have := m.chat.Composer().Text(); have != "" { // typed meanwhile
			text += "\n" + have
		}
		m.chat.Composer().SetText(text)
	}
	m.chat.AddError(msg.err)
	m.chat.Follow()
	return nil
}

// opened adopts a workspace, or says why there is none.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	if m.ws.busy != nil {
		m.ws.busy = nil
	}
	if msg.err == nil {
		return tea.Batch(m.adopt(msg.ws), m.handOn(true))
	}
	if m.held.on {
		return tea.Batch(m.fail(msg.err), m.handOn(false))
	}
	if m.onboard != nil {
		m.onboard.SetError(msg.err.Error(), core.HintOf(msg.err))
		return nil
	}
	return m.fail(msg.err)
}

// finished shows how a small effect ended.
func (m *Model) finished(msg doneMsg) tea.Cmd {
	if msg.err != nil {
		return m.fail(msg.err)
	}
	var cmds []tea.Cmd
	if msg.text != "" {
		cmds = append(cmds, m.toast(core.LevelInfo, msg.text))
	}
	if msg.then != nil {
		cmds = append(cmds, msg.then(m))
	}
	return tea.Batch(cmds...)
}

// fail shows an error where the person looks: in the picker or list that is open, else as a toast.
func (m *Model) fail(err error) tea.Cmd {
	m.opt.Log.Warn("effect failed", "err", err)
	text := err.Error()
	if hint := core.HintOf(err); hint != "" {
		text += " → " + hint
	}
	if len(m.layers) > 0 {
		if l, ok := m.layers[len(m.layers)-1].(interface{ setError(text string) }); ok {
			l.setError(text)
			return nil
		}
	}
	if m.onboard == nil && m.ws.Conversation != nil && cell.Width(text) > m.scr.w-6 { // a cut remedy helps nobody
		m.chat.AddError(err)
	}
	return m.toast(core.LevelError, text)
}

// onboardKey handles input while the onboarding screen is shown.
func (m *Model) onboardKey(msg tea.Msg) tea.Cmd {
	a := m.onboard.Update(msg)
	setup := m.opt.Setup
	if setup == nil {
		return nil
	}
	switch a.Do {
	case onboard.ListThem:
		ctx := m.cancellable()
		return tea.Batch(m.tickIfBusy(), func() tea.Msg {
			models, err := setup.Models(ctx, a.Choice)
			return modelsMsg{models: models, err: err}
		})
	case onboard.Save:
		ctx := m.cancellable()
		return tea.Batch(m.tickIfBusy(), m.openCmd(func(context.Context) (Workspace, error) { return setup.Save(ctx, a.Choice) }))
	case onboard.Demo:
		ctx := m.cancellable()
		return tea.Batch(m.tickIfBusy(), m.openCmd(func(context.Context) (Workspace, error) { return setup.Demo(ctx) }))
	case onboard.Cancel:
		m.giveUp()
	case onboard.Quit:
		return tea.Quit
	case onboard.Nothing:
	}
	return nil
}

// cancellable returns a context that giveUp ends.
func (m *Model) cancellable() context.Context {
	ctx, cancel := context.WithCancel(m.ctx)
	m.ws.busy = cancel
	return ctx
}

func (m *Model) giveUp() {
	if m.ws.busy != nil {
		m.ws.busy()
		m.ws.busy = nil
	}
}

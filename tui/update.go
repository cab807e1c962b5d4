package tui

import (
	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/keys"
	"hermes/tui/layout"
)

// Update passes msg through the stages; the first that knows it ends the way. A panic here ends
// the program in order.
func (m *Model) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			m.fatal = m.panicked("update", r)
			cmd = tea.Quit
		}
	}()
	m.awake()
	return m, m.guard(m.route(msg))
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	for _, stage := range []func(tea.Msg) (tea.Cmd, bool){
		m.stageTerminal, m.stageMouse, m.stageHeld, m.stageKeys, m.stageLayer, m.stagePane, m.stageNews,
	} {
		if cmd, done := stage(msg); done {
			return cmd
		}
	}
	return nil
}

// stageTerminal: what the terminal says about itself.
func (m *Model) stageTerminal(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.scr.w, m.scr.h = max(msg.Width, 0), max(msg.Height, 0)
		m.scr.sized, m.sel = true, selection{}
		m.recall()
		m.place()
	case tea.BackgroundColorMsg:
		if m.detects() {
			m.scr.dark = msg.IsDark()
			m.retheme()
		}
	case tea.ColorProfileMsg:
		m.scr.plain = m.scr.plain || msg.Profile < colorfulFrom
		m.scr.sixteen = msg.Profile == colorfulFrom
		m.retheme()
	case tea.ProgramStatusSupportMsg:
		m.scr.reports = true
	case tea.ResumeMsg:
		return tea.Batch(tea.ClearScreen, m.tickIfBusy()), true
	case tea.FocusMsg:
		m.scr.away, m.run.ended = false, false
		return m.learnedChanged(), true // an editor may have been at the files
	case tea.BlurMsg:
		m.scr.away = true
	case tea.KeyReleaseMsg:
	case interruptMsg:
		return m.cancelKey(), true
	case panicMsg:
		m.fatal = msg.err
		return tea.Quit, true
	default:
		return nil, false
	}
	return nil, true
}

// stageKeys: keys that mean the same everywhere, and those after the leader.
func (m *Model) stageKeys(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	name := keyName(key)
	if name == "esc" && m.sel.moved && !m.covered() {
		m.unmark() // it is what lies on top
		return nil, true
	}
	if name != "ctrl+c" {
		m.sel = selection{}
		if keys.Name(name) != m.note.by {
			m.note.armed = m.note.armed.Add(-armFor) // any other key disarms
		}
	}
	if m.note.prefix {
		m.note.prefix, m.note.which = false, false
		return m.afterLeader(name), true
	}
	if name == "esc" && m.chat.Searching() && !m.covered() {
		return m.searchInput(msg), true
	}
	if a, ok := m.find(keys.Anywhere, name); ok && (name == "ctrl+c" || name == "ctrl+z" || name == "ctrl+l" || !m.covered() || a.ID == "app.leader" && m.leads()) {
		return m.do(a, ""), true
	}
	return nil, false
}

// covered tells whether something lies over the panes and takes the keys.
func (m *Model) covered() bool { return m.onboard != nil || len(m.layers) > 0 }

func (m *Model) afterLeader(name string) tea.Cmd {
	if name == "esc" || name == "ctrl+g" {
		return nil
	}
	if a, ok := m.find(keys.Prefix, name); ok {
		return m.reach(a, "")
	}
	return m.toast(core.LevelWarn, "Ctrl+X "+keys.Name(name)+" is not bound · Ctrl+X ? lists the keys")
}

// stageLayer: onboarding and overlays take keys and pastes before the panes.
func (m *Model) stageLayer(msg tea.Msg) (tea.Cmd, bool) {
	if !isInput(msg) || !m.covered() {
		return nil, false
	}
	if m.scr.lay.Kind == layout.Tiny {
		return nil, true // nobody answers what they cannot see
	}
	if l := m.top(); l != nil {
		if m.tooEarly(l) {
			return m.typeOn(msg), true
		}
		if key, ok := msg.(tea.KeyPressMsg); ok && m.helping(keyName(key)) {
			return nil, true
		}
		return l.update(m, msg), true
	}
	return m.onboardKey(msg), true
}

// stagePane: the focused pane.
func (m *Model) stagePane(msg tea.Msg) (tea.Cmd, bool) {
	if !isInput(msg) {
		return nil, false
	}
	key, isKey := msg.(tea.KeyPressMsg)
	switch {
	case m.scr.lay.Kind == layout.Tiny && m.scr.sized:
		if isText(msg) && m.composing() { // a window that is being dragged loses no words
			return m.typeText(msg), true
		}
		return nil, true
	case m.scr.focus == layout.Chat && !m.chat.Reading():
		return m.composerInput(msg), true
	case m.chat.Searching():
		return m.searchInput(msg), true
	case !isKey:
		return nil, true // nothing but the composer takes pastes
	case m.scr.focus == layout.Chat:
		return m.scoped(keys.Transcript, key), true
	default:
		return m.scoped(keys.List, key), true
	}
}

func (m *Model) scoped(scope keys.Scope, key tea.KeyPressMsg) tea.Cmd {
	if a, ok := m.find(scope, keyName(key)); ok {
		return m.do(a, "")
	}
	return nil
}

// stageNews: answers of our commands and events of the core.
func (m *Model) stageNews(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case eventsMsg:
		return m.applyEvents(msg), true
	case tickMsg:
		m.run.ticking = false
		m.run.tick++
		m.chat.SetTick(m.run.tick)
		m.tools.SetTick(m.run.tick)
		m.reviews.SetTick(m.run.tick)
		return m.tickIfBusy(), true
	case toastMsg:
		if msg.id == m.note.id {
			m.note.toast = ""
		}
		return nil, true
	case whichMsg:
		m.note.which = m.note.prefix && msg.id == m.note.leads
		return nil, true
	case armedMsg:
		return m.rearm(), true
	case historyMsg:
		if msg.gen == m.ws.gen {
			m.chat.Composer().SetHistory(msg.entries)
		}
		return nil, true
	case draftMsg:
		return m.draftCame(msg), true
	case draftDueMsg:
		return m.draftSaveCmd(msg), true
	}
	return m.answer(msg), true
}

// answer handles what commands bring back.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sentMsg:
		return m.sent(msg)
	case openedMsg:
		return m.opened(msg)
	case doneMsg:
		return m.finished(msg)
	case listedMsg:
		return m.listed(msg)
	case modelsMsg:
		return m.modelsCame(msg)
	case switchedMsg:
		return m.switched(msg)
	case contextMsg:
		return m.contextCame(msg)
	case undoMsg:
		return m.undoCame(msg)
	case rulesMsg:
		return m.rulesCame(msg)
	case trustMsg:
		return m.trustCame(msg)
	case compactMsg:
		return m.compactEnded(msg)
	}
	return m.composed(msg)
}

// composed handles what the commands around the composer bring back.
func (m *Model) composed(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case layoutsMsg:
		m.layoutsCame(msg)
	case layoutsDueMsg:
		return m.layoutsSaveCmd(msg)
	case foundMsg:
		m.chat.Found(msg.matches)
	case memoryMsg:
		return m.memoryCame(msg)
	case cameMsg:
		if msg.gen == m.ws.gen {
			return msg.take(m)
		}
	case filesMsg:
		return m.filesCame(msg)
	case shellOutMsg:
		return m.shellOut(msg)
	case shellEndMsg:
		return m.shellEnded(msg)
	case editReadyMsg:
		return m.editReady(msg)
	case editEndMsg:
		return m.editEnd(msg)
	case editedMsg:
		return m.edited(msg)
	}
	return nil
}

func isInput(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		return true
	}
	return false
}

// keyName is the name of a keystroke as the bindings write it: shifted letters as the letter they
// make, everything else spelled out.
func keyName(k tea.KeyPressMsg) string {
	if k.Text != "" && k.Text != " " && k.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock) == 0 {
		return k.Text
	}
	return k.Keystroke()
}

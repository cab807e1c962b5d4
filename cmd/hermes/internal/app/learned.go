package app

import (
	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/memory"
	toolmemory "hermes/tools/memory"
)

// openLearned makes the ledger and the stores behind it. It touches nothing.
func (a *App) openLearned() {
	a.Ledger = ledger.New(a.Home)
	a.Memory = a.memoryStore(nil)
	a.Ledger.Register(a.Memory.Subject())
}

// memoryStore is the memory as emit's owner sees it: the files are the same for all.
func (a *App) memoryStore(emit func(core.Event)) *memory.Store {
	m := a.Config().Memory
	return memory.New(memory.Options{
		Home: a.Home, Ledger: a.Ledger, MemoryLimit: m.CharLimit, UserLimit: m.UserCharLimit,
		MemoryOff: !m.Enabled, UserOff: !m.UserProfileEnabled, Emit: emit,
	})
}

// By says who acts on the command line: the person, or the agent whose own shell this is.
func (a *App) By() ledger.Change {
	if s := a.opts.Getenv("HERMES_AGENT"); s != "" {
		return ledger.Change{Actor: ledger.Agent, SessionID: s}
	}
	return ledger.Change{Actor: ledger.You}
}

// memoryTool is the session's memory tool; nil when both stores are off.
func (s *Session) memoryTool() core.Tool {
	store := s.app.memoryStore(s.learned)
	if len(store.Enabled()) == 0 {
		return nil
	}
	return toolmemory.New(toolmemory.Options{Store: store, Emit: s.learned})
}

// learned tells the screen what was learned.
func (s *Session) learned(e core.Event) {
	h := e.Head()
	h.SessionID, h.Channel = s.ID(), core.ChannelLearning
	s.Feed.Emit(e)
}

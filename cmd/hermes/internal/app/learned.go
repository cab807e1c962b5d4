package app

import (
	"context"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/core/review"
	toolmemory "hermes/tools/memory"
)

// openLearned makes the ledger, the stores behind it and the inbox before it. It touches nothing.
func (a *App) openLearned() {
	a.Ledger = ledger.New(a.Home)
	a.Memory = a.memoryStore(nil)
	a.Ledger.OnChange(a.wrote)
	a.Skills = a.skillLibrary()
	a.Ledger.Register(a.Skills.Subject(), a.Memory.Subject()) // in lock order
	a.Book, a.Reviews = review.NewBook(a.Home), review.NewRecords(a.Home)
	a.Inbox = review.NewInbox(a.Home, a.Book, map[string]core.Applier{
		core.StoreMemory: toolmemory.Applier{Store: a.Memory}, core.StoreSkills: a.Skills.Applier(),
	})
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

// by is the session's own agent.
func (s *Session) by(run core.ToolRun) ledger.Change {
	return ledger.Change{Actor: ledger.Agent, SessionID: run.SessionID, RunID: run.RunID, Taint: s.turns.tainted()}
}

// memoryTool is the session's memory tool, in the name of by; nil when both stores are off.
func (s *Session) memoryTool(by func(core.ToolRun) ledger.Change) core.Tool {
	store := s.app.memoryStore(s.learned)
	if len(store.Enabled()) == 0 {
		return nil
	}
	return toolmemory.New(toolmemory.Options{Store: store, Emit: s.learned, By: by, Gate: toolmemory.Inbox{
		Store: store, Holder: s.app.Inbox, Why: s.memoryHeld, Added: s.proposed,
	}})
}

// memoryHeld says whether a change of memory waits for the person.
func (s *Session) memoryHeld(by ledger.Change) core.Held {
	switch {
	case s.app.Config().Memory.WriteApproval:
		return core.HeldApproval
	case by.Taint != "":
		return core.HeldTainted
	}
	return ""
}

// proposed tells the screen of a proposal.
func (s *Session) proposed(p core.Proposal) {
	waiting, _, err := s.app.Inbox.List()
	if err != nil {
		s.app.Log.Warn("list proposals", "err", err)
	}
	s.learned(&core.ProposalAdded{
		ProposalID: p.ID, Store: p.Store, Action: p.Action, Subject: p.Subject, Held: p.Held, Waiting: len(waiting),
	})
}

// learned tells the screen what was learned.
func (s *Session) learned(e core.Event) {
	h := e.Head()
	h.SessionID, h.Channel = s.ID(), core.ChannelLearning
	s.app.left.emit(s, e)
}

// Undo takes learned changes back in the name of by, and remembers that what agents wrote there is not
// wanted. Later changes elsewhere are kept beside it; what overlaps is refused.
func (a *App) Undo(ctx context.Context, by ledger.Change, ids ...string) (ledger.Entry, error) {
	var entries []ledger.Entry
	for _, id := range ids {
		e, err := a.Ledger.Entry(id)
		if err != nil {
			return ledger.Entry{}, err
		}
		entries = append(entries, e)
	}
	done, err := a.Ledger.Undo(ctx, by, true, ids...)
	if err != nil || by.Actor != ledger.You {
		return done, err
	}
	for _, e := range entries {
		a.quiet(ctx, "remember what was undone", func() error { return a.unwanted(ctx, e) })
	}
	return done, nil
}

// byAgents tells whether one of these changes was made by an agent: then it is remembered as not wanted.
func (a *App) byAgents(ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		e, err := a.Ledger.Entry(id)
		return err == nil && (e.Actor == ledger.Agent || e.Actor == ledger.Review)
	})
}

// unwanted notes the lesson of a change that an agent made and a person took back.
func (a *App) unwanted(ctx context.Context, e ledger.Entry) error {
	if e.Actor != ledger.Agent && e.Actor != ledger.Review {
		return nil
	}
	r := review.Refusal{Store: core.StoreMemory, Subject: e.Subject, How: "undone"}
	if !strings.HasPrefix(e.Subject, "skill:") {
		return a.Book.RefuseAll(ctx, r, a.Memory.Added(e)...)
	}
	diff, err := a.Ledger.DiffEntry(e)
	if err != nil {
		return err
	}
	r.Store = core.StoreSkills
	return a.Book.RefuseAll(ctx, r, review.LessonOf(diff))
}

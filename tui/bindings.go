package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/keys"
	"hermes/tui/layout"
)

// action is a binding with what it does and why it cannot right now.
type action struct {
	keys.Binding

	run func(m *Model, args string) tea.Cmd
	// why returns the reason the action is unavailable, "" when it is available. Nil: always is.
	why func(m *Model) string
	// stays: it lies over whatever is open, and views need not be closed for it.
	stays bool
}

// Bindings returns the table of keys and commands, from which help and README are made.
func Bindings() keys.Table {
	var t keys.Table
	for _, a := range bindings() {
		t = append(t, a.Binding)
	}
	return t
}

// find returns the action of a keystroke in scope.
func (m *Model) find(scope keys.Scope, keystroke string) (action, bool) {
	b, ok := m.table.Find(scope, keystroke)
	if !ok {
		return action{}, false
	}
	return m.action(b.Target())
}

func (m *Model) action(id string) (action, bool) {
	for _, a := range m.actions {
		if a.ID == id {
			return a, true
		}
	}
	return action{}, false
}

// do runs an action, or says why it cannot.
func (m *Model) do(a action, args string) tea.Cmd {
	if a.why != nil {
		if why := a.why(m); why != "" {
			return m.toast(core.LevelWarn, a.Help+": "+why)
		}
	}
	return a.run(m, args)
}

// bindings is the one table. Composer, overlay and dialog rows marked Note are handled by the widgets
// and stand here for the help.
func bindings() []action {
	var out []action
	for _, part := range [][]action{globalBindings(), sessionBindings(), turnBindings(), prefixBindings(), learningBindings(), composerBindings(), transcriptBindings(), listBindings(), noteBindings(), cleanupNotes(), storedNotes(), skillNotes(), deskNotes(), journeyNotes(), viewNotes()} {
		out = append(out, part...)
	}
	return out
}

func globalBindings() []action {
	return []action{
		{
			Binding: keys.Binding{ID: "app.cancel", Scope: keys.Anywhere, Keys: []string{"ctrl+c"}, Help: "copy a selection; else interrupt; else clear the draft; else, twice, quit"},
			run:     func(m *Model, _ string) tea.Cmd { m.note.by = ""; return m.cancelKey() },
		},
		{
			Binding: keys.Binding{ID: "app.back", Scope: keys.Anywhere, Keys: []string{"esc"}, Help: "close what lies on top; else interrupt"},
			run:     func(m *Model, _ string) tea.Cmd { return m.escape() },
		},
		{
			Binding: keys.Binding{ID: "app.leader", Scope: keys.Anywhere, Keys: []string{keys.Leader}, Help: "prefix of the keys below"},
			run:     func(m *Model, _ string) tea.Cmd { return m.lead() },
		},
		{
			Binding: keys.Binding{ID: "app.redraw", Scope: keys.Anywhere, Keys: []string{"ctrl+l"}, Help: "draw the screen anew"},
			run:     func(*Model, string) tea.Cmd { return tea.ClearScreen },
		},
		{
			Binding: keys.Binding{ID: "app.suspend", Scope: keys.Anywhere, Keys: []string{"ctrl+z"}, Help: "suspend (fg comes back)"},
			run:     func(*Model, string) tea.Cmd { return tea.Suspend },
		},
	}
}

// learningBindings are the views of what was learned.
func learningBindings() []action {
	return []action{
		{
			Binding: keys.Binding{ID: "skills.open", Scope: keys.Prefix, Keys: []string{"k"}, Slash: "/skills", Args: "[filter]", Help: "browse the skills and their history", Short: "skills: browse, edit, history"}, why: whyNoSkills,
			run: skillsCommand,
		},
		{
			Binding: keys.Binding{ID: "journey.open", Scope: keys.Prefix, Keys: []string{"j"}, Slash: "/journey", Help: "what was learned: timeline, graph, list", Short: "journey: what was learned"}, why: whyNoJourney,
			run: func(m *Model, _ string) tea.Cmd { return m.showJourney("") },
		},
		{
			Binding: keys.Binding{ID: "insights.open", Scope: keys.Prefix, Keys: []string{"i"}, Slash: "/insights", Args: "[days]", Help: "tokens, cost, tools, outcomes of skills", Short: "insights: tokens, cost, outcomes"}, why: whyNoInsights,
			run: insightsCommand,
		},
		{
			Binding: keys.Binding{ID: "curator.open", Scope: keys.Prefix, Slash: "/curator", Help: "the upkeep of skills nobody uses"}, why: whyNoCurator,
			run: func(m *Model, _ string) tea.Cmd { return m.showCurator() },
		},
		{
			Binding: keys.Binding{ID: "reviews.open", Scope: keys.Prefix, Keys: []string{"r"}, Slash: "/reviews", Help: "what was learned and what waits for you", Short: "reviews: what waits for you"}, why: whyNoReviews,
			run: func(m *Model, _ string) tea.Cmd { return m.showReviews("") },
		},
		{
			Binding: keys.Binding{ID: "reviews.pause", Scope: keys.Prefix, Keys: []string{"."}, Help: "pause learning, or let it go on"}, why: whyNoReviews,
			run: func(m *Model, _ string) tea.Cmd { return m.pauseLearning() }, stays: true,
		},
		{
			Binding: keys.Binding{ID: "learn", Scope: keys.Prefix, Slash: "/learn", Args: "[sources]", Help: "make a skill of sources or this session"}, why: whyNoReviews,
			run: func(m *Model, sources string) tea.Cmd { return m.sendCmd(strings.TrimSpace("/learn " + sources)) },
		},
		{
			Binding: keys.Binding{ID: "reviews.run", Scope: keys.Prefix, Slash: "/review", Args: "[focus]", Help: "learn from this session now"}, why: whyNoReviews,
			run: reviewCommand,
		},
	}
}

func prefixBindings() []action {
	pane := func(id, key, help string, p layout.Pane) action {
		return action{
			Binding: keys.Binding{ID: id, Scope: keys.Prefix, Keys: []string{key}, Help: help},
			run:     func(m *Model, _ string) tea.Cmd { return m.gotoPane(p) },
		}
	}
	memory := pane("pane.memory", "4", "memory; again: zoom", layout.Memory)
	memory.why = whyNoMemory
	skills := pane("pane.skills", "3", "skills; again: zoom", layout.Skills)
	skills.why = whyNoSkills
	learning := pane("pane.reviews", "5", "reviews; again: zoom", layout.Reviews)
	learning.why = whyNoReviews
	return []action{
		pane("pane.chat", "1", "chat; again: zoom", layout.Chat),
		pane("pane.tools", "2", "tool calls; again: zoom", layout.Tools),
		skills,
		memory,
		learning,
		{
			Binding: keys.Binding{ID: "memory.tidy", Scope: keys.Prefix, Keys: []string{"m"}, Slash: "/memory", Help: "clean memory up"}, why: whyNoCleanup,
			run: func(m *Model, _ string) tea.Cmd { return m.openCleanup() },
		},
		{
			Binding: keys.Binding{ID: "pane.next", Scope: keys.Prefix, Keys: []string{"o"}, Help: "next pane"},
			run:     func(m *Model, _ string) tea.Cmd { return m.cycle(1) },
		},
		{
			Binding: keys.Binding{ID: "pane.zoom", Scope: keys.Prefix, Keys: []string{"z"}, Help: "zoom the focused pane"},
			run:     func(m *Model, _ string) tea.Cmd { return m.gotoPane(m.scr.focus) },
		},
		{
			Binding: keys.Binding{ID: "layout.wider", Scope: keys.Prefix, Keys: []string{"<"}, Help: "more room for the other panes"},
			run:     func(m *Model, _ string) tea.Cmd { return m.widen(4) },
		},
		{
			Binding: keys.Binding{ID: "layout.narrower", Scope: keys.Prefix, Keys: []string{">"}, Help: "more room for the chat"},
			run:     func(m *Model, _ string) tea.Cmd { return m.widen(-4) },
		},
		{
			Binding: keys.Binding{ID: "layout.reset", Scope: keys.Prefix, Keys: []string{"="}, Help: "reset the layout"},
			run:     func(m *Model, _ string) tea.Cmd { return m.resetLayout() },
		},
		{
			Binding: keys.Binding{ID: "app.dump", Scope: keys.Prefix, Keys: []string{"D"}, Slash: "/dump", Help: "write the screen to a text file"}, why: whyNoDump,
			run: func(m *Model, _ string) tea.Cmd { return m.dumpCmd() }, stays: true,
		},
		{
			Binding: keys.Binding{ID: "chat.details", Scope: keys.Prefix, Keys: []string{"t"}, Slash: "/details", Help: "open or close all thinking and tool output", Short: "open or close thinking and output"},
			run:     func(m *Model, _ string) tea.Cmd { m.chat.ToggleAll(); return nil },
		},
		{
			Binding: keys.Binding{ID: "chat.search", Scope: keys.Prefix, Keys: []string{"/"}, Slash: "/find", Args: "[text]", Help: "search in the chat"},
			run:     findCommand, why: whyNoChat,
		},
		{
			Binding: keys.Binding{ID: "chat.fold", Scope: keys.Prefix, Keys: []string{"Z"}, Slash: "/fold", Help: "fold or open all turns but the last", Short: "fold or open older turns"},
			run:     func(m *Model, _ string) tea.Cmd { m.chat.FoldOld(); return nil }, why: whyNoChat,
		},
		{
			Binding: keys.Binding{ID: "composer.undo", Scope: keys.Prefix, Keys: []string{"u"}, Help: "undo in the composer"},
			run:     func(m *Model, _ string) tea.Cmd { m.chat.Composer().Undo(); return nil },
		},
		{
			Binding: keys.Binding{ID: "app.editor", Scope: keys.Prefix, Keys: []string{"e", "ctrl+e"}, Slash: "/editor", Help: "write in your editor ($VISUAL, $EDITOR)", Short: "write in your editor"},
			run:     func(m *Model, _ string) tea.Cmd { return m.editCmd() },
		},
		{
			Binding: keys.Binding{ID: "composer.unfold", Scope: keys.Prefix, Keys: []string{"v"}, Help: "unfold the paste at the cursor"},
			run:     func(m *Model, _ string) tea.Cmd { m.chat.Composer().Unfold(); return nil },
			why: func(m *Model) string {
				if !m.chat.Composer().AtChip() {
					return "the cursor is not at a folded paste"
				}
				return ""
			},
		},
	}
}

func composerBindings() []action {
	return []action{
		{
			Binding: keys.Binding{ID: "composer.next", Scope: keys.Composer, Keys: []string{"tab"}, Help: "complete a command; else the transcript, then the next pane"},
			run:     func(m *Model, _ string) tea.Cmd { return m.cycle(1) },
		},
		{
			Binding: keys.Binding{ID: "composer.prev", Scope: keys.Composer, Keys: []string{"shift+tab"}, Help: "previous pane"},
			run:     func(m *Model, _ string) tea.Cmd { return m.cycle(-1) },
		},
		{
			Binding: keys.Binding{ID: "composer.search", Scope: keys.Composer, Keys: []string{"ctrl+r"}, Help: "search what was sent, in all sessions"},
			run:     func(m *Model, _ string) tea.Cmd { return m.showHistory() },
		},
		{
			Binding: keys.Binding{ID: "composer.editor", Scope: keys.Composer, Keys: []string{"ctrl+g"}, Help: "write in your editor"},
			run:     func(m *Model, _ string) tea.Cmd { return m.editCmd() },
		},
		{
			Binding: keys.Binding{ID: "composer.takeback", Scope: keys.Composer, Keys: []string{"alt+up"}, Help: "take the last waiting message back"}, why: whyNoQueue,
			run: func(m *Model, _ string) tea.Cmd { return m.takeBack() },
		},
		{
			Binding: keys.Binding{ID: "chat.pageup", Scope: keys.Composer, Keys: []string{"pgup"}, Help: "scroll back"},
			run:     func(m *Model, _ string) tea.Cmd { m.chat.Scroll(-m.chat.Page()); return nil },
		},
		{
			Binding: keys.Binding{ID: "chat.pagedown", Scope: keys.Composer, Keys: []string{"pgdown"}, Help: "scroll forward"},
			run:     func(m *Model, _ string) tea.Cmd { m.chat.Scroll(m.chat.Page()); return nil },
		},
		{
			Binding: keys.Binding{ID: "chat.lineup", Scope: keys.Composer, Keys: []string{"shift+up"}, Help: "scroll back a line"},
			run:     func(m *Model, _ string) tea.Cmd { m.chat.Scroll(-1); return nil },
		},
		{
			Binding: keys.Binding{ID: "chat.linedown", Scope: keys.Composer, Keys: []string{"shift+down"}, Help: "scroll forward a line"},
			run:     func(m *Model, _ string) tea.Cmd { m.chat.Scroll(1); return nil },
		},
	}
}

func transcriptBindings() []action {
	b := func(id, help string, run func(m *Model) tea.Cmd, keystrokes ...string) action {
		return action{
			Binding: keys.Binding{ID: id, Scope: keys.Transcript, Keys: keystrokes, Help: help},
			run:     func(m *Model, _ string) tea.Cmd { return run(m) },
		}
	}
	retry := b("read.retry", "repeat the turn that failed or was stopped", func(m *Model) tea.Cmd { return m.retryCmd() }, "r")
	retry.why = whyNoRetry
	fork := b("read.fork", "fork the session at this message", func(m *Model) tea.Cmd { return m.fork(m.chat.SelectedMessage()) }, "f")
	fork.why = func(m *Model) string {
		if m.chat.SelectedMessage() == "" {
			return "select a message first"
		}
		return whyNoSwitch(m)
	}
	share := b("read.share", "send the card of a ! line to the model", (*Model).shareShell, "s")
	share.why = whyNoShare
	return []action{
		b("read.down", "next entry", func(m *Model) tea.Cmd { m.chat.Select(1); return nil }, "j", "down"),
		b("read.up", "previous entry", func(m *Model) tea.Cmd { m.chat.Select(-1); return nil }, "k", "up"),
		b("read.top", "beginning", func(m *Model) tea.Cmd { m.chat.Select(-1 << 30); m.chat.Top(); return nil }, "g", "home"),
		b("read.end", "end", func(m *Model) tea.Cmd { m.chat.Select(1 << 30); m.chat.Follow(); return nil }, "G", "end"),
		b("read.halfdown", "half a page down", func(m *Model) tea.Cmd { m.chat.Scroll(m.chat.Page() / 2); return nil }, "ctrl+d"),
		b("read.halfup", "half a page up", func(m *Model) tea.Cmd { m.chat.Scroll(-m.chat.Page() / 2); return nil }, "ctrl+u"),
		b("read.pagedown", "page down", func(m *Model) tea.Cmd { m.chat.Scroll(m.chat.Page()); return nil }, "pgdown"),
		b("read.pageup", "page up", func(m *Model) tea.Cmd { m.chat.Scroll(-m.chat.Page()); return nil }, "pgup"),
		b("read.toggle", "open or close thinking or tool output", func(m *Model) tea.Cmd { m.chat.Toggle(); return nil }, "enter", "space"),
		b("read.view", "full tool output", func(m *Model) tea.Cmd { return m.showCall(m.chat.SelectedCall()) }, "v"),
		b("read.copy", "copy the entry", func(m *Model) tea.Cmd {
			if text, ok := m.chat.Copy(); ok {
				return m.copyCmd(text)
			}
			return nil
		}, "y"),
		b("read.code", "copy a code block", (*Model).copyCode, "c"),
		b("read.mark", "select several entries; y copies them", func(m *Model) tea.Cmd { m.chat.Mark(); return nil }, "V"),
		b("read.open", "open a link or a file", (*Model).openLink, "o"),
		b("read.search", "search", func(m *Model) tea.Cmd { m.chat.StartSearch(); return nil }, "/"),
		b("read.findnext", "next and previous match", func(m *Model) tea.Cmd { m.chat.FindNext(1); return nil }, "n"),
		b("read.findprev", "previous match", func(m *Model) tea.Cmd { m.chat.FindNext(-1); return nil }, "N"),
		b("read.fold", "fold or open this turn", func(m *Model) tea.Cmd { m.chat.Fold(); return nil }, "z"),
		b("read.foldold", "fold or open all turns but the last", func(m *Model) tea.Cmd { m.chat.FoldOld(); return nil }, "Z"),
		retry, fork, share,
		b("read.next", "next pane", func(m *Model) tea.Cmd { return m.cycle(1) }, "tab"),
		b("read.prev", "previous pane", func(m *Model) tea.Cmd { return m.cycle(-1) }, "shift+tab"),
		b("read.palette", "find any action", (*Model).showPalette, ":"),
		b("read.help", "keys and commands", func(m *Model) tea.Cmd { return m.showHelp() }, "?"),
		b("read.back", "back to the composer", func(m *Model) tea.Cmd { m.focusComposer(); return nil }, "q", "i"),
	}
}

func listBindings() []action {
	b := func(id, help string, run func(m *Model) tea.Cmd, keystrokes ...string) action {
		return action{
			Binding: keys.Binding{ID: id, Scope: keys.List, Keys: keystrokes, Help: help},
			run:     func(m *Model, _ string) tea.Cmd { return run(m) },
		}
	}
	sel := func(n func(m *Model) int) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd { m.list().Select(n(m)); return nil }
	}
	fixed := func(n int) func(m *Model) tea.Cmd { return sel(func(*Model) int { return n }) }
	return []action{
		b("list.down", "next line", fixed(1), "j", "down"),
		b("list.up", "previous line", fixed(-1), "k", "up"),
		b("list.top", "beginning", fixed(-1<<30), "g", "home"),
		b("list.end", "end", fixed(1<<30), "G", "end"),
		b("list.halfdown", "half a page down", sel(func(m *Model) int { return m.list().Page() / 2 }), "ctrl+d"),
		b("list.halfup", "half a page up", sel(func(m *Model) int { return -m.list().Page() / 2 }), "ctrl+u"),
		b("list.pagedown", "page down", sel(func(m *Model) int { return m.list().Page() }), "pgdown"),
		b("list.pageup", "page up", sel(func(m *Model) int { return -m.list().Page() }), "pgup"),
		b("list.open", "full output; of skills, memory and reviews: their view", (*Model).openRow, "enter"),
		b("list.view", "full output or entry", (*Model).viewRow, "space", "v"),
		b("list.copy", "copy the output or entry", func(m *Model) tea.Cmd {
			switch m.scr.focus {
			case layout.Skills:
				return m.copyCmd(m.skills.SelectedText())
			case layout.Memory:
				return m.copyEntry()
			case layout.Reviews:
				return m.toast(core.LevelInfo, "Enter opens it; there y copies its change")
			default:
			}
			switch c, t := m.tools.Selected(); {
			case t != nil && t.Answer != "":
				return m.copyCmd(t.Answer)
			case c != nil:
				return m.copyCmd(c.Text())
			}
			return nil
		}, "y"),
		b("list.next", "next pane", func(m *Model) tea.Cmd { return m.cycle(1) }, "tab"),
		b("list.prev", "previous pane", func(m *Model) tea.Cmd { return m.cycle(-1) }, "shift+tab"),
		b("list.help", "keys and commands", func(m *Model) tea.Cmd { return m.showHelp() }, "?"),
		b("list.palette", "find any action", (*Model).showPalette, ":"),
		b("list.back", "back to the composer", func(m *Model) tea.Cmd { m.focusComposer(); return nil }, "q"),
	}
}

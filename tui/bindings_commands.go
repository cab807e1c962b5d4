package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/keys"
)

// sessionBindings are the commands about the program, its sessions and its model.
func sessionBindings() []action {
	return []action{
		{
			Binding: keys.Binding{ID: "app.help", Scope: keys.Prefix, Keys: []string{"?"}, Slash: "/help", Help: "keys and commands"},
			run:     func(m *Model, _ string) tea.Cmd { return m.showHelp() }, stays: true,
		},
		{
			Binding: keys.Binding{ID: "app.palette", Scope: keys.Prefix, Keys: []string{"p", "ctrl+x"}, Slash: "/palette", Help: "find any action"},
			run:     func(m *Model, _ string) tea.Cmd { return m.showPalette() }, stays: true,
		},
		{
			Binding: keys.Binding{ID: "session.new", Scope: keys.Prefix, Keys: []string{"n"}, Slash: "/new", Help: "start a new session"}, why: whyNoSwitch,
			run: func(m *Model, _ string) tea.Cmd {
				return m.switchSession(func(ctx context.Context, o Opener) (Workspace, error) { return o.New(ctx) })
			},
		},
		{
			Binding: keys.Binding{ID: "session.list", Scope: keys.Prefix, Keys: []string{"s"}, Slash: "/sessions", Help: "search, read, resume, fork, delete sessions", Short: "sessions: search, resume, fork"}, why: whyNoSessions,
			run: func(m *Model, _ string) tea.Cmd { return m.showSessions() },
		},
		{
			Binding: keys.Binding{ID: "session.resume", Scope: keys.Prefix, Slash: "/resume", Args: "[id]", Help: "go on with a stored session"}, why: whyNoSwitch,
			run: resumeCommand,
		},
		{
			Binding: keys.Binding{ID: "session.rename", Scope: keys.Prefix, Slash: "/rename", Args: "[title]", Help: "name this session"}, why: whyNoSessions,
			run: renameCommand,
		},
		{
			Binding: keys.Binding{ID: "session.fork", Scope: keys.Prefix, Slash: "/fork", Help: "go on in a copy of this session"}, why: whyNoFork,
			run: func(m *Model, _ string) tea.Cmd { return m.fork("") },
		},
		{
			Binding: keys.Binding{ID: "session.export", Scope: keys.Prefix, Slash: "/export", Args: "[md|json] [--redact]", Help: "write this session to a file"}, why: whyNoExport,
			run: exportCommand,
		},
		{
			Binding: keys.Binding{ID: "model.pick", Scope: keys.Prefix, Keys: []string{"l"}, Slash: "/model", Args: "[name]", Help: "switch the model"}, why: whyNoModels,
			run: func(m *Model, args string) tea.Cmd {
				if args != "" {
					return m.switchCmd(args)
				}
				return m.showModels()
			},
		},
		{
			Binding: keys.Binding{ID: "chat.clear", Scope: keys.Prefix, Slash: "/clear", Help: "clear the screen (the session keeps everything)"},
			run:     func(m *Model, _ string) tea.Cmd { m.chat.Clear(); return nil },
		},
		{
			Binding: keys.Binding{ID: "app.demo", Scope: keys.Prefix, Slash: "/demo", Help: "open the demo in a throw-away home"}, why: whyNoDemo,
			run: func(m *Model, _ string) tea.Cmd { return m.openHeld(m.opt.Setup.Demo) },
		},
		{
			Binding: keys.Binding{ID: "app.quit", Scope: keys.Prefix, Slash: "/quit", Help: "leave hermes"},
			run:     func(*Model, string) tea.Cmd { return tea.Quit },
		},
	}
}

// turnBindings are the commands about the conversation and its turns.
func turnBindings() []action {
	return []action{
		{
			Binding: keys.Binding{ID: "run.retry", Scope: keys.Prefix, Slash: "/retry", Help: "repeat the turn that failed or was stopped"}, why: whyNoRetry,
			run: func(m *Model, _ string) tea.Cmd { return m.retryCmd() },
		},
		{
			Binding: keys.Binding{ID: "run.steer", Scope: keys.Prefix, Slash: "/steer", Args: "text", Help: "say something to the running turn"}, why: whyNoSteer,
			run: steerCommand,
		},
		{
			Binding: keys.Binding{ID: "context.compact", Scope: keys.Prefix, Slash: "/compact", Args: "[focus]", Help: "replace older messages by a summary"}, why: whyNoCompact,
			run: (*Model).compactCmd,
		},
		{
			Binding: keys.Binding{ID: "context.show", Scope: keys.Prefix, Keys: []string{"c"}, Slash: "/context", Help: "what fills the context window"}, why: whyNoContext,
			run: func(m *Model, _ string) tea.Cmd { return m.contextCmd() },
		},
		{
			Binding: keys.Binding{ID: "turn.undo", Scope: keys.Prefix, Slash: "/undo", Help: "take the last turn back: files and messages"}, why: whyNoUndo,
			run: func(m *Model, _ string) tea.Cmd { return m.undoCmd(false) },
		},
		{
			Binding: keys.Binding{ID: "turn.rollback", Scope: keys.Prefix, Slash: "/rollback", Help: "the same as /undo"}, why: whyNoUndo,
			run: func(m *Model, _ string) tea.Cmd { return m.undoCmd(false) },
		},
		{
			Binding: keys.Binding{ID: "approval.rules", Scope: keys.Prefix, Slash: "/approvals", Help: "list and revoke what is always allowed"}, why: whyNoRules,
			run: func(m *Model, _ string) tea.Cmd { return m.showRules() },
		},
		{
			Binding: keys.Binding{ID: "folder.trust", Scope: keys.Prefix, Slash: "/trust", Help: "trust this folder's files"}, why: whyNoTrust,
			run: func(m *Model, _ string) tea.Cmd { return m.trustCmd() },
		},
		{
			Binding: keys.Binding{ID: "queue.edit", Scope: keys.Prefix, Keys: []string{"q"}, Slash: "/queue", Help: "edit, remove or reorder waiting messages", Short: "messages that wait"}, why: whyNoQueue,
			run: func(m *Model, _ string) tea.Cmd { return m.showQueue() },
		},
	}
}

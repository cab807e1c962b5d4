package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/layout"
	"hermes/tui/picker"
)

const (
	notHere  = "not available in this workspace"
	runFirst = "a run is active · Esc stops it"
)

// The reasons why an action is unavailable right now; "" when it is available.

func whyNoSwitch(m *Model) string {
	switch {
	case m.ws.Opener == nil:
		return notHere
	case m.run.active:
		return runFirst
	case m.tidying():
		return "the memory clean-up holds changes that are not written · Esc goes back to it"
	}
	return ""
}

// nothingSaid is why an empty session can be neither forked nor exported: it is not on the disk yet.
const nothingSaid = "nothing was said in this session yet"

func whyNoFork(m *Model) string {
	if why := whyNoSwitch(m); why != "" || m.chat.Said() {
		return why
	}
	return nothingSaid
}

func whyNoExport(m *Model) string {
	if why := whyNoSessions(m); why != "" || m.chat.Said() {
		return why
	}
	return nothingSaid
}

func whyNoSessions(m *Model) string {
	if m.ws.Sessions == nil {
		return notHere
	}
	return ""
}

func whyNoModels(m *Model) string {
	switch {
	case m.ws.Models == nil:
		return notHere
	case m.run.active:
		return runFirst
	}
	return ""
}

func whyNoRetry(m *Model) string {
	switch {
	case m.ws.Conversation == nil:
		return notHere
	case m.run.active:
		return runFirst
	case !m.chat.Said():
		return "nothing was said yet"
	case !m.chat.CanRetry():
		return "the last turn ended well"
	}
	return ""
}

func whyNoQueue(m *Model) string {
	if len(m.chat.Queue()) == 0 {
		return "nothing is waiting"
	}
	return ""
}

func whyNoDemo(m *Model) string {
	switch {
	case m.opt.Setup == nil:
		return notHere
	case m.run.active:
		return runFirst
	}
	return ""
}

func whyNoSteer(m *Model) string {
	switch {
	case m.ws.Steerer == nil:
		return notHere
	case !m.run.active:
		return "no turn is running"
	}
	return ""
}

func whyNoCompact(m *Model) string {
	switch {
	case m.ws.Compactor == nil:
		return notHere
	case m.run.active:
		return runFirst
	case m.run.compacts:
		return "a summary is being written"
	}
	return ""
}

func whyNoContext(m *Model) string {
	if m.ws.Contexts == nil {
		return notHere
	}
	return ""
}

func whyNoUndo(m *Model) string {
	switch {
	case m.ws.Undoer == nil:
		return notHere
	case m.run.active:
		return runFirst
	}
	return ""
}

func whyNoRules(m *Model) string {
	if m.ws.Rules == nil {
		return notHere
	}
	return ""
}

func whyNoChat(m *Model) string {
	if m.chat.Len() == 0 {
		return "nothing was said yet"
	}
	return ""
}

// steerCommand hands args to the running turn; they come back into the composer when nobody took them.
func steerCommand(m *Model, args string) tea.Cmd {
	if args == "" {
		return m.toast(core.LevelWarn, "usage: /steer text")
	}
	port, gen, ctx := m.ws.Steerer, m.ws.gen, m.ws.ctx
	return func() tea.Msg { return sentMsg{gen: gen, text: args, err: port.Steer(ctx, args)} }
}

// openRow opens the selected line of the list pane that has the keys; of memory it opens the clean-up.
func (m *Model) openRow() tea.Cmd {
	if m.scr.focus == layout.Memory && m.ws.Cleaner != nil {
		return m.openCleanup()
	}
	switch m.scr.focus {
	case layout.Skills:
		return m.showSkills(m.skills.SelectedID())
	case layout.Reviews:
		return m.showReviews(m.reviews.SelectedID())
	default:
		return m.viewRow()
	}
}

// viewRow shows the selected line of the list pane that has the keys in full.
func (m *Model) viewRow() tea.Cmd {
	switch m.scr.focus {
	case layout.Skills:
		return m.showSkills(m.skills.SelectedID())
	case layout.Memory:
		return m.showEntry()
	case layout.Reviews:
		return m.showReviews(m.reviews.SelectedID())
	default:
	}
	c, t := m.tools.Selected()
	if t != nil {
		return m.showTask(t)
	}
	return m.showCall(c)
}

func resumeCommand(m *Model, args string) tea.Cmd {
	if args == "" {
		if why := whyNoSessions(m); why != "" {
			return m.toast(core.LevelWarn, "resume: "+why)
		}
		return m.showSessions()
	}
	return m.switchSession(func(ctx context.Context, o Opener) (Workspace, error) { return o.Open(ctx, args) })
}

func renameCommand(m *Model, args string) tea.Cmd {
	rename := func(m *Model, title string) tea.Cmd {
		port, id := m.ws.Sessions, m.ws.Info.SessionID
		return m.doCmd("renamed", nil, func(ctx context.Context) error { return port.Rename(ctx, id, title) })
	}
	if args != "" {
		return rename(m, args)
	}
	m.push(&promptLayer{prompt: picker.NewPrompt("Name of this session", m.ws.Info.Title, "Enter names · Esc cancels"), then: rename})
	return nil
}

func exportCommand(m *Model, args string) tea.Cmd {
	format, redact := "md", false
	for f := range strings.FieldsSeq(args) {
		switch f {
		case "md", "json":
			format = f
		case "--redact":
			redact = true
		default:
			return m.toast(core.LevelWarn, "usage: /export [md|json] [--redact]")
		}
	}
	return m.exportCmd(m.ws.Info.SessionID, format, redact)
}

// fork goes on in a copy of the session that ends with message id ("" copies everything).
func (m *Model) fork(id string) tea.Cmd {
	session := m.ws.Info.SessionID
	return m.switchSession(func(ctx context.Context, o Opener) (Workspace, error) { return o.Fork(ctx, session, id) })
}

// takeBack moves the last waiting message into the composer, in front of what is there.
func (m *Model) takeBack() tea.Cmd {
	q := m.chat.Queue()
	last, rest := q[len(q)-1], append([]string(nil), q[:len(q)-1]...)
	text := last
	if have := m.chat.Composer().Text(); have != "" {
		text += "\n" + have
	}
	m.chat.Composer().SetText(text)
	m.chat.SetQueue(rest)
	return m.queueCmd(rest)
}

package tui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/tui/cell"
)

// frame is the least time between two event batches: deltas in between merge in the feed, so the
// number of frames does not follow the number of deltas.
const frame = 33 * time.Millisecond

// The messages of our own commands. gen is the generation of the workspace they were made for.
type (
	// eventsMsg is a batch from the core.
	eventsMsg struct {
		gen   int
		batch []core.Event
		ok    bool
	}
	// sentMsg says whether a message was accepted; text is put back when not.
	sentMsg struct {
		gen  int
		text string
		err  error
	}
	// openedMsg carries a workspace to adopt, or why there is none.
	openedMsg struct {
		ws  Workspace
		err error
	}
	// doneMsg ends a small effect: a line to show, or why it did not work.
	doneMsg struct {
		text string
		err  error
		then func(*Model) tea.Cmd // runs in Update when it worked; may be nil
	}
	// listedMsg carries the session list.
	listedMsg struct {
		rows []SessionRow
		err  error
	}
	// modelsMsg carries served models, for the picker or for onboarding.
	modelsMsg struct {
		models []string
		err    error
	}
	// switchedMsg says which model the session uses now.
	switchedMsg struct {
		gen  int
		info core.ModelInfo
		err  error
	}
	// historyMsg and draftMsg carry what was stored for the composer.
	historyMsg struct {
		gen     int
		entries []string
	}
	draftMsg struct {
		gen  int
		text string
	}
	// draftDueMsg asks to store the draft.
	draftDueMsg struct{ gen int }
	// tickMsg turns the spinners; toastMsg ends a toast; armedMsg redraws when a dialog listens or
	// the armed quit has passed.
	tickMsg  struct{}
	toastMsg struct{ id int }
	armedMsg struct{}
	// panicMsg is a command that panicked.
	panicMsg struct{ err error }
	// interruptMsg is an interrupt signal from outside, treated as Ctrl+C.
	interruptMsg struct{}
)

// errPanic marks failures that are faults of ours.
var errPanic = errors.New("internal fault")

// guard makes a panic in cmd (and in the commands of a batch) a message, so that the program leaves
// the terminal in order whichever goroutine failed.
func (m *Model) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = panicMsg{err: m.panicked("command", r)}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			guarded := make(tea.BatchMsg, len(batch))
			for i, c := range batch {
				guarded[i] = m.guard(c)
			}
			return guarded
		}
		return msg
	}
}

// panicked logs a recovered panic with its stack and returns it as an error.
func (m *Model) panicked(where string, r any) error {
	m.opt.Log.Error("panic", "where", where, "value", fmt.Sprint(r), "stack", string(debug.Stack()))
	return &core.Error{
		Code: core.CodeInternal, Op: "run the workspace", Subject: where,
		Hint: "the session is stored; hermes --continue goes on. The log has the details (hermes logs)",
		Err:  fmt.Errorf("%w: %v", errPanic, r),
	}
}

func (m *Model) waitCmd() tea.Cmd {
	events, gen, ctx := m.ws.Events, m.ws.gen, m.ws.ctx
	pause := frame - m.opt.Now().Sub(m.ws.last)
	return func() tea.Msg {
		if pause > 0 && pause <= frame {
			t := time.NewTimer(pause)
			defer t.Stop()
			select {
			case <-t.C:
			case <-ctx.Done():
			}
		}
		batch, ok := events.Next(ctx)
		return eventsMsg{gen: gen, batch: batch, ok: ok && ctx.Err() == nil}
	}
}

func (m *Model) sendCmd(text string) tea.Cmd {
	conv, gen, ctx := m.ws.Conversation, m.ws.gen, m.ws.ctx
	return func() tea.Msg { return sentMsg{gen: gen, text: text, err: conv.Send(ctx, text)} }
}

func (m *Model) retryCmd() tea.Cmd {
	conv, gen, ctx := m.ws.Conversation, m.ws.gen, m.ws.ctx
	return func() tea.Msg { return sentMsg{gen: gen, err: conv.Retry(ctx)} }
}

func (m *Model) interruptCmd() tea.Cmd {
	conv := m.ws.Conversation
	return func() tea.Msg {
		conv.Interrupt()
		return nil
	}
}

func (m *Model) queueCmd(queue []string) tea.Cmd {
	conv := m.ws.Conversation
	return func() tea.Msg {
		conv.SetQueue(queue)
		return nil
	}
}

func (m *Model) answerCmd(id string, d core.Decision) tea.Cmd {
	port := m.ws.Approvals
	return func() tea.Msg {
		if err := port.Answer(id, d); err != nil && core.CodeOf(err) != core.CodeNotFound {
			return doneMsg{err: err}
		}
		return nil
	}
}

// openCmd runs f, which opens a workspace.
func (m *Model) openCmd(f func(ctx context.Context) (Workspace, error)) tea.Cmd {
	ctx := m.ctx
	return func() tea.Msg {
		ws, err := f(ctx)
		return openedMsg{ws: ws, err: err}
	}
}

// closeCmd stores the draft of an old workspace and closes it.
func (m *Model) closeCmd(old open, text string) tea.Cmd {
	ctx := m.ctx
	return func() tea.Msg {
		if err := closeWorkspace(ctx, old, text); err != nil {
			return doneMsg{err: err}
		}
		return nil
	}
}

func closeWorkspace(ctx context.Context, old open, text string) error {
	var errs []error
	if old.Drafts != nil && text != old.draft.saved {
		errs = append(errs, old.Drafts.Save(ctx, old.Info.SessionID, text))
	}
	if old.Close != nil {
		errs = append(errs, old.Close(ctx))
	}
	return errors.Join(errs...)
}

func (m *Model) listCmd() tea.Cmd {
	port, ctx := m.ws.Sessions, m.ws.ctx
	return func() tea.Msg {
		rows, err := port.List(ctx)
		return listedMsg{rows: rows, err: err}
	}
}

// doCmd runs f and shows text when it worked.
func (m *Model) doCmd(text string, then func(*Model) tea.Cmd, f func(ctx context.Context) error) tea.Cmd {
	ctx := m.ws.ctx
	return func() tea.Msg { return doneMsg{text: text, err: f(ctx), then: then} }
}

func (m *Model) exportCmd(id, format string, redact bool) tea.Cmd {
	port, ctx := m.ws.Sessions, m.ws.ctx
	return func() tea.Msg {
		path, err := port.Export(ctx, id, format, redact)
		return doneMsg{text: "exported to " + path, err: err}
	}
}

func (m *Model) modelsCmd() tea.Cmd {
	port, ctx := m.ws.Models, m.ws.ctx
	return func() tea.Msg {
		models, err := port.List(ctx)
		return modelsMsg{models: models, err: err}
	}
}

func (m *Model) switchCmd(model string) tea.Cmd {
	port, gen, ctx := m.ws.Models, m.ws.gen, m.ws.ctx
	return func() tea.Msg {
		info, err := port.Switch(ctx, model)
		return switchedMsg{gen: gen, info: info, err: err}
	}
}

func (m *Model) historyCmd() tea.Cmd {
	port, gen, ctx := m.ws.History, m.ws.gen, m.ws.ctx
	if port == nil {
		return nil
	}
	return func() tea.Msg {
		entries, err := port.Load(ctx)
		if err != nil {
			return doneMsg{err: err}
		}
		return historyMsg{gen: gen, entries: entries}
	}
}

func (m *Model) historyAddCmd(text string) tea.Cmd {
	port, ctx := m.ws.History, m.ws.ctx
	if port == nil {
		return nil
	}
	return func() tea.Msg {
		if err := port.Append(ctx, text); err != nil {
			return doneMsg{err: err}
		}
		return nil
	}
}

func (m *Model) draftLoadCmd() tea.Cmd {
	port, gen, ctx, id := m.ws.Drafts, m.ws.gen, m.ws.ctx, m.ws.Info.SessionID
	if port == nil {
		return nil
	}
	return func() tea.Msg {
		text, err := port.Load(ctx, id)
		if err != nil {
			return doneMsg{err: err}
		}
		return draftMsg{gen: gen, text: text}
	}
}

// draftLater stores the draft a moment after the last change; while nothing changes nothing runs.
func (m *Model) draftLater() tea.Cmd {
	if m.ws.Drafts == nil || m.ws.draft.pending || m.chat.Composer().Text() == m.ws.draft.saved {
		return nil
	}
	m.ws.draft.pending = true
	gen := m.ws.gen
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return draftDueMsg{gen: gen} })
}

func (m *Model) draftSaveCmd(msg draftDueMsg) tea.Cmd {
	if msg.gen != m.ws.gen {
		return nil
	}
	m.ws.draft.pending = false
	port, ctx, id, text := m.ws.Drafts, m.ws.ctx, m.ws.Info.SessionID, m.chat.Composer().Text()
	if text == m.ws.draft.saved {
		return nil
	}
	m.ws.draft.saved = text
	return func() tea.Msg {
		if err := port.Save(ctx, id, text); err != nil {
			return doneMsg{err: err}
		}
		return nil
	}
}

// screenLimit is how long a string GNU screen passes on may be.
const screenLimit = 700

// copyCmd puts text on the terminal's clipboard (OSC 52) and on the desktop's when there is one.
func (m *Model) copyCmd(text string) tea.Cmd {
	cmds := []tea.Cmd{tea.SetClipboard(text), m.toast(core.LevelInfo, "copied")}
	if m.opt.InScreen {
		cmds = append(cmds, tea.Raw(ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), screenLimit)))
	}
	if port, ctx := m.opt.Clipboard, m.ctx; port != nil {
		cmds = append(cmds, func() tea.Msg {
			err := port.Write(ctx, text)
			if core.CodeOf(err) == core.CodeNotFound { // as on every machine one is logged in to from afar
				return doneMsg{text: "copied by the terminal (OSC 52); there is no program for it here"}
			}
			if err != nil {
				return doneMsg{err: err}
			}
			return nil
		})
	}
	return tea.Batch(cmds...)
}

// ring sounds the bell when nobody looks and says why (OSC 9): terminals turn it into a mark on the tab
// or a notification.
func (m *Model) ring(what string) tea.Cmd {
	if !m.scr.away || m.opt.NoBell {
		return nil
	}
	return tea.Raw(ansi.Notify("hermes "+cell.Truncate(cell.Line(what), 80)) + "\a")
}

// titled is the title of the session for a notification, "" when it has none.
func (m *Model) titled() string {
	if m.ws.Info.Title == "" {
		return ""
	}
	return ": " + m.ws.Info.Title
}

// tickIfBusy keeps the spinners turning while something runs, and nothing otherwise.
func (m *Model) tickIfBusy() tea.Cmd {
	busy := m.run.active || m.run.compacts || m.shell != nil || m.log.Active() > 0 || m.reviews.Running() || (m.onboard != nil && m.onboard.Busy())
	if !busy || m.run.ticking {
		return nil
	}
	m.run.ticking = true
	return tea.Tick(120*time.Millisecond, func(time.Time) tea.Msg { return tickMsg{} })
}

// toast shows text in the status bar for a few seconds.
func (m *Model) toast(level core.Level, text string) tea.Cmd {
	m.note.toast, m.note.level = text, level
	m.note.id++
	id := m.note.id
	return tea.Tick(4*time.Second, func(time.Time) tea.Msg { return toastMsg{id: id} })
}

// redrawIn draws again after d, when something becomes true by time passing.
func redrawIn(d time.Duration) tea.Cmd {
	return tea.Tick(d+5*time.Millisecond, func(time.Time) tea.Msg { return armedMsg{} })
}

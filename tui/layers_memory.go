package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/core/memory"
	"hermes/tui/cell"
	"hermes/tui/cleanup"
	"hermes/tui/picker"
	"hermes/tui/theme"
	"hermes/tui/viewer"
)

// cameMsg carries the answer of a command with what is to be done with it, in Update. Answers of older
// workspaces are dropped.
type cameMsg struct {
	gen  int
	take func(m *Model) tea.Cmd
}

// bring asks a port outside of Update and takes its answer in Update, unless the workspace was replaced
// meanwhile.
func bring[T any](m *Model, ask func(ctx context.Context) (T, error), take func(m *Model, answer T, err error) tea.Cmd) tea.Cmd {
	gen, ctx := m.ws.gen, m.ws.ctx
	return func() tea.Msg {
		answer, err := ask(ctx)
		return cameMsg{gen: gen, take: func(m *Model) tea.Cmd { return take(m, answer, err) }}
	}
}

// cleanupLayer is the memory clean-up.
type cleanupLayer struct {
	view *cleanup.View
	read memoryRead
}

// showCleanup opens the clean-up at entry want, "" for the first one.
func (m *Model) showCleanup(want string) tea.Cmd {
	l := &cleanupLayer{view: cleanup.New(m.opt.Now, want)}
	l.view.Offer(m.ws.tidied)
	m.push(l)
	return tea.Batch(l.readCmd(m), l.backgroundCmd(m))
}

// openCleanup opens it at the entry that is selected in the memory pane.
func (m *Model) openCleanup() tea.Cmd { return m.showCleanup(m.memory.SelectedID()) }

func whyNoCleanup(m *Model) string {
	if m.ws.Cleaner == nil {
		return notHere
	}
	return ""
}

// memoryChanged reads memory again, wherever it is shown.
func (m *Model) memoryChanged() tea.Cmd {
	cmds := []tea.Cmd{m.memoryCmd()}
	for _, l := range m.layers {
		if c, ok := l.(*cleanupLayer); ok {
			cmds = append(cmds, c.readCmd(m))
		}
	}
	return tea.Batch(cmds...)
}

// tidying tells whether a clean-up holds changes that are not written.
func (m *Model) tidying() bool {
	for _, l := range m.layers {
		if c, ok := l.(*cleanupLayer); ok && c.view.Pending() {
			return true
		}
	}
	return false
}

// readCmd reads the stores; while a read is under way another follows it.
func (l *cleanupLayer) readCmd(m *Model) tea.Cmd {
	if l.read.active {
		l.read.stale = true
		return nil
	}
	l.read = memoryRead{active: true}
	return bring(m, m.ws.Cleaner.Sheets, func(m *Model, sheets []memory.Sheet, err error) tea.Cmd {
		again := l.read.stale
		l.read = memoryRead{}
		switch {
		case again: // what came is of before the change
			return l.readCmd(m)
		case err != nil:
			l.view.SetError(err.Error())
		default:
			l.view.SetSheets(sheets)
		}
		return nil
	})
}

func (l *cleanupLayer) backgroundCmd(m *Model) tea.Cmd {
	return bring(m, m.ws.Cleaner.Background, func(m *Model, b cleanup.Background, err error) tea.Cmd {
		if err != nil {
			m.opt.Log.Warn("reading the price of memory failed", "err", err)
			return nil
		}
		l.view.SetBackground(b)
		return nil
	})
}

func (l *cleanupLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.view.Draw(m.st, w, h)
}

func (l *cleanupLayer) click(_ *Model, x, y int) tea.Cmd { //nolint:unparam // as clicker wants it
	l.view.Click(x, y)
	return nil
}

func (l *cleanupLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	name := ""
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name = keyName(key)
	}
	a := l.view.Update(name, msg)
	switch a.Do {
	case cleanup.Close:
		m.pop(l)
	case cleanup.Write:
		return l.writeCmd(m, a.Draft)
	case cleanup.History:
		return l.historyCmd(m, a)
	case cleanup.Deleted:
		return l.deletedCmd(m)
	case cleanup.Origin:
		return m.readOrigin(a.Session, a.Run, a.Text)
	case cleanup.Read:
		m.showText(a.Text, viewer.New(a.Title, 90, func(st *theme.Styles, w int) []string {
			var out []string
			for _, line := range cell.Wrap(cell.Readable(a.Text), w, "") {
				out = append(out, st.Text.Render(line))
			}
			return out
		}))
	case cleanup.TakeBack:
		return l.takeBack(m, a.ID)
	case cleanup.Copy:
		return m.copyCmd(a.Text)
	case cleanup.Nothing:
	}
	return nil
}

// writeCmd writes the draft; then everything is read again.
func (l *cleanupLayer) writeCmd(m *Model, d memory.Draft) tea.Cmd {
	port := m.ws.Cleaner
	write := func(ctx context.Context) (memory.Tidied, error) {
		return port.Tidy(context.WithoutCancel(ctx), d) // once confirmed it is written
	}
	return bring(m, write, func(m *Model, r memory.Tidied, err error) tea.Cmd {
		if err != nil {
			text := err.Error()
			if hint := core.HintOf(err); hint != "" {
				text += " → " + hint
			}
			l.view.Refused(text)
			return m.memoryChanged()
		}
		m.ws.tidied = r.LedgerID
		if l.view.Written(r) {
			m.pop(l)
			return tea.Batch(m.memoryChanged(), m.toast(core.LevelInfo, "memory: "+l.view.Note()))
		}
		m.note.toast = "" // what it warned of is written
		return m.memoryChanged()
	})
}

// takeBack undoes the change that a clean-up of this workspace wrote last.
func (l *cleanupLayer) takeBack(m *Model, id string) tea.Cmd {
	port := m.ws.Reviews
	if port == nil {
		return m.toast(core.LevelWarn, notHere)
	}
	undo := func(ctx context.Context) (string, error) {
		return port.Undo(context.WithoutCancel(ctx), []string{id})
	}
	return bring(m, undo, func(m *Model, said string, err error) tea.Cmd {
		if err != nil {
			l.view.Refused(err.Error())
			return m.memoryChanged()
		}
		m.ws.tidied = ""
		l.view.TakenBack(said)
		return m.memoryChanged()
	})
}

func (l *cleanupLayer) historyCmd(m *Model, a cleanup.Action) tea.Cmd {
	port := m.ws.Cleaner
	read := func(ctx context.Context) ([]memory.Moment, error) { return port.History(ctx, a.ID) }
	return bring(m, read, func(m *Model, moments []memory.Moment, err error) tea.Cmd {
		if err != nil {
			return m.fail(err)
		}
		m.push(&textLayer{view: viewer.New("History of "+a.Title, 90, func(st *theme.Styles, w int) []string {
			return cleanup.HistoryLines(st, moments, w)
		})})
		return nil
	})
}

// deletedCmd lists what can be restored; the chosen one goes into the draft.
func (l *cleanupLayer) deletedCmd(m *Model) tea.Cmd {
	return bring(m, m.ws.Cleaner.Deleted, func(m *Model, gone []memory.Moment, err error) tea.Cmd {
		switch {
		case err != nil:
			return m.fail(err)
		case len(gone) == 0:
			return m.toast(core.LevelInfo, "nothing was deleted or replaced so far")
		}
		m.push(l.restorer(m, gone))
		return nil
	})
}

// restorer is the picker over what once stood in a store.
func (l *cleanupLayer) restorer(m *Model, gone []memory.Moment) *chooseLayer {
	items := make([]picker.Item, len(gone))
	for i, g := range gone {
		what := "deleted"
		if g.ID != "" {
			what = "replaced"
		}
		items[i] = picker.Item{
			ID: fmt.Sprint(i), Label: strings.ReplaceAll(cell.Readable(g.Was), "\n", " "),
			Note: fmt.Sprintf("%s · %s by %s %s", strings.TrimSuffix(g.Target.File(), ".md"), what, g.Change.Actor, cleanup.Age(m.opt.Now().Sub(g.Change.Time))),
		}
	}
	p := picker.New("Restore an entry", "Enter puts it back into the draft · Esc closes")
	p.SetItems(items, "0")
	return &chooseLayer{picker: p, then: func(_ *Model, id string) tea.Cmd {
		for i, g := range gone {
			if fmt.Sprint(i) == id {
				l.view.Restore(g.Target, g.Was)
			}
		}
		return nil
	}}
}

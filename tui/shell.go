package tui

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/card"
)

// shellRun is a line behind "!" while it runs. Its output gathers here between frames.
type shellRun struct {
	call   *card.Call
	cancel context.CancelFunc

	mu    sync.Mutex
	out   strings.Builder
	ready chan struct{} // holds one token while there is output
}

type (
	// shellOutMsg says that a running line has output.
	shellOutMsg struct{ run *shellRun }
	// shellEndMsg says how it ended.
	shellEndMsg struct {
		run  *shellRun
		exit int
		err  error
	}
)

// shellLine returns the command behind "!", ok is false for other text.
func shellLine(text string) (command string, ok bool) {
	command, ok = strings.CutPrefix(text, "!")
	command = strings.TrimSpace(command)
	return command, ok && command != ""
}

// startShell runs a line of the person; its card stays out of the model's sight until it is sent.
func (m *Model) startShell(command string) tea.Cmd {
	if m.ws.Shell == nil {
		return m.toast(core.LevelWarn, "shell lines: "+notHere)
	}
	if m.shell != nil {
		return m.toast(core.LevelWarn, "a shell line runs already · Ctrl+C stops it")
	}
	m.shells++
	ctx, cancel := context.WithCancel(m.ws.ctx)
	r := &shellRun{
		call: card.NewShell(fmt.Sprintf("shell %d", m.shells), command, m.opt.Now()), cancel: cancel, ready: make(chan struct{}, 1),
	}
	m.shell = r
	m.chat.AddShell(r.call)
	m.chat.Follow()
	port := m.ws.Shell
	return tea.Batch(m.tickIfBusy(), r.wait(ctx, 0), func() tea.Msg {
		exit, err := port.Run(ctx, command, r.add)
		return shellEndMsg{run: r, exit: exit, err: err}
	})
}

func (r *shellRun) add(text string) {
	r.mu.Lock()
	r.out.WriteString(text)
	r.mu.Unlock()
	select {
	case r.ready <- struct{}{}:
	default:
	}
}

// take hands what has gathered to the card.
func (r *shellRun) take() {
	r.mu.Lock()
	text := r.out.String()
	r.out.Reset()
	r.mu.Unlock()
	if text != "" {
		r.call.Output(text)
	}
}

// wait waits for output, but not before pause has passed: frames must not follow the output.
func (r *shellRun) wait(ctx context.Context, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		if pause > 0 {
			t := time.NewTimer(pause)
			defer t.Stop()
			select {
			case <-t.C:
			case <-ctx.Done():
			}
		}
		select {
		case <-r.ready:
			return shellOutMsg{run: r}
		case <-ctx.Done():
			return nil
		}
	}
}

func (m *Model) shellOut(msg shellOutMsg) tea.Cmd {
	if m.shell != msg.run {
		return nil
	}
	msg.run.take()
	return tea.Batch(msg.run.wait(m.ws.ctx, frame), m.tickIfBusy())
}

func (m *Model) shellEnded(msg shellEndMsg) tea.Cmd {
	msg.run.take()
	stopped := ""
	if msg.err != nil {
		stopped = msg.err.Error()
	}
	msg.run.cancel()
	msg.run.call.Finish(msg.exit, stopped, m.opt.Now().Sub(msg.run.call.Started))
	if m.shell == msg.run {
		m.shell = nil
	}
	return nil
}

// stopShell ends the running line and tells whether there was one.
func (m *Model) stopShell() bool {
	if m.shell == nil {
		return false
	}
	m.shell.cancel()
	return true
}

// shareShell sends the selected shell card to the model.
func (m *Model) shareShell() tea.Cmd {
	c := m.chat.SelectedCall()
	text := c.Share()
	m.chat.Shared(c)
	m.focusComposer()
	m.chat.Follow()
	return m.sendCmd(text)
}

func whyNoShare(m *Model) string {
	if c := m.chat.SelectedCall(); c == nil || c.Tool != card.ShellTool {
		return "select the card of a ! line first"
	}
	return ""
}

package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes/core"
)

const (
	// maxFPS bounds frames; event batches alone come at most every 33 ms.
	maxFPS = fastFPS
	// quitPatience is how long an orderly end may take before the program is stopped hard; the
	// terminal is restored either way.
	quitPatience = 2 * time.Second
	// closePatience is how long the open workspace may take to close.
	closePatience = 5 * time.Second
)

// Run shows m until the person quits or ctx ends. in and out are normally os.Stdin and os.Stdout;
// nil means these. It owns the terminal: on every way out (quit, panic in Update, View or a command,
// SIGTERM, SIGHUP, end of ctx) the terminal is back in its normal state before it returns and the
// open workspace is closed. It returns nil after an orderly quit (signals included), the cause after
// a panic or when the terminal cannot be used.
func Run(ctx context.Context, m *Model, in io.Reader, out io.Writer) error {
	work, stop := context.WithCancel(ctx)
	defer stop()
	m.ctx = work
	m.tty = ttyOf(in, out)
	opts := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithFPS(maxFPS)}
	gone := make(chan struct{}, 1)
	in = watchInput(in, func() {
		select {
		case gone <- struct{}{}:
		default:
		}
	})
	if in != nil {
		opts = append(opts, tea.WithInput(in))
	}
	if m.opt.NoKeyboardProtocol {
		out = withoutProtocol(out)
	}
	if out != nil {
		opts = append(opts, tea.WithOutput(out))
	}
	p := tea.NewProgram(m, opts...)
	m.clock = func() *pacer { return newPacer(p) }
	m.abort = func() { go p.Quit() }
	done := make(chan struct{})
	go watch(ctx, p, gone, done)
	_, err := p.Run()
	close(done)
	m.pace.stop()
	m.clearStatus(out)
	closing := m.finish(ctx)
	switch {
	case m.fatal != nil:
		return m.fatal
	case errors.Is(err, tea.ErrInterrupted):
		return closing
	case err != nil:
		return &core.Error{
			Code: core.CodeInternal, Op: "run the screen", Err: err,
			Hint: "check that this is a terminal; hermes run works without one",
		}
	}
	return closing
}

// watch turns signals, the end of the terminal and the end of ctx into an orderly quit, and into a hard one when that hangs.
func watch(ctx context.Context, p *tea.Program, gone, done <-chan struct{}) {
	sig := make(chan os.Signal, 4)
	signal.Notify(sig, watched()...)
	defer signal.Stop(sig)
	for {
		select {
		case <-done:
			return
		case s := <-sig:
			if s == os.Interrupt {
				go p.Send(interruptMsg{})
				continue
			}
		case <-gone:
		case <-ctx.Done():
		}
		break
	}
	go p.Quit()
	t := time.NewTimer(quitPatience)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		p.Kill()
	}
}

// tty are the files of the terminal, for programs that take it over. Bubble Tea would hand them our
// wrappers, which are no files: their input would be copied, and the copy waits for one more key.
type tty struct{ in, out *os.File }

func ttyOf(in io.Reader, out io.Writer) tty {
	t := tty{in: os.Stdin, out: os.Stdout}
	if in != nil {
		t.in, _ = in.(*os.File)
	}
	if out != nil {
		t.out, _ = out.(*os.File)
	}
	return t
}

// lend gives cmd the terminal.
func (t tty) lend(cmd *exec.Cmd) {
	if t.in != nil {
		cmd.Stdin = t.in
	}
	if t.out != nil {
		cmd.Stdout, cmd.Stderr = t.out, t.out
	}
}

// awake tells the renderer's clock that something happens.
func (m *Model) awake() {
	if m.pace == nil && m.clock != nil {
		m.pace, m.clock = m.clock(), nil
	}
	m.pace.wake()
}

// clearStatus takes the program's status back from a terminal that shows it.
func (m *Model) clearStatus(out io.Writer) {
	if !m.scr.reports {
		return
	}
	if out == nil {
		out = os.Stdout
	}
	if _, err := io.WriteString(out, ansi.ClearProgramStatus); err != nil {
		m.opt.Log.Warn("clear program status", "err", err)
	}
}

// finish stores the draft and closes the open workspace; ctx may have ended already.
func (m *Model) finish(ctx context.Context) error {
	if m.ws.Conversation == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closePatience)
	defer cancel()
	err := closeWorkspace(ctx, m.ws, m.chat.Composer().Text())
	if m.ws.cancel != nil {
		m.ws.cancel()
	}
	return err
}

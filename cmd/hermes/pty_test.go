//go:build !windows

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience is how long a test waits for something to appear.
const patience = 20 * time.Second

// terminal is the built program in a pseudo-terminal, its screen read through an emulator.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	em   *vt.SafeEmulator
	home string
	dir  string

	mu      sync.Mutex // guards raw and what is on the screen: a cell is a pointer into it
	raw     bytes.Buffer
	changed chan struct{} // one token when the screen may have changed
	drained chan struct{} // closed when the program's output has ended
	exited  chan struct{}
	err     error
}

// world is where a program runs: its own home, its own folder and nothing of this machine's settings.
type world struct {
	home, dir string
	env       []string
}

func newWorld(t *testing.T, env ...string) world {
	t.Helper()
	w := world{home: filepath.Join(t.TempDir(), "home"), dir: t.TempDir()}
	w.env = append([]string{
		"HOME=" + t.TempDir(), "HERMES_HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor",
		"LANG=C.UTF-8", "SHELL=/bin/sh", "TMPDIR=" + t.TempDir(),
	}, env...)
	return w
}

// start runs the program with args in a terminal of w columns and h rows.
func (w world) start(t *testing.T, cols, rows int, args ...string) *terminal {
	t.Helper()
	return w.launch(t, cols, rows, binary(t), args...)
}

// startShell runs an interactive shell, for what only job control shows.
func (w world) startShell(t *testing.T, cols, rows int) *terminal {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed; job control is not tested")
	}
	return w.launch(t, cols, rows, shell, "--norc", "--noprofile", "-i")
}

func (w world) launch(t *testing.T, cols, rows int, prog string, args ...string) *terminal {
	t.Helper()
	x := &terminal{
		t: t, em: vt.NewSafeEmulator(cols, rows), home: w.home, dir: w.dir,
		changed: make(chan struct{}, 1), drained: make(chan struct{}), exited: make(chan struct{}),
	}
	x.cmd = exec.CommandContext(t.Context(), prog, args...)
	x.cmd.Env, x.cmd.Dir = w.env, w.dir
	f, err := pty.StartWithSize(x.cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)})
	if err != nil {
		t.Fatal(err)
	}
	// The library leaves its file in blocking mode, where a pending read would keep it open past Close.
	fd, err := unix.Dup(int(f.Fd()))
	if err == nil {
		err = errors.Join(unix.SetNonblock(fd, true), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	x.pty = os.NewFile(uintptr(fd), "ptmx")
	go x.read()
	go x.reply()
	go func() {
		x.err = x.cmd.Wait()
		close(x.exited)
	}()
	t.Cleanup(x.stop)
	return x
}

// read feeds what the program writes into the emulator.
func (x *terminal) read() {
	defer close(x.drained)
	buf := make([]byte, 32<<10)
	for {
		n, err := x.pty.Read(buf)
		if n > 0 {
			x.mu.Lock()
			x.raw.Write(buf[:n])
			_, _ = x.em.Write(buf[:n])
			x.mu.Unlock()
			select {
			case x.changed <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// reply sends the emulator's answers (cursor position, colours) back to the program.
func (x *terminal) reply() {
	_, _ = io.Copy(x.pty, x.em)
}

func (x *terminal) stop() {
	select {
	case <-x.exited:
	default:
		_ = x.cmd.Process.Kill()
		<-x.exited
	}
	_ = x.pty.Close()
	// The emulator's own Close races with its Read; closing the pipe behind Read ends it cleanly.
	if c, ok := x.em.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
}

// screen is the visible text, without trailing blanks.
func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var b strings.Builder
	for row := range x.em.Height() {
		var line strings.Builder
		for col := 0; col < x.em.Width(); {
			c := x.em.CellAt(col, row)
			if c == nil || c.Width == 0 {
				line.WriteByte(' ')
				col++
				continue
			}
			line.WriteString(c.Content)
			col += c.Width
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// output is everything the program wrote so far.
func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// until waits for a condition on the screen.
func (x *terminal) until(what string, ok func(screen string) bool) {
	x.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		if ok(x.screen()) {
			return
		}
		select {
		case <-x.changed:
		case <-x.drained:
			if ok(x.screen()) {
				return
			}
			x.t.Fatalf("the program ended before %s:\n%s", what, x.screen())
		case <-deadline.C:
			x.t.Fatalf("waited in vain for %s:\n%s", what, x.screen())
		}
	}
}

// see waits for text on the screen; several texts must be there together.
func (x *terminal) see(texts ...string) {
	x.t.Helper()
	x.until(fmt.Sprintf("%q", texts), func(s string) bool {
		for _, t := range texts {
			if !strings.Contains(s, t) {
				return false
			}
		}
		return true
	})
}

// gone waits until text is no longer on the screen.
func (x *terminal) gone(text string) {
	x.t.Helper()
	x.until("the end of "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// idle waits until no run is under way.
func (x *terminal) idle() {
	x.t.Helper()
	x.gone("Esc stops")
}

// keys types bytes as a terminal would send them.
func (x *terminal) keys(s string) {
	x.t.Helper()
	if _, err := io.WriteString(x.pty, s); err != nil {
		x.t.Fatal(err)
	}
}

// The keys tests use.
const (
	enter = "\r"
	esc   = "\x1b"
	ctrlC = "\x03"
	ctrlX = "\x18"
	ctrlZ = "\x1a"
)

func (x *terminal) resize(cols, rows int) {
	x.t.Helper()
	x.em.Resize(cols, rows)
	conn, err := x.pty.SyscallConn()
	if err != nil {
		x.t.Fatal(err)
	}
	var set error
	err = conn.Control(func(fd uintptr) {
		set = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(cols)})
	})
	if err = errors.Join(err, set); err != nil {
		x.t.Fatal(err)
	}
}

// exits waits for the end of the program and checks its exit code and the state of the terminal.
func (x *terminal) exits(code int) {
	x.t.Helper()
	select {
	case <-x.exited:
	case <-time.After(patience):
		x.t.Fatalf("the program does not end:\n%s", x.screen())
	}
	got := 0
	var exit *exec.ExitError
	if errors.As(x.err, &exit) {
		got = exit.ExitCode()
	}
	if got != code {
		x.t.Errorf("exit code %d, want %d:\n%s", got, code, x.screen())
	}
	<-x.drained
	x.restored()
}

// restored checks that the terminal is as a shell expects it: main screen, cursor on, no mouse or paste
// reports, and what was set is unset.
func (x *terminal) restored() {
	x.t.Helper()
	out := x.output()
	if x.em.IsAltScreen() {
		x.t.Error("the alternate screen is still on")
	}
	// The emulator keeps the cursor's state per screen, terminals do not: the last word counts.
	if strings.LastIndex(out, "\x1b[?25l") > strings.LastIndex(out, "\x1b[?25h") {
		x.t.Error("the cursor is still hidden")
	}
	for _, mode := range []string{"2004", "1000", "1002", "1003", "1006", "1049", "1004"} {
		on, off := strings.LastIndex(out, "\x1b[?"+mode+"h"), strings.LastIndex(out, "\x1b[?"+mode+"l")
		if on > off {
			x.t.Errorf("mode %s is left on", mode)
		}
	}
}

var (
	buildOnce sync.Once
	built     string
	errBuild  error
)

// binary builds the program once for all tests.
func binary(t *testing.T) string {
	t.Helper()
	buildOnce.Do(func() {
		var dir string
		//nolint:usetesting // it outlives the test that builds it; TestMain removes it
		if dir, errBuild = os.MkdirTemp("", "hermes-e2e-"); errBuild != nil {
			return
		}
		built = filepath.Join(dir, "hermes")
		args := []string{"build", "-o", built}
		if raceEnabled {
			args = append(args, "-race")
		}
		out, err := exec.Command("go", append(args, ".")...).CombinedOutput()
		if err != nil {
			errBuild = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if errBuild != nil {
		t.Fatal(errBuild)
	}
	return built
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(filepath.Dir(built))
	}
	os.Exit(code)
}

// signal sends sig to the program.
func (x *terminal) signal(sig syscall.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(sig); err != nil {
		x.t.Fatal(err)
	}
}

//go:build !windows

package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// terminal is a pseudo-terminal whose output is kept.
type terminal struct {
	master, tty *os.File
	before      *term.State
	mu          sync.Mutex
	out         bytes.Buffer
	news        chan struct{} // holds a token when something came
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{master: master, tty: tty, before: before, news: make(chan struct{}, 1)}
	t.Cleanup(func() { _ = master.Close(); _ = tty.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			x.mu.Lock()
			x.out.Write(buf[:n])
			x.mu.Unlock()
			select {
			case x.news <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return x
}

func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.String()
}

func (x *terminal) wait(t *testing.T, text string) {
	t.Helper()
	limit := time.Now().Add(10 * time.Second)
	for !strings.Contains(x.output(), text) {
		if time.Now().After(limit) {
			t.Fatalf("no %q in %q", text, x.output())
		}
		time.Sleep(time.Millisecond) // the terminal has no way to tell that something came
	}
}

// sane checks that the terminal is as the shell left it (OPEN-TU-06).
func (x *terminal) sane(t *testing.T) {
	t.Helper()
	x.wait(t, "\x1b[?1049l")
	out := x.output()
	out = out[strings.LastIndex(out, "\x1b[?1049h")+1:]
	for _, want := range []string{"\x1b[?1049l", "\x1b[?2004l", "\x1b[?1004l"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q was not sent on the way out", want)
		}
	}
	if hide, show := strings.LastIndex(out, "\x1b[?25l"), strings.LastIndex(out, "\x1b[?25h"); hide > show {
		t.Error("the cursor stays hidden")
	}
	after, err := term.GetState(int(x.tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(x.before, after) {
		t.Error("the line discipline was not restored")
	}
}

// Every way out leaves the terminal sane and closes the workspace. Not parallel: signals are for the
// whole process.
func TestRun_everyExit(t *testing.T) {
	for _, tc := range []struct {
		name string
		act  func(t *testing.T, x *terminal, p *ports, m *Model, cancel context.CancelFunc)
		err  error
	}{
		{"quit command", func(t *testing.T, x *terminal, _ *ports, _ *Model, _ context.CancelFunc) {
			t.Helper()
			_, _ = io.WriteString(x.master, "/quit\r")
		}, nil},
		{"ctrl+c twice", func(t *testing.T, x *terminal, _ *ports, _ *Model, _ context.CancelFunc) {
			t.Helper()
			_, _ = io.WriteString(x.master, "\x03")
			x.wait(t, "again quits")
			_, _ = io.WriteString(x.master, "\x03")
		}, nil},
		{"end of context", func(t *testing.T, _ *terminal, _ *ports, _ *Model, cancel context.CancelFunc) {
			t.Helper()
			cancel()
		}, nil},
		{"SIGTERM", func(t *testing.T, _ *terminal, _ *ports, _ *Model, _ context.CancelFunc) {
			t.Helper()
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		}, nil},
		{"SIGHUP", func(t *testing.T, _ *terminal, _ *ports, _ *Model, _ context.CancelFunc) {
			t.Helper()
			_ = syscall.Kill(os.Getpid(), syscall.SIGHUP)
		}, nil},
		{"panic in a command", func(t *testing.T, x *terminal, p *ports, _ *Model, _ context.CancelFunc) {
			t.Helper()
			p.mu.Lock()
			p.panic = true
			p.mu.Unlock()
			_, _ = io.WriteString(x.master, "hello\r")
		}, errPanic},
		{"panic in View", func(t *testing.T, x *terminal, p *ports, _ *Model, _ context.CancelFunc) {
			t.Helper()
			p.mu.Lock()
			p.panic = true
			p.mu.Unlock()
			_, _ = io.WriteString(x.master, "h")
		}, errPanic},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x := newTerminal(t)
			p := newPorts()
			ws := p.workspace("s1")
			closed := false
			ws.Close = func(context.Context) error { closed = true; return nil }
			view := tc.name == "panic in View"
			m := New(Options{Workspace: ws, Theme: "dark", Now: func() time.Time {
				p.mu.Lock()
				defer p.mu.Unlock()
				if view && p.panic {
					panic("fake panic")
				}
				return time.Now()
			}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- Run(ctx, m, x.tty, x.tty) }()
			x.wait(t, "commands")
			tc.act(t, x, p, m, cancel)
			select {
			case err := <-done:
				if !errors.Is(err, tc.err) {
					t.Errorf("Run: %v, want %v", err, tc.err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("Run does not return")
			}
			x.sane(t)
			if !closed {
				t.Error("the workspace was not closed")
			}
		})
	}
}

func TestInput_tellsItsEnd(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	gone := 0
	in := input{File: r, gone: func() { gone++ }}
	_, _ = w.WriteString("x")
	_ = w.Close()
	buf := make([]byte, 8)
	if n, err := in.Read(buf); n != 1 || err != nil || gone != 0 {
		t.Errorf("%d %v, told %d times", n, err, gone)
	}
	if _, err := in.Read(buf); !errors.Is(err, io.EOF) || gone != 1 {
		t.Errorf("%v, told %d times", err, gone)
	}
}

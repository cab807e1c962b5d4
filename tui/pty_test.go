//go:build !windows

package tui

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/core"
)

// runTerminal runs the workspace in a pseudo-terminal until the test ends.
func runTerminal(t *testing.T, change func(o *Options, p *ports)) (*terminal, *ports, *Model) {
	t.Helper()
	x := newTerminal(t)
	p := newPorts()
	o := Options{Workspace: p.workspace("s1"), Theme: "dark"}
	if change != nil {
		change(&o, p)
	}
	m := New(o)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, m, x.tty, x.tty) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Run: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("Run does not return")
		}
	})
	x.wait(t, "commands")
	return x, p, m
}

func (x *terminal) typed(t *testing.T, s string) {
	t.Helper()
	if _, err := io.WriteString(x.master, s); err != nil {
		t.Fatal(err)
	}
}

func (p *ports) waitCalled(t *testing.T, part string) {
	t.Helper()
	limit := time.Now().Add(10 * time.Second)
	for !strings.Contains(strings.Join(p.called(), "|"), part) {
		if time.Now().After(limit) {
			t.Fatalf("no call %q: %q", part, p.called())
		}
		time.Sleep(time.Millisecond) // the fakes have no way to tell
	}
}

// The editor gets the terminal itself, ends without one more key, and its text is sent.
func TestRun_editor(t *testing.T) {
	script := filepath.Join(t.TempDir(), "edit")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntest -t 0 && test -t 1 || exit 9\nprintf ' von 東京' >> \"$1\"\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	x, p, _ := runTerminal(t, func(o *Options, _ *ports) { o.Editor = script })
	x.typed(t, "draft\x07")
	x.wait(t, "東京")
	x.typed(t, "\r")
	p.waitCalled(t, "send draft von 東京")
}

func TestRun_editorFails(t *testing.T) {
	x, p, _ := runTerminal(t, func(o *Options, _ *ports) { o.Editor = "/nonexistent/editor" })
	x.typed(t, "draft\x07")
	x.wait(t, "run the editor")
	x.typed(t, "\r")
	p.waitCalled(t, "send draft")
}

func TestRun_keyboardProtocol(t *testing.T) {
	for _, off := range []bool{false, true} {
		x, _, _ := runTerminal(t, func(o *Options, _ *ports) { o.NoKeyboardProtocol = off })
		out := x.output()
		asks := strings.Contains(out, "\x1b[>1u") || strings.Contains(out, "\x1b[>4;2m") || strings.Contains(out, "\x1b[?u")
		if asks == off {
			t.Errorf("off %v, but asked for: %v", off, asks)
		}
	}
}

// While nothing happens nothing is written; a key is drawn all the same.
func TestRun_idle(t *testing.T) {
	x, p, _ := runTerminal(t, nil)
	p.feed.Emit(&core.MessageEnded{Meta: core.Meta{SessionID: "s1"}, Message: core.Message{ID: "a", Role: core.RoleAssistant, Content: "THE ANSWER"}})
	x.wait(t, "ANSWER")
	time.Sleep(500 * time.Millisecond) // the clock comes to rest
	before := len(x.output())
	time.Sleep(1500 * time.Millisecond) // idling is what is measured
	if n := len(x.output()) - before; n != 0 {
		t.Errorf("%d bytes written while idle: %q", n, x.output()[before:])
	}
	took := time.Hour
	for _, key := range []string{"東", "南", "西"} { // another program may have the processor, but not each time
		time.Sleep(time.Second) // at rest again
		start := time.Now()
		x.typed(t, key)
		x.wait(t, key)
		if took = time.Since(start); took <= 500*time.Millisecond {
			return
		}
	}
	t.Errorf("a key after a rest takes %v", took)
}

// On a slow line sequences come in pieces: an answer of the terminal is no text, and a paste whose end is
// torn still ends. The pauses are longer than what Bubble Tea waits.
func TestRun_tornSequences(t *testing.T) {
	x, p, _ := runTerminal(t, nil)
	for _, piece := range []string{"a", "\x1b]11;rgb:1e1e/1e", "1e/1e1e\x1b", "\\b", "\x1b[?62;", "22c", "\x1b[200~粘贴\x1b[20", "1~ end"} {
		x.typed(t, piece)
		time.Sleep(80 * time.Millisecond) // the line
	}
	x.typed(t, "\r")
	p.waitCalled(t, "send ab粘贴 end")
}

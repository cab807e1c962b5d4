//go:build !windows

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const exitModel = `
strict: true
chunk: 6
rules:
  - {when: {user: stream}, reply: {text: "This answer never comes to its end.", fault: {after: 3, stall: true}}}
  - {when: {user: tool, turn: 0}, reply: {tool_calls: [{name: terminal, arguments: {command: "echo started; sleep 31415 & sleep 31415"}}]}}
  - {reply: {text: "You said: {{user}}"}}
`

// talked is a workspace in which one thing was said and answered.
func talked(t *testing.T, said string) (world, *terminal) {
	t.Helper()
	_, env := model(t, exitModel)
	w := newWorld(t, env...)
	x := w.start(t, 100, 30)
	x.see("Ctrl+X ?")
	x.keys(said + enter)
	x.see("You said: " + said)
	x.idle()
	return w, x
}

// Ctrl+C stops the turn and its processes, clears the draft, and only then quits (OPEN-TU-06).
func TestE2E_OpenTU06_ctrlC(t *testing.T) {
	t.Parallel()
	_, env := model(t, exitModel)
	w := newWorld(t, env...)
	x := w.start(t, 100, 30)
	x.see("Ctrl+X ?")
	x.keys("stream" + enter)
	x.see("This answ")
	x.keys(ctrlC)
	x.see("interrupted")
	x.idle()
	x.keys("tool" + enter)
	x.see("started")
	x.keys(ctrlC)
	x.idle()
	x.processesGone("sleep 31415")
	x.keys("half a thought")
	x.see("half a thought")
	x.keys(ctrlC)
	x.gone("half a thought")
	x.keys("still here" + enter)
	x.see("You said: still here")
	x.idle()
	x.keys(ctrlC)
	x.see("again")
	x.keys(ctrlC)
	x.exits(0)
}

// processesGone waits until no child of the program runs cmd.
func (x *terminal) processesGone(cmd string) {
	x.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		out, _ := exec.Command("ps", "-eo", "args").Output()
		n := 0
		for line := range strings.Lines(string(out)) {
			if strings.TrimSpace(line) == cmd {
				n++
			}
		}
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("%d processes %q are left", n, cmd)
		}
		select {
		case <-x.changed:
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func TestE2E_OpenTU06_signals(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, x := talked(t, "kept")
			x.keys("stream" + enter)
			x.see("This answ")
			x.signal(sig)
			x.exits(0)
			x = w.start(t, 100, 30, "--continue")
			x.see("You said: kept", "This answ")
			x.keys(ctrlC + ctrlC)
			x.exits(0)
		})
	}
}

// When the terminal goes away, the program and its children do too, and the session is whole.
func TestE2E_OpenTU06_terminalGone(t *testing.T) {
	t.Parallel()
	w, x := talked(t, "kept")
	if err := x.pty.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-x.exited:
	case <-time.After(patience):
		t.Fatal("the program outlives its terminal")
	}
	if o := w.hermes(t, "", "sessions", "show", "last"); o.code != 0 || !strings.Contains(o.out, "You said: kept") {
		t.Errorf("%+v", o)
	}
}

// kill -9 in the middle of an answer: what was shown as done is there on resume.
func TestE2E_killed(t *testing.T) {
	t.Parallel()
	w, x := talked(t, "kept")
	x.keys("tool" + enter)
	x.see("started")
	x.signal(syscall.SIGKILL)
	<-x.exited
	x = w.start(t, 100, 30, "--continue")
	x.see("You said: kept")
	x.keys("on" + enter)
	x.see("You said: on")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	_ = exec.Command("pkill", "-f", "^sleep 31415$").Run() // orphans of the killed program
}

// A second process on a session may read, fork or wait; it never writes.
func TestE2E_secondProcess(t *testing.T) {
	t.Parallel()
	w, x := talked(t, "mine")
	files, err := filepath.Glob(filepath.Join(w.home, "sessions", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	before, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	o := w.hermes(t, "", "run", "--resume", "last", "theirs")
	if o.code != 1 || !strings.Contains(o.err, "fork") {
		t.Errorf("%+v", o)
	}
	if o = w.hermes(t, "", "sessions", "show", "last"); o.code != 0 || !strings.Contains(o.out, "mine") {
		t.Errorf("%+v", o)
	}
	if after, err := os.ReadFile(files[0]); err != nil || string(after) != string(before) {
		t.Error("the second process wrote into the session")
	}
	if o = w.hermes(t, "", "sessions", "fork", "last"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}

// Interrupted while the approval waits, the session goes on (OPEN-PR-07).
func TestE2E_OpenPR07_stopAtApproval(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
strict: true
rules:
  - {when: {user: danger, turn: 0}, reply: {tool_calls: [{name: terminal, arguments: {command: "chmod 777 x"}}, {name: read_file, arguments: {path: x}}]}}
  - {reply: {text: "You said: {{user}}"}}
`)
	w := newWorld(t, env...)
	x := w.start(t, 100, 30)
	x.see("Ctrl+X ?")
	x.keys("danger" + enter)
	x.see("chmod 777 x", "deny")
	x.press(ctrlC, "! interrupted")
	x.idle()
	x.keys("go on" + enter)
	x.see("You said: go on")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}

// Nothing that a model or a tool sends reaches the terminal of a plain run, either (OPEN-TU-04).
func TestE2E_OpenTU04_plainRun(t *testing.T) {
	t.Parallel()
	_, env := model(t, `
chunk: 3
rules:
  - {when: {turn: 0}, reply: {tool_calls: [{name: "bad\e[2J\e]0;owned\aname", arguments: {path: "\e[?1049h"}}]}}
  - {reply: {text: "one \e[2J\e]0;owned\a\e]52;c;aGk=\a\e[?25l two\n10%\r20%\rdone\n"}}
`)
	w := newWorld(t, env...)
	x := w.start(t, 100, 30, "run", "go")
	x.exits(0)
	for _, bad := range []string{"\x1b[2J", "\x1b]0;", "\x1b]52;", "\x1b[?25l", "\x1b[?1049h", "10%"} {
		if strings.Contains(x.output(), bad) {
			t.Errorf("%q reaches the terminal: %q", bad, x.output())
		}
	}
	if !strings.Contains(x.output(), "two") || !strings.Contains(x.output(), "done") {
		t.Errorf("%q", x.output())
	}
}

func TestE2E_suspend(t *testing.T) {
	t.Parallel()
	_, env := model(t, exitModel)
	w := newWorld(t, env...)
	// A shell with job control owns the terminal, as in life.
	x := w.startShell(t, 100, 30)
	x.keys("PS1='$ '; bind 'set enable-bracketed-paste off'; " + binary(t) + enter)
	x.see("Ctrl+X ?")
	x.keys("before" + enter)
	x.see("You said: before")
	x.idle()
	x.keys(ctrlZ)
	x.see("Stopped")
	x.restored()
	x.keys("echo shell''works" + enter)
	x.see("shellworks")
	x.resize(90, 28)
	x.keys("fg" + enter)
	x.see("You said: before", "Ctrl+X ?")
	x.keys("after" + enter)
	x.see("You said: after")
	x.idle()
	// The same while an answer streams.
	x.keys("stream" + enter)
	x.see("This answ")
	x.keys(ctrlZ)
	x.see("Stopped")
	x.keys("echo still''works" + enter)
	x.see("stillworks")
	x.keys("fg" + enter)
	x.see("This answ", "Esc stops")
	x.keys(esc)
	x.see("interrupted")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.see("stillworks")
	x.keys("exit" + enter)
	x.exits(0)
}

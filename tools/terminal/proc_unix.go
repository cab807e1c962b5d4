//go:build unix

package terminal

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// shell returns the fresh shell for command. An exit trap notes where it ended up, unless note is "";
// it is set before the command's own lines, so that these keep their meaning.
func shell(command, note string) *exec.Cmd {
	script := command
	if note != "" {
		script = "trap 'pwd -P >" + quote(note) + " 2>/dev/null' 0\n" + command
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		return exec.Command(bash, "--noprofile", "--norc", "-c", script) //nolint:noctx // ending the whole group is ours, not exec's
	}
	return exec.Command("/bin/sh", "-c", script) //nolint:noctx // as above
}

// quote writes s for the inside of the single-quoted trap: the note's name has no quotes in it.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`", "'", "").Replace(s) + `"`
}

// ownGroup puts a command into a session of its own: a group that can be ended as one, without the
// terminal of hermes, so that nothing can prompt on the screen or stop for want of it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// group is the process group of a command.
type group struct {
	id int
	// left says that the shell that led the group has ended and was collected. A process with the number
	// of the group is a stranger then: numbers are used again once a group is empty.
	left bool
}

// leave notes that the shell was collected.
func (g *group) leave() { g.left = true }

// reused reports whether the number of the group belongs to a stranger by now.
func (g *group) reused() bool { return g.left && syscall.Kill(g.id, 0) == nil }

func newGroup(cmd *exec.Cmd) *group { return &group{id: cmd.Process.Pid} }

// end asks every member to end, and forces those that have not within grace.
func (g *group) end(grace time.Duration) {
	if g.reused() || syscall.Kill(-g.id, syscall.SIGTERM) != nil {
		return
	}
	for deadline := time.Now().Add(grace); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !g.alive() {
			return
		}
	}
	for deadline := time.Now().Add(grace); ; time.Sleep(10 * time.Millisecond) {
		_ = syscall.Kill(-g.id, syscall.SIGKILL) // again and again: one that forks may have slipped through
		if !g.alive() || time.Now().After(deadline) {
			return
		}
	}
}

// alive reports whether the group has members that run. Dead ones nobody has collected yet do not
// count where the system tells.
func (g *group) alive() bool {
	if err := syscall.Kill(-g.id, 0); errors.Is(err, syscall.ESRCH) || g.reused() {
		return false
	}
	members, ok := running(g.id)
	return !ok || members > 0
}

// running counts the members of a group that are no zombies; ok is false without a /proc.
func running(pgid int) (n int, ok bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, false
	}
	seen := false
	for _, e := range entries {
		if e.Name()[0] < '0' || e.Name()[0] > '9' {
			continue
		}
		b, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		// "pid (name) state ppid pgrp …"; the name may hold anything, the last ")" ends it.
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if len(f) < 3 {
			continue
		}
		seen = true
		if f[2] == strconv.Itoa(pgid) && f[0] != "Z" && f[0] != "X" {
			n++
		}
	}
	return n, seen
}

func signalOf(state *os.ProcessState) (sig int, name string) {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return 0, ""
	}
	return int(ws.Signal()), signalName(int(ws.Signal()))
}

// signalName says what a signal means.
func signalName(sig int) string {
	name := unix.SignalName(syscall.Signal(sig))
	if name == "" {
		return ""
	}
	switch syscall.Signal(sig) {
	case syscall.SIGKILL:
		return name + " (forced, often because memory ran out)"
	case syscall.SIGSEGV:
		return name + " (the program crashed)"
	case syscall.SIGABRT:
		return name + " (the program gave up)"
	case syscall.SIGTERM:
		return name + " (asked to end)"
	case syscall.SIGINT:
		return name + " (interrupted)"
	case syscall.SIGPIPE:
		return name + " (its reader was gone)"
	default:
		return name
	}
}

package terminal

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// shell returns the fresh shell for command: PowerShell where there is one, else cmd. The working
// folder is not carried over here; workdir does it.
func shell(command, _ string) *exec.Cmd {
	for _, name := range []string{"pwsh", "powershell"} {
		if ps, err := exec.LookPath(name); err == nil {
			return exec.Command(ps, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command) //nolint:noctx // ending the whole tree is ours, not exec's
		}
	}
	return exec.Command("cmd", "/D", "/S", "/C", command) //nolint:noctx // as above
}

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// group is a command's process tree.
type group struct {
	id  int
	cmd *exec.Cmd
}

func newGroup(cmd *exec.Cmd) *group { return &group{id: cmd.Process.Pid, cmd: cmd} }

// leave notes that the shell was collected.
func (*group) leave() {}

// end ends the tree at once: console programs cannot be asked without a console.
func (g *group) end(grace time.Duration) {
	kill := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(g.id)) //nolint:noctx // bounded below
	if kill.Start() != nil {
		_ = g.cmd.Process.Kill() // the shell at least
		return
	}
	done := make(chan struct{})
	go func() { _ = kill.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(grace):
	}
	_ = g.cmd.Process.Kill() // gone already is what we want
}

// alive is only asked after the shell has ended; its children are not tracked here.
func (*group) alive() bool { return false }

func signalOf(*os.ProcessState) (sig int, name string) { return 0, "" }

func signalName(int) string { return "" }

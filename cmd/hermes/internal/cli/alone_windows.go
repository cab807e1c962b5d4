package cli

import (
	"os/exec"
	"syscall"
)

// alone lets a process outlive this one and its console.
func alone(c *exec.Cmd) {
	const detached = 0x00000008 // DETACHED_PROCESS
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detached | syscall.CREATE_NEW_PROCESS_GROUP}
}

//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// alone lets a process outlive this one and its terminal.
func alone(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

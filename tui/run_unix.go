//go:build !windows

package tui

import (
	"os"
	"syscall"
)

// watched are the signals that end the program in order (and the interrupt, which does not).
func watched() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

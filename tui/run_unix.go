//go:build !windows

package tui

import (
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// watched are the signals that end the program in order (and the interrupt, which does not).
func watched() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// input is a terminal that tells when it is gone. A closed terminal sends SIGHUP only to those it
// controls, and Bubble Tea goes on without input after an end of file.
type input struct {
	*os.File

	gone func()
}

// Read reads like the file and reports its end. A sequence of which only the beginning has come waits for
// its rest: Bubble Tea gives up after 50 ms, and on a slow line the rest of an answer of the terminal
// would stand in the composer as text, and a paste whose end was torn would take all later keys with it.
func (i input) Read(b []byte) (int, error) {
	n, err := i.File.Read(b)
	for until := time.Now().Add(restWait); err == nil && n < len(b) && unfinished(b[:n]) && i.more(time.Until(until)); {
		var k int
		k, err = i.File.Read(b[n:])
		n += k
		if err != nil && n > 0 { // what has come first; the next read reports the end
			err = nil
			break
		}
	}
	if err != nil {
		i.gone()
	}
	return n, err //nolint:wrapcheck // a reader passes io.EOF on as it is
}

// more waits for input and tells whether there is some.
func (i input) more(wait time.Duration) bool {
	if wait <= 0 {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(i.Fd()), Events: unix.POLLIN}} //nolint:gosec // file descriptors are small
	n, err := unix.Poll(fds, int(wait.Milliseconds())+1)
	return err == nil && n > 0 && fds[0].Revents&unix.POLLIN != 0
}

// watchInput wraps in (nil is os.Stdin) when it is a terminal.
func watchInput(in io.Reader, gone func()) io.Reader {
	file, ok := in.(*os.File)
	if in == nil {
		file, ok = os.Stdin, true
	}
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return in
	}
	return input{File: file, gone: gone}
}

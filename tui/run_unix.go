//go:build !windows

package tui

import (
	"io"
	"os"
	"syscall"

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

// Read reads like the file and reports its end.
func (i input) Read(b []byte) (int, error) {
	n, err := i.File.Read(b)
	if err != nil {
		i.gone()
	}
	return n, err //nolint:wrapcheck // a reader passes io.EOF on as it is
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

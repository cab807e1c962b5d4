package tui

import (
	"io"
	"os"
)

// watched are the signals that end the program in order (and the interrupt, which does not).
func watched() []os.Signal { return []os.Signal{os.Interrupt} }

// watchInput leaves in alone: a closed console ends its programs.
func watchInput(in io.Reader, _ func()) io.Reader { return in }

package tui

import "os"

// watched are the signals that end the program in order (and the interrupt, which does not).
func watched() []os.Signal { return []os.Signal{os.Interrupt} }

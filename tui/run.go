package tui

import (
	"context"
	"io"
)

// Run shows m until the person quits or ctx ends. in and out are normally os.Stdin and os.Stdout;
// nil means these. It owns the terminal: on every way out (quit, panic in Update, View or a command,
// SIGTERM, SIGHUP, end of ctx) the terminal is back in its normal state before it returns and the
// open workspace is closed. It returns nil after an orderly quit (signals included), the cause after
// a panic or when the terminal cannot be used.
func Run(ctx context.Context, m *Model, in io.Reader, out io.Writer) error {
	return nil
}

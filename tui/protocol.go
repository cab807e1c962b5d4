package tui

import (
	"io"
	"os"
	"regexp"
)

// plainKeys is an output that does not pass on what asks the terminal for unambiguous keys: some
// input methods and terminals break with it. Bubble Tea always asks. It stays a file, so that the
// program still sees a terminal.
type plainKeys struct {
	*os.File

	ask *regexp.Regexp
}

// askKeys matches the kitty keyboard protocol and modifyOtherKeys.
const askKeys = `\x1b\[(?:[<>=?][0-9;]*u|>4(?:;[0-9]*)?m)`

// withoutProtocol wraps out (nil is os.Stdout); outputs that are no files are returned as they are.
func withoutProtocol(out io.Writer) io.Writer {
	f, ok := out.(*os.File)
	if out == nil {
		f, ok = os.Stdout, true
	}
	if !ok {
		return out
	}
	return plainKeys{File: f, ask: regexp.MustCompile(askKeys)}
}

// Write writes b without the sequences; every sequence comes whole, in one write.
func (p plainKeys) Write(b []byte) (int, error) {
	if _, err := p.File.Write(p.ask.ReplaceAll(b, nil)); err != nil {
		return 0, err //nolint:wrapcheck // a writer passes errors on as they are
	}
	return len(b), nil
}

// WriteString must not go around Write.
func (p plainKeys) WriteString(s string) (int, error) { return p.Write([]byte(s)) }

// ReadFrom must not go around Write.
func (p plainKeys) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{p}, r) //nolint:wrapcheck // as Write
}

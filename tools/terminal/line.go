package terminal

import (
	"context"
	"errors"
	"strings"
	"time"

	"hermes/core"
	"hermes/tools"
)

// LineOptions describe a command line of the person's own.
type LineOptions struct {
	Command string
	Dir     string
	Environ []string // the person's whole environment; nothing is filtered
	Output  func(string)
}

// lineLimit ends a line the person forgot.
const lineLimit = time.Hour

var errEmptyLine = errors.New("the command is empty")

// Line runs a command that the person typed, with the person's rights: nothing is judged or asked. It
// returns the exit code; when ctx ends the command and its children are stopped.
func Line(ctx context.Context, o LineOptions) (exit int, err error) {
	if strings.TrimSpace(o.Command) == "" || strings.ContainsRune(o.Command, 0) {
		return 0, &core.Error{Code: core.CodeUsage, Op: "run", Err: errEmptyLine, Hint: "type a command behind the !"}
	}
	out := newCapture(o.Output, func() (*tools.Spill, error) { return nil, nil })
	end := execution{command: o.Command, dir: o.Dir, env: o.Environ, limit: lineLimit, grace: 2 * time.Second, out: out}.run(ctx)
	if end.group != nil {
		end.group.end(2 * time.Second) // a line leaves nothing behind
	}
	if !end.started {
		return end.code, &core.Error{Op: "run " + o.Command, Err: errors.New(end.words)}
	}
	return end.code, nil
}

// Package cli is the command line: one file a command. A command parses its words, calls the package
// that does the work and prints; with --json it prints one object (or one a line for streams).
//
// It holds no behaviour of its own and never draws a screen. Start reading at Main, then root.go.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/text"
	"hermes/skills"
)

// The exit codes of the program.
const (
	ExitOK          = 0
	ExitFailed      = 1 // failed, or the budget is spent
	ExitUsage       = 2
	ExitNotFound    = 3
	ExitSetup       = 4
	ExitFindings    = 5
	ExitInterrupted = 130
)

// Streams are the program's standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	InTTY    bool // In is a terminal: there is nothing to read
	OutTTY   bool // Out is a terminal: the workspace can be drawn
}

// Config is what main hands over.
type Config struct {
	Streams

	Args    []string // without the program's name
	Version string
	Dir     string
	Getenv  func(string) string
	Environ []string
}

// Main runs one command line and returns the exit code.
func Main(ctx context.Context, c Config) int {
	// Known before the flags are parsed: wrong flags are reported in the form that was asked for.
	x := &cli{Config: c, json: slices.Contains(c.Args, "--json")}
	root := x.root()
	root.SetArgs(c.Args)
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	err := root.ExecuteContext(ctx)
	if x.app != nil {
		err = errors.Join(err, x.app.Close())
	}
	return x.finish(err)
}

// cli is the state of one command line.
type cli struct {
	Config

	json  bool
	flags app.Options
	app   *app.App
}

// exitError ends the program with a code and nothing more to say.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// finish reports err and gives its exit code.
func (x *cli) finish(err error) int {
	var code exitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &code):
		return int(code)
	}
	e := core.NewRunError(err)
	// cobra's own complaints (unknown command, missing flag) carry no code of ours.
	if e.Code == core.CodeInternal && isCobraUsage(err) {
		e.Code, e.Remedy = core.CodeUsage, "see: hermes --help"
	}
	var choice *skills.RefusedError
	if !errors.As(err, &choice) {
		choice = &skills.RefusedError{}
	} else if e.Remedy == "" && choice.Code == skills.RefusedUnknown {
		e.Remedy = "hermes skills list shows what there is"
	}
	if x.json {
		_ = x.print(map[string]any{"error": struct {
			*core.RunError

			Matches []string `json:"matches,omitempty"`
		}{e, choice.Matches}}) // the exit code tells, too
	} else {
		fmt.Fprintln(x.Err, "hermes: "+e.Message)
		for _, m := range choice.Matches {
			fmt.Fprintln(x.Err, "  "+text.OneLine(m))
		}
		if e.Remedy != "" {
			fmt.Fprintln(x.Err, "  → "+e.Remedy)
		}
	}
	return exitCode(e.Code)
}

func isCobraUsage(err error) bool {
	for _, p := range []string{"unknown command", "required flag"} {
		if strings.Contains(err.Error(), p) {
			return true
		}
	}
	return false
}

func exitCode(c core.Code) int {
	switch c {
	case core.CodeUsage:
		return ExitUsage
	case core.CodeNotFound:
		return ExitNotFound
	case core.CodeSetup:
		return ExitSetup
	case core.CodeInterrupted:
		return ExitInterrupted
	default:
		return ExitFailed
	}
}

// print writes v as one line of JSON.
func (x *cli) print(v any) error {
	enc := json.NewEncoder(x.Out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// printf writes for people.
func (x *cli) printf(format string, args ...any) {
	fmt.Fprintf(x.Out, format, args...)
}

// open reads the home's configuration, once, and says what is wrong with it.
func (x *cli) open() (*app.App, error) {
	if x.app != nil {
		return x.app, nil
	}
	if x.flags.MaxIterations < 0 {
		return nil, usageError("--max-iterations %d: at least 1 request is needed", x.flags.MaxIterations)
	}
	o := x.flags
	o.Version, o.Dir, o.Getenv, o.Environ = x.Version, x.Dir, x.Getenv, x.Environ
	a, err := app.Open(o)
	if err != nil {
		return nil, err
	}
	x.app = a
	return a, nil
}

// openLoud is open for commands whose result depends on the settings: problems go to standard error.
func (x *cli) openLoud() (*app.App, error) {
	a, err := x.open()
	if err != nil {
		return nil, err
	}
	for _, n := range a.Notices() {
		fmt.Fprintf(x.Err, "hermes: %s\n", n.Text)
		if n.Remedy != "" {
			fmt.Fprintf(x.Err, "  → %s\n", n.Remedy)
		}
	}
	return a, nil
}

// forPeople refuses a command inside an agent's own shell.
func (x *cli) forPeople(what string) error {
	if x.Getenv("HERMES_AGENT") == "" {
		return nil
	}
	return &core.Error{
		Code: core.CodeDenied, Op: what, Err: errors.New("this shell belongs to an agent"),
		Hint: "ask the person to run it in their own terminal",
	}
}

// command fills what all commands share.
func command(use, short string, run func(cmd *cobra.Command, args []string) error, args cobra.PositionalArgs) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, RunE: run, Args: counted(args),
		SilenceUsage: true, SilenceErrors: true, DisableFlagsInUseLine: true,
	}
}

// group is a command that only holds others.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := command(use, short, func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError("unknown command %q for %q", args[0], cmd.CommandPath())
		}
		return cmd.Help()
	}, cobra.ArbitraryArgs)
	c.AddCommand(subs...)
	return c
}

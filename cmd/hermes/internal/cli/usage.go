package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hermes/core"
	"hermes/core/text"
)

// usageError marks wrong words on the command line.
func usageError(format string, args ...any) error {
	return &core.Error{Code: core.CodeUsage, Op: fmt.Sprintf(format, args...)}
}

// wrongUse is a command that was called with other words than it takes.
func wrongUse(cmd *cobra.Command, why string) error {
	return &core.Error{
		Code: core.CodeUsage, Op: strings.TrimPrefix(cmd.CommandPath(), "hermes "), Err: errors.New(why),
		Hint: "hermes " + strings.TrimPrefix(cmd.UseLine(), "hermes ") + "; more: " + cmd.CommandPath() + " --help",
	}
}

// shown is how much of a word is repeated, in characters.
const shown = 40

// counted says of a wrong number of words what the command takes.
func counted(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check == nil || check(cmd, args) == nil {
			return nil
		}
		_, takes, _ := strings.Cut(cmd.Use, " ")
		switch {
		case takes == "" && len(args) > 0:
			return wrongUse(cmd, fmt.Sprintf("it takes no words, and here is %q", text.Cut(text.OneLine(args[0]), shown)))
		case len(args) == 0:
			return wrongUse(cmd, "it needs "+takes)
		}
		given := make([]string, len(args))
		for i, arg := range args {
			given[i] = strconv.Quote(text.Cut(text.OneLine(arg), shown))
		}
		return wrongUse(cmd, fmt.Sprintf("it takes %s; here %s %d: %s", takes, text.Plural(len(args), "is", "are"), len(args), text.Cut(strings.Join(given, " "), 4*shown)))
	}
}

// wrongFlag says what is wrong with a flag in words of the command line, not of the parser.
func wrongFlag(cmd *cobra.Command, err error) error {
	said := err.Error()
	if head, _, ok := strings.Cut(said, ": strconv."); ok {
		said = head + ": a whole number is expected"
	}
	if strings.HasPrefix(said, "unknown") && len(cmd.Commands()) == 0 && strings.Contains(cmd.Use, " ") {
		said += "; a text that begins with - goes behind --"
	}
	return wrongUse(cmd, said)
}

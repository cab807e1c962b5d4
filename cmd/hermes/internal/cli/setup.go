package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/text"
	"hermes/tui"
)

func (x *cli) setup() *cobra.Command {
	var choice tui.Choice
	var keyStdin bool
	c := command("setup", "Choose a provider, store its key and test it", func(cmd *cobra.Command, _ []string) error {
		if err := x.forPeople("set up a model"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		if keyStdin {
			b, err := io.ReadAll(io.LimitReader(x.In, 1<<16))
			if err != nil {
				return &core.Error{Op: "read key", Err: err}
			}
			choice.Key = strings.TrimSpace(string(b))
		}
		if choice.Preset == "" {
			if !x.InTTY || x.json {
				return &core.Error{Code: core.CodeUsage, Op: "set up: no provider given", Hint: "hermes setup --provider openai --key-stdin, or open the workspace: hermes"}
			}
			if err := x.interview(cmd, a, &choice); err != nil {
				return err
			}
		}
		if choice.Model == "" {
			choice.Model = x.flags.Model
		}
		plan := a.SetupPlan(choice)
		if err := a.SaveSetup(cmd.Context(), choice); err != nil {
			return err
		}
		p, err := a.Configured()
		if err != nil {
			return err
		}
		if x.json {
			return x.print(map[string]any{"model": p.Info(), "wrote": plan})
		}
		x.printf("%s at %s answers.\n", p.Info().Model, p.Info().BaseURL)
		for _, l := range plan {
			x.printf("  wrote %s\n", l)
		}
		return nil
	}, cobra.NoArgs)
	c.Flags().StringVar(&choice.Preset, "provider", "", "provider: "+strings.Join(app.PresetNames(), ", "))
	c.Flags().StringVar(&choice.BaseURL, "base-url", "", "base URL, for custom servers")
	c.Flags().BoolVar(&keyStdin, "key-stdin", false, "read the key from standard input")
	return c
}

// interview asks a person at a plain terminal: provider, address, key (unseen), model.
func (x *cli) interview(cmd *cobra.Command, a *app.App, c *tui.Choice) error {
	in := bufio.NewReader(x.In)
	presets := a.Presets()
	for i, p := range presets {
		note := ""
		if p.KeyFound {
			note = "  (" + p.KeyEnv + " is set)"
		}
		x.printf("%2d  %s%s\n", i+1, p.Label, note)
	}
	n, err := strconv.Atoi(x.ask(in, "provider"))
	if err != nil || n < 1 || n > len(presets) {
		return usageError("choose a number from 1 to %d", len(presets))
	}
	p := presets[n-1]
	c.Preset, c.Model = p.Name, p.Model
	if p.Custom {
		c.BaseURL = x.ask(in, "base URL (with /v1)")
	}
	if !p.KeyFound && p.KeyEnv != "" {
		if c.Key, err = x.askHidden(in, p.Label+" key (not shown)"); err != nil {
			return err
		}
	}
	served, err := a.ServedBy(cmd.Context(), *c)
	if err != nil {
		return err
	}
	x.printf("%s", text.Count(len(served), "model is served", "models are served"))
	if len(served) > 0 && len(served) <= 20 {
		x.printf(": %s", strings.Join(served, ", "))
	}
	x.printf("\n")
	if m := x.ask(in, "model ["+c.Model+"]"); m != "" {
		c.Model = m
	}
	return nil
}

func (x *cli) ask(in *bufio.Reader, what string) string {
	x.printf("%s: ", what)
	line, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return strings.TrimSpace(line)
}

// askHidden reads a line without echo where the terminal allows it.
func (x *cli) askHidden(in *bufio.Reader, what string) (string, error) {
	f, ok := x.In.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return x.ask(in, what), nil
	}
	x.printf("%s: ", what)
	b, err := term.ReadPassword(int(f.Fd()))
	fmt.Fprintln(x.Out)
	if err != nil {
		return "", &core.Error{Op: "read key", Err: err}
	}
	return strings.TrimSpace(string(b)), nil
}

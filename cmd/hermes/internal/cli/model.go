package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
)

// askTime is how long a server may take to list its models when nobody asked for the list.
const askTime = 5 * time.Second

// doubt warns about a model its server does not list. Some servers list none or not all, and one that is
// not there now may be there later, so it is no more than a word.
func (x *cli) doubt(ctx context.Context, a *app.App, name string) {
	p, err := a.ModelNamed(name)
	if err != nil {
		return
	}
	ctx, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	served, err := p.Served(ctx)
	if err != nil || len(served) == 0 || slices.Contains(served, p.Info().Model) {
		return
	}
	fmt.Fprintf(x.Err, "hermes: %s does not list a model %q; it is set all the same\n  → hermes model list shows what it offers\n", p.Info().BaseURL, p.Info().Model)
}

func (x *cli) model() *cobra.Command {
	list := command("list", "List the models the configured server offers", func(cmd *cobra.Command, _ []string) error {
		a, err := x.openLoud()
		if err != nil {
			return err
		}
		p, err := a.Pick(cmd.Context())
		if err != nil {
			return err
		}
		served, err := p.Served(cmd.Context())
		if err != nil {
			return err
		}
		if x.json {
			return x.print(map[string]any{"provider": p.Info().Provider, "base_url": p.Info().BaseURL, "current": p.Info().Model, "source": p.Source, "models": served})
		}
		for _, m := range served {
			mark := " "
			if m == p.Info().Model {
				mark = "*"
			}
			x.printf("%s %s\n", mark, m)
		}
		return nil
	}, cobra.NoArgs)
	set := command("set MODEL", "Use a model from now on (MODEL or provider/MODEL)", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("change the model"); err != nil {
			return err
		}
		if strings.TrimSpace(args[0]) == "" {
			return &core.Error{Code: core.CodeUsage, Op: "set model", Err: errors.New("no name given")}
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		info, err := a.SetModel(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if err := x.said(info, "model: %s at %s\n", info.Model, info.BaseURL); err != nil {
			return err
		}
		x.doubt(cmd.Context(), a, args[0])
		return nil
	}, cobra.ExactArgs(1))
	return group("model", "Show and choose the model", list, set)
}

package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"hermes/core"
)

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
		return x.said(info, "model: %s at %s\n", info.Model, info.BaseURL)
	}, cobra.ExactArgs(1))
	return group("model", "Show and choose the model", list, set)
}

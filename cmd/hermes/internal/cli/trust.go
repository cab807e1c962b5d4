package cli

import "github.com/spf13/cobra"

func (x *cli) trust() *cobra.Command {
	return command("trust [DIR]", "Trust a folder: what is read there does not taint what the agent learns", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("trust a folder"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		dir := x.Dir
		if len(args) == 1 {
			dir = a.Abs(args[0])
		}
		if err := a.Trust(cmd.Context(), dir); err != nil {
			return err
		}
		return x.said(map[string]any{"trusted": a.Config().TrustedDirs}, "trusted: %s\n", dir)
	}, cobra.MaximumNArgs(1))
}

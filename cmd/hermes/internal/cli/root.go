package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// resumeAsked is what --resume without an id means: let the person pick.
const resumeAsked = "?"

// startFlags are the flags of the workspace.
type startFlags struct {
	resume string
	last   bool
	demo   bool
}

func (x *cli) root() *cobra.Command {
	var start startFlags
	c := command("hermes", "A terminal workspace for an agent that learns from its own work", nil, cobra.ArbitraryArgs)
	c.Long = `hermes opens the workspace: chat, live tool calls and what the agent learned, side by side.

With nothing configured it opens on the onboarding screen; nothing is written before you chose.
Every feature also has a plain command; add --json for programs.`
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if start.resume == resumeAsked && len(args) == 1 {
			start.resume, args = args[0], nil
		}
		if len(args) > 0 {
			return usageError("unknown command %q; to ask something from the shell: hermes run %q", args[0], strings.Join(args, " "))
		}
		return x.workspace(cmd.Context(), start)
	}
	c.CompletionOptions.HiddenDefaultCmd = false
	c.SetFlagErrorFunc(wrongFlag)
	c.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
	p := c.PersistentFlags()
	p.StringVar(&x.flags.Home, "home", "", "the folder that holds everything (default $HERMES_HOME or ~/.hermes)")
	p.StringVar(&x.flags.Model, "model", "", "model, or provider/model, for this start")
	p.StringSliceVar(&x.flags.Toolsets, "toolsets", nil, "toolsets to offer, comma separated (default from config)")
	p.BoolVar(&x.flags.Yolo, "yolo", false, "approve dangerous calls without asking; the hard floor still holds")
	p.IntVar(&x.flags.MaxIterations, "max-iterations", 0, "model requests in one turn (default agent.max_turns)")
	p.BoolVar(&x.json, "json", x.json, "print JSON for programs")
	f := c.Flags()
	f.StringVar(&start.resume, "resume", "", "open a session: an id, a prefix or last; without one, pick from the list")
	f.Lookup("resume").NoOptDefVal = resumeAsked
	f.BoolVar(&start.last, "continue", false, "open the last session")
	f.BoolVar(&start.demo, "demo", false, "open the built-in demo: a scripted model on a throw-away home")
	c.AddCommand(x.run(), x.undo(), x.sessions(), x.approvals(), x.trust(), x.memory(), x.skills(), x.reviews(), x.learn(), x.journey(), x.insights(), x.curator(), x.ledger(), x.config(), x.model(), x.setup(), x.demo(), x.doctor(), x.logs(), x.version())
	return c
}

func (x *cli) version() *cobra.Command {
	return command("version", "Print the version", func(*cobra.Command, []string) error {
		return x.said(map[string]any{"version": x.Version}, "hermes %s\n", x.Version)
	}, cobra.NoArgs)
}

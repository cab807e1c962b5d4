package cli

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/text"
	"hermes/skills/curator"
)

func (x *cli) curator() *cobra.Command {
	c := group("curator", "The upkeep of skills that agents wrote and nobody uses",
		x.curatorStatus(), x.curatorRun(), x.curatorRollback(), x.curatorPause("pause", true), x.curatorPause("resume", false),
		x.skillsPin(), x.skillsUnpin(), x.skillsArchive(), x.skillsRestore())
	c.Long = "The upkeep of skills that agents wrote and nobody uses: they go stale, later into the archive; nothing is deleted.\npin, unpin, archive and restore do what they do under hermes skills."
	return c
}

func (x *cli) curatorStatus() *cobra.Command {
	return command("status", "What it did last, when it is due, and what it would do now", func(cmd *cobra.Command, _ []string) error {
		a, err := x.openLoud()
		if err != nil {
			return err
		}
		st, err := a.Curator().Status(cmd.Context())
		if err != nil {
			return err
		}
		s := st.State
		if x.json {
			return x.print(map[string]any{
				"paused": s.Paused, "runs": s.Runs, "last_run": whenever(s.LastRun), "last_summary": s.LastSummary, "last_report": s.LastReport, "last_id": s.LastID,
				"next": whenever(st.Next), "counts": st.Counts, "steps": st.Steps, "enabled": a.Config().Curator.Enabled,
			})
		}
		switch {
		case !a.Config().Curator.Enabled:
			x.printf("The curator is off (curator.enabled).\n")
		case s.Paused:
			x.printf("The curator is paused: hermes curator resume\n")
		case s.LastRun.IsZero():
			x.printf("The curator has not seen the library yet.\n")
		default:
			x.printf("Last run %s: %s Next at the earliest %s.\n", s.LastRun.Local().Format("2006-01-02 15:04"), s.LastSummary, st.Next.Local().Format("2006-01-02 15:04"))
		}
		for _, state := range slices.Sorted(maps.Keys(st.Counts)) {
			x.printf("  %s: %d\n", state, st.Counts[state])
		}
		x.steps(st.Steps)
		return nil
	}, cobra.NoArgs)
}

// whenever is a time in JSON; null for never.
func whenever(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// steps lists what happens, or would.
func (x *cli) steps(steps []curator.Step) {
	for _, s := range steps {
		if s.Move == curator.Keep {
			continue
		}
		x.printf("  %-10s %s: %s", s.Move, s.Name, s.Reason)
		if s.Error != "" {
			x.printf(" — not done: %s", text.OneLine(s.Error))
		}
		x.printf("\n")
	}
}

func (x *cli) curatorRun() *cobra.Command {
	var dry, merge bool
	c := command("run", "Look at every skill now", func(cmd *cobra.Command, _ []string) error {
		a, err := x.inbox("run the curator")
		if err != nil {
			return err
		}
		if !a.Config().Curator.Enabled {
			return &core.Error{Code: core.CodeDenied, Op: "run the curator: it is switched off", Hint: "hermes config set curator.enabled true"}
		}
		r, err := a.RunCurator(cmd.Context(), dry, merge)
		if err != nil {
			return err
		}
		if x.json {
			out := map[string]any{"report": r.Report, "merges": append([]app.Merge{}, r.Merges...)}
			if r.Unmerged != nil {
				out["merge_error"] = r.Unmerged.Error()
			}
			return x.print(out)
		}
		if dry {
			x.printf("Dry run, nothing was changed. ")
		}
		x.printf("%s looked at. %s\n", text.Count(r.Checked, "skill", "skills"), r.Summary())
		x.steps(r.Steps)
		for _, m := range r.Merges {
			x.printf("  merge      %s into %s", m.Absorb, m.Keep)
			switch {
			case m.Error != "":
				x.printf(" — not proposed: %s", text.OneLine(m.Error))
			case len(m.Proposals) > 0:
				x.printf(": hermes reviews show %s", strings.Join(m.Proposals, ", "))
			}
			x.printf("\n")
		}
		if r.Folder != "" {
			x.printf("report: %s\n", r.Folder)
		}
		if r.Backup != "" {
			x.printf("backup: %s\n", r.Backup)
		}
		return r.Unmerged
	}, cobra.NoArgs)
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would happen")
	c.Flags().BoolVar(&merge, "consolidate", false, "let an auxiliary model propose to merge skills that say nearly the same (curator.consolidate)")
	return c
}

func (x *cli) curatorRollback() *cobra.Command {
	return command("rollback [RUN]", "Take a run back (default: the last one)", func(cmd *cobra.Command, args []string) error {
		a, err := x.inbox("roll back")
		if err != nil {
			return err
		}
		id := ""
		if len(args) == 1 {
			id = args[0]
		}
		r, err := a.RollbackCurator(cmd.Context(), a.By(), id)
		if err != nil {
			return err
		}
		return x.said(r, "taken back: %s\n", r.Summary())
	}, cobra.MaximumNArgs(1))
}

func (x *cli) curatorPause(verb string, pause bool) *cobra.Command {
	short := "Stop runs by themselves"
	if !pause {
		short = "Let it run by itself again"
	}
	return command(verb, short, func(_ *cobra.Command, _ []string) error {
		a, err := x.inbox(verb)
		if err != nil {
			return err
		}
		if err := a.Curator().Pause(pause); err != nil {
			return err
		}
		return x.said(map[string]any{"paused": pause}, "the curator is %s\n", map[bool]string{true: "paused", false: "on"}[pause])
	}, cobra.NoArgs)
}

package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core/rehearsal"
	"hermes/core/text"
	cells "hermes/tui/cell"
)

func (x *cli) demo() *cobra.Command {
	var o app.RehearsalOptions
	c := command("demo [STORY]", "Play a story of learning with a scripted model and print its table", func(cmd *cobra.Command, args []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		o.Story = rehearsal.Names()[0]
		if len(args) == 1 {
			o.Story = args[0]
		}
		if home := x.flags.Home; home != "" { // here --home is where the story's home is kept
			if o.Home, err = filepath.Abs(home); err != nil {
				return usageError("--home %s: %v", home, err)
			}
		}
		if !x.json {
			o.Done = func(r app.RehearsalRow) {
				fmt.Fprintf(x.Err, "%s: %s, %s\n", r.Label, text.Count(r.Calls, "call", "calls"), text.Count(r.Errors, "error", "errors"))
			}
		}
		r, err := a.Rehearse(cmd.Context(), o)
		if err != nil {
			return err
		}
		if x.json {
			return x.print(r)
		}
		x.printf("%s", table(r))
		return nil
	}, cobra.MaximumNArgs(1))
	c.Long = "Play a story of learning with a scripted model and a made-up world, in a throw-away home, and print what\n" +
		"each session needed. Stories: " + strings.Join(rehearsal.Names(), ", ") + ". With --home DIR the story's home is kept there (DIR must be new)."
	c.Flags().StringVar(&o.Without, "without", "", "leave a part of learning out: memory, skills or reviews")
	return c
}

// table shows a rehearsal: a column a session.
func table(r app.Rehearsal) string {
	rows := [][]string{{""}, {"tool calls"}, {"errors"}, {"memory"}, {"skill"}, {"review"}}
	for i, s := range r.Rows {
		review := s.Review
		if review == "" {
			review = "—"
		}
		for j, cell := range []string{fmt.Sprintf("%d %s", i+1, s.Label), fmt.Sprint(s.Calls), fmt.Sprint(s.Errors), s.Memory, s.Skill, review} {
			rows[j] = append(rows[j], cell)
		}
	}
	var b strings.Builder
	title := r.Title
	if r.Without != "" {
		title += ", without " + r.Without
	}
	fmt.Fprintf(&b, "\n%s (scripted model, shipped thresholds)\n\n", title)
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			width := 22
			if i == 0 {
				width = 12
			}
			line += cells.Fit(cell, width)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if r.Home != "" {
		fmt.Fprintf(&b, "\nThe home is kept: hermes --home %s\n", r.Home)
	}
	return b.String()
}

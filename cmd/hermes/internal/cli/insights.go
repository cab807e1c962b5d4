package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/core/insights"
	"hermes/core/text"
)

func (x *cli) insights() *cobra.Command {
	var days int
	c := command("insights", "Sessions, tokens, cost, tools, skills and their outcomes", func(cmd *cobra.Command, _ []string) error {
		if days < 1 || days > 36500 {
			return usageError("--days %d: from 1 to 36500", days)
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		r, err := a.Insights(cmd.Context(), days)
		if err != nil {
			return err
		}
		for _, s := range r.Skipped {
			fmt.Fprintln(x.Err, "hermes: left out: "+text.OneLine(s))
		}
		if x.json {
			return x.print(r)
		}
		x.printf("%s", Insights(r))
		return nil
	}, cobra.NoArgs)
	c.Flags().IntVar(&days, "days", 30, "sessions begun in the last days")
	return c
}

// Insights is the report for people.
func Insights(r insights.Report) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	if r.Sessions == 0 {
		return fmt.Sprintf("No sessions in the last %s.\n", text.Count(r.Days, "day", "days"))
	}
	p("Last %s: %s, %s of yours, %s, %.1f hours\n", text.Count(r.Days, "day", "days"), text.Count(r.Sessions, "session", "sessions"),
		text.Count(r.Messages["user"], "message", "messages"), text.Count(r.Messages["assistant"], "answer or call", "answers and calls"), r.Hours)
	p("Tokens: %s in (%.0f %% from the cache), %s out, %s of learning\n", text.Thousands(int(r.Usage.Input)), 100*r.Usage.CacheRate, text.Thousands(int(r.Usage.Output)), text.Thousands(int(r.Usage.Learning)))
	p("Cost: $%.4f chat, $%.4f learning", r.Cost.Chat, r.Cost.Learning)
	if len(r.Cost.Unpriced) > 0 {
		p(" (no price known of %s)", strings.Join(r.Cost.Unpriced, ", "))
	}
	p("\n\nModels\n")
	for _, m := range r.Models[:min(len(r.Models), 10)] {
		p("  %-32s %10s in %9s out  cache %3.0f %%  $%.4f\n", text.Cut(text.OneLine(m.Name), 32), text.Thousands(int(m.Input)), text.Thousands(int(m.Output)), 100*m.CacheRate, m.USD)
	}
	p("\nTools\n")
	for _, t := range r.Tools[:min(len(r.Tools), 15)] {
		p("  %-20s %5d calls  %4d failed  %8s each\n", text.Cut(text.OneLine(t.Name), 20), t.Calls, t.Errors, time.Duration(t.MeanMS*float64(time.Millisecond)).Round(time.Millisecond))
	}
	if len(r.Skills) > 0 {
		p("\nSkills (calls and failed calls a turn; corrections are a coarse rule; nothing is concluded from fewer than 5)\n")
	}
	for _, s := range r.Skills[:min(len(r.Skills), 20)] {
		p("  %s: %s, %s\n", text.OneLine(s.Name), text.Count(s.Loads, "load", "loads"), text.Count(s.Edits, "edit", "edits"))
		if s.Before != nil {
			p("    before it   %s\n", Outcome(*s.Before))
		}
		for _, v := range s.Versions {
			p("    version %-3d %s", v.Number, Outcome(v.Outcome))
			if v.Worse != "" {
				p("  ! %s; /insights takes it back with R (also: hermes skills history and rollback %s)", v.Worse, text.OneLine(s.Name))
			}
			p("\n")
		}
	}
	p("\nActive on %s, at most %s in a row\n", text.Count(r.Activity.Days, "day", "days"), text.Count(r.Activity.Streak, "day", "days"))
	days := slices.Concat(r.Activity.ByWeekday[1:], r.Activity.ByWeekday[:1]) // from Monday
	most := max(slices.Max(days), 1)
	for i, n := range days {
		p("  %s   %s %d\n", []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}[i], strings.Repeat("█", bar(n, most)), n)
	}
	most = max(slices.Max(r.Activity.ByHour[:]), 1)
	for hour, n := range r.Activity.ByHour {
		if n > 0 {
			p("  %02d h  %s %d\n", hour, strings.Repeat("█", bar(n, most)), n)
		}
	}
	return b.String()
}

// Outcome is what happened in some turns, in words.
func Outcome(o insights.Outcome) string {
	if o.Loads == 0 {
		return "not used yet"
	}
	return fmt.Sprintf("%5.1f calls, %4.1f failed, %d corrected  (%s)", o.CallsMean, o.ErrorsMean, o.Corrections, text.Count(o.Loads, "turn", "turns"))
}

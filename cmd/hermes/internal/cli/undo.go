package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/text"
)

func (x *cli) undo() *cobra.Command {
	var dry, yes bool
	c := command("undo [SESSION]", "Take the last turn of a conversation back: its files and its messages", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("undo"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		name := "last"
		if len(args) == 1 {
			name = args[0]
		}
		plan, err := a.UndoStored(cmd.Context(), name, true)
		if err != nil {
			return err
		}
		if dry {
			return x.showUndo(plan, "would take back")
		}
		if !yes && x.InTTY {
			if err := x.showUndo(plan, "the last turn:"); err != nil {
				return err
			}
			if !x.confirm("take this turn back?") {
				return &core.Error{Code: core.CodeDenied, Op: "undo", Err: errors.New("not confirmed"), Hint: "confirm with --yes"}
			}
		}
		done, err := a.UndoStored(cmd.Context(), plan.Session, false)
		if err != nil {
			return err
		}
		return x.showUndo(done, "taken back:")
	}, cobra.MaximumNArgs(1))
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would happen")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// showUndo lists what u is about; word says whether it happened.
func (x *cli) showUndo(u app.Undone, word string) error {
	if x.json {
		return x.print(u)
	}
	x.printf("%s %q: %d messages\n", word, text.Cut(text.OneLine(u.Text), 80), u.Messages)
	for _, f := range u.Files {
		x.printf("  %-10s %s", f.Action, f.Path)
		if f.Reason != "" {
			x.printf("  (%s)", f.Reason)
		}
		x.printf("\n")
	}
	return nil
}

func (x *cli) sessionsCompact() *cobra.Command {
	var focus string
	c := command("compact ID", "Shorten a conversation for the model; all of it stays in the transcript", func(cmd *cobra.Command, args []string) error {
		a, err := x.openLoud()
		if err != nil {
			return err
		}
		s, err := a.OpenSession(cmd.Context(), app.SessionOptions{Resume: args[0], Unattended: true})
		if err != nil {
			return err
		}
		var done *core.Compacted
		go func() {
			for {
				batch, ok := s.Feed.Next(context.WithoutCancel(cmd.Context()))
				if !ok {
					return
				}
				for _, e := range batch {
					if c, ok := e.(*core.Compacted); ok {
						done = c
					}
				}
			}
		}()
		outcome := make(chan error, 1)
		if err := s.Conversation.Compact(focus, func(err error) { outcome <- err }); err != nil {
			return errors.Join(err, s.Close(cmd.Context()))
		}
		select {
		case err = <-outcome:
		case <-cmd.Context().Done():
			err = exitError(ExitInterrupted)
		}
		err = errors.Join(err, s.Close(context.WithoutCancel(cmd.Context())))
		if err != nil || done == nil {
			return err
		}
		how := ""
		if done.Fallback {
			how = " (the note was made without a model)"
		}
		return x.said(map[string]any{
			"session_id": s.ID(), "messages": done.Messages, "before": done.Before, "after": done.After, "fallback": done.Fallback, "summary": done.Summary,
		}, "replaced %d messages; about %d → %d tokens%s\n", done.Messages, done.Before, done.After, how)
	}, cobra.ExactArgs(1))
	c.Flags().StringVar(&focus, "focus", "", "what to keep above all")
	return c
}

func (x *cli) approvals() *cobra.Command {
	list := command("list", "List the rules that \"always\" stored", func(*cobra.Command, []string) error {
		a, err := x.openLoud()
		if err != nil {
			return err
		}
		rules := append([]string{}, a.Config().Approvals.Allow...)
		if x.json {
			return x.print(map[string]any{"mode": a.Config().Approvals.Mode, "allow": rules, "deny": append([]string{}, a.Config().Approvals.Deny...)})
		}
		for i, r := range rules {
			x.printf("%2d  %s\n", i+1, text.Visible(r))
		}
		if len(rules) == 0 {
			x.printf("no rules are stored; everything dangerous asks\n")
		}
		return nil
	}, cobra.NoArgs)
	revoke := command("revoke RULE", "Take a stored rule back (its text, or its number in the list)", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("revoke a rule"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		rule, err := pickRule(a.Config().Approvals.Allow, args[0])
		if err != nil {
			return err
		}
		if err := a.Settings.Remove(cmd.Context(), "approvals.allow", rule); err != nil {
			return err
		}
		return x.said(map[string]any{"revoked": rule}, "revoked: %s\n", text.Visible(rule))
	}, cobra.ExactArgs(1))
	return group("approvals", "List and revoke the rules of earlier approvals", list, revoke)
}

// pickRule finds a rule by its text or its number.
func pickRule(rules []string, name string) (string, error) {
	if slices.Contains(rules, name) {
		return name, nil
	}
	for i, r := range rules {
		if name == numbered(i) {
			return r, nil
		}
	}
	return "", &core.Error{Code: core.CodeNotFound, Op: "revoke rule", Subject: name, Err: errors.New("no such rule"), Hint: "list them with: hermes approvals list"}
}

func numbered(i int) string { return text.Thousands(i + 1) }

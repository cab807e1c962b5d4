package cli

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/text"
)

func (x *cli) ledger() *cobra.Command {
	return group("ledger", "Everything that was learned: who, when, why, and back", x.ledgerLog(), x.ledgerShow(), x.ledgerUndo(), x.ledgerPurge())
}

func (x *cli) ledgerLog() *cobra.Command {
	var f ledger.Filter
	c := command("log [SUBJECT]", "List the changes, newest first (SUBJECT like memory:user, or memory: for all of a kind)", func(_ *cobra.Command, args []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		if len(args) == 1 {
			f.Subject = args[0]
		}
		log, err := a.Ledger.Log(f)
		if err != nil {
			return err
		}
		if x.json {
			return x.print(map[string]any{"changes": append([]ledger.Entry{}, log...)})
		}
		for _, e := range log {
			x.printf("%s  %s  %-7s %-10s %-16s %s\n", e.ID[max(0, len(e.ID)-8):], e.Time.Local().Format("2006-01-02 15:04"), e.Actor, e.Action, e.Subject, text.Cut(text.OneLine(e.Reason), 80))
		}
		if len(log) == 0 {
			x.printf("nothing was learned yet\n")
		}
		return nil
	}, cobra.MaximumNArgs(1))
	c.Flags().IntVar(&f.Limit, "limit", 50, "how many, 0 for all")
	c.Flags().StringVar(&f.SessionID, "session", "", "only changes of this session")
	return c
}

func (x *cli) ledgerShow() *cobra.Command {
	return command("show ID", "Show one change with its difference", func(_ *cobra.Command, args []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		e, err := a.Ledger.Entry(args[0])
		if err != nil {
			return err
		}
		diff, err := a.Ledger.DiffEntry(e)
		if err != nil && core.CodeOf(err) != core.CodeNotFound {
			return err
		}
		if x.json {
			return x.print(map[string]any{"change": e, "diff": diff})
		}
		x.printf("%s\n%s by %s: %s %s\n%s\n\n%s", e.ID, e.Time.Local().Format("2006-01-02 15:04:05"), e.Actor, e.Action, e.Subject, text.OneLine(e.Reason), text.Neutralise(diff))
		return nil
	}, cobra.ExactArgs(1))
}

func (x *cli) ledgerUndo() *cobra.Command {
	var session string
	c := command("undo [ID…]", "Take changes back, or all of a session", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("undo"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		ids := args
		if session != "" {
			if ids, err = a.Ledger.UndoIDs(ledger.Filter{SessionID: session}); err != nil {
				return err
			}
		}
		if len(ids) == 0 {
			return usageError("nothing to undo: name a change (hermes ledger log), or --session ID")
		}
		e, err := a.Undo(cmd.Context(), a.By(), ids...)
		if err != nil {
			return err
		}
		return x.said(e, "undone: %s (%s)%s\n", strings.Join(ids, " "), e.Subject, beside(e))
	}, cobra.ArbitraryArgs)
	c.Flags().StringVar(&session, "session", "", "all that this session learned and that is still in force")
	return c
}

// beside says that an undo kept what came later elsewhere.
func beside(e ledger.Entry) string {
	if e.Merged {
		return "; later changes beside it were kept"
	}
	return ""
}

func (x *cli) ledgerPurge() *cobra.Command {
	var short bool
	c := command("purge", "Remove a leaked secret (read from standard input) from history, learned files, transcripts, copies and logs", func(cmd *cobra.Command, _ []string) error {
		if err := x.forPeople("purge"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		secret, err := bufio.NewReader(x.In).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return &core.Error{Op: "read standard input", Err: err}
		}
		secret = strings.TrimRight(secret, "\r\n")
		switch n := text.Len(strings.TrimSpace(secret)); {
		case n == 0:
			return usageError("the secret is missing; pipe it in: printf %%s SECRET | hermes ledger purge")
		case n < ledger.SafeSecret && !short:
			return usageError("the secret has %s, fewer than %d: it may be part of honest text, which would be torn up; if you mean it: --short", text.Count(n, "character", "characters"), ledger.SafeSecret)
		}
		r, err := a.Purge(cmd.Context(), secret)
		switch {
		case err != nil:
			return err
		case !r.Found():
			return &core.Error{Code: core.CodeNotFound, Op: "purge", Err: errors.New("it is nowhere in this home"), Hint: "Is it complete and spelled as it leaked?"}
		}
		return x.said(r, "cleaned %d versions, %d journal lines, %d learned files, %d other files; the search index is made anew\n", r.Versions, r.Lines, r.Files, r.Others)
	}, cobra.NoArgs)
	c.Flags().BoolVar(&short, "short", false, "purge a secret of fewer than 8 characters (a word of Chinese, say): every place that holds them is changed")
	return c
}

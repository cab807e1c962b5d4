package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/review"
	"hermes/core/text"
)

func (x *cli) reviews() *cobra.Command {
	c := group("reviews", "What the background reviews learned, and what waits for you",
		x.reviewsList(), x.reviewsShow(), x.reviewsRun(), x.reviewsAccept(), x.reviewsReject(), x.reviewsUndo(), x.reviewsPause("pause", true), x.reviewsPause("resume", false))
	c.Long = "What the background reviews learned, and what waits for you.\nID is a review (rv-…, a part of it, or last) or a proposal, as list shows them."
	return c
}

// reviewRow is a review in a list.
type reviewRow struct {
	review.Record

	Changes []changeRow `json:"changes"`
}

// changeRow is a change of a review in a list.
type changeRow struct {
	LedgerID string `json:"ledger_id"`
	Subject  string `json:"subject"`
	Action   string `json:"action"`
	Undone   bool   `json:"undone,omitempty"`
}

func rowOf(a *app.App, r review.Record) (reviewRow, error) {
	row := reviewRow{Record: r, Changes: []changeRow{}}
	changes, err := a.ReviewChanges(r.ID)
	if err != nil {
		return row, err
	}
	stands, err := a.Ledger.UndoIDs(ledger.Filter{ReviewID: r.ID})
	for _, e := range changes {
		row.Changes = append(row.Changes, changeRow{LedgerID: e.ID, Subject: e.Subject, Action: e.Action, Undone: len(e.Undoes) == 0 && !slices.Contains(stands, e.ID)})
	}
	return row, err
}

func (x *cli) reviewsList() *cobra.Command {
	var limit int
	c := command("list", "List the proposals that wait and the reviews, newest first", func(_ *cobra.Command, _ []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		waiting, odd, err := a.Inbox.List()
		if err != nil {
			return err
		}
		list, problems, err := a.Reviews.List(limit)
		if err != nil {
			return err
		}
		rows := []reviewRow{}
		for _, r := range list {
			row, err := rowOf(a, r)
			if err != nil {
				return err
			}
			row.Steps = nil // show has them
			rows = append(rows, row)
		}
		counts, err := a.Book.Counts()
		if err != nil {
			return err
		}
		for _, p := range append(odd, problems...) {
			fmt.Fprintln(x.Err, "hermes: left out: "+p)
		}
		if x.json {
			return x.print(map[string]any{"reviews": rows, "proposals": append([]review.Waiting{}, waiting...), "counters": counts})
		}
		x.listProposals(waiting)
		for _, r := range rows {
			x.printf("%s  %s  %-9s  %d/%d calls  %s%s\n", r.ID, r.StartedAt.Local().Format("2006-01-02 15:04"), r.State, r.Calls, r.MaxCalls, kindOf(r.Record), sayCost(r.Cost))
			for _, c := range r.Changes {
				gone := ""
				if c.Undone {
					gone = "  taken back"
				}
				x.printf("    %s %s  (%s)%s\n", c.Action, c.Subject, c.LedgerID[max(0, len(c.LedgerID)-8):], gone)
			}
			if r.Error != "" {
				x.printf("    ! %s\n", text.OneLine(r.Error))
			}
		}
		if len(rows)+len(waiting) == 0 {
			x.printf("no reviews yet: %d turns and %d model steps counted\n", counts.UserTurns, counts.ModelSteps)
		}
		if counts.Paused {
			x.printf("learning is paused: hermes reviews resume\n")
		}
		return nil
	}, cobra.NoArgs)
	c.Flags().IntVar(&limit, "limit", 20, "how many reviews, 0 for all")
	return c
}

func (x *cli) listProposals(waiting []review.Waiting) {
	for _, w := range waiting {
		x.printf("%s  waits (%s)  %s %s  by %s\n", w.ID, w.Held, w.Action, w.Subject, w.Actor)
		if w.Refused != nil {
			x.printf("    ! you have %s the same on %s\n", w.Refused.How, w.Refused.Time.Local().Format(time.DateOnly))
		}
	}
	if len(waiting) > 0 {
		x.printf("  → hermes reviews show|accept|reject ID\n\n")
	}
}

// kindOf is why a review ran, or what else a background agent is.
func kindOf(r review.Record) string {
	if !review.IsReview(r.Kind) {
		return r.Kind
	}
	return string(r.Trigger)
}

func sayCost(c core.Cost) string {
	if !c.Known {
		return ""
	}
	return fmt.Sprintf("  $%.4f", c.USD)
}

func (x *cli) reviewsShow() *cobra.Command {
	return command("show ID", "Show a proposal with its difference, or a review with its steps and changes", func(cmd *cobra.Command, args []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		if w, err := a.Inbox.Get(args[0]); err == nil {
			return x.showProposal(cmd, a, w)
		}
		r, err := a.Reviews.Get(args[0])
		if err != nil {
			return err
		}
		row, err := rowOf(a, r)
		if err != nil {
			return err
		}
		if x.json {
			return x.print(row)
		}
		x.printf("%s  %s by %s  %d of %d calls, %d requests%s\n", r.ID, r.State, r.Trigger, r.Calls, r.MaxCalls, r.Requests, sayCost(r.Cost))
		if r.Focus != "" {
			x.printf("asked for: %s\n", text.OneLine(r.Focus))
		}
		for i, s := range r.Steps {
			state := "ok"
			if !s.OK {
				state = "refused or failed"
			}
			x.printf("%2d. %s %s\n    %s: %s\n", i+1, s.Tool, text.Cut(text.OneLine(s.Arguments), 160), state, text.Cut(text.OneLine(s.Result), 160))
		}
		if r.Error != "" {
			x.printf("! %s\n", text.OneLine(r.Error))
		}
		changes, err := a.ReviewChanges(r.ID)
		if err != nil {
			return err
		}
		for _, e := range changes {
			diff, err := a.Ledger.DiffEntry(e)
			if err != nil {
				diff = err.Error() + "\n"
			}
			x.printf("\n%s  %s %s\n%s", e.ID, e.Action, e.Subject, text.Neutralise(diff))
		}
		return nil
	}, cobra.ExactArgs(1))
}

func (x *cli) showProposal(cmd *cobra.Command, a *app.App, w review.Waiting) error {
	_, stale := a.Inbox.Preview(cmd.Context(), w.ID)
	problem := ""
	if stale != nil {
		problem = stale.Error()
	}
	if x.json {
		return x.print(map[string]any{"proposal": w, "problem": problem})
	}
	x.printf("%s  %s %s, waits because: %s\nby %s in session %s\n", w.ID, w.Action, w.Subject, w.Held, w.Actor, w.SessionID)
	if w.Taint != "" {
		x.printf("text from outside: %s\n", text.OneLine(w.Taint))
	}
	for _, f := range w.Findings {
		x.printf("! %s\n", text.OneLine(f))
	}
	if problem != "" {
		x.printf("! %s\n", text.OneLine(problem))
	}
	x.printf("\n%s", text.Neutralise(w.Diff))
	return nil
}

func (x *cli) reviewsAccept() *cobra.Command {
	var file string
	c := command("accept ID", "Make the change of a proposal", func(cmd *cobra.Command, args []string) error {
		a, err := x.inbox("accept")
		if err != nil {
			return err
		}
		var edited json.RawMessage
		if file != "" {
			if edited, err = x.arguments(file); err != nil {
				return err
			}
		}
		done, err := a.Inbox.Accept(cmd.Context(), args[0], edited)
		if err != nil {
			return err
		}
		return x.said(done, "accepted: %s %s (%s)\n", done.Proposal.Action, done.Proposal.Subject, done.LedgerID)
	}, cobra.ExactArgs(1))
	c.Flags().StringVar(&file, "edited", "", "JSON file with other arguments for the same tool, - for standard input (show --json prints the present ones)")
	return c
}

// inbox opens the home for a decision, which only a person may make.
func (x *cli) inbox(what string) (*app.App, error) {
	if err := x.forPeople(what); err != nil {
		return nil, err
	}
	return x.openLoud()
}

// arguments reads edited arguments.
func (x *cli) arguments(file string) (json.RawMessage, error) {
	raw, err := readFileOr(file, x.In)
	if err != nil {
		return nil, &core.Error{Code: core.CodeUsage, Op: "read arguments", Subject: file, Err: err}
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, &core.Error{Code: core.CodeUsage, Op: "read arguments", Subject: file, Err: err, Hint: "It must be one JSON object, as under arguments in: hermes reviews show ID --json"}
	}
	return raw, nil
}

func (x *cli) reviewsReject() *cobra.Command {
	var reason string
	c := command("reject ID", "Refuse a proposal; its lesson is not proposed again without saying so", func(cmd *cobra.Command, args []string) error {
		a, err := x.inbox("reject")
		if err != nil {
			return err
		}
		p, err := a.Inbox.Reject(cmd.Context(), args[0], reason)
		if err != nil {
			return err
		}
		return x.said(p, "rejected: %s %s\n", p.Action, p.Subject)
	}, cobra.ExactArgs(1))
	c.Flags().StringVar(&reason, "reason", "", "why; agents are told")
	return c
}

func (x *cli) reviewsUndo() *cobra.Command {
	return command("undo ID", "Take back all that a review changed and that is still in force", func(cmd *cobra.Command, args []string) error {
		a, err := x.inbox("undo")
		if err != nil {
			return err
		}
		e, err := a.UndoReview(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		return x.said(e, "undone: %s (%s)%s\n", text.Count(len(e.Undoes), "change", "changes"), e.Subject, beside(e))
	}, cobra.ExactArgs(1))
}

func (x *cli) reviewsPause(verb string, pause bool) *cobra.Command {
	short := "Start no reviews until told otherwise; counting goes on"
	if !pause {
		short = "Let reviews start again"
	}
	return command(verb, short, func(cmd *cobra.Command, _ []string) error {
		a, err := x.inbox(verb)
		if err != nil {
			return err
		}
		if err := a.Book.Pause(cmd.Context(), pause); err != nil {
			return err
		}
		counts, err := a.Book.Counts()
		if err != nil {
			return err
		}
		return x.said(counts, "learning: %s (%d turns wait for a review)\n", map[bool]string{true: "paused", false: "on"}[counts.Paused], counts.Unreviewed)
	}, cobra.NoArgs)
}

func (x *cli) reviewsRun() *cobra.Command {
	var focus string
	var due bool
	c := command("run [SESSION]", "Review a session now (default: the last one) and wait for the end", func(cmd *cobra.Command, args []string) error {
		a, err := x.inbox("review")
		if err != nil {
			return err
		}
		session := "last"
		if len(args) == 1 {
			session = args[0]
		}
		p := printer{cli: x}
		r, err := a.ReviewNow(cmd.Context(), session, focus, due, p.learned)
		if err != nil {
			return err
		}
		if r.ID == "" {
			return x.said(map[string]any{"due": false}, "no review is due\n")
		}
		if x.json {
			row, err := rowOf(a, r)
			return errors.Join(err, x.print(row))
		}
		x.printf("%s\n", sayReview(r))
		if r.State == review.Failed {
			return exitError(ExitFailed)
		}
		return nil
	}, cobra.MaximumNArgs(1))
	c.Flags().StringVar(&focus, "focus", "", "what to look at above all")
	c.Flags().BoolVar(&due, "due", false, "only when the counters ask for a review")
	return c
}

// sayReview is a finished review in one line.
func sayReview(r review.Record) string {
	var did []string
	if r.Saved > 0 {
		did = append(did, fmt.Sprintf("saved %d", r.Saved))
	}
	if r.Held > 0 {
		did = append(did, fmt.Sprintf("%d in the inbox", r.Held))
	}
	switch {
	case r.Why() != "":
		did = append([]string{text.OneLine(r.Why())}, did...)
	case r.Error != "":
		did = append(did, text.OneLine(r.Error))
	case len(did) == 0:
		did = []string{fmt.Sprintf("%s: %s", r.State, text.OneLine(r.Note))}
	}
	return fmt.Sprintf("review: %s (%d of %s)", strings.Join(did, ", "), r.Calls, text.Count(r.MaxCalls, "call", "calls"))
}

// learned prints the events of learning for people; the rest of the session stays silent.
func (p *printer) learned(e core.Event) {
	if p.json {
		return
	}
	switch e := e.(type) {
	case *core.ReviewStarted:
		if !review.IsReview(e.Kind) {
			return
		}
		p.maxCalls, p.steps = e.MaxCalls, 0
		fmt.Fprintf(p.Err, "review (%s) %s\n", e.Trigger, e.State)
	case *core.ReviewStep:
		if e.OK == nil {
			return
		}
		p.steps++
		fmt.Fprintf(p.Err, "  %d · %s %s\n", p.steps, text.OneLine(e.Tool), text.OneLine(e.Summary))
	case *core.ProposalAdded:
		fmt.Fprintf(p.Err, "  waits for you: %s %s (%s) — hermes reviews show %s\n", e.Action, text.OneLine(e.Subject), e.Held, e.ProposalID)
	case *core.Notice:
		fmt.Fprintf(p.Err, "hermes: %s\n", text.OneLine(e.Text))
	}
}

// readFileOr reads a file, or in when its name is "-".
func readFileOr(name string, in io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(in, stdinLimit))
	}
	return os.ReadFile(name)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/review"
	"hermes/core/text"
	"hermes/skills"
)

// stdinLimit is how much of standard input becomes part of a prompt, in bytes.
const stdinLimit = 4 << 20

func (x *cli) run() *cobra.Command {
	var resume, mode string
	var preload []string
	c := command("run [PROMPT | -]", "One turn from the shell; standard input is appended to the prompt", func(cmd *cobra.Command, args []string) error {
		reviews, err := reviewMode(mode)
		if err != nil {
			return err
		}
		prompt, err := x.prompt(args)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("skill") && strings.TrimSpace(strings.Join(preload, "")) == "" {
			return usageError("--skill: name a skill; hermes skills list shows them")
		}
		a, err := x.open() // what is wrong with the settings is among the session's notices
		if err != nil {
			return err
		}
		s, err := a.OpenSession(cmd.Context(), app.SessionOptions{Resume: resume, Unattended: true, NoReviews: reviews != reviewWait})
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("skill") {
			if prompt, err = s.SkillMessage(cmd.Context(), skills.ByFlag, preload, prompt); err != nil {
				return errors.Join(err, s.Close(cmd.Context()))
			}
		}
		err = x.turn(cmd.Context(), s, prompt)
		if reviews == reviewBackground && a.ReviewDue() {
			if derr := x.detach("reviews", "run", s.ID(), "--due"); derr != nil {
				fmt.Fprintln(x.Err, "hermes: no review in the background: "+derr.Error())
			}
		}
		return err
	}, cobra.ArbitraryArgs)
	c.Flags().StringSliceVarP(&preload, "skill", "s", nil, "load these skills first, as if you had named them")
	c.Flags().StringVar(&resume, "resume", "", "go on with a session: an id, a prefix or last")
	c.Flags().StringVar(&mode, "review", reviewWait, "when a review is due: wait for it after the answer (Ctrl+C skips it), leave it to the background, or off")
	return c
}

// What happens to a review that is due at the end of a run.
const (
	reviewWait       = "wait"
	reviewBackground = "background"
	reviewOff        = "off"
)

func reviewMode(s string) (string, error) {
	switch s {
	case reviewWait, reviewBackground, reviewOff:
		return s, nil
	}
	return "", usageError("--review=%s: choose wait, background or off", s)
}

// waitReviews lets a review that has started come to its end. The answer is out already, so the wait is
// bounded and Ctrl+C skips it.
func (x *cli) waitReviews(ctx context.Context, s *app.Session) {
	if !s.Reviewing() {
		return
	}
	wait, cancel := context.WithTimeout(ctx, s.ReviewPatience())
	defer cancel()
	if s.WaitReviews(wait) {
		return
	}
	why := fmt.Sprintf("it took longer than %s (review.wait_seconds)", s.ReviewPatience())
	if ctx.Err() != nil {
		why = "it was interrupted"
	}
	s.StopReviews(context.WithoutCancel(ctx), why)
	fmt.Fprintln(x.Err, "hermes: the review is left unfinished; its turns stay on the list for the next one")
}

// detach starts this program again, on its own, with the same home.
func (x *cli) detach(args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self, append(args, "--home", x.app.Home.Dir())...) //nolint:noctx // it outlives this process
	c.Env, c.Dir = x.Environ, x.Dir
	alone(c)
	if err := c.Start(); err != nil {
		return err
	}
	return c.Process.Release()
}

// prompt joins the arguments and what is piped in.
func (x *cli) prompt(args []string) (string, error) {
	prompt := strings.Join(args, " ")
	piped := ""
	if prompt == "-" {
		prompt = ""
	}
	if !x.InTTY && x.In != nil {
		b, err := io.ReadAll(io.LimitReader(x.In, stdinLimit+1))
		if err != nil {
			return "", &core.Error{Op: "read standard input", Err: err}
		}
		if len(b) > stdinLimit {
			return "", usageError("standard input is larger than %d MiB: put it in a file and name the file", stdinLimit>>20)
		}
		piped = strings.TrimRight(text.CleanUTF8(string(b)), "\n")
	}
	if strings.TrimSpace(prompt) == "" {
		prompt, piped = piped, ""
	}
	if strings.TrimSpace(prompt) == "" {
		return "", &core.Error{Code: core.CodeUsage, Op: "run", Err: errNoPrompt, Hint: `hermes run "what to do", or pipe it in: echo … | hermes run -`}
	}
	if strings.TrimSpace(piped) != "" {
		prompt += "\n\n" + piped
	}
	return prompt, nil
}

var errNoPrompt = errors.New("no prompt")

// turn sends prompt, prints what happens and returns how it ended. When ctx ends the run is
// interrupted, its end is still printed.
func (x *cli) turn(ctx context.Context, s *app.Session, prompt string) error {
	ended := make(chan *core.RunEnded, 1)
	p, seq := printer{cli: x}, int64(0) // of the last event; read when ended has answered
	go func() {
		var last *core.RunEnded
		defer func() { ended <- last }()
		for {
			batch, ok := s.Feed.Next(context.WithoutCancel(ctx))
			if !ok {
				return
			}
			for _, e := range batch {
				p.event(e)
				seq = e.Head().Seq
				if end, ok := e.(*core.RunEnded); ok {
					last = end
				}
			}
		}
	}()
	for i := range s.Notices {
		s.Feed.Emit(&s.Notices[i])
	}
	err := s.Conversation.Send(prompt)
	if err == nil {
		s.Conversation.Wait(ctx)
		x.waitReviews(ctx, s)
	}
	cerr := s.Close(context.WithoutCancel(ctx))
	end := <-ended
	cerr = errors.Join(cerr, p.err)
	switch {
	case err != nil:
		return err
	case end == nil:
		return fmt.Errorf("run: %w", cerr)
	}
	if x.json {
		if b, err := core.MarshalEvent(&core.Done{Meta: core.Meta{SessionID: end.SessionID, Seq: seq + 1, Time: time.Now().UTC()}}); err == nil {
			fmt.Fprintf(x.Out, "%s\n", b)
		}
	}
	return x.outcome(end, cerr)
}

// outcome turns the end of a run into an exit code; with --json everything was said already.
func (x *cli) outcome(end *core.RunEnded, cerr error) error {
	switch end.Reason {
	case core.EndAnswered:
		return cerr
	case core.EndInterrupted:
		return exitError(ExitInterrupted)
	case core.EndBudget:
		return exitError(ExitFailed)
	case core.EndError:
	}
	if end.Error == nil {
		return exitError(ExitFailed)
	}
	if x.json {
		return exitError(exitCode(end.Error.Code))
	}
	return &shownError{end.Error}
}

// shownError is the failure of a run as an error with its remedy.
type shownError struct{ e *core.RunError }

func (s *shownError) Error() string { return s.e.Message }

// Unwrap gives the code and the hint without saying the message twice.
func (s *shownError) Unwrap() error {
	return &core.Error{Code: s.e.Code, Op: s.e.Message, Hint: s.e.Remedy}
}

// printer shows the events of one run.
type printer struct {
	*cli

	maxCalls int    // of the review under way
	steps    int    // of it, refused ones included
	line     string // of the answer, not ended yet: control sequences are removed from whole lines
	err      error  // of standard output
}

func (p *printer) event(e core.Event) {
	if p.json {
		b, err := core.MarshalEvent(e)
		if err == nil {
			p.out(string(b) + "\n")
		}
		return
	}
	switch e := e.(type) {
	case *core.RunStarted:
		if e.Message.Note {
			p.breakLine()
			fmt.Fprintln(p.Err, text.Neutralise(e.Message.Display()))
		}
	case *core.TextDelta:
		if p.OutTTY {
			p.line += e.Text
			if i := strings.LastIndexByte(p.line, '\n'); i >= 0 {
				p.out(text.Neutralise(p.line[:i+1]))
				p.line = p.line[i+1:]
			}
		}
	case *core.ToolStarted:
		p.breakLine()
		fmt.Fprintf(p.Err, "· %s %s\n", text.OneLine(e.Tool), text.Cut(text.OneLine(e.Arguments), 100))
	case *core.ToolEnded:
		p.breakLine()
		fmt.Fprintf(p.Err, "  %s %s\n", toolState(e), time.Duration(e.DurationMS)*time.Millisecond)
	case *core.ApprovalDone:
		if e.Decision == core.DecideDeny {
			fmt.Fprintf(p.Err, "  denied: %s\n", text.OneLine(e.Why))
		}
	case *core.Notice:
		p.breakLine()
		fmt.Fprintf(p.Err, "hermes: %s\n", text.OneLine(e.Text))
		if e.Remedy != "" {
			fmt.Fprintf(p.Err, "  → %s\n", text.OneLine(e.Remedy))
		}
	case *core.RunEnded:
		p.end(e)
	case *core.ReviewStarted, *core.ReviewStep, *core.ProposalAdded:
		p.learned(e)
	case *core.ReviewEnded:
		if !review.IsReview(e.Kind) {
			return
		}
		fmt.Fprintf(p.Err, "%s\n", sayReview(review.Record{
			State: review.State(e.State), Note: e.Note, Error: e.Error, Saved: e.Saved, Held: e.Held, Calls: e.Calls, MaxCalls: p.maxCalls,
		}))
	}
}

func toolState(e *core.ToolEnded) string {
	if e.OK {
		return "ok"
	}
	if e.ExitCode != nil {
		return fmt.Sprintf("exit %d", *e.ExitCode)
	}
	return "failed: " + text.Cut(text.OneLine(e.Result), 120)
}

// end prints the answer where it was not streamed, and where the session can be taken up again.
func (p *printer) end(e *core.RunEnded) {
	p.breakLine()
	if !p.OutTTY && e.Answer != "" {
		p.out(strings.TrimRight(e.Answer, "\n") + "\n")
	}
	fmt.Fprintf(p.Err, "session %s · %s", e.SessionID, e.Reason)
	if e.Cost.Known {
		fmt.Fprintf(p.Err, " · $%.4f", e.Cost.USD)
	}
	fmt.Fprintln(p.Err)
}

// breakLine prints what is left of the answer's last line.
func (p *printer) breakLine() {
	if p.line != "" {
		p.out(text.Neutralise(p.line) + "\n")
		p.line = ""
	}
}

// out writes to standard output and keeps the first failure: an answer that got lost is no success.
func (p *printer) out(s string) {
	if _, err := io.WriteString(p.Out, s); err != nil && p.err == nil {
		p.err = &core.Error{Op: "write the answer", Err: err, Hint: "the session has it: hermes sessions show last"}
	}
}

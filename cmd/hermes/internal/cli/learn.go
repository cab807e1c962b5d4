package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/text"
	"hermes/skills/learn"
)

func (x *cli) learn() *cobra.Command {
	var resume string
	c := command("learn [SOURCE…]", "Make a skill of files, folders, addresses, text, or (with --resume) of what a session did", func(cmd *cobra.Command, args []string) error {
		sources, err := x.sources(args, resume)
		if err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		s, err := a.OpenSession(cmd.Context(), app.SessionOptions{Resume: resume, Unattended: true, NoReviews: true})
		if err != nil {
			return err
		}
		var l app.Lesson
		err = x.follow(cmd.Context(), s, func() error { return s.Learn(sources) }, func(ctx context.Context) { l = s.WaitLesson(ctx) })
		if err != nil {
			return err
		}
		if x.json {
			l.Skills, l.Left = append([]string{}, l.Skills...), append([]learn.Finding{}, l.Left...)
			err = x.print(l)
		}
		if err == nil && len(l.Left) > 0 {
			return exitError(ExitFindings)
		}
		return err
	}, cobra.ArbitraryArgs)
	c.Flags().StringVar(&resume, "resume", "", "go on with a session: an id, a prefix or last")
	return c
}

// sources joins the arguments and what is piped in. Without any there must be a session to learn from.
func (x *cli) sources(args []string, resume string) (string, error) {
	nothing := &core.Error{Code: core.CodeUsage, Op: "learn: no source", Err: errors.New("name one, or a session"), Hint: "hermes learn docs/ https://… \"what to look at\", or hermes learn --resume last"}
	if strings.TrimSpace(strings.Join(args, "")) == "" && (x.InTTY || x.In == nil) {
		if resume == "" {
			return "", nothing
		}
		return "", nil
	}
	quoted := make([]string, len(args))
	for i, a := range args {
		if quoted[i] = a; strings.ContainsAny(a, " \t") && !strings.ContainsAny(a, "'\"`") && !strings.Contains(a, "\n") && len(a) < 200 {
			if _, err := os.Stat(filepath.Join(x.Dir, a)); err == nil {
				quoted[i] = "`" + a + "`"
			}
		}
	}
	line := strings.Join(quoted, " ")
	if x.InTTY || x.In == nil {
		return line, nil
	}
	prompt, err := x.prompt([]string{line, ""})
	if errors.Is(err, errNoPrompt) {
		if resume == "" {
			return "", nothing
		}
		return "", nil
	}
	return strings.TrimSpace(prompt), err
}

// follow sends something, prints what happens until wait is over, and closes the session.
func (x *cli) follow(ctx context.Context, s *app.Session, send func() error, wait func(context.Context)) error {
	p := printer{cli: x}
	var end *core.RunEnded
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for {
			batch, ok := s.Feed.Next(context.WithoutCancel(ctx))
			if !ok {
				return
			}
			for _, e := range batch {
				if last, ok := e.(*core.RunEnded); ok {
					end = last
				}
				p.event(e)
			}
		}
	}()
	for i := range s.Notices {
		s.Feed.Emit(&s.Notices[i])
	}
	err := send()
	if err == nil {
		// The lesson begins with its turn, and the turn with the next tick of the conversation.
		s.Conversation.Wait(ctx)
		wait(ctx)
		s.Conversation.Wait(ctx)
	}
	cerr := s.Close(context.WithoutCancel(ctx))
	<-drained
	switch {
	case err != nil:
		return err
	case end == nil:
		return fmt.Errorf("learn: %w", cerr)
	case end.Reason != core.EndAnswered:
		return x.outcome(end, cerr)
	}
	if p.err != nil {
		fmt.Fprintln(x.Err, "hermes: "+text.OneLine(p.err.Error()))
	}
	return cerr
}

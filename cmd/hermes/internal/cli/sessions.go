package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/session"
	"hermes/core/text"
)

func (x *cli) sessions() *cobra.Command {
	return group("sessions", "List, show, rename, fork, export and delete conversations",
		x.sessionsList(), x.sessionsShow(), x.sessionsSearch(), x.sessionsReindex(), x.sessionsRename(), x.sessionsFork(), x.sessionsExport(), x.sessionsDelete(), x.sessionsCompact())
}

func (x *cli) sessionsList() *cobra.Command {
	var limit int
	c := command("list", "List conversations, last used first", func(*cobra.Command, []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		rows, problems, err := a.Sessions.List()
		if err != nil {
			return err
		}
		for _, p := range problems {
			fmt.Fprintln(x.Err, "hermes: "+p)
		}
		total := len(rows)
		if limit > 0 && total > limit {
			rows = rows[:limit]
		}
		if x.json {
			if rows == nil {
				rows = []session.Row{}
			}
			return x.print(map[string]any{"sessions": rows, "total": total, "problems": problems})
		}
		if total == 0 {
			x.printf("no sessions yet; start one with: hermes\n")
			return nil
		}
		w := tabwriter.NewWriter(x.Out, 2, 4, 2, ' ', 0)
		for _, r := range rows {
			open := ""
			if r.Open {
				open = "open"
			}
			title := text.OneLine(r.Title)
			if r.Damage != "" {
				title = strings.TrimSpace(title + " (damaged: " + r.Damage + ")")
			}
			fmt.Fprintf(w, "%s\t%s\t%d msgs\t%s\t%s\n", r.ID, ago(time.Since(r.Updated)), r.Messages, open, title)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if total > len(rows) {
			x.printf("… and %d more; use --limit 0 for all\n", total-len(rows))
		}
		return nil
	}, cobra.NoArgs)
	c.Flags().IntVar(&limit, "limit", 50, "how many to show, 0 for all")
	return c
}

// ago says how long ago something was, in one short word.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}

// transcript reads the session a person named.
func (x *cli) transcript(name string) (*session.Transcript, error) {
	a, err := x.open()
	if err != nil {
		return nil, err
	}
	id, err := a.Sessions.Resolve(name)
	if err != nil {
		return nil, err
	}
	return a.Sessions.Read(id)
}

func (x *cli) sessionsShow() *cobra.Command {
	var redact bool
	var around string
	var near int
	c := command("show ID", "Show a conversation (ID may be a prefix, or last)", func(_ *cobra.Command, args []string) error {
		t, err := x.transcript(args[0])
		if err != nil {
			return err
		}
		e := x.app.Sessions.ExportOf(t, x.redactor(redact))
		if around != "" {
			if e, err = excerptOf(e, around, near); err != nil {
				return err
			}
		}
		if t.Damage.Any() {
			fmt.Fprintf(x.Err, "hermes: session %s: %s\n", t.Header.ID, t.Damage)
		}
		if x.json {
			return x.print(e)
		}
		var b strings.Builder
		if err := e.WriteMarkdown(&b); err != nil {
			return err
		}
		x.printf("%s", text.Neutralise(b.String()))
		return nil
	}, cobra.ExactArgs(1))
	c.Flags().BoolVar(&redact, "redact", false, "remove what looks like a secret")
	c.Flags().StringVar(&around, "around", "", "show the messages around this one only (m12)")
	c.Flags().IntVar(&near, "context", 5, "with --around: how many before and after")
	return c
}

// excerptOf leaves the messages around one of an export, and says what it left out.
func excerptOf(e session.Export, id string, context int) (session.Export, error) {
	at := slices.IndexFunc(e.Messages, func(m session.ExportMessage) bool { return m.ID == id })
	switch {
	case context < 0:
		return e, usageError("--context is %d: it counts messages", context)
	case at < 0:
		return e, &core.Error{
			Code: core.CodeNotFound, Op: "show message", Subject: id, Err: errors.New("no such message in session " + e.SessionID),
			Hint: "see the ids with: hermes sessions show " + e.SessionID,
		}
	}
	from, to := max(at-context, 0), min(at+context+1, len(e.Messages))
	e.Around, e.Before, e.After = id, from, len(e.Messages)-to
	e.Messages, e.Compactions = e.Messages[from:to], nil
	return e, nil
}

func (x *cli) redactor(on bool) core.Redactor {
	if !on {
		return nil
	}
	return x.app.Redactor()
}

func (x *cli) sessionsRename() *cobra.Command {
	return command("rename ID TITLE…", "Give a conversation a title", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("rename session"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		id, err := a.Sessions.Resolve(args[0])
		if err != nil {
			return err
		}
		s, err := a.Sessions.Open(cmd.Context(), id)
		if err != nil {
			return err
		}
		if err := errors.Join(s.Rename(strings.Join(args[1:], " ")), s.Close()); err != nil {
			return err
		}
		return x.said(map[string]any{"session_id": id, "title": s.Title()}, "renamed %s to %q\n", id, s.Title())
	}, cobra.MinimumNArgs(2))
}

// said prints obj with --json, else the sentence.
func (x *cli) said(obj any, format string, args ...any) error {
	if x.json {
		return x.print(obj)
	}
	x.printf(format, args...)
	return nil
}

func (x *cli) sessionsFork() *cobra.Command {
	var at string
	c := command("fork ID", "Copy a conversation into a new one, up to a message", func(_ *cobra.Command, args []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		id, err := a.Sessions.Resolve(args[0])
		if err != nil {
			return err
		}
		fork, err := a.Sessions.Fork(id, at)
		if err != nil {
			return err
		}
		return x.said(map[string]any{"session_id": fork, "parent": id, "message": at},
			"forked %s into %s; go on with: hermes --resume %s\n", id, fork, fork)
	}, cobra.ExactArgs(1))
	c.Flags().StringVar(&at, "at", "", "the last message to copy, as in sessions show (m12)")
	return c
}

func (x *cli) sessionsExport() *cobra.Command {
	var format, out string
	var redact bool
	c := command("export ID", "Write a conversation as Markdown or JSON", func(_ *cobra.Command, args []string) error {
		if format != "md" && format != "json" {
			return usageError("unknown format %q: use md or json", format)
		}
		t, err := x.transcript(args[0])
		if err != nil {
			return err
		}
		e := x.app.Sessions.ExportOf(t, x.redactor(redact))
		var b strings.Builder
		if format == "json" {
			err = e.WriteJSON(&b)
		} else {
			err = e.WriteMarkdown(&b)
		}
		if err != nil {
			return err
		}
		if out == "" || out == "-" {
			_, err := io.WriteString(x.Out, b.String())
			return err
		}
		path := out
		if !filepath.IsAbs(path) {
			path = filepath.Join(x.Dir, out)
		}
		if err := home.WriteFile(path, []byte(b.String()), home.FileMode); err != nil {
			return err
		}
		return x.said(map[string]any{"session_id": t.Header.ID, "path": path, "format": format}, "wrote %s\n", path)
	}, cobra.ExactArgs(1))
	c.Flags().StringVar(&format, "format", "md", "md or json")
	c.Flags().StringVarP(&out, "output", "o", "", "file to write; standard output when missing")
	c.Flags().BoolVar(&redact, "redact", false, "remove what looks like a secret")
	return c
}

func (x *cli) sessionsDelete() *cobra.Command {
	var yes bool
	c := command("delete ID", "Delete a conversation for good", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("delete session"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		id, err := a.Sessions.Resolve(args[0])
		if err != nil {
			return err
		}
		t, err := a.Sessions.Read(id)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("session %s (%q, %d messages)", id, text.OneLine(t.Title()), len(t.Messages()))
		if !yes && !x.confirm("delete "+what+" for good?") {
			return &core.Error{Code: core.CodeDenied, Op: "delete session", Subject: id, Err: errors.New("not confirmed"), Hint: "confirm with --yes"}
		}
		if err := a.DeleteSession(cmd.Context(), id); err != nil {
			return err
		}
		return x.said(map[string]any{"deleted": id}, "deleted %s\n", what)
	}, cobra.ExactArgs(1))
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// confirm asks a person; without a terminal the answer is no.
func (x *cli) confirm(question string) bool {
	if !x.InTTY {
		return false
	}
	fmt.Fprintf(x.Err, "%s [y/N] ", question)
	line, err := bufio.NewReader(x.In).ReadString('\n')
	if err != nil && line == "" {
		fmt.Fprintln(os.Stderr)
		return false
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

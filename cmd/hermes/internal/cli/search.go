package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/core/text"
	"hermes/index"
)

func (x *cli) sessionsSearch() *cobra.Command {
	var limit int
	var role, since string
	c := command("search QUERY…", "Find what was said in any session", func(cmd *cobra.Command, args []string) error {
		query := strings.Join(args, " ")
		for _, filter := range []struct{ flag, key, value string }{{"--role", "role:", role}, {"--since", "since:", since}} {
			if filter.value == "" {
				continue
			}
			// A query takes what it can; what a script asks for by a flag must be understood.
			if notes := index.Parse(filter.key+filter.value, time.Now()).Notes; len(notes) > 0 || strings.ContainsAny(filter.value, " \t") {
				return usageError("%s %q: %s", filter.flag, filter.value, strings.Join(append(notes, ""), ""))
			}
			query += " " + filter.key + filter.value
		}
		if limit < 1 {
			return usageError("--limit %d: it is the number of sessions to show, 1 or more", limit)
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		r, err := a.SearchSessions(cmd.Context(), query, index.Options{Limit: limit})
		if err != nil {
			return err
		}
		if x.json {
			err = x.print(r)
		} else {
			x.showResults(r)
		}
		if err == nil && r.Total == 0 {
			return exitError(ExitNotFound)
		}
		return err
	}, cobra.MinimumNArgs(1))
	c.Long = "Find what was said in any session.\n\n" + index.Help
	c.Flags().IntVar(&limit, "limit", 10, "sessions to show")
	c.Flags().StringVar(&role, "role", "", "user, assistant or tool")
	c.Flags().StringVar(&since, "since", "", "not older than: 2d, 3w, 2026-10-01")
	return c
}

func (x *cli) showResults(r index.Results) {
	for _, n := range append(r.Notes, r.Limited) {
		if n != "" {
			fmt.Fprintln(x.Err, "hermes: "+n)
		}
	}
	for _, g := range r.Sessions {
		x.printf("%s  %s  %s\n", g.SessionID, g.Started.Local().Format("2006-01-02"), text.OneLine(g.Title))
		for _, h := range g.Hits {
			lines := slices.DeleteFunc(strings.Split(h.Excerpt, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
			x.printf("  %-5s %-9s %s\n", h.MessageID, h.Role, strings.Join(lines, "\n                  "))
		}
	}
	if r.Total == 0 && len(r.Notes) == 0 {
		x.printf("nothing found\n")
	}
}

func (x *cli) sessionsReindex() *cobra.Command {
	return command("reindex", "Build the search index anew from the transcripts", func(cmd *cobra.Command, _ []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		last := -1
		p, err := a.Index.Rebuild(cmd.Context(), func(p index.Progress) {
			if now := p.Done * 100 / max(p.Sessions, 1); now != last && x.OutTTY && !x.json {
				last = now
				fmt.Fprintf(x.Err, "\r%3d %%", now)
			}
		})
		if last >= 0 {
			fmt.Fprintln(x.Err)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return x.said(map[string]any{"sessions": p.Sessions, "messages": p.Messages}, "indexed %d messages of %d sessions\n", p.Messages, p.Sessions)
	}, cobra.NoArgs)
}

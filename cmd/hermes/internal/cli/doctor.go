package cli

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/text"
)

func (x *cli) doctor() *cobra.Command {
	return command("doctor", "Check home, settings, terminal and model, with remedies", func(cmd *cobra.Command, _ []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		checks := a.Doctor(cmd.Context(), x.OutTTY)
		failed := slices.ContainsFunc(checks, func(c app.Check) bool { return c.Status == "fail" })
		if x.json {
			err = x.print(map[string]any{"checks": checks})
		} else {
			marks := map[string]string{"ok": "✓", "warn": "!", "fail": "✗"}
			for _, c := range checks {
				x.printf("%s %-12s %s\n", marks[c.Status], c.Name, text.OneLine(c.Message))
				if c.Remedy != "" {
					x.printf("  %-12s → %s\n", "", text.OneLine(c.Remedy))
				}
			}
		}
		if err == nil && failed {
			return exitError(ExitFailed)
		}
		return err
	}, cobra.NoArgs)
}

func (x *cli) logs() *cobra.Command {
	var n int
	c := command("logs", "Show the end of the program's log", func(*cobra.Command, []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		path := a.Home.LogFile()
		lines, err := tail(path, n)
		if errors.Is(err, fs.ErrNotExist) {
			lines, err = nil, nil
		}
		if err != nil {
			return &core.Error{Op: "read log", Subject: path, Err: err}
		}
		if x.json {
			return x.print(map[string]any{"path": path, "lines": lines})
		}
		for _, l := range lines {
			x.printf("%s\n", text.Neutralise(l))
		}
		if len(lines) == 0 {
			x.printf("nothing logged yet (%s)\n", path)
		}
		return nil
	}, cobra.NoArgs)
	c.Flags().IntVarP(&n, "lines", "n", 100, "how many lines")
	return c
}

// tail returns the last n lines of a file.
func tail(path string, n int) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	lines := []string{}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		lines = append(lines, sc.Text())
		if len(lines) > max(n, 0) {
			lines = lines[1:]
		}
	}
	return lines, sc.Err()
}

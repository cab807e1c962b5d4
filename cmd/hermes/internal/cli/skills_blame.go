package cli

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/text"
	"hermes/skills"
)

func (x *cli) skillsBlame() *cobra.Command {
	return command("blame NAME [FILE]", "Tell for each line who wrote it, when and why", func(cmd *cobra.Command, args []string) error {
		a, _, m, err := x.skill(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		file := skills.FileName
		if len(args) == 2 {
			file = args[1]
		}
		lines, err := a.Ledger.Blame(filepath.Join(m.Folder, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			return &core.Error{Code: core.CodeNotFound, Op: "blame", Subject: file, Err: errors.New("no change of it is recorded"), Hint: "hermes skills history " + args[0]}
		}
		if x.json {
			return x.print(map[string]any{"name": m.Name, "file": file, "lines": append([]ledger.BlameLine{}, lines...)})
		}
		for _, n := range lines {
			who := "before the journal"
			if n.Entry != nil {
				who = n.ID[max(0, len(n.ID)-8):] + " " + n.Entry.Time.Local().Format("2006-01-02") + " " + string(n.Entry.Actor)
			}
			x.printf("%-28s │ %s\n", who, text.Neutralise(n.Text))
		}
		return nil
	}, cobra.RangeArgs(1, 2))
}

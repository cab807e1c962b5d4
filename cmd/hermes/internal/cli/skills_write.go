package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hermes/cmd/hermes/internal/app"
	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/text"
	"hermes/skills"
)

func (x *cli) skillsIndex() *cobra.Command {
	return command("index", "Print the list of skills as a session that is opened now tells it to the model", func(cmd *cobra.Command, _ []string) error {
		a, l, err := x.library()
		if err != nil {
			return err
		}
		n, err := l.Index(cmd.Context(), a.SkillScope())
		if err != nil {
			return err
		}
		size := text.Len(n.Text)
		if x.json {
			return x.print(map[string]any{
				"text": n.Text, "characters": size, "tokens": n.Tokens, "token_budget": n.Budget,
				"shown": len(n.Lines), "hidden": len(n.Hidden), "names_only": append([]string{}, n.NamesOnly...),
			})
		}
		if n.Text == "" {
			x.printf("no skills to list\n")
			return nil
		}
		x.printf("%s\n", text.Neutralise(n.Text))
		fmt.Fprintf(x.Err, "%s characters, about %s of %s tokens; %d shown, %d hidden\n", text.Thousands(size), text.Thousands(n.Tokens), text.Thousands(n.Budget), len(n.Lines), len(n.Hidden))
		return nil
	}, cobra.NoArgs)
}

func (x *cli) skillsShorten() *cobra.Command {
	var write bool
	c := command("shorten NAME [DESCRIPTION]", "Propose a description that the model sees whole; write it with --write, or give your own", func(cmd *cobra.Command, args []string) error {
		a, l, m, err := x.skill(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		next := skills.Shorten(m.Description)
		if len(args) == 2 {
			next, write = strings.TrimSpace(args[1]), true
		}
		after := skills.Entry{Description: next}
		if len(args) == 2 && after.Cut() {
			return usageError("%d characters: the model sees at most %d", text.Len(next), skills.IndexDescription)
		}
		said := ""
		if write {
			if err := x.forPeople("change skills"); err != nil {
				return err
			}
			if said, err = app.DescribeSkill(cmd.Context(), l, a.By(), m.Entry, next); err != nil {
				return err
			}
		}
		if x.json {
			return x.print(map[string]any{
				"name": m.Qualified(), "description": m.Description, "before": m.Short(), "after": next, "written": write,
			})
		}
		x.printf("before: %s\nafter:  %s\n%s\n", text.OneLine(m.Short()), text.OneLine(next), cmp.Or(said, "nothing was changed; --write saves it, or give your own words"))
		return nil
	}, cobra.RangeArgs(1, 2))
	c.Flags().BoolVar(&write, "write", false, "save the proposal")
	return c
}

func (x *cli) skillsEdit() *cobra.Command {
	var file string
	c := command("edit NAME", "Edit a SKILL.md in $VISUAL or $EDITOR; what is refused is kept", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("change skills"); err != nil {
			return err
		}
		a, l, m, err := x.skill(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		before, err := os.ReadFile(m.Path)
		if err != nil {
			return &core.Error{Op: "read skill", Subject: m.Path, Err: err}
		}
		now, draft, err := x.newText(cmd, file, before)
		if err != nil {
			return err
		}
		if string(now) == string(before) {
			x.dropDraft(draft)
			return x.said(map[string]any{"name": m.Qualified(), "changed": false}, "no changes\n")
		}
		said, err := app.WriteSkill(cmd.Context(), l, a.By(), m.Path, string(now), ledger.Hash(before), "edited by hand")
		if err != nil {
			if draft != "" {
				fmt.Fprintf(x.Err, "hermes: what you wrote is kept in %s; try again with --file %s\n", draft, draft)
			}
			return err
		}
		x.dropDraft(draft)
		return x.said(map[string]any{"name": m.Qualified(), "changed": true, "message": said}, "%s\n", said)
	}, cobra.ExactArgs(1))
	c.Flags().StringVar(&file, "file", "", "take the new text from a file instead, - for standard input")
	return c
}

// newText is what a text becomes: read from file, or written in the person's editor; then draft is where it lies.
func (x *cli) newText(cmd *cobra.Command, file string, before []byte) (now []byte, draft string, err error) {
	if file != "" {
		if now, err = readFileOr(file, x.In); err != nil {
			return nil, "", &core.Error{Code: core.CodeUsage, Op: "read", Subject: file, Err: err}
		}
		return now, "", nil
	}
	f, err := os.CreateTemp("", "hermes-skill-*.md")
	if err != nil {
		return nil, "", &core.Error{Op: "edit skill", Err: err}
	}
	draft = f.Name()
	_, err = f.Write(before)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, "", &core.Error{Op: "edit skill", Subject: draft, Err: err}
	}
	if err := x.inEditor(cmd.Context(), draft, "name the new text with --file"); err != nil {
		x.dropDraft(draft)
		return nil, "", err
	}
	if now, err = os.ReadFile(draft); err != nil {
		return nil, "", &core.Error{Op: "edit skill", Subject: draft, Err: err}
	}
	return now, draft, nil
}

func (*cli) dropDraft(draft string) {
	if draft != "" {
		_ = os.Remove(draft) // a leftover in the folder for temporary files
	}
}

func (x *cli) skillsDelete() *cobra.Command {
	var yes bool
	c := command("delete NAME", "Remove an archived skill for good (skills list --archived)", func(cmd *cobra.Command, args []string) error {
		a, l, err := x.libraryToChange("delete skills")
		if err != nil {
			return err
		}
		if !yes && !x.confirm("delete the archived skill "+args[0]+" for good?") {
			return &core.Error{Code: core.CodeDenied, Op: "delete skill", Subject: args[0], Err: errors.New("not confirmed"), Hint: "confirm with --yes"}
		}
		gone, id, err := l.Forget(cmd.Context(), a.By(), args[0])
		if err != nil {
			return err
		}
		return x.said(map[string]any{"name": gone.Name, "ledger_id": id},
			"%s is deleted; only the history still has it (hermes ledger undo %s brings it back, hermes ledger purge removes a secret from there, too)\n", gone.Name, id)
	}, cobra.ExactArgs(1))
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

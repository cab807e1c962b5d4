package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes/core/ledger"
	"hermes/core/text"
	"hermes/skills"
)

func (x *cli) skillsConfig() *cobra.Command {
	c := command("config NAME [KEY=VALUE…]", "Show or set what a skill asks to be told once", func(cmd *cobra.Command, args []string) error {
		a, l, m, err := x.skill(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		pairs := args[1:]
		if len(pairs) == 0 && x.InTTY && !x.json {
			pairs = x.askSettings(l, m.Entry)
		}
		if len(pairs) > 0 {
			if err := x.forPeople("configure skills"); err != nil {
				return err
			}
			if err := a.Home.Open(); err != nil {
				return err
			}
		}
		for _, p := range pairs {
			key, value, ok := strings.Cut(p, "=")
			if !ok || !declares(m.Entry, key) {
				return usageError("%q: %s has no such setting; give KEY=VALUE", p, m.Name)
			}
			if err := a.Settings.Set(cmd.Context(), "skills.config."+key, value); err != nil {
				return err
			}
		}
		a.Reload()
		l, _ = a.SkillsAt(x.Dir, nil)
		values := append([]skills.Value{}, l.Values(m.Entry)...)
		if x.json {
			return x.print(map[string]any{"skill": m.Qualified(), "settings": values})
		}
		for _, v := range values {
			state := "default"
			if v.Set {
				state = "set"
			}
			x.printf("%s = %s  (%s)  %s\n", v.Key, text.OneLine(v.Value), state, text.OneLine(v.Description))
		}
		if len(values) == 0 {
			x.printf("%s asks for no settings\n", m.Name)
		}
		return nil
	}, cobra.MinimumNArgs(1))
	return c
}

func declares(e skills.Entry, key string) bool {
	for _, s := range e.Meta.Settings {
		if s.Key == key {
			return true
		}
	}
	return false
}

// askSettings asks for each setting that has no value of the person's; an empty answer leaves it.
func (x *cli) askSettings(l *skills.Library, e skills.Entry) []string {
	in := bufio.NewReader(x.In)
	var out []string
	for _, v := range l.Values(e) {
		if v.Set {
			continue
		}
		x.printf("%s [%s]: ", text.OneLine(v.Prompt), text.OneLine(v.Value))
		line, err := in.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, v.Key+"="+line)
		}
		if err != nil {
			break // the input ended: what was answered counts
		}
	}
	return out
}

func (x *cli) skillsHistory() *cobra.Command {
	return command("history NAME", "Tell the life of a skill", func(cmd *cobra.Command, args []string) error {
		_, l, err := x.library()
		if err != nil {
			return err
		}
		versions, err := l.History(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if x.json {
			return x.print(map[string]any{"versions": append([]skills.Version{}, versions...)})
		}
		for _, v := range versions {
			x.printf("%s  %s  %-7s %-11s %s\n", v.ID[max(0, len(v.ID)-8):], v.Time.Local().Format("2006-01-02 15:04"), v.Actor, v.Action, text.Cut(text.OneLine(v.Reason), 90))
		}
		if len(versions) == 0 {
			x.printf("no change of it is recorded\n")
		}
		return nil
	}, cobra.ExactArgs(1))
}

func (x *cli) skillsDiff() *cobra.Command {
	return command("diff NAME [FROM [TO]]", "Show what changed between two changes of its history (to now)", func(cmd *cobra.Command, args []string) error {
		_, l, err := x.library()
		if err != nil {
			return err
		}
		args = append(args, "", "")
		diff, err := l.Diff(cmd.Context(), args[0], args[1], args[2])
		if err != nil {
			return err
		}
		return x.said(map[string]any{"name": args[0], "from": args[1], "to": args[2], "diff": diff}, "%s", cmp.Or(text.Neutralise(diff), "no difference\n"))
	}, cobra.RangeArgs(1, 3))
}

func (x *cli) skillsRollback() *cobra.Command {
	return command("rollback NAME ID", "Make a skill what it was after that change", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("roll back skills"); err != nil {
			return err
		}
		a, l, err := x.library()
		if err != nil {
			return err
		}
		e, id, err := l.Rollback(cmd.Context(), a.By(), args[0], args[1])
		if err != nil {
			return err
		}
		if id == "" {
			return x.said(map[string]any{"name": e.Qualified(), "ledger_id": ""}, "%s is as it was then; nothing to do\n", e.Qualified())
		}
		return x.said(map[string]any{"name": e.Qualified(), "ledger_id": id}, "%s is as it was after %s\n", e.Qualified(), args[1])
	}, cobra.ExactArgs(2))
}

func (x *cli) skillsPin() *cobra.Command {
	return x.skillsMark("pin NAME", "Keep a skill from being deleted or archived by itself; reviews only propose changes", "pinned", (*skills.Library).Pin)
}

func (x *cli) skillsUnpin() *cobra.Command {
	return x.skillsMark("unpin NAME", "Take a pin back", "no longer pinned", (*skills.Library).Unpin)
}

func (x *cli) skillsRestore() *cobra.Command {
	return x.skillsMark("restore NAME", "Bring a skill back from the archive (skills list --archived), to where it was", "restored", (*skills.Library).Restore)
}

func (x *cli) skillsArchive() *cobra.Command {
	return x.skillsMark("archive NAME", "Move a skill out of the way; restore brings it back", "archived", func(l *skills.Library, ctx context.Context, by ledger.Change, name string) (skills.Entry, error) {
		out, err := l.Archive(ctx, by, name, "")
		return out.Entry, err
	})
}

// skillsMark is a command that does one thing to one skill.
func (x *cli) skillsMark(use, short, done string, f func(*skills.Library, context.Context, ledger.Change, string) (skills.Entry, error)) *cobra.Command {
	return command(use, short, func(cmd *cobra.Command, args []string) error {
		a, l, err := x.libraryToChange("change skills")
		if err != nil {
			return err
		}
		e, err := f(l, cmd.Context(), a.By(), args[0])
		if err != nil {
			return err
		}
		return x.said(map[string]any{"name": e.Qualified(), "path": e.Path, "state": done}, "%s is %s\n", e.Qualified(), done)
	}, cobra.ExactArgs(1))
}

func (x *cli) skillsTrust() *cobra.Command {
	return command("trust [FOLDER]", "Use the skills of a project, as they are now", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("trust skills"); err != nil {
			return err
		}
		a, err := x.openLoud()
		if err != nil {
			return err
		}
		dir := x.Dir
		if len(args) == 1 {
			dir = args[0]
		}
		project, err := a.TrustSkills(cmd.Context(), dir)
		if err != nil {
			return err
		}
		l, _ := a.SkillsAt(project, nil)
		list, err := l.Entries(cmd.Context())
		if err != nil {
			return err
		}
		names := []string{}
		for _, e := range list {
			if e.Root.Kind == skills.RootProject {
				names = append(names, e.Qualified())
			}
		}
		return x.said(map[string]any{"project": project, "skills": names}, "%s\n", fmt.Sprintf("the skills of %s are used from the next session on: %s", project, text.OneLine(strings.Join(names, ", "))))
	}, cobra.MaximumNArgs(1))
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"hermes/core"
	"hermes/core/config"
	"hermes/core/home"
	"hermes/tui"
)

func (x *cli) config() *cobra.Command {
	return group("config", "Read and change settings", x.configGet(), x.configSet(), x.configUnset(), x.configPath(), x.configEdit(), x.configKeys())
}

func (x *cli) configGet() *cobra.Command {
	return command("get [KEY]", "Show a setting, or all", func(_ *cobra.Command, args []string) error {
		a, err := x.openLoud()
		if err != nil {
			return err
		}
		if len(args) == 1 {
			s, err := a.Settings.Get(args[0])
			if err != nil {
				return err
			}
			return x.said(settingJSON(s), "%s\n", s.Value)
		}
		all, err := a.Settings.All()
		if err != nil {
			return err
		}
		if x.json {
			out := make([]map[string]any, len(all))
			for i, s := range all {
				out[i] = settingJSON(s)
			}
			return x.print(map[string]any{"settings": out})
		}
		for _, s := range all {
			mark := " "
			if s.Set {
				mark = "*"
			}
			x.printf("%s %s: %s\n", mark, s.Path, s.Value)
		}
		x.printf("(* stands in %s; the rest are defaults)\n", a.Home.Config())
		return nil
	}, cobra.MaximumNArgs(1))
}

func settingJSON(s config.Setting) map[string]any {
	return map[string]any{"key": s.Path, "value": s.Value, "set": s.Set}
}

func (x *cli) configSet() *cobra.Command {
	return command("set KEY VALUE", "Change one setting; the rest of the file keeps its bytes", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("change settings"); err != nil {
			return err
		}
		if err := checkKeys(args[0], args[1]); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		if err := a.Settings.Set(cmd.Context(), args[0], args[1]); err != nil {
			return err
		}
		s, err := a.Settings.Get(args[0])
		if err != nil {
			return err
		}
		return x.said(settingJSON(s), "%s: %s\n", s.Path, s.Value)
	}, cobra.ExactArgs(2))
}

func (x *cli) configUnset() *cobra.Command {
	return command("unset KEY", "Take a setting out of the file, so that its default holds again", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("change settings"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		had, err := a.Settings.Unset(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		word := "was not set"
		if had {
			word = "taken out"
		}
		out := map[string]any{"key": args[0], "had": had}
		if s, err := a.Settings.Get(args[0]); err == nil && s.Value != "" {
			out["value"], word = s.Value, word+"; now "+s.Value
		}
		return x.said(out, "%s: %s\n", args[0], word)
	}, cobra.ExactArgs(1))
}

// checkKeys refuses keys of the workspace that it could not use; the settings themselves take any name there.
func checkKeys(path, value string) error {
	id, ok := strings.CutPrefix(path, "keys.")
	if !ok {
		return nil
	}
	texts, err := config.ListOf(value)
	if err == nil {
		err = tui.CheckKeys(strings.Trim(id, `"'`), texts)
	}
	if err != nil {
		return &core.Error{
			Code: core.CodeUsage, Op: "set " + path, Err: err,
			Hint: "keys look like ctrl+o, f2 or 'ctrl+x w'; README.md and /help name the actions",
		}
	}
	return nil
}

func (x *cli) configPath() *cobra.Command {
	return command("path", "Say where the settings live", func(*cobra.Command, []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		return x.said(map[string]any{"home": a.Home.Dir(), "config": a.Home.Config(), "env": a.Home.Env()}, "%s\n", a.Home.Config())
	}, cobra.NoArgs)
}

func (x *cli) configKeys() *cobra.Command {
	return command("keys", "List every setting with its default and meaning", func(*cobra.Command, []string) error {
		keys := config.Keys()
		if x.json {
			out := make([]map[string]any, len(keys))
			for i, k := range keys {
				out[i] = map[string]any{"key": k.Path, "kind": k.Kind, "default": k.Default, "doc": k.Doc, "oneof": k.Oneof}
			}
			return x.print(map[string]any{"keys": out})
		}
		for _, k := range keys {
			doc := k.Doc
			if words := k.Words(); words != "" {
				doc += ": " + words
			}
			x.printf("%-42s %-9s %-12s %s\n", k.Path, k.Kind, k.Default, doc)
		}
		return nil
	}, cobra.NoArgs)
}

func (x *cli) configEdit() *cobra.Command {
	return command("edit", "Open config.yaml in $VISUAL or $EDITOR and check it afterwards", func(cmd *cobra.Command, _ []string) error {
		if err := x.forPeople("change settings"); err != nil {
			return err
		}
		a, err := x.open()
		if err != nil {
			return err
		}
		if err := a.Home.Open(); err != nil {
			return err
		}
		if _, err := os.Stat(a.Home.Config()); errors.Is(err, os.ErrNotExist) {
			if err := home.WriteFile(a.Home.Config(), nil, home.FileMode); err != nil {
				return err
			}
		}
		if err := x.inEditor(cmd.Context(), a.Home.Config(), "edit "+a.Home.Config()); err != nil {
			return err
		}
		a.Reload()
		for _, n := range a.Notices() {
			fmt.Fprintf(x.Err, "hermes: %s\n  → %s\n", n.Text, n.Remedy)
		}
		if len(a.Notices()) > 0 {
			return exitError(ExitFailed)
		}
		return nil
	}, cobra.NoArgs)
}

// inEditor opens file in the person's editor and waits; otherwise is what to do without one.
func (x *cli) inEditor(ctx context.Context, file, otherwise string) error {
	editor := cmp.Or(x.Getenv("VISUAL"), x.Getenv("EDITOR"))
	words := strings.Fields(editor)
	if len(words) == 0 {
		return &core.Error{Code: core.CodeSetup, Op: "edit", Subject: file, Err: errors.New("no editor is set"), Hint: "set EDITOR, or " + otherwise}
	}
	c := exec.CommandContext(ctx, words[0], append(words[1:], file)...)
	c.Stdin, c.Stdout, c.Stderr = x.In, x.Out, x.Err
	if err := c.Run(); err != nil {
		return &core.Error{Op: "run editor", Subject: editor, Err: err, Hint: "set EDITOR to an editor that works"}
	}
	return nil
}

package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hermes/core"
	"hermes/core/memory"
	"hermes/core/text"
)

func (x *cli) memory() *cobra.Command {
	c := group("memory", "See and tend what the agent remembers", x.memoryList(), x.memoryAdd(), x.memoryReplace(), x.memoryRemove(),
		x.memoryCheck(), x.memoryHistory(), x.memoryRestore())
	c.Long = "See and tend what the agent remembers. STORE is memory (its notes) or user (your profile).\nWhat you change reaches the prompt in the next session."
	return c
}

// store reads the name of a store.
func store(name string) (memory.Target, error) {
	for _, t := range memory.Targets() {
		if string(t) == name {
			return t, nil
		}
	}
	return "", usageError("unknown store %q: use memory or user", name)
}

// sheets reads both stores.
func (x *cli) sheets(cmd *cobra.Command) (map[memory.Target]memory.Sheet, error) {
	a, err := x.openLoud()
	if err != nil {
		return nil, err
	}
	out := map[memory.Target]memory.Sheet{}
	for _, t := range memory.Targets() {
		if out[t], err = a.Memory.Sheet(cmd.Context(), t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (x *cli) memoryList() *cobra.Command {
	return command("list", "List the entries with their ids, flags and sizes", func(cmd *cobra.Command, _ []string) error {
		sheets, err := x.sheets(cmd)
		if err != nil {
			return err
		}
		if x.json {
			return x.print(map[string]any{"stores": sheets})
		}
		for _, t := range memory.Targets() {
			s := sheets[t]
			x.printf("%s  %s, %d entries\n", t.File(), memory.Usage(s.Used, s.Limit), len(s.Entries))
			for _, e := range s.Entries {
				x.printf("  %s  %s\n", e.ID, strings.ReplaceAll(text.Neutralise(e.Text), "\n", "\n                "))
				for _, f := range e.Flags {
					x.printf("                ! %s: %s\n", f.Code, text.OneLine(f.Message))
				}
			}
			if s.Problem != "" {
				fmt.Fprintln(x.Err, "hermes: "+s.Problem)
			}
		}
		return nil
	}, cobra.NoArgs)
}

func (x *cli) memoryCheck() *cobra.Command {
	return command("check", "Say what deserves a look; exit 5 when something does", func(cmd *cobra.Command, _ []string) error {
		sheets, err := x.sheets(cmd)
		if err != nil {
			return err
		}
		type finding struct {
			Store memory.Target `json:"store"`
			ID    string        `json:"id"`
			Text  string        `json:"text"`
			memory.Flag
		}
		found := []finding{}
		for _, t := range memory.Targets() {
			for _, e := range sheets[t].Entries {
				for _, f := range e.Flags {
					found = append(found, finding{t, e.ID, e.Text, f})
				}
			}
		}
		if x.json {
			err = x.print(map[string]any{"findings": found})
		}
		for _, f := range found {
			if !x.json {
				x.printf("%s %s  %s: %s\n  %s\n", f.Store, f.ID, f.Code, text.OneLine(f.Message), text.Cut(text.OneLine(f.Text), 100))
			}
		}
		if err == nil && len(found) > 0 {
			return exitError(ExitFindings)
		}
		return err
	}, cobra.NoArgs)
}

// change makes one change and says what came of it.
func (x *cli) change(cmd *cobra.Command, name string, ops ...memory.Op) error {
	t, err := store(name)
	if err != nil {
		return err
	}
	a, err := x.openLoud()
	if err != nil {
		return err
	}
	if err := a.Home.Open(); err != nil {
		return err
	}
	o, err := a.Memory.Do(cmd.Context(), a.By(), t, ops...)
	if err != nil {
		return err
	}
	return x.sayOutcome(o)
}

func (x *cli) sayOutcome(o memory.Outcome) error {
	for _, w := range o.Warnings {
		fmt.Fprintln(x.Err, "hermes: "+w)
	}
	if o.Backup != "" {
		fmt.Fprintln(x.Err, "hermes: the file was not written by these rules; a copy is kept as "+o.Backup)
	}
	return x.said(map[string]any{
		"store": o.Target, "ledger_id": o.LedgerID, "used": o.Used, "limit": o.Limit, "entries": o.Entries, "message": o.Message, "warnings": o.Warnings,
	}, "%s %s\n", o.Message, memory.Usage(o.Used, o.Limit))
}

// words is a text argument; - reads standard input.
func (x *cli) words(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	b, err := io.ReadAll(io.LimitReader(x.In, 1<<20))
	if err != nil {
		return "", &core.Error{Op: "read standard input", Err: err}
	}
	return string(b), nil
}

func (x *cli) memoryAdd() *cobra.Command {
	return command("add STORE TEXT", "Add an entry (TEXT - reads standard input)", func(cmd *cobra.Command, args []string) error {
		body, err := x.words(args[1])
		if err != nil {
			return err
		}
		return x.change(cmd, args[0], memory.Op{Action: memory.Add, Text: body})
	}, cobra.ExactArgs(2))
}

func (x *cli) memoryReplace() *cobra.Command {
	return command("replace STORE OLD NEW", "Replace the entry that holds OLD (or has that id)", func(cmd *cobra.Command, args []string) error {
		body, err := x.words(args[2])
		if err != nil {
			return err
		}
		op, err := x.named(cmd, args[0], args[1])
		if err != nil {
			return err
		}
		op.Action, op.Text = memory.Replace, body
		return x.change(cmd, args[0], op)
	}, cobra.ExactArgs(3))
}

func (x *cli) memoryRemove() *cobra.Command {
	return command("remove STORE OLD", "Remove the entry that holds OLD (or has that id)", func(cmd *cobra.Command, args []string) error {
		op, err := x.named(cmd, args[0], args[1])
		if err != nil {
			return err
		}
		op.Action = memory.Remove
		return x.change(cmd, args[0], op)
	}, cobra.ExactArgs(2))
}

// named finds an entry by id when there is one of that id, else by its text.
func (x *cli) named(cmd *cobra.Command, name, old string) (memory.Op, error) {
	t, err := store(name)
	if err != nil {
		return memory.Op{}, err
	}
	sheets, err := x.sheets(cmd)
	if err != nil {
		return memory.Op{}, err
	}
	for _, e := range sheets[t].Entries {
		if e.ID == old {
			return memory.Op{ID: old}, nil
		}
	}
	return memory.Op{Old: old}, nil
}

func (x *cli) memoryHistory() *cobra.Command {
	return command("history [ID]", "Tell the life of an entry, or of all", func(_ *cobra.Command, args []string) error {
		a, err := x.open()
		if err != nil {
			return err
		}
		id := ""
		if len(args) == 1 {
			id = args[0]
		}
		moments, err := a.Memory.History(id)
		if err != nil {
			return err
		}
		if x.json {
			return x.print(map[string]any{"history": append([]memory.Moment{}, moments...)})
		}
		for _, m := range moments {
			x.printf("%s  %-7s %-8s %s\n", m.Change.Time.Local().Format("2006-01-02 15:04"), m.Change.Actor, m.Change.Action, m.Target)
			if m.Was != "" {
				x.printf("  - %s  %s\n", m.WasID, text.Cut(text.OneLine(m.Was), 100))
			}
			if m.Text != "" {
				x.printf("  + %s  %s\n", m.ID, text.Cut(text.OneLine(m.Text), 100))
			}
		}
		if len(moments) == 0 {
			return &core.Error{Code: core.CodeNotFound, Op: "memory history", Err: errors.New("nothing is recorded")}
		}
		return nil
	}, cobra.MaximumNArgs(1))
}

func (x *cli) memoryRestore() *cobra.Command {
	return command("restore ID", "Bring an earlier entry back", func(cmd *cobra.Command, args []string) error {
		if err := x.forPeople("restore memory"); err != nil {
			return err
		}
		a, err := x.openLoud()
		if err != nil {
			return err
		}
		o, err := a.Memory.Restore(cmd.Context(), a.By(), args[0])
		if err != nil {
			return err
		}
		return x.sayOutcome(o)
	}, cobra.ExactArgs(1))
}

package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes/core"
	"hermes/core/memory"
	"hermes/core/text"
)

func (x *cli) memory() *cobra.Command {
	c := group("memory", "See and tend what the agent remembers", x.memoryList(), x.memoryAdd(), x.memoryReplace(), x.memoryRemove(),
		x.memoryCheck(), x.memoryHistory(), x.memoryRestore())
	const stores = "STORE is memory (its notes) or user (your profile). What you change reaches the prompt in the next session."
	c.Long = c.Short + ".\n" + stores
	for _, sub := range c.Commands() {
		if strings.Contains(sub.Use, "STORE") {
			sub.Long = sub.Short + ".\n" + stores
		}
	}
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

// sheets reads the stores that are in use.
func (x *cli) sheets(cmd *cobra.Command) ([]memory.Sheet, error) {
	a, err := x.openLoud()
	if err != nil {
		return nil, err
	}
	return a.Memory.Sheets(cmd.Context())
}

func (x *cli) memoryList() *cobra.Command {
	return command("list", "List the entries with their ids, flags and sizes", func(cmd *cobra.Command, _ []string) error {
		sheets, err := x.sheets(cmd)
		if err != nil {
			return err
		}
		if x.json {
			stores := map[memory.Target]memory.Sheet{}
			for _, s := range sheets {
				stores[s.Target] = s
			}
			return x.print(map[string]any{"stores": stores})
		}
		for _, s := range sheets {
			x.listStore(s)
		}
		if len(sheets) == 0 {
			x.printf("memory is switched off\n")
		}
		return nil
	}, cobra.NoArgs)
}

// listStore prints one store. What would not be seen is written out: the person looks at what is stored.
func (x *cli) listStore(s memory.Sheet) {
	name := s.Target.File()
	if s.Unreadable != "" {
		x.printf("%s  ! %s\n", name, text.OneLine(s.Unreadable))
		return
	}
	x.printf("%s  %s, %s\n", name, memory.Usage(s.Used, s.Limit), text.Count(len(s.Entries), "entry", "entries"))
	for _, f := range s.Flags() {
		x.printf("  ! %s: %s\n", f.Code, f.Message)
	}
	for _, e := range s.Entries {
		x.printf("  %s  %s\n", e.ID, strings.ReplaceAll(text.Readable(e.Text), "\n", "\n                "))
		for _, f := range e.Flags {
			x.printf("                ! %s: %s\n", f.Code, text.OneLine(f.Message))
		}
	}
	if s.Problem != "" {
		fmt.Fprintln(x.Err, "hermes: "+s.Problem)
	}
}

func (x *cli) memoryCheck() *cobra.Command {
	return command("check", "Say what deserves a look; exit 5 when something does", func(cmd *cobra.Command, _ []string) error {
		sheets, err := x.sheets(cmd)
		if err != nil {
			return err
		}
		type finding struct {
			Store memory.Target `json:"store"`
			ID    string        `json:"id,omitempty"` // "" is the store as a whole
			Text  string        `json:"text,omitempty"`
			memory.Flag
		}
		found := []finding{}
		for _, s := range sheets {
			for _, f := range s.Flags() {
				found = append(found, finding{Store: s.Target, Flag: f})
			}
			for _, e := range s.Entries {
				for _, f := range e.Flags {
					found = append(found, finding{s.Target, e.ID, e.Text, f})
				}
			}
		}
		if x.json {
			err = x.print(map[string]any{"findings": found})
		}
		for _, f := range found {
			switch {
			case x.json:
			case f.ID == "":
				x.printf("%s  %s: %s\n", f.Store.File(), f.Code, text.OneLine(f.Message))
			default:
				x.printf("%s %s  %s: %s\n  %s\n", f.Store, f.ID, f.Code, text.OneLine(f.Message), text.Cut(seen(f.Text), 100))
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
	for _, s := range sheets {
		if s.Target == t && slices.ContainsFunc(s.Entries, func(e memory.Entry) bool { return e.ID == old }) {
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
			x.side("-", m, m.WasID, m.Was)
			x.side("+", m, m.ID, m.Text)
		}
		switch {
		case len(moments) > 0:
		case id != "":
			return &core.Error{Code: core.CodeNotFound, Op: "memory history", Subject: id, Err: errors.New("no such entry is recorded"), Hint: "hermes memory list shows the ids"}
		default:
			x.printf("nothing was remembered yet\n")
		}
		return nil
	}, cobra.MaximumNArgs(1))
}

// side prints one version of an entry.
func (x *cli) side(sign string, m memory.Moment, id, words string) {
	switch {
	case id == "":
		return
	case words == "":
		words = m.Missing()
	}
	x.printf("  %s %s  %s\n", sign, id, text.Cut(seen(words), 100))
}

// seen is text in one line with everything in it that would not be seen written out.
func seen(s string) string { return strings.Join(strings.Fields(text.Readable(s)), " ") }

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

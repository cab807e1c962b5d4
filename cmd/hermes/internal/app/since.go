package app

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/text"
)

// maxSince is how many skills the line about what was learned names.
const maxSince = 4

// nothingYet stands for the newest change where there is none.
const nothingYet = "none"

// since says what changed in the prompt since the last session's was frozen, in one line; nil when nothing
// did. newest is the change to remember once this session begins.
func (a *App) since() (line *core.Notice, newest string, err error) {
	log, err := a.Ledger.Log(ledger.Filter{})
	if err != nil {
		return nil, "", err
	}
	if newest = nothingYet; len(log) > 0 {
		newest = log[0].ID
	}
	seen, err := a.Book.Seen()
	if err != nil || seen == "" || seen == newest {
		return nil, newest, err
	}
	if seen == nothingYet {
		seen = ""
	}
	parts := append(factsSince(log, seen), skillsSince(log, seen)...)
	if len(parts) == 0 {
		return nil, newest, nil
	}
	return &core.Notice{
		Level: core.LevelInfo, Text: "in the prompt since your last session: " + text.OneLine(strings.Join(parts, ", ")),
		Remedy: "/reviews shows what was learned and takes it back",
		Detail: a.changesSince(log, seen),
	}, newest, nil
}

// maxChanges is how much of the differences the line opens to, in code points.
const maxChanges = 12_000

// changesSince is what changed after a change, as differences, oldest first.
func (a *App) changesSince(log []ledger.Entry, seen string) string {
	var out []string
	size := 0
	for _, e := range log {
		if e.ID <= seen || size > maxChanges {
			break
		}
		diff, err := a.Ledger.DiffEntry(e)
		if err != nil {
			diff = err.Error() + "\n"
		}
		size += len(diff)
		out = append(out, fmt.Sprintf("%s %s by %s\n%s", e.Action, e.Subject, e.Actor, diff))
	}
	slices.Reverse(out)
	return text.Cut(strings.Join(out, "\n"), maxChanges)
}

// factsSince counts the entries of memory that came, changed and went after a change.
func factsSince(log []ledger.Entry, seen string) []string {
	var added, changed, gone int
	for _, e := range log {
		if e.ID <= seen {
			break
		}
		for _, p := range e.Of("memory").Parts {
			switch {
			case p.Was == "":
				added++
			case p.Key == "":
				gone++
			default:
				changed++
			}
		}
	}
	var out []string
	if added > 0 {
		out = append(out, fmt.Sprintf("+%d %s", added, text.Plural(added, "fact", "facts")))
	}
	if changed > 0 {
		out = append(out, fmt.Sprintf("%d %s changed", changed, text.Plural(changed, "fact", "facts")))
	}
	if gone > 0 {
		out = append(out, fmt.Sprintf("−%d %s", gone, text.Plural(gone, "fact", "facts")))
	}
	return out
}

// skillsSince names the skills that changed after a change, with their versions before and now.
func skillsSince(log []ledger.Entry, seen string) []string {
	versions, fresh := map[string]int{}, map[string]int{}
	var order []string
	for _, e := range log {
		name, ok := strings.CutPrefix(e.Subject, "skill:")
		if !ok {
			continue
		}
		versions[name]++
		if e.ID > seen {
			if fresh[name]++; fresh[name] == 1 {
				order = append(order, name)
			}
		}
	}
	var out []string
	for _, full := range order {
		name := path.Base(full)
		words := fmt.Sprintf("%s v%d → v%d", name, versions[full]-fresh[full], versions[full])
		if versions[full] == fresh[full] {
			words = fmt.Sprintf("%s new (v%d)", name, versions[full])
		}
		out = append(out, words)
	}
	if more := len(out) - maxSince; more > 0 {
		out = append(out[:maxSince], fmt.Sprintf("%d more skills", more))
	}
	return out
}

// began notes, with a session's first turn, which changes its prompt holds.
func (s *Session) began() {
	if s.newest == "" {
		return
	}
	s.app.quiet(s.life, "note what the prompt holds", func() error {
		_, err := s.app.Book.Freeze(context.WithoutCancel(s.life), s.newest)
		return err
	})
	s.newest = ""
}

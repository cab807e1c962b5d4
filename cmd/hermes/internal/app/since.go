package app

import (
	"context"
	"fmt"
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
	facts, skills := map[string]int{}, []string{}
	versions := map[string]int{} // after the newest change
	for _, e := range log {
		versions[e.Subject]++
	}
	fresh := map[string]int{} // changes since
	for _, e := range log {
		if e.ID <= seen {
			break
		}
		fresh[e.Subject]++
		for _, p := range e.Of("memory").Parts {
			switch {
			case p.Was == "":
				facts["+"]++
			case p.Key == "":
				facts["-"]++
			default:
				facts["~"]++
			}
		}
	}
	for _, e := range log {
		if e.ID <= seen {
			break
		}
		name, ok := strings.CutPrefix(e.Subject, "skill:")
		if !ok || slices.ContainsFunc(skills, func(s string) bool { return strings.HasPrefix(s, name+" ") }) {
			continue
		}
		now := versions[e.Subject]
		words := fmt.Sprintf("%s v%d → v%d", name, now-fresh[e.Subject], now)
		if now == fresh[e.Subject] {
			words = fmt.Sprintf("%s new (v%d)", name, now)
		}
		skills = append(skills, words)
	}
	var parts []string
	for _, c := range []struct{ sign, one, many string }{{"+", "fact", "facts"}, {"~", "fact changed", "facts changed"}, {"-", "fact", "facts"}} {
		switch n := facts[c.sign]; {
		case n == 0:
		case c.sign == "~":
			parts = append(parts, fmt.Sprintf("%d %s", n, plural(n, c.one, c.many)))
		default:
			parts = append(parts, fmt.Sprintf("%s%d %s", strings.ReplaceAll(c.sign, "-", "−"), n, plural(n, c.one, c.many)))
		}
	}
	if more := len(skills) - maxSince; more > 0 {
		skills = append(skills[:maxSince], fmt.Sprintf("%d more skills", more))
	}
	if parts = append(parts, skills...); len(parts) == 0 {
		return nil, newest, nil
	}
	return &core.Notice{
		Level: core.LevelInfo, Text: "in the prompt since your last session: " + text.OneLine(strings.Join(parts, ", ")),
		Remedy: "/reviews shows what was learned and takes it back",
	}, newest, nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
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

package app

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/review"
	"hermes/core/text"
	"hermes/skills"
)

// maxSince is how many skills the line about what was learned names.
const maxSince = 4

// nothingYet stands for the newest change where there is none.
const nothingYet = "none"

// holds is what a prompt has of what was learned.
type holds struct {
	facts  map[string]bool // entries of memory, by id
	skills map[string]bool // listed skills, by their subject in the ledger
}

// since says what the prompt has that the last session's had not, and the other way round, in one line; nil when
// that is nothing. frozen is what to remember once this session begins.
func (a *App) since(now holds) (line *core.Notice, frozen review.Frozen, err error) {
	log, err := a.Ledger.Log(ledger.Filter{})
	if err != nil {
		return nil, frozen, err
	}
	frozen = review.Frozen{Newest: nothingYet, Skills: slices.Sorted(maps.Keys(now.skills))}
	if len(log) > 0 {
		frozen.Newest = log[0].ID
	}
	before, err := a.Book.Frozen()
	if err != nil || before.Newest == "" {
		return nil, frozen, err
	}
	if before.Newest == nothingYet {
		before.Newest = ""
	}
	fresh := log
	if i := slices.IndexFunc(log, func(e ledger.Entry) bool { return e.ID <= before.Newest }); i >= 0 {
		fresh = log[:i]
	}
	learned, err := a.skillsSince(fresh, before, now)
	if err != nil {
		return nil, frozen, err
	}
	parts := append(factsSince(fresh, now), learned...)
	if len(parts) == 0 {
		return nil, frozen, nil
	}
	return &core.Notice{
		Level: core.LevelInfo, Text: "in the prompt since your last session: " + text.OneLine(strings.Join(parts, ", ")),
		Remedy: "/reviews shows what was learned and takes it back",
		Detail: a.changesSince(fresh),
	}, frozen, nil
}

// maxChanges is how much of the differences the line opens to, in code points.
const maxChanges = 12_000

// changesSince is what these changes did, as differences, oldest first. What was taken back among them is left
// out.
func (a *App) changesSince(fresh []ledger.Entry) string {
	gone := map[string]bool{}
	for _, e := range fresh {
		for _, id := range e.Undoes {
			if !gone[e.ID] && slices.ContainsFunc(fresh, func(o ledger.Entry) bool { return o.ID == id }) {
				gone[id], gone[e.ID] = true, true
			}
		}
	}
	var out []string
	size := 0
	for _, e := range fresh {
		if size > maxChanges {
			break
		}
		if gone[e.ID] {
			continue
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

// factsSince counts the entries of memory that came into the prompt, changed there, and left it.
func factsSince(fresh []ledger.Entry, now holds) []string {
	fate := ledger.Net("memory", fresh)
	held := func(ids []string) int {
		return len(slices.DeleteFunc(ids, func(id string) bool { return !now.facts[id] }))
	}
	var out []string
	if n := held(fate.Added); n > 0 {
		out = append(out, "+"+text.Count(n, "fact", "facts"))
	}
	if n := held(fate.Changed); n > 0 {
		out = append(out, text.Count(n, "fact", "facts")+" changed")
	}
	if n := len(fate.Gone); n > 0 {
		out = append(out, "−"+text.Count(n, "fact", "facts"))
	}
	return out
}

// skillsSince names the skills that came into the prompt, left it, or say something else now.
func (a *App) skillsSince(fresh []ledger.Entry, before review.Frozen, now holds) ([]string, error) {
	var out []string
	for _, subject := range slices.Sorted(maps.Keys(now.skills)) {
		words, err := a.skillSince(subject, fresh, before)
		if err != nil {
			return nil, err
		}
		if words != "" {
			out = append(out, words)
		}
	}
	for _, subject := range before.Skills {
		if !now.skills[subject] {
			out = append(out, "−"+path.Base(strings.TrimPrefix(subject, skillSubject)))
		}
	}
	if more := len(out) - maxSince; more > 0 {
		out = append(out[:maxSince], text.Count(more, "more skill", "more skills"))
	}
	return out, nil
}

// skillSubject is what the ledger's names of skills begin with.
const skillSubject = "skill:"

// skillSince says what became of a skill that the prompt lists; "" when nothing did. Its version is how often it
// changed; the text that was there before the first change counts as well.
func (a *App) skillSince(subject string, fresh []ledger.Entry, before review.Frozen) (string, error) {
	n := 0
	for _, e := range fresh {
		if e.About(subject) {
			n++
		}
	}
	isNew := before.Skills != nil && !slices.Contains(before.Skills, subject)
	if n == 0 && !isNew {
		return "", nil
	}
	const first = "0" // an id before all others; "" would be now
	all, err := a.Ledger.Log(ledger.Filter{Subject: subject})
	if err != nil {
		return "", err
	}
	original, err := a.skillFiles(subject, first)
	if err != nil {
		return "", err
	}
	was, err := a.skillFiles(subject, max(before.Newest, first))
	if err != nil {
		return "", err
	}
	is, err := a.skillFiles(subject, "")
	if err != nil {
		return "", err
	}
	versions := len(all)
	if len(original) > 0 || versions == 0 {
		versions++
	}
	name := path.Base(strings.TrimPrefix(subject, skillSubject))
	switch {
	case isNew, before.Skills == nil && len(was) == 0:
		return fmt.Sprintf("%s new (v%d)", name, versions), nil
	case maps.Equal(was, is):
		return "", nil
	}
	return fmt.Sprintf("%s v%d → v%d", name, versions-n, versions), nil
}

// skillFiles are the files of an active skill after a change, with their hashes; none when it was not there.
func (a *App) skillFiles(subject, id string) (map[string]string, error) {
	files, err := a.Ledger.Version(subject, id)
	if err != nil {
		return nil, err
	}
	folder := "skills/" + strings.TrimPrefix(subject, skillSubject) + "/"
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.HasPrefix(name, folder) })
	if _, there := files[folder+skills.FileName]; !there {
		return nil, nil
	}
	return files, nil
}

// began notes, with a session's first turn, which changes its prompt holds.
func (s *Session) began() {
	if s.frozen.Newest == "" {
		return
	}
	s.app.quiet(s.life, "note what the prompt holds", func() error { return s.app.Book.Freeze(context.WithoutCancel(s.life), s.frozen) })
	s.frozen = review.Frozen{}
}

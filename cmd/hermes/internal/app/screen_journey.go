package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/insights"
	graph "hermes/core/journey"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/core/text"
	"hermes/skills"
	"hermes/tui/journey"
)

// travel shows what was learned and changes it in the person's name. It is not copied.
type travel struct {
	s *Session

	mu      sync.Mutex
	checked map[string][]string // warnings by skill; nil until they are asked for
}

func (t *travel) by() ledger.Change {
	return ledger.Change{Actor: ledger.You, SessionID: t.s.ID()}
}

// Sheet makes the map.
func (t *travel) Sheet(ctx context.Context) (journey.Sheet, error) {
	g, notes, err := t.s.app.Journey(ctx)
	if err != nil {
		return journey.Sheet{}, err
	}
	t.mu.Lock()
	t.checked = nil
	t.mu.Unlock()
	return journey.Prepare(g, notes), nil
}

// Detail reads what belongs to a node.
func (t *travel) Detail(ctx context.Context, id string) (journey.Detail, error) {
	d := journey.Detail{ID: id}
	a := t.s.app
	if card, ok := strings.CutPrefix(id, "memory:"); ok {
		target, e, err := a.card(ctx, card)
		if err != nil {
			return d, err
		}
		d.Text, d.Path = e.Text, a.shortPath(a.Memory.Path(target))
		for _, f := range e.Flags {
			d.Warnings = append(d.Warnings, f.Message)
		}
		life, err := a.Memory.History(card)
		if err != nil {
			d.Problem = "its history cannot be read: " + err.Error()
		}
		for _, m := range life {
			d.Moments = append(d.Moments, moment(m.Change))
		}
		return d, nil
	}
	m, err := t.find(ctx, id)
	if err != nil {
		return d, err
	}
	data, err := os.ReadFile(m.Path)
	if err != nil {
		return d, &core.Error{Op: "read skill", Subject: id, Err: err}
	}
	d.Text, d.Path, d.Warnings = string(data), a.shortPath(m.Path), t.warnings(ctx, id)
	list, err := t.s.library.History(ctx, m.Rel)
	if err != nil {
		d.Problem = "its history cannot be read: " + err.Error()
	}
	for _, v := range list {
		d.Moments = append(d.Moments, journey.Moment{ID: v.ID, Time: v.Time, Who: who(v.Actor), Action: v.Action, Reason: v.Reason, Session: v.SessionID})
	}
	return d, nil
}

func moment(e ledger.Entry) journey.Moment {
	return journey.Moment{ID: e.ID, Time: e.Time, Who: who(e.Actor), Action: e.Action, Reason: e.Reason, Session: e.SessionID}
}

// who made a change, in a word.
func who(a ledger.Actor) string {
	if a == ledger.Outside {
		return "an editor or another program"
	}
	return string(a)
}

// warnings are what is to be put right about a skill. All skills are looked at once a sheet.
func (t *travel) warnings(ctx context.Context, name string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.checked == nil {
		list, err := t.s.library.Check(ctx, t.s.skillScope())
		if err != nil {
			return []string{"it cannot be checked: " + err.Error()}
		}
		t.checked = map[string][]string{}
		for _, c := range list {
			for _, w := range c.Warnings {
				if !w.Code.Information() && w.Code != "dangling-relation" { // the map tells where relations lead
					t.checked[c.Name] = append(t.checked[c.Name], string(w.Code)+": "+w.Message)
				}
			}
		}
	}
	return t.checked[name]
}

// Outcomes are what happened in the turns that loaded skills.
func (t *travel) Outcomes(ctx context.Context) ([]insights.Skill, error) {
	r, err := t.s.app.Insights(ctx, allDays)
	return r.Skills, err
}

// allDays is as many days as a journey looks back for outcomes.
const allDays = 3650

// errInProject says that a name means another skill in this session than on the map.
var errInProject = errors.New("a skill of this project stands in front of it")

// find is the skill of a node. The map shows the home's skills: one of the project by the same name is never taken
// for it.
func (t *travel) find(ctx context.Context, id string) (skills.Match, error) {
	m, err := t.s.app.Skills.Find(ctx, id)
	if err != nil {
		return m, staleIf(err, id)
	}
	if here, err := t.s.library.Find(ctx, m.Rel); err == nil && here.Path != m.Path {
		return m, &core.Error{Code: core.CodeDenied, Op: "find", Subject: id, Err: errInProject, Hint: "change it outside this project: hermes journey, in another folder"}
	}
	return m, nil
}

// staleIf says that a node is gone when it was not found.
func staleIf(err error, id string) error {
	if core.CodeOf(err) == core.CodeNotFound {
		return stale(id)
	}
	return plain(err)
}

// Do changes a node. It is found by its id again; what is no longer there is refused.
func (t *travel) Do(ctx context.Context, task journey.Task) (journey.Result, error) {
	if task.Verb == journey.Undo {
		return t.undo(ctx, task)
	}
	if card, ok := strings.CutPrefix(task.ID, "memory:"); ok {
		return t.remember(ctx, card, task)
	}
	l := t.s.library
	m, err := t.find(ctx, task.ID)
	if err != nil {
		return journey.Result{}, err
	}
	out := journey.Result{ID: task.ID}
	switch task.Verb {
	case journey.Pin:
		_, err = l.Pin(ctx, t.by(), m.Rel)
		out.Said = "pinned: it is not archived or deleted, and reviews only propose changes"
	case journey.Unpin:
		_, err = l.Unpin(ctx, t.by(), m.Rel)
		out.Said = "no longer pinned"
	case journey.Remove:
		var done skills.Outcome
		done, err = l.Archive(ctx, t.by(), m.Rel, "archived from the journey")
		out = journey.Result{Said: "archived: " + m.Rel + "; u brings it back", Undo: done.LedgerID}
	case journey.Edit:
		out.Said, err = WriteSkill(ctx, l, t.by(), m.Rel, task.Text, ledger.Hash([]byte(task.Base)), "edited from the journey")
	case journey.Undo:
	}
	return out, plain(err)
}

// remember changes an entry of memory; an id that is a fingerprint never means another entry.
func (t *travel) remember(ctx context.Context, card string, task journey.Task) (journey.Result, error) {
	a := t.s.app
	target, e, err := a.card(ctx, card)
	if err != nil {
		return journey.Result{}, err
	}
	store := a.memoryStore(t.s.learned)
	if task.Verb == journey.Remove {
		done, err := store.Do(ctx, t.by(), target, memory.Op{Action: memory.Remove, ID: e.ID})
		return journey.Result{Said: "deleted; gone from the prompt from the next session; u brings it back", Undo: done.LedgerID}, err
	}
	if strings.TrimSpace(task.Text) == "" {
		return journey.Result{}, &core.Error{Code: core.CodeUsage, Op: "edit memory", Err: errors.New("the new text is empty"), Hint: "d deletes an entry"}
	}
	done, err := store.Do(ctx, t.by(), target, memory.Op{Action: memory.Replace, ID: e.ID, Text: task.Text})
	if err != nil {
		return journey.Result{}, err
	}
	said := "changed: in the prompt from the next session"
	for _, w := range done.Warnings {
		said += " · ⚠ " + text.OneLine(w)
	}
	return journey.Result{Said: said, ID: graph.CardID(memory.ID(memory.Normalise(task.Text)))}, nil
}

// undo takes a change back. What the ledger alone cannot turn round, pins and archived skills, is turned by the
// library.
func (t *travel) undo(ctx context.Context, task journey.Task) (journey.Result, error) {
	a, l := t.s.app, t.s.library
	e, err := a.Ledger.Entry(task.Change)
	if err != nil {
		return journey.Result{}, err
	}
	out := journey.Result{ID: task.ID, Said: "taken back: " + e.Action}
	rel, isSkill := strings.CutPrefix(e.Subject, "skill:")
	switch {
	case isSkill && e.Action == "pin":
		_, err = l.Unpin(ctx, t.by(), rel)
	case isSkill && e.Action == "unpin":
		_, err = l.Pin(ctx, t.by(), rel)
	case isSkill && (e.Action == "archive" || e.Action == "delete"):
		err, out.Said = t.restore(ctx, rel), "restored: "+rel+"; the next session sees it"
	default:
		if _, err = a.Undo(ctx, t.by(), e.ID); err == nil && !isSkill {
			out.ID = ""
			for _, p := range e.Of("memory").Parts {
				if p.Was != "" {
					out.ID = graph.CardID(p.Was)
				}
			}
			out.Said += "; in the prompt from the next session"
		}
	}
	return out, plain(err)
}

// restore brings the skill back that stood at rel and was archived last.
func (t *travel) restore(ctx context.Context, rel string) error {
	list, err := t.s.library.ArchiveList()
	if err != nil {
		return err
	}
	for i := len(list) - 1; i >= 0; i-- { // numbered ones, which are later, stand behind
		if list[i].From == rel || list[i].From == "" && list[i].Name == filepath.Base(rel) {
			_, err := t.s.library.Restore(ctx, t.by(), list[i].Name)
			return err
		}
	}
	return &core.Error{Code: core.CodeNotFound, Op: "restore skill", Subject: rel, Err: errors.New("it is not in the archive any more"), Hint: "hermes skills list shows what there is"}
}

// Export writes the map beside where hermes was started.
func (t *travel) Export(ctx context.Context, kind string) (string, error) {
	g, _, err := t.s.app.Journey(ctx)
	if err != nil {
		return "", err
	}
	a := t.s.app
	b := graph.HTML(g, a.now())
	if kind == "svg" {
		b = graph.SVG(g, a.now())
	}
	path := filepath.Join(a.opts.Dir, "hermes-journey."+kind)
	if err := home.WriteFile(path, b, home.FileMode); err != nil {
		return "", err
	}
	return a.shortPath(path), nil
}

// tally counts, and takes a skill back whose newest version does worse.
type tally struct{ s *Session }

// Report counts the last days.
func (t tally) Report(ctx context.Context, days int) (insights.Report, error) {
	return t.s.app.Insights(ctx, days)
}

// Rollback brings a skill back to the version whose SKILL.md has hash.
func (t tally) Rollback(ctx context.Context, name, hash string) (string, error) {
	l := t.s.library
	m, err := l.Find(ctx, name)
	if err != nil {
		return "", staleIf(err, name)
	}
	list, err := l.History(ctx, m.Rel)
	if err != nil {
		return "", err
	}
	for _, v := range list {
		if v.Hash != hash {
			continue
		}
		if _, _, err := l.Rollback(ctx, ledger.Change{Actor: ledger.You, SessionID: t.s.ID(), Reason: "the newer version did worse"}, m.Rel, v.ID); err != nil {
			return "", plain(err)
		}
		return fmt.Sprintf("%s is back at its version of %s; the next session sees it", m.Name, v.Time.Local().Format("2 Jan 15:04")), nil
	}
	return "", &core.Error{Code: core.CodeNotFound, Op: "roll back skill", Subject: name, Err: errors.New("that version is not in its history any more"), Hint: "hermes skills history " + m.Dir}
}

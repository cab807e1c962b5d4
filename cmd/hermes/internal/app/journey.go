package app

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/insights"
	"hermes/core/journey"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/skills"
)

// Journey makes the map of what was learned. Files that cannot be read are told as notes; the rest is drawn.
func (a *App) Journey(ctx context.Context) (g journey.Graph, notes []string, err error) {
	list, err := a.Skills.Entries(ctx)
	if err != nil {
		return g, nil, err
	}
	for _, p := range a.Skills.Problems() {
		notes = append(notes, p.Error())
	}
	origins, err := a.Skills.Origins()
	if err != nil {
		notes = append(notes, err.Error()) // who wrote what is unknown; the map is drawn by use alone
		origins = func(skills.Entry) skills.Origin { return skills.Origin{By: skills.OriginHand} }
	}
	log, err := a.Ledger.Log(ledger.Filter{})
	if err != nil {
		return g, nil, err
	}
	first, last := map[string]time.Time{}, map[string]time.Time{}
	for _, e := range log { // newest first
		first[e.Subject] = e.Time
		if _, ok := last[e.Subject]; !ok {
			last[e.Subject] = e.Time
		}
	}
	var known []journey.Skill
	for _, e := range list {
		known = append(known, journeySkill(e, origins(e), first[e.Subject()], last[e.Subject()]))
	}
	archived, err := a.Skills.ArchiveList()
	if err != nil {
		notes = append(notes, err.Error())
	}
	for _, x := range archived {
		known = append(known, journey.Skill{Name: x.Entry.Name, Folder: x.Name, Category: x.Entry.Category, State: skills.StateArchived, CreatedBy: skills.ByAgent})
	}
	cards, problems := a.cards(ctx)
	return a.maps.Build(known, cards), append(notes, problems...), nil
}

func journeySkill(e skills.Entry, o skills.Origin, made, changed time.Time) journey.Skill {
	s := journey.Skill{
		Name: e.Name, Folder: e.Dir, Category: e.Category, Description: e.Description, Tags: e.Meta.Tags, Related: e.Meta.Related,
		State: o.Record.State, Pinned: o.Pinned, Bundled: o.By == skills.OriginBundled, Installed: o.By == skills.OriginInstalled || o.By == skills.OriginExternal,
		Uses: o.Record.UseCount, Created: made, Last: o.Record.LastActive(),
	}
	if o.By == skills.OriginAgent {
		s.CreatedBy = skills.ByAgent
	}
	if rec := o.Record.Created; s.Created.IsZero() || !rec.IsZero() && rec.Before(s.Created) {
		s.Created = rec // it is older than the journal
	}
	if s.Created.IsZero() {
		s.Created = e.Modified
	}
	if changed.After(s.Last) {
		s.Last = changed
	}
	return s
}

// cards are the entries of memory as the map needs them.
func (a *App) cards(ctx context.Context) (cards []journey.Card, notes []string) {
	for _, t := range a.Memory.Enabled() {
		sheet, err := a.Memory.Sheet(ctx, t)
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		if sheet.Problem != "" {
			notes = append(notes, sheet.Problem)
		}
		source := "memory"
		if t == memory.User {
			source = "profile"
		}
		for _, e := range sheet.Entries {
			c := journey.Card{ID: e.ID, Source: source, Text: e.Text, Blocked: e.Blocked()}
			if e.Origin != nil {
				c.Time = e.Origin.Time
			} else if st, err := os.Stat(a.Memory.Path(t)); err == nil {
				c.Time = st.ModTime()
			}
			cards = append(cards, c)
		}
	}
	return cards, notes
}

// errStale says that an id names nothing any more.
var errStale = errors.New("nothing by that id: it was changed or removed since")

func stale(id string) error {
	return &core.Error{Code: core.CodeNotFound, Op: "find", Subject: id, Err: errStale, Hint: "look again: hermes journey list"}
}

// JourneyText is the text behind a node: a whole SKILL.md, or an entry of memory.
func (a *App) JourneyText(ctx context.Context, id string) (string, error) {
	if card, ok := strings.CutPrefix(id, "memory:"); ok {
		_, e, err := a.card(ctx, card)
		return e.Text, err
	}
	m, err := a.Skills.Find(ctx, id)
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(m.Path)
	return string(b), err
}

// card finds an entry of memory by its fingerprint, in whichever store it stands.
func (a *App) card(ctx context.Context, id string) (memory.Target, memory.Entry, error) {
	for _, t := range a.Memory.Enabled() {
		sheet, err := a.Memory.Sheet(ctx, t)
		if err != nil {
			return t, memory.Entry{}, err
		}
		for _, e := range sheet.Entries {
			if e.ID == id {
				return t, e, nil
			}
		}
	}
	return "", memory.Entry{}, stale("memory:" + id)
}

// JourneyEdit replaces the text behind a node, with all checks of the tools. said tells what happens next.
func (a *App) JourneyEdit(ctx context.Context, by ledger.Change, id, text string) (said string, err error) {
	if card, ok := strings.CutPrefix(id, "memory:"); ok {
		t, e, err := a.card(ctx, card)
		if err != nil {
			return "", err
		}
		if _, err := a.Memory.Do(ctx, by, t, memory.Op{Action: memory.Replace, ID: e.ID, Text: text}); err != nil {
			return "", err
		}
		return "changed; in the prompt from the next session", nil
	}
	if _, err := a.Skills.Do(ctx, by, skills.Op{Action: skills.Edit, Name: id, Content: &text}, nil); err != nil {
		return "", err
	}
	return "changed; in the prompt from the next session", nil
}

// JourneyDelete removes an entry of memory, or archives a skill. A pinned skill is refused.
func (a *App) JourneyDelete(ctx context.Context, by ledger.Change, id string) (said string, err error) {
	if card, ok := strings.CutPrefix(id, "memory:"); ok {
		t, e, err := a.card(ctx, card)
		if err != nil {
			return "", err
		}
		if _, err := a.Memory.Do(ctx, by, t, memory.Op{Action: memory.Remove, ID: e.ID}); err != nil {
			return "", err
		}
		return "removed; hermes memory restore " + e.ID + " brings it back", nil
	}
	if _, err := a.Skills.Archive(ctx, by, id, "archived from the journey"); err != nil {
		return "", err
	}
	return "archived; hermes skills restore " + id + " brings it back", nil
}

// Insights counts what happened.
func (a *App) Insights(ctx context.Context, days int) (insights.Report, error) {
	cache := ""
	if _, err := os.Stat(a.Home.Sessions()); err == nil {
		cache = a.Home.Insights()
	}
	return insights.Make(ctx, figures{a}, insights.Options{Days: days, Now: a.now(), Cache: cache})
}

// figures is where the insights come from.
type figures struct{ a *App }

// Sessions lists all of them.
func (f figures) Sessions(context.Context) ([]insights.Ref, error) {
	ids, err := f.a.Sessions.Stats()
	if err != nil {
		return nil, err
	}
	out := make([]insights.Ref, len(ids))
	for i, s := range ids {
		out[i] = insights.Ref{ID: s.ID, Size: s.Bytes, Modified: s.Modified}
	}
	return out, nil
}

// Transcript reads one session, a fork without what it took from its parent: that is counted there.
func (f figures) Transcript(_ context.Context, id string) (insights.Transcript, error) {
	t, err := f.a.Sessions.Read(id)
	if err != nil {
		return insights.Transcript{}, err
	}
	out := insights.Transcript{Records: t.Records, Task: isTask(t.Title())}
	if t.Header.Parent != nil {
		out.Records = slices.DeleteFunc(out.Records, func(r core.Record) bool { return r.Time.Before(t.Header.Created) })
	}
	return out, nil
}

// Invoked recognises a skill that the person invoked by name.
func (f figures) Invoked(message string) (string, bool) { return skills.Invoked(message) }

// Versions lists the versions of a skill, oldest first; what did not change its text is none.
func (f figures) Versions(ctx context.Context, name string) []insights.Version {
	list, err := f.a.Skills.History(ctx, name)
	if err != nil {
		return nil // it is gone
	}
	var out []insights.Version
	for _, v := range slices.Backward(list) {
		if n := len(out); v.Hash != "" && (n == 0 || out[n-1].Hash != v.Hash) {
			out = append(out, insights.Version{Hash: v.Hash, Since: v.Time})
		}
	}
	return out
}

// Edits counts the changes of skills.
func (f figures) Edits(_ context.Context, since time.Time) (map[string]int, error) {
	return f.a.Skills.Edits(since)
}

// Learning lists what the reviews cost.
func (f figures) Learning(context.Context) ([]insights.Learned, error) {
	list, _, err := f.a.Reviews.List(0)
	if err != nil {
		return nil, err
	}
	var out []insights.Learned
	for _, r := range list {
		out = append(out, insights.Learned{At: r.StartedAt, Tokens: r.Usage.Input.N + r.Usage.Output.N, USD: r.Cost.USD})
	}
	return out, nil
}

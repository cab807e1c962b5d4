package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/core/insights"
	graph "hermes/core/journey"
	"hermes/tui/journey"
)

// Journey is what was learned as the journey sees it.
type Journey interface {
	// Sheet makes the map. The root asks when the view opens and after each change, one call at a time.
	Sheet(ctx context.Context) (journey.Sheet, error)
	// Detail reads what belongs to a node. One that is gone is an error with CodeNotFound.
	Detail(ctx context.Context, id string) (journey.Detail, error)
	// Outcomes tells what happened in the turns that loaded skills. It may take a while.
	Outcomes(ctx context.Context) ([]insights.Skill, error)
	// Do carries out what the person asked for, in their name, with the checks of the tools. A node that is
	// gone is an error with CodeNotFound; another one is never touched.
	Do(ctx context.Context, t journey.Task) (journey.Result, error)
	// Export writes the map as "html" or "svg" and returns the file's path, as shown.
	Export(ctx context.Context, kind string) (path string, err error)
}

// playTick is how long a step of the playback stands.
const playTick = 90 * time.Millisecond

// journeyLayer is the journey.
type journeyLayer struct {
	view   *journey.View
	read   memoryRead
	drafts map[string]string // texts that were refused, by node
}

func whyNoJourney(m *Model) string {
	if m.ws.Journey == nil {
		return notHere
	}
	return ""
}

// showJourney opens the journey at node want, "" at the newest.
func (m *Model) showJourney(want string) tea.Cmd {
	l := &journeyLayer{view: journey.New(m.opt.Now, want), drafts: map[string]string{}}
	m.push(l)
	return l.readCmd(m)
}

// journeysCmd reads the map of an open journey again.
func (m *Model) journeysCmd() tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range m.layers {
		if j, ok := l.(*journeyLayer); ok {
			cmds = append(cmds, j.readCmd(m))
		}
	}
	return tea.Batch(cmds...)
}

// readCmd makes the map; while it is being made another time follows.
func (l *journeyLayer) readCmd(m *Model) tea.Cmd {
	if l.read.active {
		l.read.stale = true
		return nil
	}
	l.read = memoryRead{active: true}
	return bring(m, m.ws.Journey.Sheet, func(m *Model, s journey.Sheet, err error) tea.Cmd {
		again := l.read.stale
		l.read = memoryRead{}
		var cmds []tea.Cmd
		if err != nil {
			m.opt.Log.Warn("reading the journey failed", "err", err)
			l.view.SetError(err.Error())
		} else {
			l.view.SetSheet(s)
			cmds = append(cmds, l.do(m, l.view.Missing()))
		}
		if again {
			cmds = append(cmds, l.readCmd(m))
		}
		return tea.Batch(cmds...)
	})
}

func (l *journeyLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.view.Draw(m.st, w, h)
}

func (l *journeyLayer) click(m *Model, x, y int) tea.Cmd { return l.do(m, l.view.Click(x, y)) }

func (l *journeyLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	name := ""
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name = keyName(key)
	}
	return l.do(m, l.view.Update(name, msg))
}

// do carries out what the view asks for.
func (l *journeyLayer) do(m *Model, a journey.Action) tea.Cmd {
	port := m.ws.Journey
	switch a.Do {
	case journey.Close:
		m.pop(l)
	case journey.Load:
		return bring(m, func(ctx context.Context) (journey.Detail, error) { return port.Detail(ctx, a.ID) }, func(m *Model, d journey.Detail, err error) tea.Cmd {
			if err != nil {
				d = journey.Detail{ID: a.ID, Problem: err.Error()}
			}
			l.view.SetDetail(d)
			if core.CodeOf(err) == core.CodeNotFound {
				return l.readCmd(m) // the map is of yesterday
			}
			return l.do(m, l.view.Missing())
		})
	case journey.Settle:
		g := *a.Graph
		return bring(m, func(context.Context) (map[string]graph.Point, error) { return journey.Place(g), nil }, func(m *Model, at map[string]graph.Point, _ error) tea.Cmd {
			l.view.SetPlaces(at)
			return l.do(m, l.view.Missing())
		})
	case journey.Outcomes:
		return bring(m, port.Outcomes, func(m *Model, list []insights.Skill, err error) tea.Cmd {
			if err != nil {
				m.opt.Log.Warn("outcomes cannot be told", "err", err)
			}
			l.view.SetOutcomes(list)
			return nil
		})
	case journey.Change:
		return l.change(m, a.Task)
	case journey.Editor:
		return l.edit(m, a.ID, a.Text)
	case journey.Export:
		return bring(m, func(ctx context.Context) (string, error) { return port.Export(ctx, a.Text) }, func(_ *Model, path string, err error) tea.Cmd {
			l.view.SetNote("written: " + path)
			if err != nil {
				l.view.SetNote(failure(err))
			}
			return nil
		})
	case journey.Play:
		gen := m.ws.gen
		return tea.Tick(playTick, func(time.Time) tea.Msg {
			return cameMsg{gen: gen, take: func(m *Model) tea.Cmd { return l.do(m, l.view.Tick()) }}
		})
	case journey.Open:
		return m.readOrigin(a.ID, "", "")
	case journey.Copy:
		if a.Text != "" {
			return m.copyCmd(a.Text)
		}
	case journey.Nothing:
	}
	return nil
}

// failure is an error with its remedy, on one line.
func failure(err error) string {
	if hint := core.HintOf(err); hint != "" {
		return "✗ " + err.Error() + " → " + hint
	}
	return "✗ " + err.Error()
}

// change does something to a node, says what came of it, and makes the map again.
func (l *journeyLayer) change(m *Model, t journey.Task) tea.Cmd {
	port := m.ws.Journey
	l.view.Busy(true)
	return bring(m, func(ctx context.Context) (journey.Result, error) { return port.Do(context.WithoutCancel(ctx), t) }, func(m *Model, r journey.Result, err error) tea.Cmd {
		l.view.Busy(false)
		switch {
		case err == nil:
			delete(l.drafts, t.ID)
			l.view.Changed(t, r)
		case core.CodeOf(err) == core.CodeNotFound && t.Verb != journey.Edit && t.Verb != journey.Undo:
			l.view.SetNote("✗ it was changed or removed elsewhere meanwhile: nothing was done, and the map is read again")
		case t.Verb == journey.Edit:
			l.drafts[t.ID] = t.Text
			l.view.SetNote(failure(err) + " · e goes on with what you wrote")
		default:
			l.view.SetNote(failure(err))
		}
		return m.learnedChanged() // reads this map, too
	})
}

// edit hands the text of a node to the person's editor. What comes back passes the checks of the tools; what was
// refused is what the next edit begins with.
func (l *journeyLayer) edit(m *Model, id, text string) tea.Cmd {
	name, begin := "hermes-skill-*.md", text
	if strings.HasPrefix(id, "memory:") {
		name = "hermes-memory-*.txt"
	}
	if draft := l.drafts[id]; draft != "" {
		begin = draft
	}
	return m.inEditor(name, begin, func(m *Model, now string, err error) tea.Cmd {
		switch {
		case err != nil:
			l.view.SetNote("✗ " + err.Error() + " · it is as it was")
			return nil
		case strings.TrimSpace(now) == strings.TrimSpace(text):
			delete(l.drafts, id)
			l.view.SetNote("no changes")
			return nil
		}
		return l.change(m, journey.Task{Verb: journey.Edit, ID: id, Text: now, Base: text})
	})
}

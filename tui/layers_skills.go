package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/skills"
	"hermes/tui/browser"
	"hermes/tui/skillpane"
)

// Skills is the library as the skills pane and the browser see it.
type Skills interface {
	// Sheet reads everything that is listed. The root asks when a workspace opens and after each change, one
	// call at a time.
	Sheet(ctx context.Context) (SkillSheet, error)
	// Detail reads one skill whole; path is that of its SKILL.md.
	Detail(ctx context.Context, path string) (browser.Detail, error)
	// Diff shows what changed in a skill between two changes of its history; from "" is the beginning, to ""
	// is now.
	Diff(ctx context.Context, path, from, to string) (string, error)
	// Do carries out what the person asked for, in their name.
	Do(ctx context.Context, t browser.Task) (browser.Done, error)
}

// SkillSheet is what is known of the skills of a workspace.
type SkillSheet struct {
	// Pane is what the pane shows; Pane.Checked are the skills of the browser, too.
	Pane     skillpane.Sheet
	Archived []skills.Archived
	// Next is what a session that is opened now would be told.
	Next skills.Index
}

// skillState is what the root knows of the skills of a workspace.
type skillState struct {
	read  memoryRead
	sheet SkillSheet
	known bool
	// drafts are texts of skills that were edited and refused, by path.
	drafts map[string]string
}

// skillsCmd reads the library for pane and browser; while a read is under way another follows it.
func (m *Model) skillsCmd() tea.Cmd {
	s := &m.ws.skills
	switch {
	case m.ws.Skills == nil:
		return nil
	case s.read.active:
		s.read.stale = true
		return nil
	}
	s.read = memoryRead{active: true}
	return bring(m, m.ws.Skills.Sheet, func(m *Model, sheet SkillSheet, err error) tea.Cmd {
		s := &m.ws.skills
		again := s.read.stale
		s.read = memoryRead{}
		var cmds []tea.Cmd
		if err != nil {
			m.opt.Log.Warn("reading skills failed", "err", err)
			m.skills.SetError(err.Error())
		} else {
			s.sheet, s.known = sheet, true
			m.skills.SetSheet(sheet.Pane)
		}
		for _, l := range m.layers {
			if b, ok := l.(*browserLayer); ok {
				cmds = append(cmds, b.came(m, err))
			}
		}
		if again {
			cmds = append(cmds, m.skillsCmd())
		}
		return tea.Batch(cmds...)
	})
}

// skillNews takes an event about skills. What a review reads is no business of the conversation.
func (m *Model) skillNews(e core.Event) tea.Cmd {
	if l, ok := e.(*core.SkillLoaded); ok && l.RunID != "" && l.RunID != m.run.id {
		return nil
	}
	m.skills.Apply(e)
	return tea.Batch(m.skillsCmd(), m.journeysCmd())
}

// learnedChanged reads memory and skills again: commands or editors may have been at their files.
func (m *Model) learnedChanged() tea.Cmd {
	return tea.Batch(m.memoryChanged(), m.skillsCmd(), m.journeysCmd())
}

func whyNoSkills(m *Model) string {
	if m.ws.Skills == nil {
		return notHere
	}
	return ""
}

// browserLayer is the skills browser.
type browserLayer struct {
	view *browser.View
	said string // what came of the last task; told with the sheet that shows it
}

// showSkills opens the browser at the skill whose SKILL.md is want, "" at the first one.
func (m *Model) showSkills(want string) tea.Cmd {
	if why := whyNoSkills(m); why != "" {
		return nil
	}
	return m.openBrowser(want, "")
}

// skillsCommand opens it at the skill that is selected in the pane, or with what fits the filter.
func skillsCommand(m *Model, filter string) tea.Cmd {
	if filter != "" {
		return m.openBrowser("", filter)
	}
	return m.openBrowser(m.skills.SelectedID(), "")
}

func (m *Model) openBrowser(want, filter string) tea.Cmd {
	l := &browserLayer{view: browser.New(m.opt.Now, want, filter)}
	m.push(l)
	return m.skillsCmd()
}

// came hands the sheet to the view.
func (l *browserLayer) came(m *Model, err error) tea.Cmd {
	if err != nil {
		l.view.SetError(err.Error())
		return nil
	}
	s := m.ws.skills.sheet
	l.view.SetSheet(browser.Sheet{Checked: s.Pane.Checked, Archived: s.Archived, Next: s.Next, Commands: m.howInvoked()})
	if l.said != "" {
		l.view.SetNote(l.said)
		l.said = ""
	}
	return l.do(m, l.view.Missing())
}

func (l *browserLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.view.Draw(m.st, w, h)
}

func (l *browserLayer) click(m *Model, _, y int) tea.Cmd { return l.do(m, l.view.Click(y)) }

func (l *browserLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	name := ""
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name = keyName(key)
	}
	return l.do(m, l.view.Update(name, msg))
}

// do carries out what the view asks for.
func (l *browserLayer) do(m *Model, a browser.Action) tea.Cmd {
	port := m.ws.Skills
	switch a.Do {
	case browser.Close:
		m.pop(l)
	case browser.Load:
		return bring(m, func(ctx context.Context) (browser.Detail, error) { return port.Detail(ctx, a.Path) }, func(m *Model, d browser.Detail, err error) tea.Cmd {
			if err != nil {
				d = browser.Detail{Path: a.Path, Problems: []string{err.Error()}}
			}
			l.view.SetDetail(d)
			return l.do(m, l.view.Missing())
		})
	case browser.Diff:
		return bring(m, func(ctx context.Context) (string, error) { return port.Diff(ctx, a.Path, a.From, a.To) }, func(_ *Model, diff string, err error) tea.Cmd {
			if err != nil {
				diff = err.Error()
			}
			l.view.SetDiff(a.Path, a.From, a.To, diff)
			return nil
		})
	case browser.Change:
		return l.change(m, a.Task)
	case browser.Editor:
		return l.edit(m, a.Path, a.Text)
	case browser.Open:
		return m.readOrigin(a.ID, "", "")
	case browser.Copy:
		if a.Text != "" {
			return m.copyCmd(a.Text)
		}
	case browser.Nothing:
	}
	return nil
}

// change does something to a skill, says what came of it, and reads everything again.
func (l *browserLayer) change(m *Model, t browser.Task) tea.Cmd {
	port := m.ws.Skills
	return bring(m, func(ctx context.Context) (browser.Done, error) { return port.Do(context.WithoutCancel(ctx), t) }, func(m *Model, done browser.Done, err error) tea.Cmd {
		said := done.Said
		if done.Path != "" && err == nil {
			l.view.Follow(done.Path)
		}
		if err != nil {
			said = "✗ " + err.Error()
			if hint := core.HintOf(err); hint != "" {
				said += " → " + hint
			}
			if t.Verb == browser.Edit {
				m.keepDraft(t.Path, t.Text)
				said += " · e goes on with what you wrote"
			}
		} else if t.Verb == browser.Edit {
			m.keepDraft(t.Path, "")
		}
		l.said = said
		return m.skillsCmd()
	})
}

// keepDraft remembers a refused text of a skill; "" forgets it.
func (m *Model) keepDraft(path, text string) {
	if m.ws.skills.drafts == nil {
		m.ws.skills.drafts = map[string]string{}
	}
	m.ws.skills.drafts[path] = text
}

// edit hands a skill to the person's editor. What comes back passes the gates of the library; what was refused
// is what the next edit begins with.
func (l *browserLayer) edit(m *Model, path, text string) tea.Cmd {
	begin := text
	if draft := m.ws.skills.drafts[path]; draft != "" {
		begin = draft
	}
	return m.inEditor("hermes-skill-*.md", begin, func(m *Model, now string, err error) tea.Cmd {
		switch {
		case err != nil:
			l.view.SetNote("✗ " + err.Error() + " · the skill is as it was")
			return nil
		case now == text:
			m.keepDraft(path, "")
			l.view.SetNote("unchanged")
			return nil
		}
		return l.change(m, browser.EditTask(path, text, now))
	})
}

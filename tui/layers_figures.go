package tui

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/core/insights"
	"hermes/tui/curator"
	numbers "hermes/tui/figures"
)

// Insights counts what was done.
type Insights interface {
	// Report counts the last days. It may take a while the first time.
	Report(ctx context.Context, days int) (insights.Report, error)
	// Rollback brings a skill back to the version whose text has hash; said is one line about it.
	Rollback(ctx context.Context, skill, hash string) (said string, err error)
}

// Curator tends the skills that nobody uses.
type Curator interface {
	// Sheet says what the last run did and what one would do now.
	Sheet(ctx context.Context) (curator.Sheet, error)
	// Do runs it, or changes how it runs; said is one line about it.
	Do(ctx context.Context, do curator.Do) (said string, err error)
}

func whyNoInsights(m *Model) string {
	if m.ws.Insights == nil {
		return notHere
	}
	return ""
}

func whyNoCurator(m *Model) string {
	if m.ws.Curator == nil {
		return notHere
	}
	return ""
}

// figuresLayer is the insights.
type figuresLayer struct{ view *numbers.View }

// insightsCommand opens the insights of the last days, 30 when none are named.
func insightsCommand(m *Model, days string) tea.Cmd {
	n := 30
	if days != "" {
		var err error
		if n, err = strconv.Atoi(days); err != nil || n < 1 {
			return m.toast(core.LevelWarn, "/insights takes a number of days")
		}
	}
	l := &figuresLayer{view: numbers.New(m.opt.Now, n)}
	m.push(l)
	return l.load(m, n)
}

func (l *figuresLayer) load(m *Model, days int) tea.Cmd {
	port := m.ws.Insights
	return bring(m, func(ctx context.Context) (insights.Report, error) { return port.Report(ctx, days) }, func(m *Model, r insights.Report, err error) tea.Cmd {
		if err != nil {
			m.opt.Log.Warn("counting failed", "err", err)
			l.view.SetError(err.Error())
			return nil
		}
		l.view.SetReport(r)
		return nil
	})
}

func (l *figuresLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.view.Draw(m.st, w, h), -1, 0
}

func (l *figuresLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch a := l.view.Update(keyName(key)); a.Do {
	case numbers.Close:
		m.pop(l)
	case numbers.Load:
		return l.load(m, a.Days)
	case numbers.Rollback:
		port := m.ws.Insights
		return bring(m, func(ctx context.Context) (string, error) {
			return port.Rollback(context.WithoutCancel(ctx), a.Skill, a.Hash)
		}, func(m *Model, said string, err error) tea.Cmd {
			if err != nil {
				said = failure(err)
			}
			l.view.SetNote(said)
			return tea.Batch(l.load(m, l.view.Days()), m.learnedChanged())
		})
	case numbers.Nothing:
	}
	return nil
}

// curatorLayer is the curator.
type curatorLayer struct{ view *curator.View }

func (m *Model) showCurator() tea.Cmd {
	l := &curatorLayer{view: curator.New(m.opt.Now)}
	m.push(l)
	return l.load(m)
}

func (l *curatorLayer) load(m *Model) tea.Cmd {
	return bring(m, m.ws.Curator.Sheet, func(m *Model, s curator.Sheet, err error) tea.Cmd {
		if err != nil {
			m.opt.Log.Warn("looking at the skills failed", "err", err)
			l.view.SetError(err.Error())
			return nil
		}
		l.view.SetSheet(s)
		return nil
	})
}

func (l *curatorLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.view.Draw(m.st, w, h), -1, 0
}

func (l *curatorLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	do := l.view.Update(keyName(key))
	switch do {
	case curator.Nothing:
		return nil
	case curator.Close:
		m.pop(l)
		return nil
	case curator.Run, curator.DryRun, curator.Pause, curator.Resume, curator.Rollback:
	}
	port := m.ws.Curator
	return bring(m, func(ctx context.Context) (string, error) { return port.Do(context.WithoutCancel(ctx), do) }, func(m *Model, said string, err error) tea.Cmd {
		if err != nil {
			said = failure(err)
		}
		l.view.SetNote(said)
		return tea.Batch(l.load(m), m.learnedChanged())
	})
}

package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/picker"
	"hermes/tui/queue"
)

// historyLayer searches what was sent, in all sessions.
type historyLayer struct {
	picker  *picker.Picker
	entries []string // newest first; ids are indexes
}

// showHistory opens the search over the history with what stands in the composer.
func (m *Model) showHistory() tea.Cmd {
	all := m.chat.Composer().History()
	l := &historyLayer{picker: picker.New("History", "Enter takes it into the composer · Esc closes")}
	seen := map[string]bool{}
	for i := len(all) - 1; i >= 0; i-- {
		if !seen[all[i]] {
			seen[all[i]] = true
			l.entries = append(l.entries, all[i])
		}
	}
	if len(l.entries) == 0 {
		return m.toast(core.LevelInfo, "history: nothing was sent yet")
	}
	items := make([]picker.Item, len(l.entries))
	for i, text := range l.entries {
		items[i] = picker.Item{ID: fmt.Sprint(i), Label: text}
	}
	l.picker.SetItems(items, "")
	if text := m.chat.Composer().Text(); len(text) < 80 {
		l.picker.SetQuery(text)
	}
	m.push(l)
	return nil
}

func (l *historyLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.picker.View(m.st, w, h)
}

func (l *historyLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok && keyName(key) == "ctrl+r" {
		l.picker.Move(1)
		return nil
	}
	switch outcome, item := l.picker.Update(msg); outcome {
	case picker.Closed:
		m.pop(l)
	case picker.Picked:
		m.pop(l)
		for i, text := range l.entries {
			if fmt.Sprint(i) == item.ID {
				m.chat.Composer().SetText(text)
			}
		}
		m.focusComposer()
		return m.draftLater()
	case picker.None:
	}
	return nil
}

// queueLayer shows the waiting messages.
type queueLayer struct{ list *queue.List }

func (m *Model) showQueue() tea.Cmd {
	m.push(&queueLayer{list: queue.New(m.chat.Queue())})
	return nil
}

// queueChanged keeps an open list in step with what really waits.
func (m *Model) queueChanged(q []string) {
	for _, l := range m.layers {
		if l, ok := l.(*queueLayer); ok {
			l.list.Set(q)
		}
	}
}

func (l *queueLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.list.View(m.st, w, h), -1, 0
}

func (l *queueLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch l.list.Key(keyName(key)) {
	case queue.Closed:
		m.pop(l)
	case queue.Changed:
		m.chat.SetQueue(l.list.Messages())
		return m.queueCmd(l.list.Messages())
	case queue.Edit:
		m.pop(l)
		text := l.list.Taken()
		if have := m.chat.Composer().Text(); have != "" {
			text += "\n" + have
		}
		m.chat.Composer().SetText(text)
		m.focusComposer()
		m.chat.SetQueue(l.list.Messages())
		return tea.Batch(m.queueCmd(l.list.Messages()), m.draftLater())
	case queue.None:
	}
	return nil
}

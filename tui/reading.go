package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/chat"
	"hermes/tui/layout"
	"hermes/tui/picker"
)

// foundMsg carries what a search in the chat found.
type foundMsg struct{ matches chat.Matches }

// findCommand opens the search; with text it looks for that at once.
func findCommand(m *Model, text string) tea.Cmd {
	m.focusPane(layout.Chat)
	m.chat.StartSearch()
	if text == "" {
		return nil
	}
	cmd := m.searchInput(tea.PasteMsg{Content: text})
	return cmd
}

// searchInput handles keys and pastes of the search field. Looking through a long session takes longer
// than a frame, so a command does it.
func (m *Model) searchInput(msg tea.Msg) tea.Cmd {
	name := ""
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name = keyName(key)
	}
	if !m.chat.SearchKey(name, msg) {
		return nil
	}
	corpus := m.chat.Corpus()
	m.chat.Supersede() // what was looked for before is of no interest any more
	ctx, cancel := context.WithCancel(m.ctx)
	m.chat.OnSupersede(cancel)
	return func() tea.Msg {
		defer cancel()
		return foundMsg{matches: corpus.Find(ctx)}
	}
}

// chooseLayer picks one of several things and does something with it.
type chooseLayer struct {
	picker *picker.Picker
	then   func(m *Model, id string) tea.Cmd
}

func (l *chooseLayer) draw(m *Model, w, h int) (box []string, cx, cy int) {
	return l.picker.View(m.st, w, h)
}

func (l *chooseLayer) update(m *Model, msg tea.Msg) tea.Cmd {
	switch outcome, item := l.picker.Update(msg); outcome {
	case picker.Closed:
		m.pop(l)
	case picker.Picked:
		m.pop(l)
		return l.then(m, item.ID)
	case picker.None:
	}
	return nil
}

// choose opens a picker over labels; then gets the index of the chosen one.
func (m *Model) choose(title, note string, labels []string, then func(m *Model, i int) tea.Cmd) {
	items := make([]picker.Item, len(labels))
	for i, text := range labels {
		items[i] = picker.Item{ID: fmt.Sprint(i), Label: text}
	}
	l := &chooseLayer{picker: picker.New(title, note), then: func(m *Model, id string) tea.Cmd {
		for i := range labels {
			if fmt.Sprint(i) == id {
				return then(m, i)
			}
		}
		return nil
	}}
	l.picker.SetItems(items, "0")
	m.push(l)
}

// copyCode copies the code block of the selected entry, or asks which.
func (m *Model) copyCode() tea.Cmd {
	blocks := m.chat.CodeBlocks()
	switch len(blocks) {
	case 0:
		return m.toast(core.LevelInfo, "no code block in this entry")
	case 1:
		return m.copyCmd(blocks[0])
	}
	labels := make([]string, len(blocks))
	for i, b := range blocks {
		first, _, _ := strings.Cut(strings.TrimSpace(b), "\n")
		labels[i] = fmt.Sprintf("%d  %s  (%d lines)", i+1, first, strings.Count(b, "\n")+1)
	}
	m.choose("Copy which code block?", "Enter copies · Esc closes", labels, func(m *Model, i int) tea.Cmd { return m.copyCmd(blocks[i]) })
	return nil
}

// openLink opens the link or path of the selected entry, or asks which.
func (m *Model) openLink() tea.Cmd {
	links := m.chat.Links()
	port := m.opt.LinkOpener
	switch {
	case len(links) == 0:
		return m.toast(core.LevelInfo, "no link or path in this entry")
	case port == nil:
		return m.toast(core.LevelWarn, "open: "+notHere)
	}
	open := func(m *Model, i int) tea.Cmd {
		target := links[i]
		return m.doCmd("opened "+target, nil, func(ctx context.Context) error { return port.Open(ctx, target) })
	}
	if len(links) == 1 {
		return open(m, 0)
	}
	m.choose("Open which?", "Enter opens · Esc closes", links, open)
	return nil
}

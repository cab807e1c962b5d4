// Command bare is the smallest program with the card's libraries: the yardstick for start-up figures.
// With an argument it prints a version and ends; without one it draws a first frame and waits.
package main

import (
	"fmt"
	"os"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/glamour/v2"
	"charm.land/lipgloss/v2"
	"github.com/blevesearch/bleve/v2"
	"github.com/openai/openai-go/v3"
	"gopkg.in/yaml.v3"
)

type model struct{ quit key.Binding }

func (m model) Init() tea.Cmd { return nil }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && key.Matches(k, m.quit) {
		return m, tea.Quit
	}
	return m, nil
}

func (m model) View() tea.View {
	v := tea.NewView(lipgloss.NewStyle().Border(lipgloss.RoundedBorder()).Render("first frame"))
	v.AltScreen = true
	return v
}

func main() {
	if len(os.Args) > 1 {
		fmt.Println("bare 0.0.0")
		return
	}
	_, _ = yaml.Marshal(map[string]int{"a": 1})
	_ = openai.ChatModelGPT4o
	_ = bleve.NewIndexMapping()
	_, _ = glamour.NewTermRenderer(glamour.WithStandardStyle("dark"))
	if _, err := tea.NewProgram(model{key.NewBinding(key.WithKeys("ctrl+c"))}).Run(); err != nil {
		os.Exit(1)
	}
}

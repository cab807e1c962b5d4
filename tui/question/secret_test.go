package question_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes/core"
	"hermes/tui/question"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

// A secret is never drawn, at any size; Escape is "not now".
func TestDialog_secret(t *testing.T) {
	t.Parallel()
	ask := core.Question{ID: "q", Text: "The skill 旅行/渡し舟 needs FERRY_TOKEN.\nWhat you type is kept.", FreeText: true, Secret: true}
	now := start().Add(time.Hour)
	d := question.New(ask, start())
	d.Update("", tea.PasteMsg{Content: "s3cr3t-値"}, now)
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		box, _, _ := d.View(theme.New(theme.Plain), size[0], size[1], now)
		frame := strings.Join(box, "\n")
		tuitest.Fits(t, frame, size[0], size[1])
		if strings.Contains(frame, "s3cr3t") || strings.Contains(frame, "値") || !strings.Contains(frame, "••••••••") || !strings.Contains(frame, "not now") {
			t.Errorf("%v:\n%s", size, frame)
		}
	}
	if a, ok := d.Update("enter", tuitest.Key("enter"), now); !ok || a.Text != "s3cr3t-値" {
		t.Errorf("%+v", a)
	}
	if a, ok := question.New(ask, start()).Update("esc", tuitest.Key("esc"), now); !ok || !a.Skipped || a.Text != "" {
		t.Errorf("%+v", a)
	}
}

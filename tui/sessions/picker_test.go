package sessions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"hermes/tui/sessions"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func rows() []sessions.Row {
	out := []sessions.Row{
		{ID: "s1", Title: "deploy the flask app", Model: "openai/gpt-5-mini", Updated: now().Add(-time.Minute), Messages: 12, Open: true},
		{ID: "s2", Title: "每周新闻摘要 digest", Model: "deepseek/deepseek-chat", Updated: now().Add(-3 * time.Hour), Messages: 4},
		{ID: "s3", Title: "東京タワー\x1b]0;x\x07 trip", Updated: now().Add(-80 * time.Hour), Messages: 7},
	}
	out = append(out, sessions.Row{ID: "t1", Title: "task: read the docs", Updated: now().Add(-90 * time.Hour), Task: true})
	for i := range 30 {
		out = append(out, sessions.Row{ID: fmt.Sprint("o", i), Title: fmt.Sprint("older ", i), Updated: now().Add(-time.Duration(i+20) * 24 * time.Hour)})
	}
	return out
}

func TestPicker_actions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, keys string
		want       sessions.Action
	}{
		{"resume", "j enter", sessions.Action{Do: sessions.Resume, ID: "s2"}},
		{"filter then resume", "/ 東 京 enter enter", sessions.Action{Do: sessions.Resume, ID: "s3"}},
		{"filter cancelled", "/ z z esc enter", sessions.Action{Do: sessions.Resume, ID: "s1"}},
		{"rename", "j r ctrl+u n e w enter", sessions.Action{Do: sessions.Rename, ID: "s2", Title: "new"}},
		{"rename cancelled", "j r x esc", sessions.Action{}},
		{"delete", "j d y", sessions.Action{Do: sessions.Delete, ID: "s2"}},
		{"delete declined", "j d n", sessions.Action{}},
		{"the open one stays", "d y", sessions.Action{}},
		{"fork", "G f", sessions.Action{Do: sessions.Fork, ID: "o29"}},
		{"read", "j o", sessions.Action{Do: sessions.Read, ID: "s2"}},
		{"sub-agents are hidden", "j j j enter", sessions.Action{Do: sessions.Resume, ID: "o0"}},
		{"and shown", "a j j j enter", sessions.Action{Do: sessions.Resume, ID: "t1"}},
		{"export", "e", sessions.Action{Do: sessions.Export, ID: "s1"}},
		{"new", "n", sessions.Action{Do: sessions.Start}},
		{"close", "esc", sessions.Action{Do: sessions.Close}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := sessions.New("s1", now)
			p.SetRows(rows())
			var got sessions.Action
			for k := range strings.FieldsSeq(tc.keys) {
				got = p.Update(tuitest.Key(k))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPicker_fitsAndCursor(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Dark)
	for _, size := range [][2]int{{40, 12}, {60, 20}, {80, 24}, {120, 40}, {200, 60}} {
		p := sessions.New("s1", now)
		box, _, _ := p.View(st, size[0], size[1])
		tuitest.Fits(t, strings.Join(box, "\n"), size[0], size[1])
		p.SetRows(rows())
		for _, k := range []string{"", "j", "r", "東", "esc", "/", "京", "esc", "G", "d"} {
			if k != "" {
				p.Update(tuitest.Key(k))
			}
			box, cx, cy := p.View(st, size[0], size[1])
			tuitest.Fits(t, strings.Join(box, "\n"), size[0], size[1])
			if cx >= size[0] || cy >= len(box) {
				t.Errorf("%v: cursor %d,%d", size, cx, cy)
			}
		}
	}
	// OPEN-TU-01 in the search box and the rename dialog.
	p := sessions.New("s1", now)
	p.SetRows(rows())
	for _, open := range []string{"/", "r"} {
		p.Update(tuitest.Key(open))
		p.Update(tuitest.Key("ctrl+u"))
		_, base, _ := p.View(st, 80, 24)
		p.Update(tea.KeyPressMsg{Code: tea.KeyExtended, Text: "東京tower北"})
		if _, cx, _ := p.View(st, 80, 24); cx != base+11 {
			t.Errorf("%s: cursor moved by %d, want 11", open, cx-base)
		}
		p.Update(tuitest.Key("esc"))
	}
}

package question_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/tui/question"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func start() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// Keys typed before a person could have read the question answer nothing, however many come.
func TestDialog_waits(t *testing.T) {
	t.Parallel()
	d := question.New(core.Question{ID: "q", Text: "?", Options: []string{"a", "b"}}, start())
	now := start()
	for range 5 {
		now = now.Add(question.Quiet - time.Millisecond)
		if _, ok := d.Update("1", tuitest.Key("1"), now); ok {
			t.Fatal("answered at once")
		}
		if left := d.Remaining(now); left != question.Quiet {
			t.Errorf("remaining %v", left)
		}
	}
	now = now.Add(question.Quiet)
	if a, ok := d.Update("2", tuitest.Key("2"), now); !ok || a.Option != 2 || a.Text != "b" {
		t.Errorf("%+v %v", a, ok)
	}
}

func TestDialog_noFreeText(t *testing.T) {
	t.Parallel()
	d := question.New(core.Question{ID: "q", Text: "?", Options: []string{"a", "b"}}, start())
	now := start().Add(time.Hour)
	for _, key := range []string{"3", "e", "x", "0", "9"} {
		if a, ok := d.Update(key, tuitest.Key(key), now); ok {
			t.Errorf("%s answers %+v", key, a)
		}
	}
	if _, ok := d.Update("", tea.PasteMsg{Content: "pasted"}, now); ok {
		t.Error("a paste answers")
	}
	if a, ok := d.Update("enter", tuitest.Key("enter"), now); !ok || a.Option != 1 {
		t.Errorf("%+v", a)
	}
}

func TestDialog_pasteIsAnAnswerInOwnWords(t *testing.T) {
	t.Parallel()
	d := question.New(core.Question{ID: "q", Text: "?", Options: []string{"a"}, FreeText: true}, start())
	now := start().Add(time.Hour)
	d.Update("", tea.PasteMsg{Content: "東京\nregistry"}, now)
	if a, ok := d.Update("enter", tuitest.Key("enter"), now); !ok || a.Text != "東京 registry" || a.Option != 0 {
		t.Errorf("%+v %v", a, ok)
	}
}

func TestDialog_fits(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Dark)
	long := strings.Repeat("哪个集群 which cluster ", 80) + "\x1b[2J\u202e"
	var options []string
	for range 12 {
		options = append(options, long)
	}
	for _, q := range []core.Question{{Text: "?"}, {Text: long}, {Text: long, Options: options, FreeText: true}, {Options: options[:1]}} {
		d := question.New(q, start())
		for _, key := range []string{"", "pgdown", "pgdown", "j", "k", "k", "enter", "x"} {
			d.Update(key, tuitest.Key(max(key, "x")), start().Add(time.Hour))
			for _, size := range [][2]int{{40, 11}, {60, 13}, {80, 23}, {200, 49}} {
				box, cx, cy := d.View(st, size[0], size[1], start().Add(time.Hour))
				tuitest.Fits(t, strings.Join(box, "\n"), size[0], size[1])
				if cx >= size[0] || cy > len(box)+30 {
					t.Errorf("cursor %d,%d in %v", cx, cy, size)
				}
			}
		}
	}
	d := question.New(core.Question{Text: long, Options: []string{"a"}}, start())
	box, _, _ := d.View(st, 80, 14, start())
	if s := ansi.Strip(strings.Join(box, "\n")); !strings.Contains(s, "more lines") {
		t.Errorf("nothing tells that there is more:\n%s", s)
	}
}

// Nine long answers on the smallest screen: each can be reached and read in full before it is chosen.
func TestDialog_manyLongAnswers(t *testing.T) {
	t.Parallel()
	q := core.Question{ID: "q", Text: "Which one shall it be, of all of these?", FreeText: true}
	for i := range 9 {
		q.Options = append(q.Options, fmt.Sprintf("answer %d %s end%d", i+1, strings.Repeat("東京 word ", 5), i+1))
	}
	st, at := theme.New(theme.Dark), time.Unix(9, 0)
	d := question.New(q, time.Unix(0, 0))
	for i := range 9 {
		box, _, _ := d.View(st, 40, 12, at)
		frame := ansi.Strip(strings.Join(box, "\n"))
		tuitest.Fits(t, frame, 40, 12)
		if !strings.Contains(frame, fmt.Sprintf("answer %d", i+1)) || !strings.Contains(frame, fmt.Sprintf("end%d", i+1)) {
			t.Errorf("answer %d cannot be read:\n%s", i+1, frame)
		}
		d.Update("down", nil, at)
	}
	box, _, _ := d.View(st, 40, 12, at)
	if frame := ansi.Strip(strings.Join(box, "\n")); !strings.Contains(frame, "in your own words") {
		t.Errorf("%s", frame)
	}
}

package queue_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/tui/queue"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func TestList(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		keys  string
		last  queue.Outcome
		left  string
		taken string
	}{
		{"d", queue.Changed, "a 二", ""},
		{"g d", queue.Changed, "二 c", ""},
		{"g J", queue.Changed, "二 a c", ""},
		{"K", queue.Changed, "a c 二", ""},
		{"J", queue.None, "a 二 c", ""},
		{"g K", queue.None, "a 二 c", ""},
		{"k enter", queue.Edit, "a c", "二"},
		{"k k k e", queue.Edit, "二 c", "a"},
		{"d d d d", queue.None, "", ""},
		{"d d d enter", queue.None, "", ""},
		{"j x esc", queue.Closed, "a 二 c", ""},
	} {
		given := []string{"a", "二", "c"}
		l := queue.New(given)
		var last queue.Outcome
		for k := range strings.FieldsSeq(tc.keys) {
			last = l.Key(k)
		}
		if got := strings.Join(l.Messages(), " "); got != tc.left || l.Taken() != tc.taken || last != tc.last {
			t.Errorf("%s: left %q, taken %q, outcome %d", tc.keys, got, l.Taken(), last)
		}
		if diff := cmp.Diff([]string{"a", "二", "c"}, given); diff != "" {
			t.Errorf("%s changed what it was given: %s", tc.keys, diff)
		}
	}
}

func TestList_fits(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Dark)
	var many []string
	for range 40 {
		many = append(many, strings.Repeat("東京 words ", 30)+"\x1b[2J\nsecond line")
	}
	for _, messages := range [][]string{nil, {"one"}, many} {
		l := queue.New(messages)
		l.Key("g")
		for _, size := range [][2]int{{40, 11}, {60, 13}, {80, 23}, {200, 49}} {
			tuitest.Fits(t, strings.Join(l.View(st, size[0], size[1]), "\n"), size[0], size[1])
		}
	}
}

package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/tui/report"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

// Every report fits any width, whatever it holds.
func TestReports_fit(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Dark)
	long := strings.Repeat("東京 name ", 20) + "\x1b[2J\u202e"
	use := report.ContextUse{Window: 100, Used: 250, Compacts: 75, Sections: []report.Section{
		{Name: long, Tokens: 1 << 40, Note: long}, {Name: "none"}, {Name: "x", Tokens: -3},
	}}
	undo := report.Undo{Text: long, Messages: 3, Notes: []string{long}}
	for _, a := range []string{report.Restored, report.Recreated, report.Removed, report.Unchanged, report.Kept, long} {
		undo.Files = append(undo.Files, report.UndoFile{Path: long, Action: a, Reason: long, Note: "n"})
	}
	for w := 1; w < 120; w += 7 {
		for name, lines := range map[string][]string{
			"context": use.Lines(st, w), "no window": report.ContextUse{Used: 5}.Lines(st, w),
			"undo": undo.Lines(st, w, false), "undone": undo.Lines(st, w, true), "nothing": report.Undo{}.Lines(st, w, true),
			"preview": report.PreviewLines(st, []report.PreviewLine{{Who: "you", Text: long}, {Who: long, Text: strings.Repeat("x\n", 30)}}, w, 9),
		} {
			for _, l := range lines {
				if n := ansi.StringWidth(l); n > max(w, 20) { // texts keep a least width of their own
					t.Errorf("%s at %d: %d cells", name, w, n)
				}
			}
			tuitest.OnlyStyles(t, strings.Join(lines, "\n"))
		}
	}
}

func TestContextUse_says(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Plain)
	for _, tc := range []struct {
		use  report.ContextUse
		want string
	}{
		{report.ContextUse{Window: 128_000, Used: 12_800}, "12,800 of 128,000 tokens · 10 %"},
		{report.ContextUse{Window: 1000, Used: 700}, "filling up"},
		{report.ContextUse{Window: 1000, Used: 950}, "nearly full"},
		{report.ContextUse{Window: 1_000_000, Used: 2}, "<1 %"},
		{report.ContextUse{Used: 4_000}, "4,000 tokens; the size of the window is not known"},
	} {
		if got := ansi.Strip(strings.Join(tc.use.Lines(st, 100), "\n")); !strings.Contains(got, tc.want) {
			t.Errorf("no %q in %q", tc.want, got)
		}
	}
}

func TestRuleList(t *testing.T) {
	t.Parallel()
	rules := []report.Rule{{ID: "a", Text: "one"}, {ID: "b", Text: "two", Added: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}, {ID: "c", Text: "三"}}
	for keys, want := range map[string]string{
		"d y": "a", "j d y": "b", "G d y": "c", "d n": "", "j k d y": "a", "d": "", "y": "", "pgdown ctrl+u d y": "a", "G g d y": "a",
	} {
		l := &report.RuleList{}
		l.SetRules(rules)
		got := ""
		for k := range strings.FieldsSeq(keys) {
			if _, id := l.Key(k); id != "" {
				got = id
			}
		}
		if got != want {
			t.Errorf("%s revokes %q, want %q", keys, got, want)
		}
	}
	l := &report.RuleList{}
	st := theme.New(theme.Dark)
	var seen []string
	look := func() { seen = append(seen, ansi.Strip(strings.Join(l.View(st, 60, 20), "\n"))) }
	look()
	l.SetRules(nil)
	l.Key("d")
	look()
	l.SetError("no \x1b[2Jroute")
	look()
	var found []bool
	for i, want := range []string{"loading…", "no rules are stored", "✗ no route"} {
		found = append(found, strings.Contains(seen[i], want))
	}
	if diff := cmp.Diff([]bool{true, true, true}, found); diff != "" {
		t.Errorf("%s\n%s", diff, strings.Join(seen, "\n"))
	}
	if closed, _ := l.Key("esc"); !closed {
		t.Error("Esc does not close")
	}
}

// The parts are estimates: what the server counted beyond them is a part of its own, so that all make the whole.
func TestContextUse_rest(t *testing.T) {
	t.Parallel()
	use := report.ContextUse{Window: 1000, Used: 500, Sections: []report.Section{{Name: "tools", Tokens: 300}, {Name: "messages", Tokens: 100}}}
	out := ansi.Strip(strings.Join(use.Lines(theme.New(theme.Dark), 80), "\n"))
	if !strings.Contains(out, "the rest") || !strings.Contains(out, "20 %") {
		t.Errorf("no rest of 100:\n%s", out)
	}
	use.Used = 350
	if out := strings.Join(use.Lines(theme.New(theme.Dark), 80), "\n"); strings.Contains(out, "the rest") {
		t.Errorf("a rest below nothing:\n%s", out)
	}
}

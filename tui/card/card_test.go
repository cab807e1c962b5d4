package card_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func TestSummarise(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"command":"go test ./...","timeout":5}`: "go test ./...",
		`{"path":"app.py"}`:                       "app.py",
		`{"b":1,"a":"x"}`:                         `a="x" b=1`,
		`{broken`:                                 "{broken",
		`{"command":"a\nb\u001b[2J"}`:             "a b",
	} {
		if got := card.Summarise(in); got != want {
			t.Errorf("Summarise(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestLog_life(t *testing.T) {
	t.Parallel()
	l := card.NewLog()
	t0 := time.Unix(1000, 0)
	one := 1
	l.Apply(&core.ToolStarted{Meta: core.Meta{Time: t0}, CallID: "c1", Tool: "terminal", Arguments: `{"command":"make"}`})
	l.Apply(&core.ToolOutput{CallID: "c1", Text: "line 1\n50%\r100%\n"})
	c := l.Find("c1")
	st := theme.New(theme.Plain)
	got := []string{ansi.Strip(c.Header(st, 2, t0.Add(3*time.Second), 40, 0))}
	for _, line := range c.Body(st, 0, time.Time{}, 40, false) {
		got = append(got, ansi.Strip(line))
	}
	l.Apply(&core.ApprovalAsked{Approval: core.Approval{CallID: "c1"}})
	got = append(got, ansi.Strip(c.Header(st, 0, t0, 40, 0)))
	l.Approved("c1", core.DecideOnce, "", time.Time{})
	l.Apply(&core.ToolEnded{CallID: "c1", Result: "line 1\nboom", DurationMS: 1200, ExitCode: &one})
	got = append(got, ansi.Strip(c.Header(st, 0, t0, 40, 0)))
	want := []string{
		"⠹ terminal  make                    3.0s", "  │ line 1", "  │ 100%",
		"? terminal  make                    asks", "✗ terminal  make            exit 1  1.2s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if l.Failed() != 1 || l.Active() != 0 {
		t.Errorf("failed %d active %d", l.Failed(), l.Active())
	}
}

func TestLog_stop(t *testing.T) {
	t.Parallel()
	l := card.NewLog()
	l.Apply(&core.ToolStarted{CallID: "c1", Tool: "terminal"})
	l.Stop()
	if c := l.Find("c1"); c.State != card.Aborted || l.Active() != 0 {
		t.Errorf("state %v active %d", c.State, l.Active())
	}
}

func TestCall_fits(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Dark)
	for _, d := range []*core.ToolDetail{nil, {Diff: "--- a\n+++ b\n@@ -1 +1 @@\n-東京tower\n+\x1b[2J北京 " + strings.Repeat("x", 100)}, {Denied: true}, {Summary: "wrote 3 lines"}} {
		l := card.NewLog()
		l.Apply(&core.ToolStarted{CallID: "c", Tool: "ツール\x1b]0;x\x07", Arguments: `{"command":"東京東京東京東京 ` + strings.Repeat("y", 50) + `"}`})
		l.Apply(&core.ToolEnded{CallID: "c", OK: true, Result: strings.Repeat("漢字\tとtext ", 40), Detail: d})
		for w := range 100 {
			c := l.Find("c")
			if got := cell.Width(c.Header(st, 1, time.Time{}, w, 0)); got != w {
				t.Errorf("header at %d is %d", w, got)
			}
			for _, open := range []bool{true, false} {
				if body := c.Body(st, 0, time.Time{}, w, open); len(body) > 0 {
					tuitest.Fits(t, strings.Join(body, "\n"), w, 2000)
				}
			}
		}
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   string
		n    int
		want []string
	}{
		{"", 3, nil},
		{"a\nb\nc\n\n", 2, []string{"b", "c"}},
		{"a", 2, []string{"a"}},
		{"\na\nb", 5, []string{"a", "b"}},
	} {
		if diff := cmp.Diff(tc.want, card.Tail(tc.in, tc.n)); diff != "" {
			t.Errorf("%q: %s", tc.in, diff)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		340 * time.Millisecond: "0.3s", 12 * time.Second: "12s", 185 * time.Second: "3m05s", 2 * time.Hour: "2h00m",
	} {
		if got := card.Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestDiff_marksWords(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Plain)
	pair := strings.Join(card.Diff(st, "-image: registry/app:1 旧的\n+image: registry/app:2 新的\n", 60), "\n")
	for _, want := range []string{st.DelWord.Render("1"), st.AddWord.Render("2"), st.DelWord.Render("旧"), st.AddWord.Render("新")} {
		if !strings.Contains(pair, want) {
			t.Errorf("no %q in %q", want, pair)
		}
	}
	if other := strings.Join(card.Diff(st, "-all of it\n+嗯 whatever!\n", 60), "\n"); strings.Contains(other, "[1;4m") || strings.Contains(other, st.AddWord.Render("whatever")) {
		t.Errorf("lines with nothing in common are marked: %q", other)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add(" 0000", 3)
	f.Add("-a b\n+a c\n", 20)
	f.Add("@@\n-é\n+e\u0301\n-\x1b[2J\n", 3)
	f.Fuzz(func(t *testing.T, diff string, w int) {
		w = 1 + max(w, -w)%200
		if w < 1 {
			return
		}
		st := theme.New(theme.Dark)
		frame := strings.Join(card.Diff(st, diff, w), "\n")
		for line := range strings.SplitSeq(frame, "\n") {
			if n := cell.Width(line); n > w {
				t.Fatalf("%d cells of %d: %q", n, w, line)
			}
		}
	})
}

// The time a person takes to answer is none of the call's, and what they stopped did not fail.
func TestLog_waitingIsNotWorking(t *testing.T) {
	t.Parallel()
	t0 := time.Unix(1000, 0)
	at := func(s int) core.Meta { return core.Meta{Time: t0.Add(time.Duration(s) * time.Second)} }
	l := card.NewLog()
	c := l.Apply(&core.ToolStarted{Meta: at(0), CallID: "c1", Tool: "terminal"})
	l.Apply(&core.ApprovalAsked{Meta: at(1), Approval: core.Approval{ID: "a1", CallID: "c1"}})
	l.Approved("c1", core.DecideOnce, "", t0.Add(31*time.Second))
	if d := c.Duration(t0.Add(33 * time.Second)); d != 3*time.Second {
		t.Errorf("running: %v", d)
	}
	l.Apply(&core.ToolEnded{Meta: at(34), CallID: "c1", Tool: "terminal", OK: true, DurationMS: 34_000})
	if c.Took != 4*time.Second {
		t.Errorf("took %v", c.Took)
	}
	l.Apply(&core.ToolStarted{Meta: at(40), CallID: "c2", Tool: "terminal"})
	l.Apply(&core.ToolEnded{Meta: at(41), CallID: "c2", Tool: "terminal", Detail: &core.ToolDetail{Aborted: true}})
	if l.Failed() != 0 {
		t.Errorf("%d failed", l.Failed())
	}
	l.Remove("c2")
	if l.Failed() != 0 {
		t.Errorf("after removing: %d failed", l.Failed())
	}
}

package gauges_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes/tui/gauges"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

const hostile = "\x1b[2J\x1b]52;c;aGk=\x07owned\u202e\r\n東京\u200b"

func sheets() []gauges.Sheet {
	at := time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC)
	return []gauges.Sheet{
		{Name: "MEMORY", Used: 1834, Limit: 2200, Entries: []gauges.Entry{
			{ID: "a", Text: "The cluster needs kubectl 1.31.", Chars: 31, Origin: gauges.Origin{Actor: "agent", Time: at, SessionID: "s0", Reason: "asked to"}},
			{ID: "b", Text: "東京タワーの近くに住んでいる。予約は必ず前日までに。", Chars: 25, Near: true, Notes: []string{"near-duplicate of entry 3"}},
			{ID: "c", Text: "東京タワーの近くに住む", Chars: 11, Near: true, Origin: gauges.Origin{Actor: "review", Time: at, SessionID: "s1"}},
			{ID: "d", Text: hostile, Chars: 1600, Blocked: true, Notes: []string{"blocked: " + hostile}, Origin: gauges.Origin{Actor: "agent", SessionID: "s1"}},
		}},
		{Name: "USER", Used: 611, Limit: 1375, Entries: []gauges.Entry{{ID: "e", Text: "Prefers short answers.", Chars: 22, Origin: gauges.Origin{Actor: "you", SessionID: "s1"}}}},
	}
}

func newPane(w, h int, s []gauges.Sheet) *gauges.Pane {
	p := gauges.New(theme.New(theme.Dark))
	p.Reset("s1")
	p.SetSheets(s)
	p.SetSize(w, h)
	return p
}

func plain(p *gauges.Pane) string { return ansi.Strip(p.View()) }

func TestView(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		w, h int
		want []string
	}{
		{"picture", 44, 2, []string{"MEMORY ██████████████░░░ 1,834/2,200  83%!", "USER   ███████░░░░░░░░░░   611/1,375  44%"}},
		{"words", 60, 12, []string{"4 entries · ⚠ 1 blocked · ⚠ 2 near-duplicates", "+1 in the next session's prompt", "1 entry · +1 in the next session's prompt", "⚠  MEMORY 2 東京タワー", "⚠+ MEMORY 3 東京タワー", " + USER 1   Prefers"}},
		{"brief", 44, 5, []string{"⚠ 1 blocked · ⚠ 2 alike", "+1 next session"}},
		{"twenty", 20, 8, []string{"MEMORY ████░  83%!", "1,834/2,200 · 4", "+1 · ⚠ 3", "USER   ██░░░  44%", "611/1,375 · 1 · +1"}},
		{"twenty by two", 20, 2, []string{"MEMORY ████░  83%!", "USER   ██░░░  44%"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := plain(newPane(tc.w, tc.h, sheets()))
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
		})
	}
}

// Each step differs in colour and in its sign; the edges are those of the specification.
func TestSteps(t *testing.T) {
	t.Parallel()
	st := theme.New(theme.Dark)
	for _, tc := range []struct {
		used int
		want string
	}{
		{0, st.Good.Render("  0%  ")},
		{699, st.Good.Render(" 69%  ")},
		{700, st.Warn.Render(" 70%! ")},
		{899, st.Warn.Render(" 89%! ")},
		{900, st.Bad.Render(" 90%!!")},
		{999, st.Bad.Render(" 99%!!")},
		{1000, st.Bad.Render("100%!!")},
		{1234, st.Bad.Render("123%!!")},
	} {
		got := newPane(60, 1, []gauges.Sheet{{Name: "M", Used: tc.used, Limit: 1000}}).View()
		if !strings.Contains(got, tc.want) {
			t.Errorf("%d: no %q in %q", tc.used, tc.want, got)
		}
	}
}

func TestSummaryAndBadge(t *testing.T) {
	t.Parallel()
	p := newPane(1, 1, sheets())
	if got, want := p.Badge(), "5 entries · +2 · 3 ⚠"; got != want {
		t.Errorf("badge %q, want %q", got, want)
	}
	for w, want := range map[int]string{
		118: "MEMORY ██████░░ 1,834/2,200 83%! │ USER ███░░░░░ 611/1,375 44% │ 5 entries · ⚠ 1 blocked · ⚠ 2 alike",
		69:  "MEMORY ██████░░ 83%! │ USER ███░░░░░ 44% │ 5 · +2 · ⚠ 3",
		25:  "MEMORY 83%! │ USER 44%",
	} {
		if got := ansi.Strip(p.Summary(w)); !strings.HasPrefix(got, want) {
			t.Errorf("%d: %q, want %q", w, got, want)
		}
	}
}

// A number without a word and without signs beside it would say nothing.
func TestSummary_empty(t *testing.T) {
	t.Parallel()
	p := newPane(1, 1, []gauges.Sheet{{Name: "MEMORY", Limit: 2200}, {Name: "USER", Limit: 1375}})
	if got := strings.TrimRight(ansi.Strip(p.Summary(48)), " "); !strings.HasSuffix(got, "0%") {
		t.Errorf("%q", got)
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	p := newPane(60, 9, sheets())
	p.Focus()
	id := func() string { d, _ := p.Selected(); return d.Title }
	p.Select(1 << 30)
	if got, want := id(), "USER, entry 1 of 1"; got != want {
		t.Fatalf("%q, want %q", got, want)
	}
	p.Select(-1)
	s := sheets()
	s[0].Entries = s[0].Entries[2:] // two are gone: the selection stays on its entry
	p.SetSheets(s)
	if got, want := id(), "MEMORY, entry 2 of 2"; got != want {
		t.Fatalf("%q, want %q", got, want)
	}
	p.SetSheets(nil)
	if _, ok := p.Selected(); ok || p.Click(3) {
		t.Error("selected in an empty pane")
	}
}

// The line that a click selects is the line that shows the entry.
func TestClick(t *testing.T) {
	t.Parallel()
	p := newPane(60, 12, sheets())
	p.Focus()
	hits := 0
	for y, line := range strings.Split(plain(p), "\n") {
		if p.Click(y) {
			hits++
			if d, _ := p.Selected(); !strings.Contains(line, strings.Fields(strings.ReplaceAll(d.Title, ",", ""))[0]+" "+strings.Fields(d.Title)[2]) {
				t.Errorf("line %d %q selected %s", y, line, d.Title)
			}
		}
	}
	if hits != 5 || p.Click(-1) || p.Click(99) {
		t.Errorf("%d lines can be clicked", hits)
	}
}

func TestDetail(t *testing.T) {
	t.Parallel()
	p := newPane(60, 12, sheets())
	p.Select(3)
	d, _ := p.Selected()
	got := strings.Join(d.Lines(theme.New(theme.Plain), 60), "\n")
	tuitest.Fits(t, got, 60, 99)
	for _, want := range []string{"1,600 characters, 72% of the store", "saved by agent · this session", "⚠ blocked: ", "␛[2J", "⟨U+202E⟩", "東京"} {
		if !strings.Contains(ansi.Strip(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "reaches the prompt") {
		t.Error("a blocked entry reaches no prompt")
	}
	if d.Text != hostile {
		t.Errorf("text %q is not raw", d.Text)
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	p := gauges.New(theme.New(theme.Dark))
	p.SetSize(60, 5)
	for _, tc := range []struct {
		want string
		do   func()
	}{
		{"Reading the memory", func() {}},
		{"Memory is off", func() { p.SetSheets(nil) }},
		{"0/10   0%", func() { p.SetSheets([]gauges.Sheet{{Name: "USER", Limit: 10, Problem: "read-only 家"}}) }},
		{"⚠ read-only 家", func() {}},
		{"⚠ open: no such file", func() { p.SetError("open: no\nsuch file") }},
		{"0/10", func() {}},
		{"Reading the memory", func() { p.Reset("s2") }},
	} {
		tc.do()
		if got := plain(p); !strings.Contains(got, tc.want) {
			t.Errorf("no %q in\n%s", tc.want, got)
		}
	}
}

// Every size fits, with every state, focused or not, and the focused pane always shows its selection.
func TestSweep(t *testing.T) {
	t.Parallel()
	big := sheets()
	for i := range 200 {
		big[0].Entries = append(big[0].Entries, gauges.Entry{ID: fmt.Sprint(i), Text: strings.Repeat("東京 tower\n", i), Chars: i * 8})
	}
	big[1].Used, big[1].Limit, big[1].Name = 1<<62, 3, hostile
	for _, s := range [][]gauges.Sheet{nil, sheets(), big} {
		for _, focused := range []bool{false, true} {
			p := newPane(0, 0, s)
			if focused {
				p.Focus()
			}
			for _, w := range []int{0, 1, 2, 5, 12, 19, 20, 21, 27, 33, 39, 40, 44, 60, 78, 200} {
				for h := range 16 {
					p.SetSize(w, h)
					p.Select(7)
					tuitest.Fits(t, p.View(), w, h)
					if got := p.Summary(w); ansi.StringWidth(got) != w {
						t.Fatalf("summary of %d is %d wide", w, ansi.StringWidth(got))
					}
					if focused && len(s) > 0 && w > 1 && h > 0 && !strings.Contains(p.View(), "▌") {
						t.Fatalf("%dx%d: no selection in\n%s", w, h, plain(p))
					}
					if t.Failed() {
						t.Fatalf("at %dx%d focused %v", w, h, focused)
					}
				}
			}
		}
	}
}

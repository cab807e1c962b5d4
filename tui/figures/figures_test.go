package figures_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes/core/insights"
	"hermes/tui/figures"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

const hostile = "\x1b[31mred\x1b]0;x\a\u202eevil"

func report(days int) insights.Report {
	r := insights.Report{
		Days: days, Since: now().AddDate(0, 0, -days), Sessions: 42, Messages: map[string]int{"user": 180, "assistant": 640}, Hours: 31.5,
		Usage:  insights.Usage{Input: 12_345_678, Output: 234_567, Cached: 10_000_000, CacheRate: 0.81, Requests: 640, Learning: 456_789},
		Cost:   insights.Cost{Chat: 1.234, Learning: 0.056, Unpriced: []string{"custom/" + hostile}},
		Models: []insights.Model{{Name: "openai/gpt-5-mini", Usage: insights.Usage{Input: 12_000_000, Output: 200_000, CacheRate: 0.8}}, {Name: "深度求索/深度-chat", Usage: insights.Usage{Input: 345_678}}},
		Skills: []insights.Skill{
			{Name: "flask-k8s-deploy", Loads: 12, Edits: 2, Before: &insights.Outcome{Loads: 5, CallsMean: 12, ErrorsMean: 2}, Versions: []insights.VersionOutcomes{
				{Hash: "aaa", Number: 1, Outcome: insights.Outcome{Loads: 6, CallsMean: 9, ErrorsMean: 1}},
				{Hash: "bbb", Number: 2, Outcome: insights.Outcome{Loads: 6, CallsMean: 14, ErrorsMean: 3, Corrections: 2}, Worse: "more failed calls than the version before"},
			}},
			{Name: "東京タワー案内-" + hostile, Loads: 1, Versions: []insights.VersionOutcomes{{Hash: "ccc", Number: 1}}},
		},
		Skipped: []string{"20261101: " + hostile},
	}
	for i := range 18 {
		r.Tools = append(r.Tools, insights.Tool{Name: fmt.Sprintf("tool_%d", i), Calls: 200 / (i + 1), Errors: i % 3, MeanMS: float64(i) * 210})
	}
	for h := range 24 {
		r.Activity.ByHour[h] = (h * 7) % 23
	}
	r.Activity.ByWeekday = [7]int{3, 40, 38, 29, 41, 22, 7}
	r.Activity.Days, r.Activity.Streak = 19, 6
	return r
}

func view(keys ...string) *figures.View {
	v := figures.New(now, 30)
	v.SetReport(report(30))
	for _, k := range keys {
		v.Update(k)
	}
	return v
}

func draw(v *figures.View, w, h int) string {
	return ansi.Strip(strings.Join(v.Draw(theme.New(theme.Plain), w, h), "\n"))
}

func states() map[string]func() *figures.View {
	return map[string]func() *figures.View{
		"whole": func() *figures.View { return view() },
		"sure": func() *figures.View {
			v := view()
			draw(v, 80, 24)
			v.Update("R")
			return v
		},
		"empty": func() *figures.View {
			v := figures.New(now, 30)
			v.SetReport(insights.Report{Days: 30})
			return v
		},
	}
}

func TestView_frames(t *testing.T) {
	t.Parallel()
	for name, make := range states() {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {100, 50}, {200, 50}} {
			w, h := size[0], size[1]
			frame := draw(make(), w, h)
			tuitest.Fills(t, frame, w, h)
			tuitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, w, h), frame)
			coloured := strings.Join(make().Draw(theme.New(theme.Dark), w, h), "\n")
			tuitest.OnlyStyles(t, coloured)
			tuitest.GoldenColour(t, fmt.Sprintf("%s-%dx%d-dark", name, w, h), coloured)
		}
	}
}

func TestView_fitsEverySize(t *testing.T) {
	t.Parallel()
	for w := 40; w <= 210; w += 7 {
		for _, h := range []int{12, 13, 20, 31, 60} {
			for _, make := range states() {
				v := make()
				for _, k := range []string{"", "G", "n", "R", "g", "space"} {
					v.Update(k)
					tuitest.Fills(t, draw(v, w, h), w, h)
				}
			}
		}
	}
}

func TestView_keys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		keys []string
		want figures.Action
		note string
	}{
		{"esc", []string{"esc"}, figures.Action{Do: figures.Close}, ""},
		{"a week", []string{"7"}, figures.Action{Do: figures.Load, Days: 7}, ""},
		{"a quarter", []string{"9"}, figures.Action{Do: figures.Load, Days: 90}, ""},
		{"the next span", []string{"tab"}, figures.Action{Do: figures.Load, Days: 90}, ""},
		{"the span before", []string{"shift+tab"}, figures.Action{Do: figures.Load, Days: 7}, ""},
		{"the same span", []string{"3"}, figures.Action{}, ""},
		{"again", []string{"r"}, figures.Action{Do: figures.Load, Days: 30}, ""},
		{"roll back asks", []string{"R"}, figures.Action{}, "R again takes flask-k8s-deploy back to version 1"},
		{"roll back", []string{"R", "R"}, figures.Action{Do: figures.Rollback, Skill: "flask-k8s-deploy", Hash: "aaa"}, ""},
		{"another key forgets it", []string{"R", "j", "R"}, figures.Action{}, "R again"},
		{"nothing to roll back to", []string{"n", "R"}, figures.Action{}, "no earlier version"},
		{"around", []string{"n", "n", "R", "R"}, figures.Action{Do: figures.Rollback, Skill: "flask-k8s-deploy", Hash: "aaa"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := view()
			draw(v, 120, 40)
			var got figures.Action
			for _, k := range c.keys {
				got = v.Update(k)
			}
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if f := draw(v, 120, 40); !strings.Contains(f, c.note) {
				t.Errorf("does not say %q:\n%s", c.note, f)
			}
		})
	}
}

// An answer for other days than those that are asked for now is dropped.
func TestView_lateReport(t *testing.T) {
	t.Parallel()
	v := view("7")
	late := report(90)
	late.Sessions = 99
	v.SetReport(late)
	if f := draw(v, 120, 40); strings.Contains(f, "99 sessions") {
		t.Error(f)
	}
	week := report(7)
	week.Sessions = 5
	v.SetReport(week)
	if f := draw(v, 120, 40); !strings.Contains(f, "5 sessions") || !strings.Contains(f, "[7 days]") {
		t.Error(f)
	}
}

// The flag is said in words, and a choice of skill brings it into sight on a low screen.
func TestView_flag(t *testing.T) {
	t.Parallel()
	v := view()
	draw(v, 80, 24)
	v.Update("R")
	if f := draw(v, 80, 24); !strings.Contains(f, "▌ flask-k8s-deploy") || !strings.Contains(f, "more failed calls than the version before") {
		t.Error(f)
	}
}

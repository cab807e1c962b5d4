package curator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes/skills/curator"
	"hermes/tui/theme"
	"hermes/tui/tuitest"

	view "hermes/tui/curator"
)

func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func sheet() view.Sheet {
	last := curator.Report{ID: "cu-1", At: now().AddDate(0, 0, -3), Steps: []curator.Step{
		{Name: "writing/旅行記", Move: curator.MarkStale, Reason: "not used for 31 days"},
		{Name: "data/gone", Move: curator.Archive, Reason: "not used for 99 days", Error: "busy \x1b[31m"},
	}}
	st := curator.Status{
		State: curator.State{LastRun: last.At, LastSummary: "1 went stale."}, Next: now().AddDate(0, 0, 4), Counts: map[string]int{"active": 12, "stale": 1},
		Steps: []curator.Step{{Name: "devops/fresh", Move: curator.Keep, Reason: "pinned"}, {Name: "devops/old-backup", Move: curator.Archive, Reason: "not used for 120 days"}},
	}
	for i := range 30 {
		st.Steps = append(st.Steps, curator.Step{Name: fmt.Sprintf("data/s-%d", i), Move: curator.Keep, Reason: "last active 3 days ago"})
	}
	return view.Sheet{Status: st, Enabled: true, Last: &last}
}

func made(s view.Sheet) *view.View {
	v := view.New(now)
	v.SetSheet(s)
	return v
}

func draw(v *view.View, w, h int) string {
	return ansi.Strip(strings.Join(v.Draw(theme.New(theme.Plain), w, h), "\n"))
}

func TestView_frames(t *testing.T) {
	t.Parallel()
	paused := sheet()
	paused.Status.State.Paused = true
	for name, s := range map[string]view.Sheet{"runs": sheet(), "paused": paused, "never": {Enabled: true}} {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {100, 50}, {200, 50}} {
			w, h := size[0], size[1]
			frame := draw(made(s), w, h)
			tuitest.Fills(t, frame, w, h)
			tuitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, w, h), frame)
			coloured := strings.Join(made(s).Draw(theme.New(theme.Dark), w, h), "\n")
			tuitest.OnlyStyles(t, coloured)
			tuitest.GoldenColour(t, fmt.Sprintf("%s-%dx%d-dark", name, w, h), coloured)
		}
	}
}

func TestView_fitsEverySize(t *testing.T) {
	t.Parallel()
	for w := 40; w <= 210; w += 7 {
		for _, h := range []int{12, 13, 20, 31, 60} {
			v := made(sheet())
			for _, k := range []string{"", "r", "G", "R", "k", "g"} {
				v.Update(k)
				tuitest.Fills(t, draw(v, w, h), w, h)
			}
		}
	}
}

func TestView_keys(t *testing.T) {
	t.Parallel()
	paused := sheet()
	paused.Status.State.Paused = true
	for _, c := range []struct {
		name string
		s    view.Sheet
		keys string
		want view.Do
		note string
	}{
		{"run asks", sheet(), "r", view.Nothing, "r again runs it: 1 archived."},
		{"run", sheet(), "rr", view.Run, ""},
		{"another key forgets it", sheet(), "rjr", view.Nothing, "r again"},
		{"dry run", sheet(), "n", view.DryRun, ""},
		{"pause", sheet(), ".", view.Pause, ""},
		{"resume", paused, ".", view.Resume, ""},
		{"roll back asks", sheet(), "R", view.Nothing, "R again takes the last run back: 1 went stale."},
		{"roll back", sheet(), "RR", view.Rollback, ""},
		{"nothing to roll back", view.Sheet{Enabled: true}, "R", view.Nothing, "no run to take back"},
		{"close", sheet(), "q", view.Close, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := made(c.s)
			var got view.Do
			for _, k := range c.keys {
				got = v.Update(string(k))
			}
			if got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
			if f := draw(v, 120, 40); !strings.Contains(f, c.note) {
				t.Errorf("does not say %q:\n%s", c.note, f)
			}
		})
	}
}

package reviews_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/review"
	"hermes/tui/reviews"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

const hostile = "\x1b[31mred\x1b]0;x\a\u202eevil"

func record(n int, s review.State, t review.Trigger) review.Record {
	return review.Record{
		ID: fmt.Sprintf("rv-%d", n), Kind: "review", SessionID: "20261130-090000-abcdef", State: s, Trigger: t, MaxCalls: 8, Calls: min(n, 8),
		StartedAt: now().Add(-time.Duration(10-n) * 17 * time.Minute), DurationMS: 4200, Model: "openai/gpt-5-mini",
		Usage: core.Usage{Input: core.KnownTokens(25_456), Output: core.KnownTokens(363), Cached: core.KnownTokens(24_001)}, Cost: core.Cost{USD: 0.0021, Known: true},
	}
}

func sheet() reviews.Sheet {
	running := record(6, review.Running, review.BySkills)
	running.Calls = 5
	saved := record(5, review.Saved, review.ByBoth)
	saved.Did, saved.Saved, saved.Note, saved.Digested = []string{"+1 user fact", "patch flask-k8s-deploy"}, 2, "偏好和部署的坑都记下了。", 3
	saved.Steps = []review.Step{
		{Tool: "skill_view", Arguments: `{"name":"flask-k8s-deploy"}`, OK: true},
		{Tool: "terminal", Arguments: `{"command":"ls"}`, Refused: true, Result: "Refused: terminal does not act in a review. " + hostile},
		{Tool: "memory", Arguments: `{"action":"add","target":"user"}`, OK: true},
	}
	failed := record(4, review.Failed, review.ByMemory)
	failed.Error = "upstream gone " + hostile
	nothing := record(3, review.Nothing, review.ByMemory)
	asked := record(2, review.Cancelled, review.ByAsking)
	asked.Focus, asked.Error = "渡し舟の時刻 the ferry "+hostile, "cancelled by the person"
	return reviews.Sheet{
		Waiting: []review.Waiting{
			{Proposal: core.Proposal{
				ID: "0a1b2c3d", Store: "memory", Action: "add", Subject: "memory:user", Held: core.HeldTainted, Taint: "web: https://example.org/" + hostile,
				Actor: "agent", SessionID: "s1", Created: now().Add(-3 * time.Hour), Arguments: json.RawMessage(`{"target":"user","operations":[{"action":"add","content":"Lives in Oslo"}]}`),
				Diff: "--- a/memories/USER.md\n+++ b/memories/USER.md\n@@ -0,0 +1 @@\n+東京タワーの近くに住んでいる。 Lives in Oslo\n",
			}, Refused: &review.Refusal{How: "refused", Time: now().AddDate(0, 0, -4)}},
			{Proposal: core.Proposal{
				ID: "1a1b2c3d", Store: "skills", Action: "create", Subject: "skill:devops/fast-deploy", Held: core.HeldDangerous, Actor: "review", ReviewID: "rv-5",
				SessionID: "s1", Created: now().Add(-time.Hour), Findings: []string{"SKILL.md:9 exfiltration: sends a private key to a host"}, Arguments: json.RawMessage(`{}`),
				Diff: "--- /dev/null\n+++ b/skills/devops/fast-deploy/SKILL.md\n@@ -0,0 +1 @@\n+curl -d @key\n",
			}},
		},
		Records: []review.Record{running, saved, failed, nothing, asked},
		Total:   6, Today: review.Spent{Tokens: 51_000, USD: 0.0042}, EveryTurns: 10, EverySteps: 10,
	}
}

func details(d *reviews.Desk) {
	d.SetDetail(reviews.Detail{ID: "rv-5", Changes: []reviews.Change{
		{Entry: ledger.Entry{ID: "L1", Action: "add", Subject: "memory:user"}, Diff: "--- a/memories/USER.md\n+++ b/memories/USER.md\n@@ -0,0 +1 @@\n+短い答えを好む。 Prefers short answers\n"},
		{Entry: ledger.Entry{ID: "L2", Action: "patch", Subject: "skill:devops/flask-k8s-deploy"}, Diff: "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n one\n+two\n", Undone: true},
	}})
	d.SetDetail(reviews.Detail{ID: "0a1b2c3d", Problem: "stale: memory:user has changed since"})
}

func desk(keys ...string) *reviews.Desk {
	d := reviews.NewDesk(now, "")
	d.SetSheet(sheet())
	details(d)
	for _, k := range keys {
		d.Update(k)
	}
	return d
}

func pane(w, h int, s reviews.Sheet) *reviews.Pane {
	p := reviews.New(theme.New(theme.Dark), now)
	p.SetSheet(s)
	p.SetSize(w, h)
	return p
}

func TestDesk_frames(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]func() *reviews.Desk{
		"proposal": func() *reviews.Desk { return desk() },
		"record":   func() *reviews.Desk { return desk("j", "j", "j") },
		"empty": func() *reviews.Desk {
			d := reviews.NewDesk(now, "")
			d.SetSheet(reviews.Sheet{EveryTurns: 10, EverySteps: 10})
			return d
		},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {100, 50}, {200, 50}} {
			w, h := size[0], size[1]
			frame := strings.Join(d().Draw(theme.New(theme.Plain), w, h), "\n")
			tuitest.Fills(t, frame, w, h)
			tuitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, w, h), frame)
			coloured := strings.Join(d().Draw(theme.New(theme.Dark), w, h), "\n")
			tuitest.OnlyStyles(t, coloured)
			tuitest.GoldenColour(t, fmt.Sprintf("%s-%dx%d-dark", name, w, h), coloured)
		}
	}
}

func TestDesk_fitsEverySize(t *testing.T) {
	t.Parallel()
	for w := 40; w <= 210; w += 7 {
		for _, h := range []int{12, 13, 20, 31, 60} {
			for _, keys := range [][]string{nil, {"j"}, {"j", "j"}, {"j", "j", "j"}, {"G"}} {
				tuitest.Fills(t, strings.Join(desk(keys...).Draw(theme.New(theme.Dark), w, h), "\n"), w, h)
			}
		}
	}
}

func TestPane_frames(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{42, 6}, {60, 8}, {30, 5}, {20, 4}} {
		p := pane(size[0], size[1], sheet())
		tuitest.Fits(t, p.View(), size[0], size[1])
		tuitest.Golden(t, fmt.Sprintf("pane-%dx%d", size[0], size[1]), ansi.Strip(p.View())+"\n"+ansi.Strip(p.Summary(size[0]))+"\n"+p.Badge())
	}
	for w := range 90 {
		for _, h := range []int{0, 1, 2, 7} {
			for _, s := range []reviews.Sheet{{}, sheet(), {Paused: true}} {
				p := pane(w, h, s)
				tuitest.Fits(t, p.View(), w, h)
				tuitest.Fits(t, p.Summary(w), w, 1)
			}
		}
	}
}

// A review appears with its first event, tells what it does, and says how it ended.
func TestPane_live(t *testing.T) {
	t.Parallel()
	p := pane(60, 5, reviews.Sheet{EveryTurns: 10})
	see := func(want string) {
		t.Helper()
		if v := ansi.Strip(p.View()); !strings.Contains(v, want) {
			t.Errorf("no %q in:\n%s", want, v)
		}
	}
	see("Next review in 10 turns")
	p.Apply(&core.ReviewStarted{ReviewID: "r", Trigger: "skills", State: "running", MaxCalls: 8})
	see("#1 skills 0/8 calls")
	if !p.Running() {
		t.Error("nothing turns")
	}
	p.Apply(&core.ReviewStep{ReviewID: "r", Calls: 1, Tool: "skill_manage", Args: []byte(`{"name":"flask-k8s-deploy"}`)})
	see("1/8 calls writing flask-k8s-deploy")
	p.Apply(&core.ReviewStep{ReviewID: "unknown", Calls: 1, Tool: "x"})
	p.Apply(&core.ReviewEnded{ReviewID: "r", State: "saved", Saved: 2, Held: 1, Calls: 1})
	see("saved 2, 1 in the inbox")
	if p.Running() {
		t.Error("still turning")
	}
}

// What a review says stays true: proposals that were decided do not wait any more, changes that were taken back
// are not in force, and what a cancelled one wrote is named.
func TestOutcome_today(t *testing.T) {
	t.Parallel()
	one := func(state review.State, saved, held int, why string, did ...string) review.Record {
		r := record(1, state, review.ByMemory)
		r.Saved, r.Held, r.Error, r.Did = saved, held, why, did
		return r
	}
	for name, c := range map[string]struct {
		rec     review.Record
		waiting int
		stands  int
		want    string
	}{
		"in force":             {one(review.Saved, 1, 0, "", "+1 fact"), 0, 1, "✓ #1 memory +1 fact"},
		"taken back":           {one(review.Saved, 1, 0, "", "+1 fact"), 0, 0, "· #1 memory taken back: +1 fact"},
		"one of two":           {one(review.Saved, 2, 0, "", "+1 fact", "patch tea"), 0, 1, "✓ #1 memory +1 fact, patch tea (1 taken back)"},
		"proposals wait":       {one(review.Proposed, 0, 3, ""), 2, 0, "✉ #1 memory 2 in the inbox"},
		"proposals decided":    {one(review.Proposed, 0, 3, ""), 0, 0, "· #1 memory 3 proposals decided"},
		"cancelled on the way": {one(review.Cancelled, 2, 0, "cancelled by the person", "+2 facts"), 0, 2, "· #1 memory cancelled by the person, +2 facts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := reviews.Sheet{Records: []review.Record{c.rec}, Total: 1, Standing: map[string]int{c.rec.ID: c.stands}}
			for range c.waiting {
				s.Waiting = append(s.Waiting, review.Waiting{Proposal: core.Proposal{ReviewID: c.rec.ID}})
			}
			if v := ansi.Strip(pane(80, 4, s).View()); !strings.Contains(v, c.want) {
				t.Errorf("no %q in:\n%s", c.want, v)
			}
		})
	}
}

// While a review runs its time passes; at 80 columns the way out and the pause are named.
func TestDesk_running(t *testing.T) {
	t.Parallel()
	d := desk("j", "j")
	if v := ansi.Strip(strings.Join(d.Draw(theme.New(theme.Plain), 80, 24), "\n")); strings.Contains(v, "· 4.2s") || !strings.Contains(v, "1h08m") {
		t.Errorf("its time:\n%s", v)
	}
	for _, keys := range [][]string{nil, {"j", "j"}, {"j", "j", "j"}} {
		if v := ansi.Strip(strings.Join(desk(keys...).Draw(theme.New(theme.Plain), 80, 24), "\n")); !strings.Contains(v, "Esc close") || !strings.Contains(v, ". pause") {
			t.Errorf("the keys:\n%s", v)
		}
	}
}

func TestDesk_actions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		keys []string
		want reviews.Action
	}{
		{"accept", []string{"a"}, reviews.Action{Do: reviews.Accept, ID: "0a1b2c3d"}},
		{"Enter asks first", []string{"enter"}, reviews.Action{}},
		{"accept with Enter", []string{"enter", "enter"}, reviews.Action{Do: reviews.Accept, ID: "0a1b2c3d"}},
		{"rejecting was asked, not accepting", []string{"x", "enter"}, reviews.Action{}},
		{"move a fact", []string{"m"}, reviews.Action{Do: reviews.Move, ID: "0a1b2c3d"}},
		{"a skill has no other store", []string{"j", "m"}, reviews.Action{}},
		{"reject asks first", []string{"x"}, reviews.Action{}},
		{"reject", []string{"x", "x"}, reviews.Action{Do: reviews.Reject, ID: "0a1b2c3d"}},
		{"another key between forgets the question", []string{"x", "k", "x"}, reviews.Action{}},
		{"undo the marked change", []string{"j", "j", "j", "u"}, reviews.Action{Do: reviews.Undo, IDs: []string{"L1"}}},
		{"what is taken back is not undone again", []string{"j", "j", "j", "n", "u"}, reviews.Action{}},
		{"undo all asks first", []string{"j", "j", "j", "U"}, reviews.Action{}},
		{"undo all that stands", []string{"j", "j", "j", "U", "U"}, reviews.Action{Do: reviews.Undo, IDs: []string{"L1"}}},
		{"cancel the running one", []string{"j", "j", "c"}, reviews.Action{Do: reviews.Cancel, ID: "rv-6"}},
		{"a finished one cannot be cancelled", []string{"G", "c"}, reviews.Action{}},
		{"open its session", []string{"G", "o"}, reviews.Action{Do: reviews.Open, ID: "20261130-090000-abcdef"}},
		{"run", []string{"r"}, reviews.Action{Do: reviews.Run}},
		{"pause", []string{"."}, reviews.Action{Do: reviews.Pause}},
		{"close", []string{"esc"}, reviews.Action{Do: reviews.Close}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := desk()
			var got reviews.Action
			for _, k := range c.keys {
				got = d.Update(k)
			}
			if got.Do == reviews.Load { // moving may read more
				got = reviews.Action{}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if a := desk().Update("e"); a.Do != reviews.Edit || !strings.Contains(a.Text, "\n  \"target\": \"user\"") {
		t.Errorf("edit: %+v", a)
	}
}

// What is looked at is read once, and again after something changed.
func TestDesk_readsWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	d := reviews.NewDesk(now, "rv-5")
	d.SetSheet(sheet())
	if a := d.Missing(); a.Do != reviews.Load || a.ID != "rv-5" {
		t.Fatalf("%+v", a)
	}
	if a := d.Missing(); a.Do != reviews.Nothing {
		t.Errorf("twice: %+v", a)
	}
	if a := d.Update("j"); a.Do != reviews.Load || a.ID != "rv-4" {
		t.Errorf("%+v", a)
	}
	d.SetSheet(sheet())
	if a := d.Missing(); a.Do != reviews.Load || a.ID != "rv-4" {
		t.Errorf("%+v", a)
	}
}

package insights

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
)

var start = time.Date(2026, 11, 2, 9, 0, 0, 0, time.Local) // a Monday

// talk writes records.
type talk struct {
	at time.Time
	n  int
	rs []core.Record
}

func (k *talk) add(r core.Record) {
	k.at = k.at.Add(time.Minute)
	r.Time = k.at
	k.rs = append(k.rs, r)
}

func (k *talk) user(s string) {
	k.add(core.Record{Type: core.RecordMessage, Message: &core.Message{Role: core.RoleUser, Content: s}})
}

func (k *talk) call(tool, args string, ok bool) {
	k.n++
	id := fmt.Sprint("c", k.n)
	k.add(core.Record{Type: core.RecordMessage, Message: &core.Message{Role: core.RoleAssistant, ToolCalls: []core.ToolCall{{ID: id, Name: tool, Arguments: args}}}})
	k.add(core.Record{Type: core.RecordMessage, OK: &ok, TookMS: 100, Message: &core.Message{Role: core.RoleTool, ToolCallID: id, ToolName: tool}})
}

func (k *talk) answer(in, out, cached int64, usd float64) {
	k.add(core.Record{Type: core.RecordMessage, Message: &core.Message{Role: core.RoleAssistant, Content: "done"}})
	u := core.Usage{Input: core.KnownTokens(in), Output: core.KnownTokens(out), Cached: core.KnownTokens(cached)}
	k.add(core.Record{Type: core.RecordUsage, Usage: &u, Cost: &core.Cost{USD: usd, Known: usd > 0}, Model: "x/m"})
	k.add(core.Record{Type: core.RecordRunEnded, Reason: string(core.EndAnswered)})
}

// shelf is a source in memory.
type shelf struct {
	edits    map[string]int
	sessions map[string][]core.Record
	versions []Version
	read     int
}

func (s *shelf) Sessions(context.Context) ([]Ref, error) {
	var out []Ref
	for id, rs := range s.sessions {
		r := Ref{ID: id, Size: int64(len(rs))}
		if len(rs) > 0 {
			r.Modified = rs[len(rs)-1].Time
		}
		out = append(out, r)
	}
	return out, nil
}

func (s *shelf) Transcript(_ context.Context, id string) (Transcript, error) {
	s.read++
	if id == "broken" {
		return Transcript{}, errors.New("no header")
	}
	return Transcript{Records: s.sessions[id], Task: id == "task"}, nil
}

func (s *shelf) Invoked(m string) (string, bool)            { return "slash-skill", m == "[use slash-skill]" }
func (s *shelf) Versions(context.Context, string) []Version { return s.versions }
func (s *shelf) Edits(context.Context, time.Time) (map[string]int, error) {
	return s.edits, nil
}

func (s *shelf) Learning(context.Context) ([]Learned, error) {
	return []Learned{{At: start, Tokens: 500, USD: 0.02}, {At: start.AddDate(-1, 0, 0), Tokens: 9, USD: 9}}, nil
}

func TestMake_counts(t *testing.T) {
	t.Parallel()
	a := &talk{at: start}
	a.user("deploy the flask app to the cluster")
	a.call("terminal", `{"command":"x"}`, false)
	a.call("terminal", `{"command":"x"}`, true)
	a.rs = append(a.rs, a.rs[len(a.rs)-1]) // the same result twice: counted once, by its id
	a.answer(1000, 10, 800, 0.5)
	for _, r := range []core.Record{{Purpose: core.PurposeLearning, Reason: "summary"}, {Purpose: core.PurposeChat, Reason: "delegation"}} {
		r.Type, r.Usage, r.Model = core.RecordUsage, &core.Usage{Input: core.KnownTokens(9_999)}, "x/m" // counted elsewhere
		a.add(r)
	}
	b := &talk{at: start.AddDate(0, 0, 1)}
	b.user("[use slash-skill]")
	b.call("skill_view", `{"name":"devops/flask-deploy"}`, true)
	b.call("skill_view", `{"name":"gone"}`, false)
	b.call("skill_manage", `{"action":"patch","name":"flask-deploy"}`, true)
	b.answer(1000, 10, 200, 0)
	old := &talk{at: start.AddDate(0, -6, 0)}
	old.user("old")
	old.answer(1, 1, 1, 1)
	src := &shelf{sessions: map[string][]core.Record{"a": a.rs, "b": b.rs, "old": old.rs, "broken": nil}, edits: map[string]int{"flask-deploy": 3, "only-reviewed": 1}}
	r, err := Make(t.Context(), src, Options{Now: start.AddDate(0, 0, 3)})
	if err != nil {
		t.Fatal(err)
	}
	want := Report{
		Days: 30, Since: start.AddDate(0, 0, -27), Sessions: 2,
		Messages: map[string]int{"user": 2, "assistant": 7, "tool": 6},
		Usage:    Usage{Input: 2000, Output: 20, Cached: 1000, CacheRate: 0.5, Requests: 2, Learning: 500},
		Cost:     Cost{Chat: 0.5, Learning: 0.02},
		Models:   []Model{{Name: "x/m", Usage: Usage{Input: 2000, Output: 20, Cached: 1000, CacheRate: 0.5, Requests: 2}, USD: 0.5}},
		Tools: []Tool{
			{Name: "skill_view", Calls: 2, Errors: 1, MeanMS: 100}, {Name: "terminal", Calls: 2, Errors: 1, MeanMS: 100}, {Name: "skill_manage", Calls: 1, MeanMS: 100},
		},
		Skipped: []string{"broken: no header"},
	}
	want.Messages["tool"] = 6
	got := r
	got.Skills, got.Activity, got.Hours = nil, Activity{}, 0
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if r.Activity.ByWeekday[1] != 1 || r.Activity.ByWeekday[2] != 1 || r.Activity.ByHour[9] != 2 || r.Activity.Days != 2 || r.Activity.Streak != 2 {
		t.Errorf("%+v", r.Activity)
	}
	loads := map[string][2]int{}
	for _, s := range r.Skills {
		loads[s.Name] = [2]int{s.Loads, s.Edits}
	}
	if d := cmp.Diff(map[string][2]int{"flask-deploy": {1, 3}, "only-reviewed": {0, 1}, "slash-skill": {1, 0}}, loads); d != "" {
		t.Error(d)
	}
}

// Some servers number the calls of every answer from 0 again. They are other calls then; the same record twice is
// not.
func TestRead_idsThatBeginAnew(t *testing.T) {
	t.Parallel()
	yes := true
	var rs []core.Record
	for i := range 3 {
		call := core.Record{Type: core.RecordMessage, Time: start, Message: &core.Message{ID: fmt.Sprint("m", i), Role: core.RoleAssistant, ToolCalls: []core.ToolCall{{ID: "call_0", Name: "terminal"}}}}
		result := core.Record{Type: core.RecordMessage, Time: start, OK: &yes, Message: &core.Message{ID: fmt.Sprint("r", i), Role: core.RoleTool, ToolCallID: "call_0", ToolName: "terminal"}}
		rs = append(rs, call, result, call, result)
	}
	if f := Read(Transcript{Records: rs}, nil); f.Tools["terminal"].Calls != 3 {
		t.Errorf("%+v", f.Tools)
	}
}

// A session that was left for days was not active for days; a sub-agent's session is none of the person's, though
// it costs.
func TestMake_pausesAndTasks(t *testing.T) {
	t.Parallel()
	own := &talk{at: start}
	own.user("first")
	own.answer(10, 1, 0, 0)
	own.at = own.at.Add(72 * time.Hour)
	own.user("three days later")
	own.answer(10, 1, 0, 0)
	task := &talk{at: start}
	task.user("look at the logs")
	task.call("terminal", "{}", true)
	task.answer(100, 1, 0, 0)
	src := &shelf{sessions: map[string][]core.Record{"own": own.rs, "task": task.rs}}
	r, err := Make(t.Context(), src, Options{Now: start.AddDate(0, 0, 5)})
	if err != nil {
		t.Fatal(err)
	}
	if got := time.Duration(r.Hours * float64(time.Hour)).Round(time.Second); got != 6*time.Minute {
		t.Errorf("active for %v", got)
	}
	if r.Sessions != 1 || r.Messages["user"] != 2 || r.Usage.Input != 120 || len(r.Tools) != 1 || r.Activity.ByHour[9] != 2 {
		t.Errorf("%+v", r)
	}
}

// The story of the rehearsal: 12 calls before the skill, 9 with its first version, 6 with its second.
func TestMake_outcomes(t *testing.T) {
	t.Parallel()
	src := &shelf{sessions: map[string][]core.Record{}, versions: []Version{{"h1", start.Add(time.Hour)}, {"h2", start.Add(25 * time.Hour)}}}
	session := func(id string, at time.Time, ask string, load bool, calls, failed int, then string) {
		k := &talk{at: at}
		k.user(ask)
		if load {
			k.call("skill_view", `{"name":"flask-k8s-deploy"}`, true)
			calls--
		}
		for i := range calls {
			k.call("terminal", "{}", i >= failed)
		}
		k.answer(1, 1, 0, 0)
		if then != "" {
			k.user(then)
			k.answer(1, 1, 0, 0)
		}
		src.sessions[id] = k.rs
	}
	session("s0", start.Add(-48*time.Hour), "what is the weather", false, 3, 0, "")
	session("s1", start, "Deploy the Flask app in this folder to our cluster, as hello.", false, 12, 2, "")
	session("s2", start.Add(24*time.Hour), "Now the Django shop in this folder, as shop.", true, 9, 1, "")
	session("s3", start.Add(48*time.Hour), "And the FastAPI service here, as orders.", true, 6, 0, "不对，应该是 order")
	r, err := Make(t.Context(), src, Options{Now: start.AddDate(0, 0, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Skills) != 1 {
		t.Fatalf("%+v", r.Skills)
	}
	want := Skill{
		Name: "flask-k8s-deploy", Loads: 2,
		Before: &Outcome{Loads: 1, CallsMean: 12, ErrorsMean: 2},
		Versions: []VersionOutcomes{
			{Hash: "h1", Number: 1, Since: start.Add(time.Hour), Outcome: Outcome{Loads: 1, CallsMean: 9, ErrorsMean: 1}},
			{Hash: "h2", Number: 2, Since: start.Add(25 * time.Hour), Outcome: Outcome{Loads: 1, CallsMean: 6, Corrections: 1}},
		},
	}
	if d := cmp.Diff(want, r.Skills[0]); d != "" {
		t.Error(d)
	}
}

func TestWorse_concludesNothingFromFew(t *testing.T) {
	t.Parallel()
	good, bad := Outcome{Loads: 5, CallsMean: 6}, Outcome{Loads: 5, CallsMean: 6, ErrorsMean: 1}
	few := bad
	few.Loads = 4
	if worse(good, bad) == "" || worse(good, few) != "" || worse(few, bad) != "" || worse(bad, good) != "" || worse(good, good) != "" {
		t.Error("five observations on both sides, and really worse")
	}
	if worse(good, Outcome{Loads: 5, CallsMean: 6, Corrections: 3}) == "" {
		t.Error("corrections count")
	}
}

func TestCorrects(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"No, the other one": true, "不对，应该是五条": true, "that's not what I asked for": true, "Wrong file": true,
		"no": true, "No!": true, "别动": true, "No problem, thanks": false, "Don't forget the tests": false, "别的文件呢": false,
		"now the next one": false, "northern lights": false, "thanks!": false, "": false, "Notes: fix the title": false,
	} {
		if corrects(s) != want {
			t.Errorf("corrects(%q) = %v", s, !want)
		}
	}
}

func TestMake_cacheReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	src := &shelf{sessions: map[string][]core.Record{}}
	for i := range 3 {
		k := &talk{at: start.Add(time.Duration(i) * time.Hour)}
		k.user("hello")
		k.answer(10, 1, 0, 0)
		src.sessions[fmt.Sprint(i)] = k.rs
	}
	o := Options{Now: start.AddDate(0, 0, 1), Cache: filepath.Join(t.TempDir(), "insights.json")}
	first, err := Make(t.Context(), src, o)
	if err != nil || src.read != 3 {
		t.Fatal(err, src.read)
	}
	second, err := Make(t.Context(), src, o)
	if err != nil || src.read != 3 {
		t.Fatal(err, src.read)
	}
	if d := cmp.Diff(first, second); d != "" {
		t.Error(d)
	}
	k := &talk{rs: src.sessions["1"], at: start.Add(5 * time.Hour)}
	k.user("more")
	src.sessions["1"] = k.rs
	delete(src.sessions, "2")
	third, err := Make(t.Context(), src, o)
	if err != nil || src.read != 4 || third.Messages["user"] != 3 {
		t.Error(err, src.read, third.Messages)
	}
}

// BenchmarkMake counts 1,000 sessions of 100 messages, cold and with the cache.
func BenchmarkMake(b *testing.B) {
	src := &shelf{sessions: map[string][]core.Record{}}
	for i := range 1000 {
		k := &talk{at: start.Add(time.Duration(i) * time.Minute)}
		for range 10 {
			k.user("deploy the service to the cluster and tell me how it went, please")
			for range 4 {
				k.call("terminal", `{"command":"kubectl apply -f k8s.yaml"}`, true)
			}
			k.answer(1000, 100, 500, 0.01)
		}
		src.sessions[fmt.Sprint(i)] = k.rs
	}
	o := Options{Now: start.AddDate(0, 0, 2)}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			if _, err := Make(b.Context(), src, o); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cached", func(b *testing.B) {
		o.Cache = filepath.Join(b.TempDir(), "insights.json")
		for b.Loop() {
			if _, err := Make(b.Context(), src, o); err != nil {
				b.Fatal(err)
			}
		}
	})
}

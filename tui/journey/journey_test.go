package journey_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes/core/insights"
	graph "hermes/core/journey"
	"hermes/tui/journey"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

const hostile = "\x1b[31mred\x1b]0;x\a\u202eevil"

func day(n int) time.Time { return now().AddDate(0, 0, -n) }

// world is a small home with everything that can be told.
func world() graph.Graph {
	agent := func(name, category, description string, uses, age int, related ...string) graph.Skill {
		return graph.Skill{Name: name, Category: category, Description: description, CreatedBy: "agent", Uses: uses, Created: day(age), Related: related}
	}
	flask := agent("flask-k8s-deploy", "devops", "Deploy Python web apps to the Kubernetes cluster, with health probes.", 7, 20, "docker-build", "dokcer-push", "plan")
	flask.Pinned = true
	stale := agent("old-backup", "devops", "Back the registry up.", 0, 25)
	stale.State = "stale"
	return graph.Build([]graph.Skill{
		flask,
		stale,
		agent("docker-build", "devops", "Build container images and push them to the registry.", 3, 18, "flask-k8s-deploy"),
		agent("docker-push", "devops", "Push images.", 1, 12, "docker-build"),
		agent("weekly-digest", "writing", "每周科技新闻摘要，来自三个来源。", 12, 9, "chart-maker"),
		agent("chart-maker", "data", "Draw charts from CSV. "+hostile, 0, 6),
		agent("東京タワー案内-渡し舟の時刻表と運賃", "旅行", "渡し舟の時刻を調べる。", 2, 2),
		{Name: "plan", Bundled: true},
		{Name: "by-hand"},
		{Name: "by-hand-used", Uses: 1},
	}, []graph.Card{
		{ID: "a", Source: "memory", Text: "The Kubernetes cluster answers at k8s.lan; the registry is registry.lan. See flask-k8s-deploy.", Time: day(17)},
		{ID: "b", Source: "profile", Text: "新闻摘要每次只要 5 条。", Time: day(9)},
		{ID: "c", Source: "profile", Text: "Leads the platform team " + hostile, Time: day(1)},
	})
}

func details(v *journey.View) {
	v.SetDetail(journey.Detail{
		ID: "flask-k8s-deploy", Path: "~/.hermes/skills/devops/flask-k8s-deploy/SKILL.md", Warnings: []string{"dangling-relation: dokcer-push is not there " + hostile},
		Text: "---\nname: flask-k8s-deploy\n---\n# Flask on Kubernetes\n\n## Procedure\n\n1. Build and **push** the image. 推送镜像。\n2. Apply.\n\n```sh\nkubectl apply -f k8s/\n```\n",
		Moments: []journey.Moment{
			{ID: "L2", Time: day(12), Who: "review", Action: "patch", Reason: "the probe path", Session: "s2"},
			{ID: "L1", Time: day(20), Who: "review", Action: "create"},
		},
	})
	v.SetDetail(journey.Detail{ID: "memory:c", Path: "~/.hermes/memories/USER.md", Text: "Leads the platform team " + hostile, Moments: []journey.Moment{{ID: "M1", Time: day(1), Who: "agent", Action: "add", Session: "s1"}}})
	v.SetOutcomes([]insights.Skill{{
		Name: "flask-k8s-deploy", Loads: 12, Before: &insights.Outcome{Loads: 5, CallsMean: 12, ErrorsMean: 2},
		Versions: []insights.VersionOutcomes{
			{Number: 1, Outcome: insights.Outcome{Loads: 6, CallsMean: 9, ErrorsMean: 1}},
			{Number: 2, Outcome: insights.Outcome{Loads: 6, CallsMean: 14, ErrorsMean: 3, Corrections: 2}, Worse: "more failed calls than the version before"},
		},
	}})
}

// view is a view of g after some keys; "/text" types a filter.
func view(g graph.Graph, keys ...string) *journey.View {
	v := journey.New(now, "")
	v.SetSheet(journey.Prepare(g, nil))
	details(v)
	press(v, keys...)
	return v
}

// press gives keys to a view, and the places of the nodes when it asks for them.
func press(v *journey.View, keys ...string) (last journey.Action) {
	for _, k := range keys {
		last = v.Update(k, tuitest.Key(k))
		if last.Do == journey.Settle {
			v.SetPlaces(journey.Place(*last.Graph))
			last = v.Missing()
		}
	}
	return last
}

func draw(v *journey.View, w, h int) string {
	box, _, _ := v.Draw(theme.New(theme.Plain), w, h)
	return ansi.Strip(strings.Join(box, "\n"))
}

// selected is a view that begins at node id.
func selected(g graph.Graph, id string, keys ...string) *journey.View {
	v := journey.New(now, id)
	v.SetSheet(journey.Prepare(g, nil))
	details(v)
	press(v, keys...)
	return v
}

func states() map[string]func() *journey.View {
	return map[string]func() *journey.View{
		"timeline": func() *journey.View { return view(world()) },
		"graph":    func() *journey.View { return selected(world(), "flask-k8s-deploy", "2") },
		"list":     func() *journey.View { return view(world(), "3", "s", "s", "j") },
		"detail":   func() *journey.View { return selected(world(), "flask-k8s-deploy", "enter") },
		"filter":   func() *journey.View { return view(world(), "/", "d", "o", "c", "k") },
		"ask":      func() *journey.View { return view(world(), "d") },
		"empty": func() *journey.View {
			return view(graph.Build([]graph.Skill{{Name: "plan", Bundled: true}}, nil))
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
			box, _, _ := make().Draw(theme.New(theme.Dark), w, h)
			coloured := strings.Join(box, "\n")
			tuitest.OnlyStyles(t, coloured)
			tuitest.GoldenColour(t, fmt.Sprintf("%s-%dx%d-dark", name, w, h), coloured)
		}
	}
}

func TestView_fitsEverySize(t *testing.T) {
	t.Parallel()
	for w := 40; w <= 210; w += 13 {
		for _, h := range []int{12, 13, 20, 31, 60} {
			for _, make := range states() {
				v := make()
				tuitest.Fills(t, draw(v, w, h), w, h)
				press(v, "2", "n", "o", "j", "l", "+", "3", "G", "j", "1", "g", "l", "enter", "G")
				tuitest.Fills(t, draw(v, w, h), w, h)
			}
		}
	}
}

// sel is the id of the selected node, as a pin, an edit or a copy would name it.
func sel(v *journey.View) string {
	v.SetSheet(journey.Prepare(world(), nil)) // forgets what was read: the next look asks for it
	a := v.Missing()
	if a.Do == journey.Settle {
		v.SetPlaces(journey.Place(*a.Graph))
		a = v.Missing()
	}
	return a.ID
}

func TestView_beginsAtTheNewest(t *testing.T) {
	t.Parallel()
	if id := sel(view(world())); id != "memory:c" {
		t.Errorf("begins at %q", id)
	}
	if id := sel(selected(world(), "docker-push")); id != "docker-push" {
		t.Errorf("begins at %q", id)
	}
}

func TestView_keys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		begin string
		keys  []string
		want  journey.Action
		note  string
	}{
		{"esc closes", "", []string{"esc"}, journey.Action{Do: journey.Close}, ""},
		{"q closes", "", []string{"q"}, journey.Action{Do: journey.Close}, ""},
		{"h closes", "", []string{"h"}, journey.Action{Do: journey.Close}, ""},
		{"left closes the list", "", []string{"3", "left"}, journey.Action{Do: journey.Close}, ""},
		{"l opens the page", "memory:c", []string{"l"}, journey.Action{}, "Esc back"},
		{"right opens the page of the list", "memory:c", []string{"3", "right"}, journey.Action{}, "Esc back"},
		{"left leaves the page first", "memory:c", []string{"right", "left"}, journey.Action{}, "Enter open"},
		{"left leaves the page of the graph", "memory:c", []string{"2", "enter", "left"}, journey.Action{}, "o walk"},
		{"h only stops the playback", "", []string{"P", "h"}, journey.Action{}, ""},
		{"any answer but yes cancels", "docker-push", []string{"d", "h"}, journey.Action{}, "nothing was changed"},
		{"esc leaves the page first", "", []string{"enter", "esc"}, journey.Action{}, ""},
		{"pin", "docker-push", []string{"p"}, journey.Action{Do: journey.Change, Task: journey.Task{Verb: journey.Pin, ID: "docker-push"}}, ""},
		{"unpin", "flask-k8s-deploy", []string{"p"}, journey.Action{Do: journey.Change, Task: journey.Task{Verb: journey.Unpin, ID: "flask-k8s-deploy"}}, ""},
		{"memory is not pinned", "memory:c", []string{"p"}, journey.Action{}, "only skills can be pinned"},
		{"a pinned skill stays", "flask-k8s-deploy", []string{"d"}, journey.Action{}, "p unpins it"},
		{"a pinned skill stays, whatever comes next", "flask-k8s-deploy", []string{"d", "y"}, journey.Action{Do: journey.Copy}, ""},
		{"archive asks", "docker-push", []string{"d"}, journey.Action{}, "Archive docker-push?"},
		{"archive", "docker-push", []string{"d", "y"}, journey.Action{Do: journey.Change, Task: journey.Task{Verb: journey.Remove, ID: "docker-push"}}, ""},
		{"any other key cancels", "docker-push", []string{"d", "q"}, journey.Action{}, "nothing was changed"},
		{"delete", "memory:c", []string{"d", "Y"}, journey.Action{Do: journey.Change, Task: journey.Task{Verb: journey.Remove, ID: "memory:c"}}, ""},
		{"undo asks", "flask-k8s-deploy", []string{"u"}, journey.Action{}, "Take back “patch” by review"},
		{"undo", "flask-k8s-deploy", []string{"u", "y"}, journey.Action{Do: journey.Change, Task: journey.Task{Verb: journey.Undo, ID: "flask-k8s-deploy", Change: "L2"}}, ""},
		{"edit", "memory:c", []string{"e"}, journey.Action{Do: journey.Editor, ID: "memory:c", Text: "Leads the platform team " + hostile}, ""},
		{"export", "", []string{"x"}, journey.Action{Do: journey.Export, Text: "html"}, ""},
		{"export a picture", "", []string{"X"}, journey.Action{Do: journey.Export, Text: "svg"}, ""},
		{"session", "memory:c", []string{"v"}, journey.Action{Do: journey.Open, ID: "s1"}, ""},
		{"playback", "", []string{"P"}, journey.Action{Do: journey.Play}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := selected(world(), c.begin)
			got := press(v, c.keys...)
			if c.want.Do == journey.Copy {
				got.Text = ""
			}
			if got.Do == journey.Load || got.Do == journey.Outcomes {
				got = journey.Action{}
			}
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if frame := draw(v, 120, 40); !strings.Contains(frame, c.note) {
				t.Errorf("does not say %q:\n%s", c.note, frame)
			}
		})
	}
}

// On a low screen the entries are still seen: without them the keys would move something invisible.
func TestTimeline_lowScreen(t *testing.T) {
	t.Parallel()
	v := view(world())
	frame := draw(v, 40, 11)
	if !strings.Contains(frame, "▌") || !strings.Contains(frame, "東京タワー案内") {
		t.Errorf("%s", frame)
	}
	if press(v, "["); sel(v) != "東京タワー案内-渡し舟の時刻表と運賃" { // brackets go through time
		t.Errorf("%s", draw(v, 40, 11))
	}
}

// What was asked about a node is never done to another one, and not at all when the node is gone.
func TestOpenJO02_staleIDs(t *testing.T) {
	t.Parallel()
	cards := []graph.Card{{ID: "1", Text: "one", Time: day(3)}, {ID: "2", Text: "two", Time: day(2)}, {ID: "3", Text: "three", Time: day(1)}}
	v := journey.New(now, "")
	v.SetSheet(journey.Prepare(graph.Build(nil, cards), nil))
	press(v, "d")
	v.SetSheet(journey.Prepare(graph.Build(nil, cards[1:]), nil)) // an earlier one went
	if a := press(v, "y"); a.Task.ID != "memory:3" || a.Task.Verb != journey.Remove {
		t.Errorf("%+v", a)
	}
	press(v, "d")
	v.SetSheet(journey.Prepare(graph.Build(nil, cards[1:2]), nil)) // the selected one went
	if a := press(v, "y"); a.Do == journey.Change {
		t.Errorf("%+v", a)
	}
}

// Meaning never hangs on colour: plain frames carry letters, brackets and words.
func TestView_withoutColour(t *testing.T) {
	t.Parallel()
	frame := draw(selected(world(), "weekly-digest", "2"), 120, 40)
	for _, want := range []string{"[W]", "(D)", "◆", "D devops", "W writing", "[2 Graph]", "▸ skill chart-maker: declared"} {
		if !strings.Contains(frame, want) {
			t.Errorf("no %q:\n%s", want, frame)
		}
	}
}

// The list says everything: why each edge is there, what is missing, what leads nowhere, what could not be read.
func TestList_saysEverything(t *testing.T) {
	t.Parallel()
	v := journey.New(now, "")
	v.SetSheet(journey.Prepare(world(), []string{"skills/broken/SKILL.md: no name"}))
	press(v, "3")
	var all strings.Builder
	for range 40 {
		all.WriteString(draw(v, 200, 50))
		press(v, "j")
	}
	for _, want := range []string{
		"Skill flask-k8s-deploy in devops, written by the agent, used 7 times, pinned", "Linked to skill docker-build: declared.",
		"it names the skill", "shared words", "Its relation to dokcer-push leads nowhere: unknown; did you mean docker-push?",
		"Skill plan is not on the map: bundled with the program.", "Skill by-hand is not on the map: written by hand and never used.",
		"Could not be read: skills/broken/SKILL.md: no name", "Memory “新闻摘要每次只要 5 条。”, about you", "In all: ",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("never says %q", want)
		}
	}
}

// On a line that is about no node nothing is changed: the node that was selected before is not on the screen.
func TestList_linesWithoutNode(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"d", "y"}, {"p"}, {"e"}, {"u", "y"}} {
		v := selected(world(), "docker-push", append([]string{"3", "G"}, keys...)...)
		if a := press(v, keys...); a.Do == journey.Change || a.Do == journey.Editor {
			t.Errorf("%v: %+v", keys, a)
		}
		if f := draw(v, 120, 40); strings.Contains(f, "Push images") && strings.Contains(f, "▸ skill") {
			t.Errorf("the panel shows another node:\n%s", f)
		}
	}
}

// The playback grows to the whole and asks for ticks only while it runs.
func TestPlayback(t *testing.T) {
	t.Parallel()
	v := view(world())
	if a := v.Tick(); a.Do != journey.Nothing {
		t.Errorf("ticks before: %+v", a)
	}
	press(v, "2")
	if a := press(v, "P"); a.Do != journey.Play {
		t.Fatalf("%+v", a)
	}
	small := strings.Count(draw(v, 120, 40), "D")
	n := 0
	for a := (journey.Action{Do: journey.Play}); a.Do == journey.Play; a = v.Tick() {
		tuitest.Fills(t, draw(v, 80, 24), 80, 24)
		n++
	}
	if n < 10 || n > 100 {
		t.Errorf("%d steps", n)
	}
	if big := strings.Count(draw(v, 120, 40), "D"); big <= small {
		t.Errorf("did not grow: %d, then %d", small, big)
	}
	press(v, "P", "j")
	if a := v.Tick(); a.Do == journey.Play {
		t.Error("a key does not stop it")
	}
}

// While a change is under way no other one begins; afterwards u brings back what was removed.
func TestChanges_oneAtATime(t *testing.T) {
	t.Parallel()
	v := selected(world(), "docker-push")
	task := press(v, "d", "y").Task
	v.Busy(true)
	if a := press(v, "p"); a.Do == journey.Change {
		t.Errorf("%+v", a)
	}
	v.Busy(false)
	v.Changed(task, journey.Result{Said: "archived", Undo: "L9"})
	if a := press(v, "u"); a.Task != (journey.Task{Verb: journey.Undo, ID: "docker-push", Change: "L9"}) {
		t.Errorf("%+v", a)
	}
}

func many(skills, cards int) graph.Graph {
	words := strings.Fields("deploy docker python kubernetes cluster test review branch parse network cache disk index search build release digest mail chart table")
	var s []graph.Skill
	for i := range skills {
		name := fmt.Sprintf("%s-%s-%d", words[i%20], words[i/20%20], i)
		if i%50 == 7 {
			name = strings.Repeat("漢", 60) + fmt.Sprint(i)
		}
		s = append(s, graph.Skill{
			Name: name, Description: words[i%19] + " " + words[i%17] + " 部署到集群", CreatedBy: "agent", Category: words[i%7], Uses: i % 9,
			Related: []string{fmt.Sprintf("%s-%s-%d", words[(i+1)%20], words[(i+1)/20%20], i+1)}, Created: day(i % 200),
		})
	}
	var c []graph.Card
	for i := range cards {
		c = append(c, graph.Card{ID: fmt.Sprint(i), Text: fmt.Sprintf("The %s of the %s is at host%d; 集群在东京 %s", words[i%20], words[i%11], i, words[i%3]), Time: day(i % 90)})
	}
	return graph.Build(s, c)
}

func TestView_fiveThousand(t *testing.T) {
	t.Parallel()
	sheet := journey.Prepare(many(5000, 100), nil)
	v := journey.New(now, "")
	v.SetSheet(sheet)
	for _, k := range []string{"k", "2", "h", "j", "n", "o", "3", "s", "j", "pgdown", "G", "1", "P"} {
		press(v, k)
		tuitest.Fills(t, draw(v, 80, 24), 80, 24)
		tuitest.Fills(t, draw(v, 200, 60), 200, 60)
	}
}

func TestView_clicks(t *testing.T) {
	t.Parallel()
	v := view(world(), "3")
	lines := strings.Split(ansi.Strip(draw(v, 80, 24)), "\n")
	for y, l := range lines {
		if strings.Contains(l, "Skill chart-maker") {
			v.Click(5, y)
		}
	}
	if id := sel(v); id != "chart-maker" {
		t.Errorf("clicked %q", id)
	}
	press(v, "1", "g")
	lines = strings.Split(ansi.Strip(draw(v, 80, 24)), "\n")
	for y, l := range lines {
		if strings.Contains(l, "old-backup") {
			v.Click(5, y)
		}
	}
	if id := sel(v); id != "old-backup" {
		t.Errorf("clicked %q", id)
	}
}

// Before anything was read the view says so; an error is said, too.
func TestView_beforeAndError(t *testing.T) {
	t.Parallel()
	v := journey.New(now, "")
	if f := draw(v, 80, 24); !strings.Contains(f, "Reading what was learned") {
		t.Error(f)
	}
	press(v, "j", "2", "/", "a", "esc", "P", "d", "y", "tab")
	v.SetError("the ledger is damaged " + hostile)
	f := draw(v, 80, 24)
	tuitest.Fills(t, f, 80, 24)
	if !strings.Contains(f, "the ledger is damaged") {
		t.Error(f)
	}
}

// BenchmarkFirstFrame is from the graph to the first frame at 500 nodes.
func BenchmarkFirstFrame(b *testing.B) {
	g := many(500, 60)
	st := theme.New(theme.Dark)
	for b.Loop() {
		v := journey.New(now, "")
		v.SetSheet(journey.Prepare(g, nil))
		v.Draw(st, 120, 40)
	}
}

// BenchmarkKey is from a key to the frame at 500 nodes, face by face.
func BenchmarkKey(b *testing.B) {
	sheet := journey.Prepare(many(500, 60), nil)
	st := theme.New(theme.Dark)
	for _, face := range []string{"1", "2", "3"} {
		b.Run(face, func(b *testing.B) {
			v := journey.New(now, "")
			v.SetSheet(sheet)
			press(v, face)
			i := 0
			for b.Loop() {
				i++
				press(v, []string{"k", "j", "k", "k"}[i%4])
				v.Draw(st, 120, 40)
			}
		})
	}
}

// OPEN-TU-01: in the filter the cursor stands where the next character goes, also behind wide ones.
func TestFilter_wideCharacters(t *testing.T) {
	t.Parallel()
	v := view(world())
	press(v, "/")
	v.Update("", tea.PasteMsg{Content: "東京tower北"})
	if _, cx, cy := v.Draw(theme.New(theme.Plain), 80, 24); cx != 4+11 || cy != 1 {
		t.Errorf("cursor at %d, %d", cx, cy)
	}
	press(v, "left", "left", "backspace", "home")
	if _, cx, _ := v.Draw(theme.New(theme.Plain), 80, 24); cx != 4 {
		t.Errorf("home: cursor at %d", cx)
	}
	if f := draw(v, 80, 24); !strings.Contains(f, "/ 東京towr北") {
		t.Error(f)
	}
	press(v, "esc")
	if _, cx, _ := v.Draw(theme.New(theme.Plain), 80, 24); cx != -1 {
		t.Errorf("a cursor although nothing is typed: %d", cx)
	}
}

package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core/ledger"
	"hermes/skills"
	"hermes/skills/guard"
	"hermes/tui/browser"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

const (
	hostile = "\x1b[31mred\x1b]0;x\a\u202eevil"
	long    = "Deploys Flask apps to Kubernetes with health checks and rollbacks. Use when the user asks to deploy a Flask app."
	flask   = "/h/skills/devops/flask-k8s-deploy/SKILL.md"
	ferry   = "/h/skills/旅行/渡し舟の時刻/SKILL.md"
)

func checked(category, name, description string, codes ...skills.Code) skills.Checked {
	rel := strings.TrimPrefix(category+"/"+name, "/")
	e := skills.Entry{Name: name, Dir: name, Category: category, Description: description, Path: "/h/skills/" + rel + "/SKILL.md", Folder: "/h/skills/" + rel, Rel: rel}
	c := skills.Checked{Entry: e, IndexName: e.Name, IndexDescription: e.Short(), Visible: true, Origin: skills.Origin{By: skills.OriginAgent}}
	for _, code := range codes {
		c.Warnings = append(c.Warnings, skills.Warning{Code: code, Message: "says why " + hostile, File: "SKILL.md", Line: 7})
		if code.Hides() {
			c.Visible = false
			c.HiddenBy = append(c.HiddenBy, code)
		}
	}
	return c
}

func sheet() browser.Sheet {
	used := checked("devops", "flask-k8s-deploy", long, skills.CodeDescriptionCut, skills.CodeDanglingRelation)
	used.Origin.Record = skills.Record{UseCount: 4, PatchCount: 2, LastUsed: now().Add(-3 * time.Hour), LastPatched: now().Add(-72 * time.Hour)}
	pinned := checked("旅行", "渡し舟の時刻", "渡し舟の時刻表を調べて一番早い便を選ぶ。")
	pinned.Origin = skills.Origin{By: skills.OriginHand, Pinned: true}
	old := skills.Entry{Name: "old-way", Dir: "old-way", Description: "The old way", Path: "/h/skills/.archive/old-way/SKILL.md"}
	return browser.Sheet{
		Checked: []skills.Checked{
			pinned, used, checked("devops", "deploy-nextjs", "Deploy Next.js apps to the cluster"),
			checked("旅行", "한강-ferry", "한강 유람선 예약을 돕는다. "+hostile), checked("mac", "mac-only", "Only on a Mac", skills.CodeHiddenPlatform),
		},
		Archived: []skills.Archived{{Name: "old-way", Folder: "/h/skills/.archive/old-way", From: "devops/old-way", Entry: old}},
		Next: skills.Index{
			Text:   "# Skills\nLook here first.\n<available_skills>\n  devops:\n    - deploy-nextjs: Deploy Next.js apps to the cluster\n  旅行:\n    - 渡し舟の時刻: 渡し舟の時刻表を調べて一番早い便を選ぶ。\n</available_skills>",
			Tokens: 60, Budget: 4000, NamesOnly: []string{"ml"}, Hidden: []skills.HiddenSkill{{}},
		},
		Commands: map[string]string{flask: "/flask-k8s-deploy invokes it"},
	}
}

func versions() []skills.Version {
	at := now().Add(-200 * time.Hour)
	return []skills.Version{
		{ID: "L3", Time: now().Add(-time.Hour), Actor: ledger.Review, SessionID: "s2", Action: "patch", Reason: "healthz は 8080 で待つ"},
		{ID: "L2", Time: at.Add(time.Hour), Actor: ledger.You, Action: "outside"},
		{ID: "L1", Time: at, Actor: ledger.Agent, SessionID: "s1", Action: "create", Reason: hostile},
	}
}

func detail(path string) browser.Detail {
	return browser.Detail{
		Path: path, Files: []string{"references/api.md", "scripts/deploy.sh"}, Missing: []string{"WEATHER_TOKEN"},
		Text:     "---\nname: flask-k8s-deploy\ndescription: " + long + "\n---\n\n# Flask on k8s\n\n## When to Use\n\nWhen a **Flask** app goes to the cluster. 東京の本番環境でも同じ。\n\n1. Build.\n2. Push. " + hostile + "\n\n```sh\nkubectl apply -f k8s/\n```\n",
		Scan:     guard.Report{Verdict: "caution", FilesScanned: 3, Findings: []guard.Finding{{ID: "x", Category: "network", Severity: "medium", File: "scripts/deploy.sh", Line: 4, Why: "It opens a tunnel. " + hostile}}},
		Versions: versions(),
	}
}

func view(keys ...string) *browser.View {
	v := browser.New(now, "", "")
	v.SetSheet(sheet())
	for _, path := range []string{flask, ferry} {
		v.SetDetail(detail(path))
	}
	v.SetDiff(flask, "L2", "L3", "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -9 +9 @@\n-2. Push. 古い\n+2. Push. 新しい "+hostile+"\n")
	v.SetDiff(flask, "L1", "L2", "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1 +1 @@\n-a\n+b\n")
	press(v, keys...)
	return v
}

func press(v *browser.View, keys ...string) (a browser.Action) {
	for _, k := range keys {
		a = v.Update(k, tuitest.Key(k))
	}
	return a
}

func TestView_frames(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"skill": {"j"}, "history": {"j", "tab"}, "index": {"m"}, "short": {"j", "s"}, "archived": {"G"}, "filter": {"/", "渡", "し"}, "whole": {"j", "enter"},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {100, 50}, {200, 50}} {
			w, h := size[0], size[1]
			frame, _, _ := view(keys...).Draw(theme.New(theme.Plain), w, h)
			tuitest.Fills(t, strings.Join(frame, "\n"), w, h)
			tuitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, w, h), strings.Join(frame, "\n"))
			if name == "skill" || name == "history" || name == "short" {
				frame, _, _ = view(keys...).Draw(theme.New(theme.Dark), w, h)
				tuitest.OnlyStyles(t, strings.Join(frame, "\n"))
				tuitest.GoldenColour(t, fmt.Sprintf("%s-%dx%d-dark", name, w, h), strings.Join(frame, "\n"))
			}
		}
	}
}

// Every size is filled exactly, and the cursor stays within (OPEN-TU-01, OPEN-TU-02).
func TestView_fitsEverySize(t *testing.T) {
	t.Parallel()
	empty := func() *browser.View { v := browser.New(now, "", ""); v.SetSheet(browser.Sheet{}); return v }
	for _, make := range []func() *browser.View{
		empty, func() *browser.View { return browser.New(now, "", "") }, func() *browser.View { return view("j") }, func() *browser.View { return view("j", "l", "n") },
		func() *browser.View { return view("m", "pgdown") }, func() *browser.View { return view("j", "s") }, func() *browser.View { return view("G", "z") }, func() *browser.View { return view("/", "東") },
	} {
		v := make()
		for w := 40; w <= 210; w += 17 {
			for _, h := range []int{12, 13, 20, 31, 60} {
				frame, cx, cy := v.Draw(theme.New(theme.Dark), w, h)
				tuitest.Fills(t, strings.Join(frame, "\n"), w, h)
				if cx >= w || cx >= 0 && (cy < 0 || cy >= h) {
					t.Fatalf("%dx%d: cursor at %d,%d", w, h, cx, cy)
				}
			}
		}
	}
}

// The cursor stands behind what was typed, counted in cells (OPEN-TU-01).
func TestView_cursor(t *testing.T) {
	t.Parallel()
	v := view("/")
	v.Update("", tea.PasteMsg{Content: "東京tower北"})
	if _, cx, cy := v.Draw(theme.New(theme.Plain), 100, 30); cx != 2+2+11 || cy != 1 {
		t.Errorf("cursor at %d,%d", cx, cy)
	}
	press(v, "left", "left")
	if _, cx, _ := v.Draw(theme.New(theme.Plain), 100, 30); cx != 2+2+8 {
		t.Errorf("after two lefts at %d", cx)
	}
}

func TestView_actions(t *testing.T) {
	t.Parallel()
	task := func(k browser.Task) browser.Action { return browser.Action{Do: browser.Change, Task: k} }
	archived := "/h/skills/.archive/old-way/SKILL.md"
	for _, c := range []struct {
		name string
		keys []string
		want browser.Action
	}{
		{"pin", []string{"j", "p"}, task(browser.Task{Verb: browser.Pin, Path: flask})},
		{"unpin", []string{"j", "j", "j", "p"}, task(browser.Task{Verb: browser.Unpin, Path: ferry})},
		{"archive asks first", []string{"j", "d"}, browser.Action{}},
		{"archive", []string{"j", "d", "d"}, task(browser.Task{Verb: browser.Archive, Path: flask})},
		{"another key between forgets the question", []string{"j", "d", "k", "j", "d"}, browser.Action{}},
		{"a pinned one is not archived", []string{"j", "j", "j", "d", "d"}, browser.Action{}},
		{"restore", []string{"G", "u"}, task(browser.Task{Verb: browser.Restore, Path: archived, Name: "old-way"})},
		{"what is not archived is not restored", []string{"j", "u"}, browser.Action{}},
		{"the archive is not edited", []string{"G", "e"}, browser.Action{}},
		{"the newest version is no place to go back to", []string{"j", "tab", "R", "R"}, browser.Action{}},
		{"roll back asks first", []string{"j", "tab", "n", "R"}, browser.Action{}},
		{"roll back", []string{"j", "tab", "n", "R", "R"}, task(browser.Task{Verb: browser.Rollback, Path: flask, ID: "L2"})},
		{"the session of a change", []string{"j", "tab", "o"}, browser.Action{Do: browser.Open, ID: "s2"}},
		{"a change of no session", []string{"j", "tab", "n", "o"}, browser.Action{}},
		{"what fits is not shortened", []string{"s", "enter"}, browser.Action{}},
		{"shorten", []string{"j", "s", "enter"}, task(browser.Task{Verb: browser.Describe, Path: flask, Text: "Deploy a Flask app"})},
		{"shorten, changed", []string{"j", "s", "!", "enter"}, task(browser.Task{Verb: browser.Describe, Path: flask, Text: "Deploy a Flask app!"})},
		{"shorten, left", []string{"j", "s", "esc"}, browser.Action{}},
		{"close", []string{"esc"}, browser.Action{Do: browser.Close}},
		{"escape ends the filter first", []string{"/", "x", "enter", "esc"}, browser.Action{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := press(view(), c.keys...)
			if got.Do == browser.Load || got.Do == browser.Diff { // moving reads more
				got = browser.Action{}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if a := press(view(), "j", "e"); a.Do != browser.Editor || a.Path != flask || !strings.Contains(a.Text, "# Flask on k8s") {
		t.Errorf("edit: %+v", a)
	}
	if a := press(view(), "m", "y"); a.Do != browser.Copy || !strings.Contains(a.Text, "<available_skills>") {
		t.Errorf("copy: %+v", a)
	}
}

// A description that is too long is refused where it is typed.
func TestView_tooLong(t *testing.T) {
	t.Parallel()
	v := view("j", "s")
	v.Update("", tea.PasteMsg{Content: strings.Repeat("長", 60)})
	if a := press(v, "enter"); a.Do != browser.Nothing {
		t.Fatalf("%+v", a)
	}
	frame, _, _ := v.Draw(theme.New(theme.Plain), 100, 30)
	if got := ansi.Strip(strings.Join(frame, "\n")); !strings.Contains(got, "78 characters are too many") {
		t.Error(got)
	}
}

// The list is filtered while one types, in any script and by state; what is looked at is read once, and again
// after a change.
func TestView_filterAndReads(t *testing.T) {
	t.Parallel()
	v := browser.New(now, "", "")
	v.SetSheet(sheet())
	first := v.Missing()
	if first.Do != browser.Load || v.Missing().Do != browser.Nothing {
		t.Fatalf("%+v", first)
	}
	shows := func(want, not string) {
		t.Helper()
		frame, _, _ := v.Draw(theme.New(theme.Plain), 80, 24)
		got := strings.Join(strings.Split(ansi.Strip(strings.Join(frame, "\n")), "\n")[2:12], "\n")
		if !strings.Contains(got, want) || strings.Contains(got, not) {
			t.Errorf("want %q, not %q:\n%s", want, not, got)
		}
	}
	if a := press(v, "/", "時"); a.Do != browser.Load || a.Path != ferry {
		t.Errorf("%+v", a)
	}
	press(v, "刻")
	shows("渡し舟の時刻", "deploy-nextjs")
	press(v, "esc", "/", "a", "r", "c", "h", "i", "v", "e", "d")
	shows("old-way", "한강")
	press(v, "esc")
	shows("한강-ferry", "No skill fits")
	press(v, "/", "h", "e", "a", "l", "t", "h") // a word of a description
	shows("flask-k8s", "nextjs")
	press(v, "esc", "/", "d", "p", "l", "y", "n") // letters of a name, in order
	shows("deploy-nextjs", "flask")
	press(v, "esc", "/", "c", "l", "s", "t", "r") // letters of a description, in order, are nothing
	shows("No skill fits", "nextjs")
	press(v, "esc", "/", "d", "e", "p", "l", "o", "y") // the name first, then descriptions
	shows("deploy-nextjs", "한강")
	shows("flask-k8s", "old-way")
	press(v, "esc", "/", "q", "q", "q", "q")
	shows("No skill fits", "old-way")
	press(v, "esc")

	v.SetSheet(sheet())
	if a := v.Missing(); a.Do != browser.Load {
		t.Errorf("not read again: %+v", a)
	}
	v.SetDetail(browser.Detail{Path: first.Path, Versions: versions()})
	if a := press(v, "G", "g", "tab"); a.Do != browser.Diff || a.From != "L2" || a.To != "L3" {
		t.Errorf("%+v", a)
	}
	if a := press(v, "n", "n"); a.Do != browser.Diff || a.From != "" || a.To != "L1" {
		t.Errorf("the first change: %+v", a)
	}
}

// A skill that moved, or has fewer versions than another one, is drawn all the same.
func TestView_otherVersions(t *testing.T) {
	t.Parallel()
	v := view("j", "tab", "n", "n")
	s := sheet()
	s.Archived[0].Entry.Name = "flask-k8s-deploy"
	s.Checked = s.Checked[2:]
	v.Follow("/h/skills/.archive/old-way/SKILL.md")
	v.SetSheet(s)
	v.SetDetail(browser.Detail{Path: "/h/skills/.archive/old-way/SKILL.md", Versions: versions()[:1]})
	for range 3 {
		frame, _, _ := v.Draw(theme.New(theme.Plain), 100, 30)
		if got := strings.Join(frame, "\n"); !strings.Contains(ansi.Strip(got), "▸ 30 Nov") {
			t.Errorf("no mark:\n%s", got)
		}
		press(v, "N", "n", "y", "R", "o", "p")
	}
	v.SetDetail(browser.Detail{Path: "/h/skills/.archive/old-way/SKILL.md"})
	v.Draw(theme.New(theme.Plain), 100, 30)
	press(v, "N", "n", "y", "R", "o", "p")
}

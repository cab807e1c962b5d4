package skillpane_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/skills"
	"hermes/tui/skillpane"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

const hostile = "\x1b[31mred\x1b]0;x\a\u202eevil"

func checked(category, name, description string, visible bool, codes ...skills.Code) skills.Checked {
	e := skills.Entry{Name: name, Dir: name, Category: category, Description: description, Path: "/h/skills/" + category + "/" + name + "/SKILL.md", Folder: "/h/skills/" + category + "/" + name}
	c := skills.Checked{Entry: e, IndexName: e.Name, IndexDescription: e.Short(), Visible: visible}
	for _, code := range codes {
		c.Warnings = append(c.Warnings, skills.Warning{Code: code, Message: "why " + hostile})
		if code.Hides() {
			c.HiddenBy = append(c.HiddenBy, code)
		}
	}
	return c
}

const long = "Deploys Flask apps to Kubernetes with health checks and rollbacks for whoever asks."

func sheet() skillpane.Sheet {
	all := []skills.Checked{
		checked("devops", "deploy-nextjs", "Deploy Next.js apps to the cluster", true),
		checked("devops", "flask-k8s-deploy", long, true, skills.CodeDescriptionCut),
		checked("旅行", "渡し舟の時刻", "渡し舟の時刻表を調べて一番早い便を選ぶ。", true),
		checked("旅行", "한강-ferry", "한강 유람선 예약을 돕는다. "+hostile, true, skills.CodeNearDuplicate),
		checked("mac", "mac-only", "Only on a Mac", false, skills.CodeHiddenPlatform),
		checked("ml", "train", "Train", true, skills.CodeNamesOnly),
		checked("ml", "tune", "Tune", true, skills.CodeNamesOnly),
	}
	s := skillpane.Sheet{Checked: append(all, checked("", "fresh-one", "Written just now", true))}
	for _, c := range all {
		if !c.Visible {
			continue
		}
		l := skills.Listed{Category: c.Category, Name: c.Name, Text: c.IndexDescription}
		if c.Category == "ml" {
			l.NamesOnly, l.Text = true, ""
		}
		s.Prompt = append(s.Prompt, l)
	}
	s.Prompt = append(s.Prompt, skills.Listed{Category: "old", Name: "gone-skill", Text: "It was here"})
	s.Loaded = []skillpane.Mark{{Category: "devops", Name: "deploy-nextjs"}}
	s.Made = []skillpane.Mark{{Category: "旅行", Name: "渡し舟の時刻", Action: "patch"}, {Name: "fresh-one", Action: "create"}, {Category: "devops", Name: "deploy-nextjs", Action: "pin"}}
	return s
}

func pane(w, h int, s skillpane.Sheet, kind theme.Kind) *skillpane.Pane {
	p := skillpane.New(theme.New(kind))
	p.SetSheet(s)
	p.SetSize(w, h)
	return p
}

func TestPane_frames(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{20, 12}, {43, 12}, {60, 16}, {100, 16}} {
		w, h := size[0], size[1]
		p := pane(w, h, sheet(), theme.Dark)
		tuitest.Fits(t, p.View(), w, h)
		tuitest.Golden(t, fmt.Sprintf("pane-%dx%d", w, h), p.View()+"\n"+ansi.Strip(p.Summary(w))+"\n"+p.Badge())
		tuitest.GoldenColour(t, fmt.Sprintf("pane-%dx%d-dark", w, h), p.View())
	}
	for w := 0; w < 90; w += 4 {
		for _, h := range []int{0, 1, 2, 7, 30} {
			for _, s := range []skillpane.Sheet{{}, sheet()} {
				p := pane(w, h, s, theme.Dark)
				p.Focus()
				for range 12 {
					tuitest.Fits(t, p.View(), w, h)
					p.Select(1)
				}
				tuitest.Fits(t, p.Summary(w), w, 1)
			}
		}
	}
}

// What happens is marked as it happens, before anything is read again, and comes into view.
func TestPane_live(t *testing.T) {
	t.Parallel()
	p := pane(60, 4, sheet(), theme.Plain)
	see := func(want string, there bool) {
		t.Helper()
		if v := ansi.Strip(p.View()); strings.Contains(v, want) != there {
			t.Errorf("%q in view: want %t\n%s", want, there, v)
		}
	}
	p.Apply(&core.SkillLoaded{Category: "旅行", Name: "한강-ferry"})
	see("● ⚠ 한강-ferry", true)
	p.Apply(&core.SkillChanged{Category: "devops", Name: "flask-k8s-deploy", Action: "patch"})
	see("~⚠ flask-k8s-deploy", true)
	p.Apply(&core.SkillChanged{Category: "brand/new", Name: "cook", Action: "create"})
	see("brand/new", true)
	see("+  cook", true)
	p.Apply(&core.SkillChanged{Category: "devops", Name: "deploy-nextjs", Action: "pin"})
	see("●~", false)

	p.Focus() // a person who reads here is not moved
	p.Select(-100)
	p.Apply(&core.SkillLoaded{Category: "旅行", Name: "渡し舟の時刻"})
	see("deploy-nextjs", true)
}

// The figures: what the prompt lists, what is new, what is hidden, what is to be put right.
func TestPane_badge(t *testing.T) {
	t.Parallel()
	for w, want := range map[int]string{100: "7 shown · +1 · 1 hidden · 2 ⚠", 30: "7 · +1 · 2 ⚠"} {
		if got := pane(w, 5, sheet(), theme.Plain).Badge(); got != want {
			t.Errorf("at %d: %q, want %q", w, got, want)
		}
	}
	if got := skillpane.New(theme.New(theme.Plain)).Badge(); got != "" {
		t.Errorf("before it was read: %q", got)
	}
}

// A session without the tools for skills is told of none, and nothing waits for the next one.
func TestPane_off(t *testing.T) {
	t.Parallel()
	s := sheet()
	s.Prompt, s.Off = nil, true
	p := pane(60, 5, s, theme.Plain)
	if got := ansi.Strip(p.View()); !strings.Contains(got, "no tools for skills") || strings.Contains(got, "fresh-one") {
		t.Error(got)
	}
}

// Skills at the same place of two roots are one line each, under the names that the prompt has for them.
func TestPane_twins(t *testing.T) {
	t.Parallel()
	var s skillpane.Sheet
	for _, root := range []string{"external", "home"} {
		c := checked("", "tea", "Tea of "+root, true, skills.CodeDuplicateName)
		c.IndexName, c.Path, c.Folder = root+":tea", "/"+root+"/tea/SKILL.md", "/"+root+"/tea"
		s.Checked = append(s.Checked, c)
		s.Prompt = append(s.Prompt, skills.Listed{Category: "general", Name: c.IndexName, Text: c.IndexDescription})
	}
	s.Loaded = []skillpane.Mark{{Name: "tea", Folder: "/home/tea"}}
	p := pane(60, 6, s, theme.Plain)
	v := ansi.Strip(p.View())
	for _, want := range []string{"  ⚠ external:tea", "● ⚠ home:tea"} {
		if !strings.Contains(v, want) {
			t.Errorf("no %q in\n%s", want, v)
		}
	}
	if got, _, _ := strings.Cut(p.Badge(), " ·"); got != "2 shown" || strings.Contains(p.Badge(), "+") {
		t.Errorf("%q", p.Badge())
	}
}

func TestPane_selection(t *testing.T) {
	t.Parallel()
	p := pane(60, 20, sheet(), theme.Plain)
	p.Select(2)
	id := p.SelectedID()
	if !strings.Contains(id, "渡し舟") || !strings.HasPrefix(p.SelectedText(), "渡し舟の時刻: ") {
		t.Fatalf("%q %q", id, p.SelectedText())
	}
	s := sheet()
	s.Prompt = s.Prompt[1:]
	p.SetSheet(s)
	if p.SelectedID() != id {
		t.Errorf("the selection moved to %q", p.SelectedID())
	}
	if p.Click(0) {
		t.Error("the name of a category was selected")
	}
	p.SetError("disk gone " + hostile)
	tuitest.Fits(t, p.View(), 60, 20)
	if !strings.Contains(ansi.Strip(p.View()), "disk gone") {
		t.Error("the error is not shown")
	}
}

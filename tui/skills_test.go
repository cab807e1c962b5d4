package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/core/review"
	"hermes/skills"
	"hermes/tui/browser"
	"hermes/tui/layout"
	"hermes/tui/reviews"
	"hermes/tui/tuitest"
)

// skillPort answers with a fixed sheet and records what it is asked to do.
type skillPort struct {
	mu    sync.Mutex
	sheet SkillSheet
	reads int
	tasks []browser.Task
	err   error
}

func (p *skillPort) Sheet(context.Context) (SkillSheet, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads++
	return p.sheet, nil
}

func (p *skillPort) Detail(_ context.Context, path string) (browser.Detail, error) {
	return browser.Detail{Path: path, Text: "---\nname: x\n---\n# Body of it\n"}, nil
}

func (p *skillPort) Diff(context.Context, string, string, string) (string, error) { return "+x", nil }

func (p *skillPort) Do(_ context.Context, t browser.Task) (browser.Done, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks = append(p.tasks, t)
	return browser.Done{Said: fmt.Sprintf("did %d", t.Verb)}, p.err
}

func (p *skillPort) did() []browser.Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]browser.Task(nil), p.tasks...)
}

func (p *skillPort) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

func skillChecked(category, name, description string, codes ...skills.Code) skills.Checked {
	e := skills.Entry{Name: name, Dir: name, Category: category, Description: description, Path: "/h/skills/" + category + "/" + name + "/SKILL.md"}
	c := skills.Checked{Entry: e, IndexName: e.Name, IndexDescription: e.Short(), Visible: true}
	for _, code := range codes {
		c.Warnings = append(c.Warnings, skills.Warning{Code: code, Message: hostile})
		if code.Hides() {
			c.Visible, c.HiddenBy = false, append(c.HiddenBy, code)
		}
	}
	return c
}

func skillSheet() SkillSheet {
	var s SkillSheet
	s.Pane.Checked = []skills.Checked{
		skillChecked("devops", "deploy-nextjs", "Deploy Next.js apps to the cluster."),
		skillChecked("devops", "flask-k8s-deploy", "Deploys Flask apps to Kubernetes with health checks and rollbacks, too.", skills.CodeDescriptionCut),
		skillChecked("旅行", "渡し舟の時刻", "渡し舟の時刻表を調べて一番早い便を選ぶ。"),
		skillChecked("旅行", "한강-ferry", hostile, skills.CodeNearDuplicate),
		skillChecked("mac", "mac-only", "Only on a Mac", skills.CodeHiddenPlatform),
		skillChecked("meta", "help", "A skill whose name is a command"),
		skillChecked("meta", "twin", "One"), skillChecked("other", "twin", "Another"),
	}
	for _, c := range s.Pane.Checked {
		if c.Visible && c.Name != "twin" {
			s.Pane.Prompt = append(s.Pane.Prompt, skills.Listed{Category: c.Category, Name: c.Name, Text: c.IndexDescription})
		}
	}
	return s
}

type reviewsPort struct{ sheet reviews.Sheet }

func (p reviewsPort) Sheet(context.Context) (reviews.Sheet, error) { return p.sheet, nil }
func (p reviewsPort) Detail(_ context.Context, id string) (reviews.Detail, error) {
	return reviews.Detail{ID: id}, nil
}
func (reviewsPort) Run(context.Context, string) error                   { return nil }
func (reviewsPort) Cancel(context.Context, string) error                { return nil }
func (reviewsPort) Pause(context.Context, bool) error                   { return nil }
func (reviewsPort) Accept(context.Context, string) (string, error)      { return "", nil }
func (reviewsPort) Edit(context.Context, string, json.RawMessage) error { return nil }
func (reviewsPort) Move(context.Context, string) error                  { return nil }
func (reviewsPort) Reject(context.Context, string) error                { return nil }
func (reviewsPort) Undo(context.Context, []string) (string, error)      { return "", nil }

// fiveRig is a rig whose workspace has all five panes, read already.
func fiveRig(t *testing.T, w, h int) (*rig, *skillPort) {
	t.Helper()
	p, c, port := newPorts(), newClock(), &skillPort{sheet: skillSheet()}
	ws := p.workspace("s1")
	ws.Skills, ws.Memory = port, &memoryPort{sheets: memorySheets()}
	ws.Reviews = reviewsPort{reviews.Sheet{
		Total: 1, EveryTurns: 10, EverySteps: 10,
		Records: []review.Record{{ID: "r1", State: review.Saved, Trigger: review.ByMemory, Saved: 1, Did: []string{"+1 user fact"}, StartedAt: c.now(), Cost: core.Cost{USD: 0.002, Known: true}}},
	}}
	r := startRig(t, New(Options{Workspace: ws, Setup: setupPort{p}, Now: c.now, Theme: "dark", Version: "0.1", Editor: "true"}), p, c, w, h)
	r.until("the sheets", func() bool {
		return r.m.memory.Badge() != "" && r.m.skills.Badge() != "" && r.m.reviews.SelectedID() != ""
	})
	return r, port
}

// live is a turn at work: tools, a loaded, a patched and a new skill, a running review.
func live(r *rig) {
	storyRig(r)
	at := core.Meta{SessionID: "s1", Channel: core.ChannelLearning}
	r.emit(
		&core.ReviewStarted{Meta: at, ReviewID: "r2", Trigger: "skills", State: "running", MaxCalls: 8},
		&core.ReviewStep{Meta: at, ReviewID: "r2", Calls: 5, Tool: "skill_manage", Args: []byte(`{"name":"flask-k8s-deploy"}`)},
		&core.SkillLoaded{Meta: at, Name: "deploy-nextjs", Category: "devops", By: "tool"},
		&core.SkillChanged{Meta: at, Name: "cook-ramen", Category: "food", Action: "create"},
		&core.SkillChanged{Meta: at, Name: "flask-k8s-deploy", Category: "devops", Action: "patch"},
	)
}

// All five panes with live content, as people see them side by side.
func TestGolden_fivePanes(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {100, 50}, {90, 60}, {120, 24}, {200, 50}, {80, 24}} {
		w, h := size[0], size[1]
		t.Run(fmt.Sprintf("%dx%d", w, h), func(t *testing.T) {
			t.Parallel()
			r, _ := fiveRig(t, w, h)
			live(r)
			frame := r.screen()
			tuitest.Fills(t, frame, w, h)
			tuitest.Golden(t, fmt.Sprintf("five-%dx%d", w, h), frame)
			tuitest.GoldenColour(t, fmt.Sprintf("colour/five-%dx%d", w, h), frame)
			for _, want := range []string{"Tools", "Skills", "Memory", "Reviews", "5/8 calls", "+3"} {
				if !strings.Contains(ansi.Strip(frame), want) {
					t.Errorf("no %q", want)
				}
			}
		})
	}
}

func TestSweep_fivePanes(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"panes": nil, "skills": {"ctrl+x", "3", "j"}, "zoom": {"ctrl+x", "3", "ctrl+x", "3"}, "browser": {"ctrl+x", "k"}, "history": {"ctrl+x", "k", "j", "tab"}, "filter": {"ctrl+x", "k", "/", "東"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := fiveRig(t, 120, 40)
			live(r)
			r.keys(keys...)
			for _, w := range []int{0, 1, 39, 40, 47, 59, 60, 79, 88, 100, 119, 120, 133, 200} {
				for _, h := range []int{0, 1, 11, 12, 13, 24, 31, 32, 60} {
					r.send(tea.WindowSizeMsg{Width: w, Height: h})
					if w > 0 && h > 0 {
						tuitest.Fills(t, r.screen(), w, h)
					}
					if t.Failed() {
						t.Fatalf("at %dx%d", w, h)
					}
				}
			}
		})
	}
}

// Ctrl+X 3 gives the pane the keys, Enter opens the browser at its line, what is done there is said.
func TestSkills_paneToBrowser(t *testing.T) {
	t.Parallel()
	r, port := fiveRig(t, 120, 40)
	r.keys("ctrl+x", "3", "j")
	if r.m.scr.focus != layout.Skills {
		t.Fatalf("focus %v", r.m.scr.focus)
	}
	r.keys("enter")
	see := func(want string) {
		t.Helper()
		r.until(want, func() bool { return strings.Contains(ansi.Strip(r.screen()), want) })
	}
	see("▌ ⚠ flask-k8s-deploy")
	see("Body of it")
	r.keys("p")
	see("did 1")
	if got := port.did(); len(got) != 1 || got[0].Verb != browser.Pin || !strings.Contains(got[0].Path, "flask-k8s-deploy") {
		t.Errorf("%+v", got)
	}
	port.fail(&core.Error{Op: "change skill", Err: errors.New("it is pinned"), Hint: "unpin it"})
	r.keys("d", "d")
	see("it is pinned → unpin it")
	r.keys("esc")
	if r.m.covered() {
		t.Error("still open")
	}
}

// A text that is refused is what the next edit begins with.
func TestSkills_refusedEditKeepsDraft(t *testing.T) {
	t.Parallel()
	r, port := fiveRig(t, 120, 40)
	port.fail(errors.New("SKILL.md: no frontmatter"))
	r.keys("ctrl+x", "k")
	r.until("the text", func() bool { return strings.Contains(ansi.Strip(r.screen()), "Body of it") })
	path := "/h/skills/devops/deploy-nextjs/SKILL.md"
	l, _ := r.m.layers[0].(*browserLayer)
	r.run(l.change(r.m, browser.EditTask(path, "old", "what I wrote")))
	r.until("the refusal", func() bool { return strings.Contains(ansi.Strip(r.screen()), "e goes on with what you wrote") })
	if got := r.m.ws.skills.drafts[path]; got != "what I wrote" {
		t.Errorf("draft %q", got)
	}
	port.fail(nil)
	r.run(l.change(r.m, browser.EditTask(path, "old", "better")))
	r.until("success", func() bool { return strings.Contains(ansi.Strip(r.screen()), "did 6") })
	if got := r.m.ws.skills.drafts[path]; got != "" {
		t.Errorf("draft %q stays", got)
	}
}

// "/" offers skills behind the commands; one that shares its name with a command, or with another skill, says
// why it cannot be invoked.
func TestSkills_slash(t *testing.T) {
	t.Parallel()
	r, _ := fiveRig(t, 120, 40)
	shows := func(want string) {
		t.Helper()
		if got := ansi.Strip(r.screen()); !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	r.text("/depl")
	shows("/deploy-nextjs [text]")
	shows("Deploy Next.js apps")
	r.keys("enter")
	if got := r.m.chat.Composer().Text(); got != "/deploy-nextjs " {
		t.Fatalf("composer %q", got)
	}
	r.text("to the cluster")
	r.keys("enter")
	r.called("send /deploy-nextjs to the cluster")
	r.text("/渡")
	shows("/渡し舟の時刻 [text]")
	r.keys("enter", "enter")
	r.called("send /渡し舟の時刻 ")
	r.text("/hel")
	shows("shares the name of this command")
	r.keys("ctrl+c")
	r.text("/twi")
	shows("2 skills are called so")
	r.text("n x")
	r.keys("enter")
	shows("/twin — 2 skills are called so")
	r.keys("ctrl+c")
	r.text("/mac-only")
	r.keys("enter")
	shows("/mac-only is not a command")
}

// What a review reads is not marked as loaded by the conversation.
func TestSkills_reviewLoads(t *testing.T) {
	t.Parallel()
	r, _ := fiveRig(t, 120, 40)
	r.emit(&core.RunStarted{Meta: core.Meta{SessionID: "s1", RunID: "r7"}, Message: core.Message{ID: "m1", Role: core.RoleUser, Content: "go"}})
	r.emit(&core.SkillLoaded{Meta: core.Meta{SessionID: "s1", RunID: "rv-1", Channel: core.ChannelLearning}, Name: "deploy-nextjs", Category: "devops"})
	if got := ansi.Strip(r.screen()); strings.Contains(got, "●   deploy-nextjs") {
		t.Error(got)
	}
	r.emit(&core.SkillLoaded{Meta: core.Meta{SessionID: "s1", RunID: "r7", Channel: core.ChannelLearning}, Name: "deploy-nextjs", Category: "devops"})
	if got := ansi.Strip(r.screen()); !strings.Contains(got, "●   deploy-nextjs") {
		t.Error(got)
	}
}

// Without the port there is no pane, and the keys say why.
func TestSkills_absent(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	for _, key := range []string{"3", "k"} {
		r.keys("ctrl+x", key)
		if got := ansi.Strip(r.screen()); r.m.scr.focus != layout.Chat || r.m.covered() || !strings.Contains(got, notHere) {
			t.Errorf("Ctrl+X %s:\n%s", key, got)
		}
	}
}

package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/core/insights"
	graph "hermes/core/journey"
	tended "hermes/skills/curator"
	"hermes/tui/curator"
	"hermes/tui/journey"
	"hermes/tui/tuitest"
)

// journeyPort answers with two cards and a skill; what is changed it notes.
type journeyPort struct {
	*ports

	gone func() bool // the skill went elsewhere
}

func (p journeyPort) Sheet(context.Context) (journey.Sheet, error) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	var list []graph.Skill
	if p.gone == nil || !p.gone() {
		list = append(list, graph.Skill{Name: "deploy", Category: "devops", Description: "Deploy 部署", CreatedBy: "agent", Uses: 3, Created: at.AddDate(0, 0, 5)})
	}
	return journey.Prepare(graph.Build(list, []graph.Card{{ID: "a", Source: "memory", Text: "deploy 到集群", Time: at}, {ID: "b", Source: "profile", Text: "tea", Time: at}}), nil), p.note("journey sheet")
}

func (p journeyPort) Detail(_ context.Context, id string) (journey.Detail, error) {
	if id == "deploy" && p.gone != nil && p.gone() {
		return journey.Detail{}, &core.Error{Code: core.CodeNotFound, Op: "find", Subject: id, Err: errors.New("gone")}
	}
	return journey.Detail{ID: id, Text: "the text of " + id}, p.note("journey detail " + id)
}

func (p journeyPort) Outcomes(context.Context) ([]insights.Skill, error) {
	return []insights.Skill{{Name: "deploy", Versions: []insights.VersionOutcomes{{Number: 1, Outcome: insights.Outcome{Loads: 6, CallsMean: 9}}}}}, p.note("journey outcomes")
}

func (p journeyPort) Do(_ context.Context, t journey.Task) (journey.Result, error) {
	if err := p.note(fmt.Sprintf("journey do %d %s %q", t.Verb, t.ID, t.Text)); err != nil {
		return journey.Result{}, err
	}
	if strings.Contains(t.Text, "refuse") {
		return journey.Result{}, &core.Error{Code: core.CodeUsage, Op: "edit", Err: errors.New("over the limit"), Hint: "shorten it"}
	}
	return journey.Result{Said: "it is done", ID: t.ID}, nil
}

func (p journeyPort) Export(_ context.Context, kind string) (string, error) {
	return "~/src/hermes-journey." + kind, p.note("journey export " + kind)
}

type insightPort struct{ *ports }

func (p insightPort) Report(_ context.Context, days int) (insights.Report, error) {
	return insights.Report{Days: days, Sessions: days, Skills: []insights.Skill{{Name: "deploy", Versions: []insights.VersionOutcomes{{Hash: "aa", Number: 1}, {Hash: "bb", Number: 2, Worse: "more calls than the version before"}}}}}, p.note(fmt.Sprint("report ", days))
}

func (p insightPort) Rollback(_ context.Context, skill, hash string) (string, error) {
	return "rolled back", p.note("rollback " + skill + " " + hash)
}

type curatorPort struct{ *ports }

func (p curatorPort) Sheet(context.Context) (curator.Sheet, error) {
	return curator.Sheet{Enabled: true, Status: tended.Status{Steps: []tended.Step{{Name: "devops/old", Move: tended.Archive, Reason: "not used for 99 days"}}}}, p.note("curator sheet")
}

func (p curatorPort) Do(_ context.Context, do curator.Do) (string, error) {
	return "the curator did it", p.note(fmt.Sprint("curator ", do))
}

// journeyRig is a rig with the ports of what was learned.
func journeyRig(t *testing.T, w, h int, gone func() bool) *rig {
	t.Helper()
	p, c := newPorts(), newClock()
	ws := p.workspace("s1")
	ws.Journey, ws.Insights, ws.Curator = journeyPort{p, gone}, insightPort{p}, curatorPort{p}
	return startRig(t, New(Options{Workspace: ws, Now: c.now, Theme: "dark", Version: "0.1", Editor: "true"}), p, c, w, h)
}

func (r *rig) sees(words ...string) {
	r.t.Helper()
	for _, w := range words {
		r.until("“"+w+"”", func() bool { return strings.Contains(ansi.Strip(r.screen()), w) })
	}
}

func TestJourney_opensAndActs(t *testing.T) {
	t.Parallel()
	r := journeyRig(t, 120, 40, nil)
	r.keys("ctrl+x", "j")
	r.sees("[1 Timeline]", "▌ 25 Nov", "the text of deploy", "version 1: 6 turns")
	tuitest.Fills(t, r.screen(), 120, 40)
	r.keys("2")
	r.sees("[D]", "◆")
	r.keys("3", "p")
	r.called(`journey do 3 deploy ""`)
	r.sees("it is done")
	r.keys("d", "y")
	r.called(`journey do 2 deploy ""`)
	r.keys("x")
	r.sees("written: ~/src/hermes-journey.html")
	r.keys("esc")
	if len(r.m.layers) != 0 {
		t.Errorf("%d layers", len(r.m.layers))
	}
}

// The map plays only while it is asked to, and closing it ends the ticks.
func TestJourney_playback(t *testing.T) {
	t.Parallel()
	r := journeyRig(t, 80, 24, nil)
	r.keys("ctrl+x", "j")
	r.sees("▌ 25 Nov")
	r.keys("P")
	r.sees("▶ 20 Nov 2026")
	r.keys("P")
	r.until("the end of it", func() bool { return !strings.Contains(ansi.Strip(r.screen()), "▶") })
}

// A node that went while the view was open is not shown as if it were there: the map is made again.
func TestJourney_staleNode(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	r := journeyRig(t, 120, 40, func() bool {
		select {
		case <-gone:
			return true
		default:
			return false
		}
	})
	r.keys("ctrl+x", "j")
	r.sees("the text of deploy", "1 skill")
	close(gone)
	r.p.mu.Lock()
	r.p.err = &core.Error{Code: core.CodeNotFound, Op: "find", Subject: "deploy", Err: errors.New("it was removed since")}
	r.p.mu.Unlock()
	r.keys("p")
	r.called(`journey do 3 deploy ""`)
	r.sees("changed or removed elsewhere meanwhile")
	r.p.mu.Lock()
	r.p.err = nil
	r.p.mu.Unlock()
	r.run(r.m.journeysCmd())
	r.sees("0 skills · 2 memories")
}

// What is learned while the view is open appears in it.
func TestJourney_live(t *testing.T) {
	t.Parallel()
	var gone atomic.Bool
	gone.Store(true)
	r := journeyRig(t, 120, 40, gone.Load)
	r.keys("ctrl+x", "j")
	r.sees("0 skills · 2 memories")
	gone.Store(false)
	_, cmd := r.m.Update(eventsMsg{gen: r.m.ws.gen, batch: []core.Event{&core.SkillChanged{Name: "deploy"}}})
	r.run(cmd)
	r.sees("1 skill · 2 memories")
}

// What the checks refuse is not lost: the next edit begins with it.
func TestJourney_refusedEdit(t *testing.T) {
	t.Parallel()
	r := journeyRig(t, 120, 40, nil)
	r.keys("ctrl+x", "j")
	r.sees("the text of deploy")
	l, _ := r.m.layers[0].(*journeyLayer)
	r.run(l.change(r.m, journey.Task{Verb: journey.Edit, ID: "deploy", Text: "please refuse", Base: "the text of deploy"}))
	r.sees("over the limit", "shorten it", "e goes on with what you wrote")
	if l.drafts["deploy"] != "please refuse" {
		t.Errorf("%q", l.drafts)
	}
	r.run(l.change(r.m, journey.Task{Verb: journey.Edit, ID: "deploy", Text: "fine", Base: "the text of deploy"}))
	r.sees("it is done")
	if len(l.drafts) != 0 {
		t.Errorf("%q", l.drafts)
	}
}

func TestInsights_view(t *testing.T) {
	t.Parallel()
	r := journeyRig(t, 120, 40, nil)
	r.keys("ctrl+x", "i")
	r.sees("30 sessions", "more calls than the version before")
	r.keys("7")
	r.sees("7 sessions, ")
	r.keys("R", "R")
	r.called("rollback deploy aa")
	r.sees("rolled back")
	r.keys("q")
	r.m.chat.Composer().SetText("/insights 90")
	r.keys("enter")
	r.sees("90 sessions")
	r.keys("q")
	r.m.chat.Composer().SetText("/insights many")
	r.keys("enter")
	r.sees("takes a number of days")
}

func TestCurator_view(t *testing.T) {
	t.Parallel()
	r := journeyRig(t, 80, 24, nil)
	r.m.chat.Composer().SetText("/curator")
	r.keys("enter")
	r.sees("What a run would do now", "✗ archive")
	r.keys("r", "r")
	r.called(fmt.Sprint("curator ", curator.Run))
	r.sees("the curator did it")
	r.keys(".")
	r.called(fmt.Sprint("curator ", curator.Pause))
	r.keys("esc")
	if len(r.m.layers) != 0 {
		t.Errorf("%d layers", len(r.m.layers))
	}
}

// Without the ports the commands say why they do nothing.
func TestJourney_absent(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	for _, k := range []string{"j", "i"} {
		r.keys("ctrl+x", k)
		if len(r.m.layers) != 0 || r.m.note.toast == "" {
			t.Errorf("%s: %d layers, %q", k, len(r.m.layers), r.m.note.toast)
		}
	}
}

// OPEN-TU-02: fast resizing with the views open.
func TestJourney_resizing(t *testing.T) {
	t.Parallel()
	for _, open := range [][]string{{"ctrl+x", "j"}, {"ctrl+x", "j", "2"}, {"ctrl+x", "j", "3"}, {"ctrl+x", "i"}} {
		r := journeyRig(t, 120, 40, nil)
		r.keys(open...)
		r.sees(map[string]string{"j": "1 skill", "i": "30 sessions"}[open[1]])
		for range 6 {
			for _, s := range [][2]int{{120, 40}, {40, 10}, {20, 5}, {5, 2}, {1, 1}, {0, 0}, {200, 60}, {80, 24}} {
				r.send(tuitest.Size(s[0], s[1]))
				if s[0] >= 40 && s[1] >= 12 {
					tuitest.Fills(t, r.screen(), s[0], s[1])
				} else {
					_ = r.screen()
				}
			}
		}
	}
}

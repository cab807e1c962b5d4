package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes/core"
	"hermes/tui/layout"
)

func TestPalette(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	r.keys("ctrl+x", "p")
	r.shows("What do you want to do?", "Start a new session", "/new  Ctrl+X n")
	r.text("zoom foc")
	r.keys("enter")
	if !r.m.scr.zoom || len(r.m.layers) != 0 {
		t.Error("not zoomed, or still open")
	}
	r.emit(started())
	r.keys("ctrl+x", "ctrl+x")
	r.text("summary")
	r.shows("a run is active")
	r.keys("enter")
	r.hides("writing a summary")
	r.keys("ctrl+x", "p")
	r.text("running turn")
	r.keys("enter")
	if got := r.m.chat.Composer().Text(); got != "/steer " {
		t.Errorf("composer %q", got)
	}
}

// Every action that is no note and has its place behind the prefix is in the palette.
func TestPalette_hasAll(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 200)
	r.keys("ctrl+x", "p")
	l, ok := r.m.layers[0].(*paletteLayer)
	if !ok {
		t.Fatal("no palette")
	}
	for _, a := range bindings() {
		if a.Slash == "" || a.ID == "app.palette" {
			continue
		}
		l.picker.SetQuery(a.Help)
		if s := ansi.Strip(strings.Join(func() []string { b, _, _ := l.draw(r.m, 120, 40); return b }(), "\n")); !strings.Contains(s, capital(a.Help)) {
			t.Errorf("%s is not in the palette:\n%s", a.ID, s)
		}
	}
}

func TestKeys_configured(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	m := New(Options{Workspace: p.workspace("s1"), Now: c.now, Keys: map[string][]string{
		"app.palette": {"alt+p"}, "pane.zoom": {"ctrl+x p"}, "session.new": {}, "nope": {"x"},
	}})
	r := startRig(t, m, p, c, 120, 40)
	r.shows("config.yaml: keys.nope: there is no such action", "hermes config unset keys.nope takes it out")
	r.keys("alt+p")
	r.shows("What do you want to do?")
	r.keys("esc", "ctrl+x", "p")
	if !r.m.scr.zoom {
		t.Error("not zoomed")
	}
	r.keys("ctrl+x", "n")
	r.shows("is not bound")
	r.m.chat.Composer().SetText("/new")
	r.keys("enter")
	r.called("new") // a command needs no key
}

func TestPickSession(t *testing.T) {
	t.Parallel()
	p, c := newPorts(), newClock()
	p.rows = []SessionRow{
		{ID: "s7", Title: "東京タワー trip", Updated: c.now().Add(-time.Hour), Messages: 9},
		{ID: "s8", Title: "other", Updated: c.now().Add(-2 * time.Hour)},
	}
	r := startRig(t, New(Options{Workspace: p.workspace("s1"), Now: c.now, PickSession: true}), p, c, 140, 30)
	r.until("the list", func() bool { return strings.Contains(r.screen(), "東京タワー") })
	r.called("session preview s7")
	r.until("its end", func() bool { return strings.Contains(r.screen(), "这周有什么变化") })
	r.keys("j")
	r.called("session preview s8")
	r.keys("k", "enter")
	r.called("open s7")
	r.until("adopted", func() bool { return r.m.ws.Info.SessionID == "s7" })
	if len(r.m.layers) != 0 || r.m.scr.focus != layout.Chat {
		t.Error("the picker is still open")
	}
}

func TestModels_freeNameAndWarning(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	r.emit(&core.UsageReported{Meta: core.Meta{SessionID: "s1"}, Usage: core.Usage{Input: core.KnownTokens(41_200)}, Purpose: core.PurposeChat})
	r.keys("ctrl+x", "l")
	r.send(modelsMsg{models: []string{"gpt-5", "gpt-5-mini"}})
	r.shows("in use", "sends about 42,000 tokens uncached")
	r.text("local/qwen")
	r.shows("use local/qwen", "not in the list")
	r.keys("enter")
	r.called("switch local/qwen")
}

// What cannot be done now stands behind all that can, however well it matches, and is found by its name all the same.
func TestPalette_unavailableLast(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	r.keys("ctrl+x", "p")
	r.text("undo")
	l, ok := r.m.top().(*paletteLayer)
	if !ok {
		t.Fatal("no palette")
	}
	box, _, _ := l.draw(r.m, 120, 39)
	screen := ansi.Strip(strings.Join(box, "\n"))
	first, off := strings.Index(screen, "Undo in the composer"), strings.Index(screen, "Take the last turn back")
	if first < 0 || off < first {
		t.Errorf("undo in the composer at %d, the unavailable /undo at %d:\n%s", first, off, screen)
	}
}

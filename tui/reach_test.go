package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes/tui/keys"
	"hermes/tui/layout"
	"hermes/tui/tuitest"
)

// The prefix leads from every view to any other view or pane; what stays over a view leaves it open.
func TestReach(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		from   string // the key after the leader that opens the view
		to     []string
		open   int // layers afterwards
		focus  layout.Pane
		title  string
		absent string
	}{
		{name: "view to view", from: "s", to: []string{"ctrl+x", "?"}, open: 2, title: "Keys and commands"},
		{name: "view to pane", from: "s", to: []string{"ctrl+x", "2"}, focus: layout.Tools, absent: "searches everything ever said"},
		{name: "text to pane", from: "?", to: []string{"ctrl+x", "2"}, focus: layout.Tools, absent: "Keys and commands"},
		{name: "text to view", from: "?", to: []string{"ctrl+x", "s"}, open: 1, title: "Sessions", absent: "Keys and commands"},
		{name: "through the palette", from: "s", to: []string{"ctrl+x", "p", "n", "e", "x", "t", "space", "p", "a", "n", "e", "enter"}, absent: "searches everything ever said"},
		{name: "cancelled", from: "s", to: []string{"ctrl+x", "esc"}, open: 1, title: "Sessions"},
		{name: "not bound", from: "s", to: []string{"ctrl+x", "y"}, open: 1, title: "is not bound"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 120, 40)
			storyRig(r)
			r.keys("ctrl+x", tc.from)
			r.keys(tc.to...)
			screen := ansi.Strip(r.screen())
			if len(r.m.layers) != tc.open {
				t.Errorf("%d layers, want %d", len(r.m.layers), tc.open)
			}
			if tc.focus != 0 && r.m.scr.focus != tc.focus {
				t.Errorf("focus %v", r.m.scr.focus)
			}
			if !strings.Contains(screen, tc.title) || tc.absent != "" && strings.Contains(screen, tc.absent) {
				t.Errorf("want %q and not %q on the screen:\n%s", tc.title, tc.absent, screen)
			}
			tuitest.Fills(t, r.screen(), 120, 40)
		})
	}
}

// A dialog wants its answer: the prefix does not lead away from it.
func TestReach_notFromDialogs(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	storyRig(r)
	r.m.push(&promptLayer{})
	if r.m.leads() {
		t.Error("the prefix leads away from a prompt")
	}
}

// Every view lists its own keys at ?, and the key table has a part for each.
func TestShowKeys(t *testing.T) {
	t.Parallel()
	for _, l := range []helped{
		&browserLayer{}, &cleanupLayer{}, &journeyLayer{}, &figuresLayer{}, &curatorLayer{}, &reviewsLayer{}, &sessionsLayer{}, &transcriptLayer{},
	} {
		own := Bindings().In(l.scope())
		if len(own) == 0 {
			t.Fatalf("%s: no keys in the table", l.scope())
		}
		r := newRig(t, 120, 60)
		r.m.showKeys(l.scope())
		screen := ansi.Strip(r.screen())
		for _, b := range append(own, Bindings().In(keys.Views)...) {
			if !strings.Contains(screen, b.Help[:min(len(b.Help), 30)]) {
				t.Errorf("%s: %q is missing", l.scope(), b.Help)
			}
		}
	}
	r := newRig(t, 120, 60)
	storyRig(r)
	r.keys("ctrl+x", "s", "?")
	if screen := ansi.Strip(r.screen()); !strings.Contains(screen, "What a search may hold") || !strings.Contains(screen, "role:user") {
		t.Errorf("sessions do not say what a query may hold:\n%s", screen)
	}
	r.keys("esc", "/", "?")
	if len(r.m.layers) != 1 {
		t.Error("? while typing is text")
	}
}

// Every scope of the table has its part in the help: no key is listed nowhere.
func TestHelp_allScopes(t *testing.T) {
	t.Parallel()
	listed := map[keys.Scope]bool{}
	for _, h := range heads() {
		listed[h.scope] = true
	}
	for _, b := range Bindings() {
		if !listed[b.Scope] {
			t.Errorf("%s (%s) is in no part of the help", b.ID, b.Scope)
		}
	}
}

// What follows the leader is listed whole where there is room, and says how much is left out where there is not.
func TestWhich(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		w, h int
		all  bool
	}{{200, 50, true}, {120, 40, true}, {80, 24, true}, {50, 16, false}, {40, 12, false}} {
		r := newRig(t, tc.w, tc.h)
		r.keys("ctrl+x")
		r.m.note.which = true
		screen := ansi.Strip(r.screen())
		if more := strings.Contains(screen, "more: ?"); more == tc.all {
			t.Errorf("%dx%d: left out: %v\n%s", tc.w, tc.h, more, screen)
		}
		if tc.all && strings.Contains(screen[strings.Index(screen, "Ctrl+X …"):], "… ") && strings.Contains(screen, "out…") {
			t.Errorf("%dx%d: cut:\n%s", tc.w, tc.h, screen)
		}
		tuitest.Fills(t, r.screen(), tc.w, tc.h)
	}
	for _, b := range Bindings().In(keys.Prefix) {
		if n := len(b.Brief()); len(b.Keys) > 0 && n > keys.ShortWidth {
			t.Errorf("%s: %q is longer than %d", b.ID, b.Brief(), keys.ShortWidth)
		}
	}
}

// Changes of memory that are not written keep their view: the prefix does not lose them. Once they are gone, it leads on.
func TestReach_keepsTheDraft(t *testing.T) {
	t.Parallel()
	r, _ := cleanRig(t, 120, 40)
	r.keys("ctrl+x", "m")
	r.until("the stores", func() bool { return strings.Contains(ansi.Strip(r.screen()), "entry 1") })
	r.keys("d", "ctrl+x", "2")
	if len(r.m.layers) != 1 || r.m.scr.focus == layout.Tools {
		t.Fatalf("%d layers, focus %v", len(r.m.layers), r.m.scr.focus)
	}
	r.shows("memory has changes that are not written")
	r.keys("ctrl+x", "?") // lies over it
	if len(r.m.layers) != 2 {
		t.Errorf("%d layers", len(r.m.layers))
	}
	r.keys("esc", "u", "ctrl+x", "2")
	if len(r.m.layers) != 0 || r.m.scr.focus != layout.Tools {
		t.Errorf("%d layers, focus %v", len(r.m.layers), r.m.scr.focus)
	}
}

// What is being written is not lost to the prefix: it is not heard before the text is kept or given up.
func TestReach_notWhileWriting(t *testing.T) {
	t.Parallel()
	r, _ := cleanRig(t, 120, 40)
	r.keys("e")
	if top, ok := r.m.top().(*cleanupLayer); !ok || !top.view.Typing() {
		t.Fatal("no entry is being edited")
	}
	if r.keys("ctrl+x"); r.m.note.prefix {
		t.Error("the prefix is heard")
	}
	r.keys("esc", "ctrl+x", "2")
	if len(r.m.layers) != 0 || r.m.scr.focus != layout.Tools {
		t.Errorf("after Esc: %d layers, focus %v", len(r.m.layers), r.m.scr.focus)
	}
}

// Once they are written nothing warns of them any more.
func TestReach_warningEnds(t *testing.T) {
	t.Parallel()
	r, _ := cleanRig(t, 120, 40)
	r.keys("d", "ctrl+x", "2")
	r.shows("memory has changes that are not written")
	r.keys("w", "y")
	r.until("it is written", func() bool { return !r.m.tidying() })
	r.until("the warning is gone", func() bool { return !strings.Contains(ansi.Strip(r.screen()), "memory has changes") })
}

// The end of the help names every action whose keys can be changed, so that nobody has to guess.
func TestHelp_names(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	lines := ansi.Strip(strings.Join(r.m.helpLines(r.m.st, 80), "\n"))
	_, names, ok := strings.Cut(lines, "config.yaml")
	for _, b := range Bindings() {
		if listed := strings.Contains(names, "  "+b.ID+" "); !ok || listed != b.Movable() {
			t.Errorf("%s is listed: %v", b.ID, listed)
		}
	}
}

package tui

import (
	"fmt"
	"testing"

	"hermes/tui/tuitest"
)

// sizes are one of every layout: strip, side column, 2×2 block, and a large screen.
func sizes() [][2]int { return [][2]int{{80, 24}, {120, 40}, {100, 50}, {200, 50}} }

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, prepare := range views() {
		for _, size := range sizes() {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, size[0], size[1])
				prepare(r)
				frame := r.screen()
				tuitest.Fills(t, frame, size[0], size[1])
				tuitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), frame)
			})
		}
	}
}

// Every view is kept with its colours, too: dark at every size, the other themes for the chat.
func TestGolden_colour(t *testing.T) {
	t.Parallel()
	frame := func(theme, name string, w, h int) {
		t.Run(fmt.Sprintf("%s-%s-%dx%d", theme, name, w, h), func(t *testing.T) {
			t.Parallel()
			p, c := newPorts(), newClock()
			r := startRig(t, New(Options{Workspace: p.workspace("s1"), Now: c.now, Theme: theme, Version: "0.1"}), p, c, w, h)
			views()[name](r)
			tuitest.GoldenColour(t, fmt.Sprintf("colour/%s-%s-%dx%d", name, theme, w, h), r.screen())
		})
	}
	for name := range views() {
		for _, size := range sizes() {
			frame("dark", name, size[0], size[1])
		}
	}
	for _, theme := range []string{"light", "contrast", "16", "plain"} {
		frame(theme, "chat", 120, 40)
	}
}

func TestGolden_onboarding(t *testing.T) {
	t.Parallel()
	for _, size := range sizes() {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			p, c := newPorts(), newClock()
			m := New(Options{Setup: setupPort{p}, SetupNotice: "No model is configured yet.", Now: c.now, Theme: "dark"})
			r := startRig(t, m, p, c, size[0], size[1])
			for i, keys := range [][]string{{}, {"enter"}, {"s", "k", "-", "1"}, {"enter"}, {}, {"enter"}} {
				r.keys(keys...)
				if i == 4 {
					r.send(modelsMsg{models: []string{"gpt-5", "gpt-5-mini", "gpt-5-nano 小"}})
				}
				frame := r.screen()
				tuitest.Fills(t, frame, size[0], size[1])
				tuitest.Golden(t, fmt.Sprintf("onboarding-%d-%dx%d", i+1, size[0], size[1]), frame)
			}
		})
	}
}

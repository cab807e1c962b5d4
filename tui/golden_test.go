package tui

import (
	"fmt"
	"testing"
	"time"

	"hermes/core"
	"hermes/tui/approval"
	"hermes/tui/tuitest"
)

// views brings a rig into each state worth a golden frame.
func views() map[string]func(r *rig) {
	return map[string]func(r *rig){
		"chat": storyRig,
		"tools": func(r *rig) {
			storyRig(r)
			r.keys("ctrl+x", "2", "k")
		},
		"tool-output": func(r *rig) {
			storyRig(r)
			r.keys("ctrl+x", "2", "k", "k", "k", "enter")
		},
		"reading": func(r *rig) {
			storyRig(r)
			r.keys("tab", "g", "j", "enter")
		},
		"approval": func(r *rig) {
			storyRig(r)
			r.emit(storyApproval())
			r.clock.advance(approval.Quiet)
		},
		"which-key": func(r *rig) {
			storyRig(r)
			r.keys("ctrl+x")
			r.send(whichMsg{id: 1})
		},
		"help": func(r *rig) { r.keys("ctrl+x", "?") },
		"commands": func(r *rig) {
			storyRig(r)
			r.text("/re")
		},
		"sessions": func(r *rig) {
			r.m.Update(tuitest.Key("ctrl+x"))
			r.m.Update(tuitest.Key("s"))
			var rows []SessionRow
			for i, title := range []string{"deploy the flask app", "每周新闻摘要 digest", "東京タワー trip", "한강 ferry 渡し舟"} {
				rows = append(rows, SessionRow{
					ID: fmt.Sprint("s", i+1), Title: title, Model: "openai/gpt-5-mini", Messages: 4 * i * i,
					Updated: r.clock.now().Add(-time.Duration(i*i*7) * time.Hour), Open: i == 0,
				})
			}
			r.send(listedMsg{rows: rows})
			r.keys("j", "j")
			lines, _ := previewPort{r.p}.Preview(r.t.Context(), "s3")
			l, _ := r.m.layers[0].(*sessionsLayer)
			r.send(previewMsg{layer: l, id: "s3", lines: lines})
		},
		"failed": func(r *rig) {
			at := core.Meta{SessionID: "s1"}
			r.emit(
				&core.RunStarted{Meta: at, Message: core.Message{ID: "m1", Role: core.RoleUser, Content: "hello 你好"}},
				&core.TextDelta{Meta: at, MessageID: "m2", Text: "Half an ans"},
				&core.RunEnded{Meta: at, Reason: core.EndError, Error: &core.RunError{
					Code: core.CodeAuth, Message: "ask openai/gpt-5-mini: the server refused the key", Remedy: "run hermes setup, or check OPENAI_API_KEY",
				}})
		},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, prepare := range views() {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
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

func TestGolden_onboarding(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
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

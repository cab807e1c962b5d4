//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What was typed before anything was sent survives its window: the next new session has it. A window that
// is still open keeps its own.
func TestE2E_draftOfAnUnsentSession(t *testing.T) {
	t.Parallel()
	_, env := model(t, "rules: [{reply: {text: \"heard: {{user}}\"}}]")
	w := newWorld(t, env...)
	stored := func() bool {
		drafts, err := filepath.Glob(filepath.Join(w.home, "ui", "drafts", "*[0-9a-f]"))
		if err != nil || len(drafts) != 1 {
			return false
		}
		b, err := os.ReadFile(drafts[0])
		return err == nil && string(b) == "长长的草稿"
	}
	x := w.start(t, 80, 24)
	x.see("Ctrl+X ?")
	x.keys("长长的草稿")
	eventually(t, "the draft is stored", stored)
	y := w.start(t, 80, 24)
	y.see("Ctrl+X ?")
	y.keys("mine")
	y.see("› mine")
	y.keys(ctrlC)
	y.see("draft cleared")
	x.signal(syscall.SIGKILL)
	<-x.exited
	y.keys(ctrlX + "n") // the first window is gone now
	y.see("› 长长的草稿")
	y.keys(enter)
	y.see("heard: 长长的草稿")
	y.idle()
	y.keys(ctrlC + ctrlC)
	y.exits(0)
	z := w.start(t, 80, 24)
	z.see("Ctrl+X ?")
	z.keys("x")
	z.see("› x")
	if strings.Contains(z.screen(), "草稿") {
		t.Errorf("what was sent is a draft again:\n%s", z.screen())
	}
	z.keys(ctrlC + ctrlC + ctrlC)
	z.exits(0)
	if left, _ := filepath.Glob(filepath.Join(w.home, "ui", "drafts", "*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

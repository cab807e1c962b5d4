//go:build !windows

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const dayModel = `
strict: true
models: [alpha, beta]
chunk: 10
rules:
  - {when: {user: slow, turn: 0}, reply: {tool_calls: [{name: terminal, arguments: {command: "for i in 1 2 3 4 5 6 7 8; do echo step $i; sleep 0.3; done"}}]}}
  - {when: {user: danger, turn: 0}, reply: {tool_calls: [{name: terminal, arguments: {command: "chmod 777 notes.md"}}]}}
  - {when: {user: stream}, reply: {chunk: 6, delay: 25ms, text: "流式输出 one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty 完了"}}
  - {reply: {text: "{{model}} heard: {{user}}"}}
`

func paste(s string) string { return "\x1b[200~" + s + "\x1b[201~" }

// The story of a day at the workspace.
func TestE2E_aDay(t *testing.T) {
	t.Parallel()
	srv, env := model(t, dayModel)
	w := newWorld(t, append(env, "HERMES_MODEL=alpha")...)
	if err := os.WriteFile(filepath.Join(w.dir, "notes.md"), []byte("# notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := w.start(t, 120, 40)
	x.see("Ctrl+X ?")

	// Pasted text is not sent before Enter; a file is mentioned.
	x.keys(paste("第一行：杭州\r\n第二行：西湖") + " @not")
	x.see("第二行：西湖", "notes.md", "Enter inserts")
	x.keys("\t")
	x.gone("Enter inserts")
	if n := len(srv.Requests()); n != 0 {
		t.Fatalf("a paste sent %d requests", n)
	}
	x.keys(enter)
	x.see("alpha heard: 第一行：杭州")
	x.idle()
	if got := srv.Requests()[0].User(); !strings.HasPrefix(got, "第一行：杭州\n第二行：西湖 @notes.md") {
		t.Errorf("sent %q", got)
	}

	// Palette, approval, queue.
	x.keys(ctrlX + "p")
	x.see("What do you want to do?")
	x.keys(esc)
	x.gone("What do you want to do?")
	x.keys("danger" + enter)
	x.see("chmod 777 notes.md", "deny")
	x.press("o", "alpha heard: danger")
	x.idle()
	x.keys("slow" + enter)
	x.see("step 2")
	x.keys("queued 你好" + enter)
	x.see("queued 你好")
	x.resize(80, 24)
	x.see("step 5")
	x.resize(120, 40)
	x.see("alpha heard: queued 你好")
	x.idle()

	// Search, copy.
	x.keys(ctrlX + "/")
	x.keys("西湖" + enter)
	x.see("第二行：西湖")
	x.keys("y")
	x.until("the clipboard", func(string) bool { return strings.Contains(x.output(), "\x1b]52;c;") })
	x.keys("q") // back to the composer
	x.gone("q back")

	// Fork, another model, quit, resume.
	x.keys("/fork" + enter)
	x.see("fork of")
	x.keys("/model beta" + enter)
	x.see("beta")
	x.keys("after the fork" + enter)
	x.see("beta heard:")
	x.idle()
	x.keys(ctrlC + ctrlC)
	x.exits(0)
	if files, err := filepath.Glob(filepath.Join(w.home, "sessions", "*.jsonl")); err != nil || len(files) != 2 {
		t.Errorf("sessions: %v %v", files, err)
	}
	x = w.start(t, 80, 24, "--continue")
	x.see("beta heard:")
	x.keys(ctrlC + ctrlC)
	x.exits(0)
}

// Inside tmux: a split is dragged while an answer streams, focus leaves and comes back, tmux's own prefix
// still works.
func TestE2E_insideTmux(t *testing.T) {
	t.Parallel()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	_, env := model(t, dayModel)
	w := newWorld(t, append(env, "HERMES_MODEL=alpha")...)
	socket := filepath.Join(t.TempDir(), "s")
	tm := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), tmux, append([]string{"-S", socket}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	x := w.launch(t, 120, 40, tmux, "-f", "/dev/null", "-S", socket, "new", binary(t))
	x.see("Ctrl+X ?")
	x.keys("stream" + enter)
	x.see("流式输出")
	tm("set-option", "-g", "mouse", "on")
	tm("split-window", "-h")
	width := func() int {
		t.Helper()
		n, err := strconv.Atoi(tm("display-message", "-p", "-t", "{left}", "#{pane_width}"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	// The border is dragged to the left by the mouse, a cell at a time, as a hand does it.
	border := width() + 1
	x.keys(fmt.Sprintf("\x1b[<0;%d;12M", border))
	for i := 1; i <= 20; i++ {
		x.keys(fmt.Sprintf("\x1b[<32;%d;12M", border-i))
	}
	x.keys(fmt.Sprintf("\x1b[<0;%d;12m", border-20))
	eventually(t, "the border follows the mouse", func() bool { return width() == border-21 })
	x.keys("echo in''shell" + enter)
	x.see("inshell")
	tm("select-pane", "-L")
	x.see("完了")
	x.keys("again 東京" + enter)
	x.see("heard: again")
	x.idle()
	tm("kill-pane", "-a")
	x.see("Ctrl+X ?", "Tools")
	x.keys("\x02") // tmux's own prefix, twice: once is for tmux, the second reaches hermes
	x.keys("\x02")
	x.keys("x" + enter)
	x.see("heard: x")
	x.idle()
	x.keys(ctrlC)
	x.see("again quits")
	x.keys(ctrlC)
	select {
	case <-x.exited:
	case <-time.After(patience):
		t.Fatalf("tmux does not end:\n%s", x.screen())
	}
}

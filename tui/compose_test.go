package tui

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/tui/card"
)

func TestMention(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		text string // typed
		keys []string
		want string
	}{
		{"tab", "look at @main", []string{"tab"}, "look at @src/app/main.go "},
		{"enter does not send", "@读", nil, "@读"},
		{"wide", "@部", []string{"enter"}, "@docs/部署.md "},
		{"blank in the name", "@guide", []string{"tab"}, `@"docs/deploy guide.md" `},
		{"quoted", `see @"deploy gu`, []string{"tab"}, `see @"docs/deploy guide.md" `},
		{"second choice", "@docs/", []string{"down", "tab"}, "@docs/部署.md "},
		{"no mention", "mail a@main", []string{"x"}, "mail a@mainx"},
		{"dismissed", "@main", []string{"esc", "x"}, "@mainx"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 80, 24)
			r.text("@")
			r.until("the list", func() bool { return len(r.m.files.names) > 0 })
			r.keys("backspace")
			r.text(tc.text)
			r.screen()
			r.keys(tc.keys...)
			if diff := cmp.Diff(tc.want, r.m.chat.Composer().Text()); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(strings.Join(r.p.called(), "|"), "send") {
				t.Error("it was sent")
			}
		})
	}
}

func TestMention_folderGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.text("@src")
	r.until("the list", func() bool { return r.m.slash.open() })
	r.shows("Files", "src/app/main.go")
	for r.m.slash.files[r.m.slash.sel] != "src/" {
		r.keys("down")
	}
	r.keys("tab")
	if got := r.m.chat.Composer().Text(); got != "@src/" || !r.m.slash.open() {
		t.Fatalf("%q, open %v", got, r.m.slash.open())
	}
	r.text("main")
	r.keys("enter", "enter")
	r.called("send @src/app/main.go ")
	if n := strings.Count(strings.Join(r.p.called(), "|"), "files"); n != 1 {
		t.Errorf("the files were listed %d times", n)
	}
}

func TestShellLine(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	r.text("!git status")
	r.shows("shell ─ the model does not see it")
	r.keys("enter")
	r.called("shell git status")
	r.until("the end", func() bool { return r.m.shell == nil })
	r.shows("✗ !  git status", "exit 3", "first 行", "second", "the model does not see this")
	if len(r.m.log.Calls()) != 0 {
		t.Error("it stands among the calls of the agent")
	}
	r.keys("tab", "s")
	r.called("send I ran this command: git status\nIt ended with exit code 3. Its output:\n\n```\nfirst 行\nsecond\n```")
	r.hides("the model does not see this")
	r.called("history !git status")
}

func TestShellLine_stops(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"ctrl+c", "esc"} {
		r := newRig(t, 100, 30)
		r.emit(started())
		r.text("!hang")
		r.keys("enter")
		r.until("output", func() bool { return strings.Contains(r.screen(), "first") })
		r.text("!second")
		r.keys("enter")
		r.shows("runs already")
		r.keys(key)
		r.until("the end", func() bool { return r.m.shell == nil })
		if r.p.has("interrupt") {
			t.Error(key, "stopped the turn, too")
		}
		r.shows("stopped")
	}
}

func TestShell_share(t *testing.T) {
	t.Parallel()
	c := card.NewShell("s", "cat x", newClock().now())
	c.Output("a ``` b\x1b[31mred\x1b[0m")
	c.Finish(0, "", 0)
	if got := c.Share(); !strings.Contains(got, "````\na ``` bred\n````") {
		t.Error(got)
	}
}

func TestHistorySearch(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.until("history", func() bool { return len(r.m.chat.Composer().History()) == 2 })
	r.keys("ctrl+r")
	r.shows("History", "newer", "older")
	r.keys("ctrl+r", "enter")
	if got := r.m.chat.Composer().Text(); got != "older" {
		t.Error(got)
	}
	r.keys("ctrl+r") // what stands there is searched for
	r.hides("newer")
	r.keys("esc")
	if got := r.m.chat.Composer().Text(); got != "older" {
		t.Error(got)
	}
}

func TestQueue_edit(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.emit(started(), &core.QueueChanged{Meta: core.Meta{SessionID: "s1"}, Queue: []string{"one", "二", "three"}})
	wait := func(want ...string) {
		t.Helper()
		r.until("queue "+strings.Join(want, " "), func() bool {
			r.p.mu.Lock()
			defer r.p.mu.Unlock()
			return cmp.Equal(r.p.queue, want)
		})
	}
	r.keys("ctrl+x", "q", "K")
	wait("one", "three", "二")
	r.keys("k", "d")
	wait("three", "二")
	r.emit(&core.QueueChanged{Meta: core.Meta{SessionID: "s1"}, Queue: []string{"二"}}) // the first was sent
	r.shows("1  二")
	r.keys("enter")
	r.until("empty", func() bool { return len(r.m.chat.Queue()) == 0 })
	if got := r.m.chat.Composer().Text(); got != "二" {
		t.Error(got)
	}
}

func TestEditor(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the editor is a shell script")
	}
	r := newRig(t, 80, 24)
	r.m.chat.Composer().SetText("draft 草")
	ready, ok := r.m.editCmd()().(editReadyMsg)
	if !ok || ready.err != nil {
		t.Fatal(ready.err)
	}
	if info, err := os.Stat(ready.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	if b, _ := os.ReadFile(ready.path); string(b) != "draft 草" {
		t.Errorf("%q", b)
	}
	if err := os.WriteFile(ready.path, []byte("written 写\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.run(r.m.editEnd(editEndMsg{path: ready.path}))
	r.until("the text", func() bool { return r.m.chat.Composer().Text() == "written 写" })
	if _, err := os.Stat(ready.path); !os.IsNotExist(err) {
		t.Error("the file is still there")
	}

	failed := filepath.Join(t.TempDir(), "x.md")
	r.run(r.m.editEnd(editEndMsg{path: failed, err: errors.New("exit status 1")}))
	r.until("the reason", func() bool { return strings.Contains(r.screen(), "exit status 1") })
	if got := r.m.chat.Composer().Text(); got != "written 写" {
		t.Errorf("the draft is %q", got)
	}
}

func TestEditorLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"vim":                            {"vim"},
		`code --wait`:                    {"code", "--wait"},
		`"C:\Program Files\e.exe" -n ''`: {`C:\Program Files\e.exe`, "-n", ""},
		`emacs -nw  'a b'c`:              {"emacs", "-nw", "a bc"},
	} {
		if diff := cmp.Diff(want, editorLine(line)); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	if len(editorLine("")) == 0 {
		t.Error("no usual editor")
	}
}

// OPEN-TU-03 in the presence of the lists: a paste with @ or / never accepts anything.
func TestPaste_opensNothingHarmful(t *testing.T) {
	t.Parallel()
	r := newRig(t, 80, 24)
	r.send(tea.PasteMsg{Content: "/quit\n@main\n!rm x\n"})
	if got := r.m.chat.Composer().Text(); got != "/quit\n@main\n!rm x\n" || r.quit {
		t.Errorf("%q", got)
	}
}

// The list of commands stands flush with the composer; a mention that fits no file says so.
func TestCompletion_place(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	r.text("/re")
	list, composer := -1, -2
	for line := range strings.SplitSeq(ansi.Strip(r.screen()), "\n") {
		if before, _, ok := strings.Cut(line, "╭ Commands"); ok {
			list = ansi.StringWidth(before)
		}
		if before, _, ok := strings.Cut(line, "│ › /re"); ok {
			composer = ansi.StringWidth(before)
		}
	}
	if list != composer {
		t.Errorf("the list begins at %d, the composer at %d:\n%s", list, composer, ansi.Strip(r.screen()))
	}
	r.shows("Enter runs")
	r.keys("ctrl+c")
	r.text("@nothing-is-called-so")
	r.until("the files", func() bool { return !r.m.files.loading && !r.m.files.at.IsZero() })
	r.shows("no file here is called so")
}

// While one types a search, the status bar names the keys of the search.
func TestSearch_hints(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	storyRig(r)
	r.m.run.active = false
	r.keys("ctrl+x", "/")
	r.text("k8s")
	r.shows("ends the search")
	r.hides("j k move")
}

// An editor that fails takes the words it saved with it no more than the draft.
func TestEditorFails_keepsWhatItWrote(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	for _, tc := range []struct {
		was, wrote string
		kept       bool
	}{{"draft", "draft\n", false}, {"draft", "draft\nand an hour of work 工作\n", true}, {"draft", "", false}} {
		path := filepath.Join(t.TempDir(), "x.md")
		if err := os.WriteFile(path, []byte(tc.wrote), 0o600); err != nil {
			t.Fatal(err)
		}
		msg, ok := r.m.editEnd(editEndMsg{path: path, was: tc.was, err: errFake})().(editedMsg)
		if !ok || msg.err == nil {
			t.Fatal("no error")
		}
		_, err := os.Stat(path)
		if told := strings.Contains(core.HintOf(msg.err), path); told != tc.kept || (err == nil) != tc.kept {
			t.Errorf("%q: kept %v, told %v", tc.wrote, err == nil, told)
		}
	}
}

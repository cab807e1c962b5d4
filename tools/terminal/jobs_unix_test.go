//go:build unix

package terminal

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/undo"
	"hermes/tools"
)

// yard is a terminal with its process tool and the notices of ended jobs.
type yard struct {
	bench

	t    *testing.T
	done chan JobDone
}

func openYard(t *testing.T, change func(*Options)) *yard {
	t.Helper()
	y := &yard{t: t, done: make(chan JobDone, 200)}
	y.bench = open(t, func(o *Options) {
		o.OnDone = func(d JobDone) { y.done <- d }
		if change != nil {
			change(o)
		}
	})
	y.reg = tools.New(tools.Options{Home: y.home, Yolo: true}, y.Tools()...)
	return y
}

func (y *yard) as(session, tool string, args map[string]any) core.ToolResult {
	y.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		y.t.Fatal(err)
	}
	return y.reg.Run(y.t.Context(), core.ToolCall{ID: "c-" + session, Name: tool, Arguments: string(raw)}, core.ToolRun{SessionID: session, RunID: "r1"})
}

func (y *yard) start(command string) core.ToolResult {
	y.t.Helper()
	return y.as("s1", "terminal", map[string]any{"command": command, "background": true})
}

func (y *yard) process(action, id string, more ...any) core.ToolResult {
	y.t.Helper()
	args := map[string]any{"action": action}
	if id != "" {
		args["id"] = id
	}
	for i := 0; i+1 < len(more); i += 2 {
		args[fmt.Sprint(more[i])] = more[i+1]
	}
	return y.as("s1", "process", args)
}

// until polls a job until its output holds want.
func (y *yard) until(id, want string) string {
	y.t.Helper()
	all := ""
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); <-poll.C {
		all += y.process("poll", id).Content
		if strings.Contains(all, want) {
			return all
		}
	}
	y.t.Fatalf("%s never printed %q: %s", id, want, all)
	return ""
}

func (y *yard) notice() JobDone {
	y.t.Helper()
	select {
	case d := <-y.done:
		return d
	case <-time.After(10 * time.Second):
		y.t.Fatal("no notice")
		return JobDone{}
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	y := openYard(t, nil)
	res := y.start(`echo ready; while read -r l; do echo "got $l"; done; echo over; exit 3`)
	if !res.OK || !strings.Contains(res.Content, "proc_1: running") {
		t.Fatalf("%+v", res)
	}
	y.until("proc_1", "running")
	if res := y.process("write", "proc_1", "data", "one", "submit", true); !res.OK {
		t.Errorf("%+v", res)
	}
	y.until("proc_1", "got one")
	if res := y.process("list", ""); !strings.Contains(res.Content, "proc_1: running for") || !strings.Contains(res.Content, "echo ready; while") {
		t.Errorf("%s", res.Content)
	}
	if res := y.process("log", "proc_1", "limit", 1); !strings.HasPrefix(res.Content, "got one\n[") {
		t.Errorf("%s", res.Content)
	}
	if res := y.process("log", "proc_1", "limit", 5, "offset", 1); !strings.HasPrefix(res.Content, "ready\n[") {
		t.Errorf("%s", res.Content)
	}
	if res := y.as("s2", "process", map[string]any{"action": "poll", "id": "proc_1"}); res.OK {
		t.Errorf("another session's job: %+v", res)
	}
	y.process("write", "proc_1", "data", "two\n", "eof", true)
	res = y.process("wait", "proc_1", "timeout", 20)
	if !strings.Contains(res.Content, "got two\nover\n[proc_1: exit code 3; ran") || *res.Detail.ExitCode != 3 {
		t.Errorf("%+v", res)
	}
	d := y.notice()
	if d.ID != "proc_1" || d.SessionID != "s1" || d.RunID != "r1" || d.Code != 3 || !y.Observed("s1", "proc_1") || !strings.HasSuffix(d.Tail, "got two\nover\n") {
		t.Errorf("%+v", d)
	}
	if res := y.process("write", "proc_1", "data", "x"); res.OK {
		t.Errorf("written to the dead: %+v", res)
	}
	if res := y.process("poll", "proc_1"); !strings.Contains(res.Content, "nothing new") {
		t.Errorf("%s", res.Content)
	}
	for _, args := range [][]any{{"poll", "proc_9"}, {"kill", ""}} {
		if res := y.process(args[0].(string), args[1].(string)); res.OK {
			t.Errorf("%v: %+v", args, res)
		}
	}
	y.start(`exit 7`)
	if d := y.notice(); d.Code != 7 || d.ID != "proc_2" {
		t.Errorf("%+v", d)
	}
	if res := y.as("s1", "terminal", map[string]any{"command": "sleep 300", "background": true, "timeout": 1}); !res.OK {
		t.Errorf("%+v", res)
	}
	if d := y.notice(); !strings.Contains(d.Words, "timed out after 1s") || d.Observed {
		t.Errorf("%+v", d)
	}
}

// TestJobs_splitSecret polls while a secret is only half printed.
func TestJobs_splitSecret(t *testing.T) {
	t.Parallel()
	y := openYard(t, nil)
	y.reg = tools.New(tools.Options{Home: y.home, Yolo: true, Redactor: hideSecret{}}, y.Tools()...)
	y.start(`printf 'ready\nkey hunter2-'; read -r x; printf 'secret end\n'; read -r x; printf 'name? '; read -r x; printf 'sure?'; read -r x`)
	all := y.until("proc_1", "running")
	next := func(want string) {
		t.Helper()
		y.process("write", "proc_1", "data", "\n")
		all += y.until("proc_1", want)
	}
	next("end")
	next("name? ")
	next("sure?") // ends in no blank but in a question mark
	if strings.Contains(all, "hunter2") || !strings.Contains(all, "[redacted]") {
		t.Errorf("%s", all)
	}
}

type hideSecret struct{}

func (hideSecret) Redact(s string) string {
	return strings.ReplaceAll(s, "hunter2-secret", "[redacted]")
}

// TestJobs_whenHostile floods, forks and ignores TERM.
func TestJobs_whenHostile(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"floods":       `exec yes`,
		"ignores TERM": `echo $$; trap "" TERM; while :; do sleep 300; done`,
		"forks":        `trap "" TERM; while :; do (while :; do sleep 300 & sleep 0.005; done) & sleep 0.05; done`,
		"never reads":  `echo $$; exec sleep 300`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := openYard(t, nil)
			y.start(command)
			pid := y.find("s1", "proc_1").group.id
			if name == "floods" {
				y.flooded()
			}
			if name == "never reads" {
				if res := y.process("write", "proc_1", "data", strings.Repeat("x", maxData+1)); res.OK {
					t.Errorf("%+v", res)
				}
			}
			if res := y.process("kill", "proc_1"); !res.OK || len(res.Content) > 4*pollLimit || !strings.Contains(res.Content, "killed by signal") {
				t.Errorf("%.300q", res.Content)
			}
			gone(t, pid)
			if d := y.notice(); !d.Observed {
				t.Errorf("%+v", d)
			}
		})
	}
}

// flooded waits for a lot of output and checks that it is bounded.
func (y *yard) flooded() {
	y.t.Helper()
	j := y.find("s1", "proc_1")
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for from := j.out.seen(); j.out.seen() < from+10_000_000; {
		<-poll.C
	}
	j.out.mu.Lock()
	kept, room := j.out.points, cap(j.out.tail)
	j.out.mu.Unlock()
	if kept > jobTail+jobTail/4 || room > 8*jobTail {
		y.t.Errorf("%d characters kept in %d bytes", kept, room)
	}
	if res := y.process("poll", "proc_1"); len(res.Content) > pollLimit+500 || !strings.HasPrefix(res.Content, "[...]\n") || !strings.Contains(res.Content, "the log is in ") {
		y.t.Errorf("%d bytes: %.200q", len(res.Content), res.Content)
	}
	if info, err := os.Stat(j.out.file()); err != nil || info.Size() > tools.SpillLimit+100 || info.Mode().Perm() != 0o600 {
		y.t.Errorf("%v %v", info, err)
	}
}

func TestJobs_limits(t *testing.T) {
	t.Parallel()
	y := openYard(t, nil)
	for range keptJobs + 6 {
		y.start(`true`)
		y.notice()
	}
	if n := len(y.listJobs("s1")); n != keptJobs {
		t.Errorf("%d finished jobs kept", n)
	}
	var pids []int
	for range maxJobs {
		res := y.start(`echo $$; exec sleep 300`)
		if !res.OK {
			t.Fatalf("%+v", res)
		}
		pids = append(pids, firstNumber(t, res.Content))
	}
	if res := y.start(`true`); res.OK || !strings.Contains(res.Content, "16 background jobs run already") {
		t.Errorf("%+v", res)
	}
	if err := y.Close(); err != nil {
		t.Error(err)
	}
	for _, p := range pids {
		gone(t, p)
	}
	select {
	case d := <-y.done:
		t.Errorf("a notice after the end: %+v", d)
	default:
	}
	if res := y.start(`true`); res.OK {
		t.Errorf("started after the end: %+v", res)
	}
}

// TestJobs_input sends a shell what it would not be allowed to run, also in pieces.
func TestJobs_input(t *testing.T) {
	t.Parallel()
	y := openYard(t, nil)
	y.reg = tools.New(tools.Options{Home: y.home}, y.Tools()...) // nobody to ask
	denied := func(id, data string) bool {
		t.Helper()
		res := y.process("write", id, "data", data)
		return res.Detail != nil && res.Detail.Denied
	}
	y.start(`bash`)
	for _, c := range []struct {
		data   string
		denied bool
	}{
		{"rm -rf /\n", true},
		{"echo hi\n", false},
		{"rm -rf ", false},
		{"/\n", true},
		{"src\n", true},
		{"build\n", false},
		{"cd ..; X=1\n", false},
		{"echo x > y\n", true},
		{"if true; then\n", true},
		{"git push --force\n", true},
	} {
		if got := denied("proc_1", c.data); got != c.denied {
			t.Errorf("%q: denied %v", c.data, got)
		}
	}
	y.start(`cat > notes.txt`)
	if denied("proc_2", "rm -rf /\n") {
		t.Error("data was taken for a command")
	}
	for i, c := range []string{`python3 -i`, `env FOO=1 sh`, `ssh nowhere.invalid`, `docker exec -i x sh`, `true | bash`} {
		s := y.judge.scan(c, y.root)
		if s.feed() == feedText {
			t.Errorf("%d: what %s reads counts as data", i, c)
		}
	}
	for _, c := range []string{`cat`, `npm init`, `bash run.sh`, `python3 app.py`, `sh -c 'cat'`, `go run .`} {
		if y.judge.scan(c, y.root).feed() != feedText {
			t.Errorf("what %s reads counts as code", c)
		}
	}
}

func TestTerminal_undo(t *testing.T) {
	t.Parallel()
	var store *undo.Store
	b := open(t, nil)
	store = undo.New(b.home, 0)
	b.opts.Keeper = store
	put := func(name, content string) {
		t.Helper()
		p := filepath.Join(b.root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	state := func() string {
		out, err := exec.Command("sh", "-c", `cd "$1" && find . -type f -not -path './.git/*' | sort | while read -r f; do printf '%s=' "$f"; cat "$f"; printf ' '; done`, "sh", b.root).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(strings.TrimSpace(string(out)), "./", "")
	}
	for i, command := range []string{
		`rm a`, `rm -rf src`, `rm *.txt src/?`, `mv a b`, `mv a src`, `mv src moved`, `cp a new`, `cp -r src copy`, `cp a src/y`, `sed -i s/1/2/ a src/deep/x`, `echo 9 > a`,
		`echo 9 >> src/deep/x`, `truncate -s 0 a`, `cd src && rm deep/x && echo n > n`, `tee a src/t < b.txt`, `dd if=b.txt of=a status=none`, `find src -name x -delete; rm a`,
		`sh -c 'rm a; echo 1 > c'`, `for f in a b.txt; do echo 7 > $f; done`, `ln -sf b.txt a`, `mkdir -p x/y && echo 1 > x/y/z`,
	} {
		for _, d := range []string{"a", "b.txt", "src/deep/x", "src/y"} {
			_ = os.RemoveAll(filepath.Join(b.root, d))
		}
		_ = os.RemoveAll(b.root)
		put("a", "1")
		put("b.txt", "t")
		put("src/deep/x", "1")
		put("src/y", "y")
		before := state()
		run := fmt.Sprint("r", i)
		raw, err := json.Marshal(map[string]any{"command": command, "workdir": b.root})
		if err != nil {
			t.Fatal(err)
		}
		res := b.reg.Run(t.Context(), core.ToolCall{ID: "c1", Name: "terminal", Arguments: string(raw)}, core.ToolRun{SessionID: "s1", RunID: run})
		if !res.OK || state() == before {
			t.Errorf("%s: %+v", command, res)
		}
		r, err := store.Undo(t.Context(), "s1", false, run)
		if err != nil {
			t.Error(err)
		}
		if command == `find src -name x -delete; rm a` { // what find finds is not named
			continue
		}
		if diff := cmp.Diff(before, state()); diff != "" {
			t.Errorf("%s: %s\n%+v", command, diff, r.Files)
		}
		for _, f := range r.Files {
			if f.Action == undo.Kept {
				t.Errorf("%s: %+v", command, f)
			}
		}
	}
}

// TestTerminal_undoGit brings back what git threw away.
func TestTerminal_undoGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for _, command := range []string{`git reset -q --hard`, `git checkout -q -- .`, `git clean -qfd && git restore a`, `git -C sub reset -q --hard && git clean -qfd`, `git stash -qu`} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil)
			store := undo.New(b.home, 0)
			set := `git init -q . && git config user.email a@b && git config user.name n && echo 1 > a && echo 1 > sub/b && git add -A && git commit -qm x && echo mine > a && echo mine > sub/b && echo new > new`
			if res := b.do(t, set); !res.OK {
				t.Fatal(res.Content)
			}
			b.opts.Keeper = store
			if res := b.do(t, command); !res.OK {
				t.Fatal(res.Content)
			}
			if _, err := store.Undo(t.Context(), "s1", false, ""); err != nil {
				t.Fatal(err)
			}
			if res := b.do(t, `cat a sub/b new`); !strings.HasPrefix(res.Content, "mine\nmine\nnew\n") {
				t.Errorf("%s", res.Content)
			}
		})
	}
}

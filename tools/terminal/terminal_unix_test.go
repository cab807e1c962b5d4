//go:build unix

package terminal

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/tools"
)

// bench is a terminal in a working folder with a home beside it.
type bench struct {
	*Terminal

	root string
	home home.Home
	reg  *tools.Registry
}

func open(t *testing.T, change func(*Options)) bench {
	t.Helper()
	top, err := home.ResolvePath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := bench{root: filepath.Join(top, "work"), home: home.At(filepath.Join(top, "home"))}
	if err := os.MkdirAll(filepath.Join(b.root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := tools.NewWorkdir(b.root)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{
		Home: b.home, Workdir: dir, Policy: tools.NewPolicy(b.home, b.root), Spills: tools.NewSpills(b.home, nil), Grace: 300 * time.Millisecond,
	}
	if change != nil {
		change(&opts)
	}
	b.Terminal = New(opts)
	b.reg = tools.New(tools.Options{Home: b.home, Yolo: true}, b.Terminal)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b bench) call(ctx context.Context, t *testing.T, args map[string]any, output func(string)) core.ToolResult {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return b.reg.Run(ctx, core.ToolCall{ID: "c1", Name: "terminal", Arguments: string(raw)}, core.ToolRun{SessionID: "s1", Output: output})
}

func (b bench) do(t *testing.T, command string) core.ToolResult {
	t.Helper()
	return b.call(t.Context(), t, map[string]any{"command": command}, nil)
}

// gone waits until no member of the process group runs.
func gone(t *testing.T, pgid int) {
	t.Helper()
	g := &group{id: pgid}
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(5 * time.Second); g.alive(); <-poll.C {
		if time.Now().After(deadline) {
			t.Errorf("process group %d still runs", pgid)
			return
		}
	}
}

// firstNumber is the process group a test command printed with "echo $$".
func firstNumber(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.Fields(s + " ?")[0])
	if err != nil {
		t.Fatalf("no process id in %q", s)
	}
	return n
}

// TestOpenTF01 is case OPEN-TF-01: a background child keeps the pipe open, and its relatives.
func TestOpenTF01(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command string
		want    string
	}{
		"background child":        {`echo $$; sleep 300 & echo done`, "done"},
		"one that ignores TERM":   {`echo $$; (trap "" TERM; sleep 300) & echo x`, "x"},
		"reads its input":         {`echo $$; cat; echo end`, "end"},
		"prompts for a password":  {`echo $$; read -p pw: x; echo "got=$x"`, "got="},
		"child writes to no end":  {`echo $$; (while :; do echo y; sleep 0.01; done) & echo started`, "started"},
		"child closed its output": {`echo $$; sleep 300 >/dev/null 2>&1 & echo quiet`, "quiet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil)
			start := time.Now()
			res := b.do(t, c.command)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("took %s", took)
			}
			if !res.OK || !strings.Contains(res.Content, c.want) || *res.Detail.ExitCode != 0 {
				t.Errorf("result %+v", res)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			gone(t, firstNumber(t, res.Content))
		})
	}
}

func TestOpenTF01_whenTimedOut(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"ignores TERM":         `echo $$; trap "" TERM; while :; do sleep 300; done`,
		"its child ignores it": `echo $$; (trap "" TERM; sleep 300) & wait`,
		"plain":                `echo $$; sleep 300`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil)
			start := time.Now()
			res := b.call(t.Context(), t, map[string]any{"command": command, "timeout": 1}, nil)
			if took := time.Since(start); took < time.Second || took > 4*time.Second {
				t.Errorf("took %s", took)
			}
			if res.OK || !strings.Contains(res.Content, "timed out after 1s") {
				t.Errorf("result %+v", res)
			}
			gone(t, firstNumber(t, res.Content))
		})
	}
}

func TestOpenTF01_whenFlooded(t *testing.T) {
	b := open(t, nil) // not parallel: it looks at the memory of the process
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	pieces := 0
	start := time.Now()
	res := b.call(t.Context(), t, map[string]any{"command": `yes | head -c 50000000`}, func(string) { pieces++ })
	took := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
	if !res.OK || len(res.Content) > tools.OutputLimit || !strings.HasPrefix(res.Content, "y\ny\n") || !strings.Contains(res.Content, "characters left out") {
		t.Errorf("%d bytes: %.80q", len(res.Content), res.Content)
	}
	if kept := 50_000_000 - res.Detail.Cut; kept < 40_000 || kept > tools.OutputLimit {
		t.Errorf("cut %d", res.Detail.Cut)
	}
	if limit := 31*int(took/time.Second+1) + 5; pieces > limit {
		t.Errorf("%d live pieces in %s", pieces, took)
	}
	info, err := os.Stat(res.Detail.Spill)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() < tools.SpillLimit || info.Size() > tools.SpillLimit+100 {
		t.Errorf("spill %v %v", info, err)
	}
}

func TestOpenTF01_whenCancelled(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		`echo $$; sleep 300 & echo done; wait`, `echo $$; (trap "" TERM; sleep 300) & wait`, `echo $$; trap "" TERM; while :; do sleep 300; done`,
		`echo $$; yes`, `echo $$; cat <(sleep 300)`,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var once sync.Once
			start := time.Now()
			res := b.call(ctx, t, map[string]any{"command": command}, func(string) { once.Do(func() { start = time.Now(); cancel() }) })
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("took %s to stop", took)
			}
			if res.OK || res.Detail == nil || !res.Detail.Aborted || !strings.Contains(res.Content, "interrupted") {
				t.Errorf("result %+v", res)
			}
			gone(t, firstNumber(t, res.Content))
		})
	}
}

// TestGroup_whenNumberIsReused spares a stranger that has got the number of an ended group.
func TestGroup_whenNumberIsReused(t *testing.T) {
	t.Parallel()
	stranger := exec.Command("sleep", "300")
	stranger.SysProcAttr = ownGroup()
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	g := newGroup(stranger)
	g.leave() // as if its leader had been another one
	if g.end(time.Second); g.alive() || syscall.Kill(stranger.Process.Pid, 0) != nil {
		t.Error("the stranger was ended, or counted as ours")
	}
	ours := newGroup(stranger)
	go func() { _ = stranger.Wait() }()
	ours.end(time.Second)
	gone(t, ours.id)
}

func TestTerminal_endings(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	for command, c := range map[string]struct {
		code  int
		words string
	}{
		`true`:                             {0, "exit code 0"},
		`exit 3`:                           {3, "exit code 3"},
		`no-such-program-x`:                {127, "was not found"},
		`kill -KILL $$`:                    {137, "killed by signal SIGKILL (forced"},
		`bash -c 'kill -SEGV $$'; exit $?`: {139, "ended by signal SIGSEGV (the program crashed)"},
		`if true; then`:                    {2, "exit code 2"},
		`echo out; echo err >&2`:           {0, "out\nerr\n"},
		"cat <<EOF\nheld\nEOF":             {0, "held\n"},
		`trap 'echo bye' EXIT`:             {0, "bye\n"},
		`exec true`:                        {0, "exit code 0"},
	} {
		res := b.do(t, command)
		if *res.Detail.ExitCode != c.code || !strings.Contains(res.Content, c.words) || res.OK != (c.code == 0) {
			t.Errorf("%s: %+v (exit %d)", command, res, *res.Detail.ExitCode)
		}
	}
}

func TestTerminal_folder(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	if res := b.do(t, `cd sub && exit 4`); !strings.Contains(res.Content, "working folder is now "+filepath.Join(b.root, "sub")) {
		t.Errorf("move not told: %s", res.Content)
	}
	if res := b.do(t, `pwd`); !strings.HasPrefix(res.Content, filepath.Join(b.root, "sub")+"\n") {
		t.Errorf("folder not carried over: %s", res.Content)
	}
	if res := b.call(t.Context(), t, map[string]any{"command": "cd /; pwd", "workdir": b.root}, nil); !strings.HasPrefix(res.Content, "/\n") {
		t.Errorf("workdir: %s", res.Content)
	}
	if got := b.opts.Workdir.Dir(); got != filepath.Join(b.root, "sub") {
		t.Errorf("workdir of one call moved the session to %s", got)
	}
	b.do(t, `cd .. && rmdir sub`)
	if res := b.do(t, `mkdir gone && cd gone && rmdir ../gone`); !res.OK {
		t.Errorf("%+v", res)
	}
	if res := b.do(t, `pwd`); !strings.HasPrefix(res.Content, b.root+"\n") {
		t.Errorf("after the folder went away: %s", res.Content)
	}
	if v := b.Guard(t.Context(), core.ToolRun{Arguments: json.RawMessage(`{"command":"rm -rf /","workdir":"nowhere"}`)}); v.Run == nil {
		t.Error("a call that cannot be judged could run later")
	}
	if res := b.call(t.Context(), t, map[string]any{"command": "ls", "workdir": "nowhere"}, nil); res.OK || !strings.Contains(res.Content, "not a folder") {
		t.Errorf("%+v", res)
	}
}

func TestTerminal_environment(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *Options) {
		o.Passthrough = []string{"WANTED_TOKEN"}
		o.Environ = []string{"PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=k", "WANTED_TOKEN=w", "GITHUB_TOKEN=g", "PLAIN=p", "TERM=xterm", "HERMES_AGENT=other", "BASH_ENV=/nowhere"}
	})
	res := b.do(t, `env`)
	for want, present := range map[string]bool{
		"HERMES_AGENT=s1\n": true, "HERMES_AGENT=other": false, "OPENAI_API_KEY": false, "GITHUB_TOKEN": false, "WANTED_TOKEN=w\n": true, "PLAIN=p\n": true,
		"TERM=dumb\n": true, "BASH_ENV": false, "HERMES_HOME=" + b.home.Dir(): true,
	} {
		if strings.Contains(res.Content, want) != present {
			t.Errorf("%s: present %v\n%s", want, !present, res.Content)
		}
	}
}

// TestTerminal_ownSession: a command has no terminal, so a prompt for a password fails at once.
func TestTerminal_ownSession(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc to look into")
	}
	b := open(t, nil)
	f := strings.Fields(b.do(t, `cat /proc/$$/stat`).Content)
	if len(f) < 7 || f[5] != f[0] || f[4] != f[0] || f[6] != "0" {
		t.Errorf("process, group, session, terminal: %v", f[:min(len(f), 7)])
	}
	if res := b.do(t, `read -r x < /dev/tty; echo "$?"; ssh -o BatchMode=no x@invalid.invalid true; echo over`); !strings.Contains(res.Content, "over") || strings.HasPrefix(res.Content, "0") {
		t.Errorf("%s", res.Content)
	}
}

func TestTerminal_live(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	var live strings.Builder
	seen := make(chan struct{})
	var once sync.Once
	fifo := filepath.Join(b.root, "go")
	go func() { // the command goes on only after its first line was seen live
		<-seen
		_ = os.WriteFile(fifo, nil, 0o600)
	}()
	res := b.call(t.Context(), t, map[string]any{"command": `echo first é; while [ ! -e go ]; do sleep 0.02; done; printf 'last\xc3'`}, func(s string) {
		live.WriteString(s)
		once.Do(func() { close(seen) })
	})
	if !res.OK || live.String() != "first é\nlast\uFFFD" {
		t.Errorf("live %q, result %+v", live.String(), res)
	}
}

func TestTerminal_guarded(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	if res := b.do(t, `rm -rf /`); res.OK || res.Detail == nil || !res.Detail.Denied {
		t.Errorf("the floor does not hold with yolo: %+v", res)
	}
	strict := tools.New(tools.Options{Home: b.home}, b.Terminal)
	res := strict.Run(t.Context(), core.ToolCall{ID: "c", Name: "terminal", Arguments: `{"command":"echo x > ../y"}`}, core.ToolRun{SessionID: "s"})
	if _, err := os.Stat(filepath.Join(b.root, "../y")); err == nil || !res.Detail.Denied {
		t.Errorf("ran without approval: %+v", res)
	}
}

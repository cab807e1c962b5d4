package terminal

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
	"hermes/tools"
)

//go:embed terminal.md
var description string

const (
	// DefaultTimeout is the time limit of a command that names none.
	DefaultTimeout = 180 * time.Second
	// MaxTimeout is the longest a command may ask for.
	MaxTimeout = 600 * time.Second

	defaultGrace = 2 * time.Second
)

// Options configures the tool. Home, Workdir and Policy are required.
type Options struct {
	Home        home.Home
	Workdir     *tools.Workdir
	Policy      tools.Policy
	Spills      *tools.Spills // keeps output that does not fit in memory; nil keeps none
	Timeout     time.Duration // default limit of a command; 0 is DefaultTimeout
	Grace       time.Duration // between TERM and KILL; 0 is 2 s
	Deny        []string      // approvals.deny
	Passthrough []string      // terminal.env_passthrough
	Environ     []string      // the environment commands inherit; nil is that of the process
	// Granted are further variables ("NAME=value") that the commands of a session may see, because the person
	// agreed; nil grants none.
	Granted func(session string) []string
	Keeper  tools.Keeper // keeps copies for undo; nil keeps none
	// OnDone hears of every background job that ends while the terminal is open, from a goroutine of its
	// own. nil hears nothing.
	OnDone func(JobDone)
}

// Terminal is the tool. It is safe for concurrent use; Close ends what commands left running.
type Terminal struct {
	opts  Options
	judge *Judge
	spec  core.ToolSpec

	jobs jobs

	mu     sync.Mutex
	left   []*group // groups that outlived their command
	closed bool
}

var (
	_ core.Tool     = (*Terminal)(nil)
	_ tools.Guarded = (*Terminal)(nil)
)

// New returns the terminal tool.
func New(opts Options) *Terminal {
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultTimeout
	}
	opts.Timeout = min(opts.Timeout, MaxTimeout)
	if opts.Grace <= 0 {
		opts.Grace = defaultGrace
	}
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	return &Terminal{
		opts: opts, judge: NewJudge(opts.Policy, opts.Deny),
		spec: core.ToolSpec{
			Name:        "terminal",
			Description: strings.TrimSpace(strings.ReplaceAll(description, "{timeout}", strconv.Itoa(int(opts.Timeout.Seconds())))),
			Parameters: json.RawMessage(`{"type":"object","properties":{` +
				`"command":{"type":"string","description":"The shell command to run."},` +
				`"timeout":{"type":"integer","description":"Time limit in seconds.","minimum":1,"maximum":600},` +
				`"background":{"type":"boolean","description":"Start it as a job that goes on after the call; follow it with process."},` +
				`"workdir":{"type":"string","description":"Folder to run in, for this call only; default is the current working folder."}` +
				`},"required":["command"],"additionalProperties":false}`),
		},
	}
}

// Spec describes the tool.
func (t *Terminal) Spec() core.ToolSpec { return t.spec }

type arguments struct {
	Command    string `json:"command"`
	Timeout    int    `json:"timeout"`
	Workdir    string `json:"workdir"`
	Background bool   `json:"background"`
}

// parse reads the checked arguments; dir is the folder the command runs in.
func (t *Terminal) parse(run core.ToolRun) (a arguments, dir string, err error) {
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return a, "", fmt.Errorf("read arguments: %w", err)
	}
	dir = t.opts.Workdir.Dir()
	if a.Workdir != "" {
		if dir, err = t.opts.Workdir.Resolve(a.Workdir); err != nil {
			return a, "", fmt.Errorf("workdir: %w", err)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return a, "", fmt.Errorf("workdir %s is not a folder", a.Workdir)
		}
	}
	return a, dir, nil
}

// Guard judges the command in the folder it would run in.
func (t *Terminal) Guard(_ context.Context, run core.ToolRun) tools.Verdict {
	a, dir, err := t.parse(run)
	if err != nil {
		return tools.Unable(tools.Fail("terminal was not run: " + err.Error() + "."))
	}
	s := t.judge.scan(a.Command, dir)
	v := s.verdict(a.Command, dir)
	if v.Action != tools.ActionDeny {
		v.Run = func(ctx context.Context, run core.ToolRun) core.ToolResult { return t.execute(ctx, run, a, dir, s) }
	}
	return v
}

// Run executes the command without judging it; the registry has.
func (t *Terminal) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	a, dir, err := t.parse(run)
	if err != nil {
		return tools.Fail("terminal was not run: " + err.Error() + ".")
	}
	return t.execute(ctx, run, a, dir, t.judge.scan(a.Command, dir))
}

func (t *Terminal) execute(ctx context.Context, run core.ToolRun, a arguments, dir string, s *scan) core.ToolResult {
	if strings.TrimSpace(a.Command) == "" {
		return tools.Fail("terminal was not run: the command is empty.")
	}
	if strings.ContainsRune(a.Command, 0) {
		return tools.Fail("terminal was not run: the command holds a NUL character.")
	}
	if a.Background {
		return t.background(ctx, run, a, dir, s)
	}
	settle, note := t.keep(ctx, run, s.touched)
	limit := t.opts.Timeout
	if a.Timeout > 0 {
		limit = min(time.Duration(a.Timeout)*time.Second, MaxTimeout)
	}
	out := newCapture(run.Output, func() (*tools.Spill, error) {
		if t.opts.Spills == nil {
			return nil, nil
		}
		return t.opts.Spills.Open(run.SessionID, run.CallID)
	})
	e := execution{
		command: a.Command, dir: dir, env: t.environ(run.SessionID), limit: limit, grace: t.opts.Grace, out: out,
	}
	end := e.run(ctx)
	if end.group != nil {
		t.adopt(end.group)
	}
	if end.dir != "" && a.Workdir == "" {
		t.opts.Workdir.Move(end.dir)
	}
	if err := settle(); err != nil && note == "" {
		note = "undo may not know what this command changed: " + err.Error()
	}
	return t.result(end, out, dir, a.Workdir == "", note)
}

// result tells the model how the command ended and the person in one line.
func (t *Terminal) result(end ending, out *capture, before string, carries bool, note string) core.ToolResult {
	body, cut, spill := out.text(tools.OutputLimit - 2_000) // room for the lines below
	notes := []string{end.words}
	if now := t.opts.Workdir.Dir(); carries && now != before {
		notes = append(notes, "working folder is now "+now)
	}
	if end.group != nil {
		notes = append(notes, fmt.Sprintf("still running in the background (process group %d)", end.group.id))
	}
	if spill != "" {
		notes = append(notes, "full output in "+spill)
	}
	if note != "" {
		notes = append(notes, note)
	}
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	detail := &core.ToolDetail{Summary: end.words + " in " + seconds(end.took), Cut: cut, Spill: spill, Aborted: end.aborted}
	if end.started {
		code := end.code
		detail.ExitCode = &code
	}
	return core.ToolResult{
		OK:      end.started && end.code == 0 && !end.timedOut && !end.aborted,
		Content: body + "[" + strings.Join(notes, "; ") + "; " + seconds(end.took) + "]",
		Detail:  detail,
	}
}

func seconds(d time.Duration) string {
	if d >= 10*time.Second {
		return text.Thousands(int(d.Seconds())) + " s"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// adopt remembers a group that outlived its command, for Close.
func (t *Terminal) adopt(g *group) {
	t.mu.Lock()
	closed := t.closed
	if !closed {
		t.left = append(t.left, g)
	}
	t.mu.Unlock()
	if closed {
		g.end(t.opts.Grace)
	}
}

// Close ends background jobs and what commands left running: TERM, then KILL after the grace.
func (t *Terminal) Close() error {
	t.mu.Lock()
	left := t.left
	t.left, t.closed = nil, true
	t.mu.Unlock()
	t.closeJobs()
	var wg sync.WaitGroup
	for _, g := range left {
		wg.Go(func() { g.end(t.opts.Grace) })
	}
	wg.Wait()
	return nil
}

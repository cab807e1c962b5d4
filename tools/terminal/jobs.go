package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/text"
	"hermes/tools"
)

const (
	// maxJobs is how many jobs may run at once.
	maxJobs = 16
	// keptJobs is how many finished jobs are remembered.
	keptJobs = 64

	// firstLook is how long a new job is watched, so that one that fails at once is told at once.
	firstLook = 250 * time.Millisecond
	// doneTail is how much of a job's output comes with the notice of its end, in code points.
	doneTail = 2_000
)

// JobDone tells that a background job has ended.
type JobDone struct {
	ID        string
	SessionID string
	RunID     string // the turn that started it
	Command   string
	Code      int    // exit code; 128 + signal for a signal death
	Words     string // how it ended
	Tail      string // the newest output, redacted
	Took      time.Duration
	// Observed says that the agent was told already: it waited for the end or ended the job itself.
	Observed bool
}

// job is one background command.
type job struct {
	id      string
	run     core.ToolRun
	command string
	dir     string
	started time.Time
	group   *group
	out     *jobOutput
	feeds   feed
	done    chan struct{} // closed once end is set

	mu       sync.Mutex
	end      ending
	stdin    *os.File // nil once closed
	typed    string   // all that was written to stdin
	polled   int      // bytes of output that were shown
	observed bool
	stopping bool // end was asked for
}

// jobs are the background commands of a terminal.
type jobs struct {
	mu     sync.Mutex
	list   []*job // in the order of their start
	count  int
	closed bool
}

var (
	errTooMany = fmt.Errorf("%d background jobs run already; end one with process first", maxJobs)
	errClosed  = errors.New("the session is ending")
)

// startJob starts a command in the background. The context of the call does not end it.
func (t *Terminal) startJob(run core.ToolRun, a arguments, dir string, feeds feed, settle func() error) (*job, error) {
	t.jobs.mu.Lock()
	defer t.jobs.mu.Unlock()
	running := 0
	for _, j := range t.jobs.list {
		if !j.ended() {
			running++
		}
	}
	switch {
	case t.jobs.closed:
		return nil, errClosed
	case running >= maxJobs:
		return nil, errTooMany
	}
	var log *tools.Spill
	if t.opts.Spills != nil {
		log, _ = t.opts.Spills.Open(run.SessionID, run.CallID) // without a log the tail is still there
	}
	j := &job{
		run: run, command: a.Command, dir: dir, started: time.Now(), out: newJobOutput(log), feeds: feeds, done: make(chan struct{}),
	}
	e := execution{command: a.Command, dir: dir, env: t.environ(run.SessionID), input: true}
	cmd, read, stdin, err := e.start("")
	if err != nil {
		j.out.finish()
		return nil, err
	}
	t.jobs.count++
	j.id = fmt.Sprintf("proc_%d", t.jobs.count)
	j.group, j.stdin = newGroup(cmd), stdin
	t.jobs.list = append(t.jobs.list, j)
	go t.supervise(j, cmd, read, time.Duration(a.Timeout)*time.Second, settle)
	return j, nil
}

// supervise waits for a job's end; limit 0 is none.
func (t *Terminal) supervise(j *job, cmd *exec.Cmd, read *os.File, limit time.Duration, settle func() error) {
	drained := drain(read, j.out)
	waited := make(chan error, 1)
	go func() { waited <- cmd.Wait() }()
	var timer <-chan time.Time
	if limit > 0 {
		tm := time.NewTimer(limit)
		defer tm.Stop()
		timer = tm.C
	}
	end := ending{started: true}
	var err error
	select {
	case err = <-waited:
	case <-timer:
		end.timedOut = true
		j.group.end(t.opts.Grace)
		err = <-waited
	}
	stopDrain(read, drained, j.out)
	j.out.finish()
	end.took = time.Since(j.started)
	end.code, end.words = explain(cmd, err)
	if end.timedOut {
		end.words = fmt.Sprintf("timed out after %s and was ended", limit)
	}
	rest := &group{}
	*rest = *j.group // j.group is read by others
	rest.leave()
	if rest.alive() {
		end.group = rest
		end.words += fmt.Sprintf(", children still run (process group %d)", j.group.id)
		t.adopt(rest)
	}
	_ = settle() // the keeper's trouble is not the job's
	j.closeInput()
	j.mu.Lock()
	j.end = end
	observed := j.observed || j.stopping
	j.mu.Unlock()
	close(j.done)
	t.ended(j, end, observed)
}

// ended forgets old jobs and tells that j has ended, unless everything ends.
func (t *Terminal) ended(j *job, end ending, observed bool) {
	t.jobs.mu.Lock()
	closed := t.jobs.closed
	finished := 0
	for _, o := range slices.Backward(t.jobs.list) {
		if o.ended() {
			if finished++; finished > keptJobs {
				t.jobs.list = slices.DeleteFunc(t.jobs.list, func(x *job) bool { return x == o })
			}
		}
	}
	t.jobs.mu.Unlock()
	if closed || t.opts.OnDone == nil {
		return
	}
	tail, _, _ := j.out.since(0, doneTail, false)
	if t.opts.Spills != nil {
		tail = t.opts.Spills.Redact(tail)
	}
	t.opts.OnDone(JobDone{
		ID: j.id, SessionID: j.run.SessionID, RunID: j.run.RunID, Command: j.command, Code: end.code, Words: end.words, Tail: tail, Took: end.took,
		Observed: observed,
	})
}

func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// stop ends a job: TERM, then KILL after grace. It returns when it is over or wait has passed.
func (j *job) stop(grace time.Duration) bool {
	j.mu.Lock()
	j.stopping = true
	j.mu.Unlock()
	j.group.end(grace)
	select {
	case <-j.done:
		return true
	case <-time.After(2*grace + lingers*linger):
		return false
	}
}

func (j *job) closeInput() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stdin != nil {
		_ = j.stdin.Close() // nobody reads it any more, or the end is what is wanted
		j.stdin = nil
	}
}

// find returns a session's job.
func (t *Terminal) find(session, id string) *job {
	t.jobs.mu.Lock()
	defer t.jobs.mu.Unlock()
	for _, j := range t.jobs.list {
		if j.id == id && j.run.SessionID == session {
			return j
		}
	}
	return nil
}

// Observed reports whether the agent of a session has been told by a tool result that a job ended. A
// notice that waited for its turn is not needed then.
func (t *Terminal) Observed(session, id string) bool {
	j := t.find(session, id)
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.observed || j.stopping
}

// listJobs returns a session's jobs, running ones first, newest first.
func (t *Terminal) listJobs(session string) []*job {
	t.jobs.mu.Lock()
	defer t.jobs.mu.Unlock()
	var out []*job
	for _, j := range slices.Backward(t.jobs.list) {
		if j.run.SessionID == session {
			out = append(out, j)
		}
	}
	slices.SortStableFunc(out, func(a, b *job) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

func rank(j *job) int {
	if j.ended() {
		return 1
	}
	return 0
}

// status is one line about a job.
func (j *job) status() string {
	if !j.ended() {
		return fmt.Sprintf("%s: running for %s", j.id, seconds(time.Since(j.started)))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return fmt.Sprintf("%s: %s; ran %s", j.id, j.end.words, seconds(j.end.took))
}

// closeJobs ends every job.
func (t *Terminal) closeJobs() {
	t.jobs.mu.Lock()
	t.jobs.closed = true
	list := slices.Clone(t.jobs.list)
	t.jobs.mu.Unlock()
	var wg sync.WaitGroup
	for _, j := range list {
		if !j.ended() {
			wg.Go(func() { j.stop(t.opts.Grace) })
		}
	}
	wg.Wait()
}

// background starts a job and tells the model how to follow it.
func (t *Terminal) background(ctx context.Context, run core.ToolRun, a arguments, dir string, s *scan) core.ToolResult {
	settle, note := t.keep(ctx, run, s.touched)
	j, err := t.startJob(run, a, dir, s.feed(), settle)
	if err != nil {
		_ = settle() // nothing ran
		return tools.Fail("terminal was not run: " + err.Error() + ".")
	}
	look := time.NewTimer(firstLook)
	defer look.Stop()
	select {
	case <-j.done:
		j.mu.Lock()
		j.observed = true
		j.mu.Unlock()
	case <-look.C:
	case <-ctx.Done():
	}
	out, shown, _ := j.out.since(0, doneTail, !j.ended())
	j.mu.Lock()
	j.polled = shown
	j.mu.Unlock()
	if out != "" && out[len(out)-1] != '\n' {
		out += "\n"
	}
	notes := j.status() + "; follow it with process"
	if note != "" {
		notes += "; " + note
	}
	res := core.ToolResult{OK: true, Content: out + "[" + notes + "]", Detail: &core.ToolDetail{Summary: "started " + j.id + ": " + text.FirstLine(a.Command, 60)}}
	if j.ended() {
		code := j.end.code
		res.OK, res.Detail.ExitCode, res.Detail.Summary = code == 0, &code, j.id+": "+j.end.words
	}
	return res
}

package terminal

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/text"
	"hermes/tools"
)

//go:embed process.md
var processText string

const (
	defaultWait  = 60 * time.Second
	defaultLines = 200
	maxLogLines  = 2_000
	pollLimit    = 40_000 // code points of new output a call shows
	maxData      = 64 << 10
	writeWait    = 5 * time.Second
)

// Process is the tool for the background jobs of a Terminal.
type Process struct{ t *Terminal }

var (
	_ core.Tool     = (*Process)(nil)
	_ tools.Guarded = (*Process)(nil)
)

// Process returns the tool that follows this terminal's background jobs.
func (t *Terminal) Process() *Process { return &Process{t} }

// Tools returns the toolset: terminal and process.
func (t *Terminal) Tools() []core.Tool { return []core.Tool{t, t.Process()} }

// Spec describes the tool.
func (*Process) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name:        "process",
		Description: strings.TrimSpace(processText),
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"action":{"type":"string","enum":["list","poll","log","wait","kill","write"],"description":"What to do."},` +
			`"id":{"type":"string","description":"The job, such as proc_1; not for list."},` +
			`"data":{"type":"string","description":"Text for write."},` +
			`"submit":{"type":"boolean","description":"Add a line break behind data."},` +
			`"eof":{"type":"boolean","description":"Close the job's input after writing."},` +
			`"timeout":{"type":"integer","description":"Seconds for wait.","minimum":1,"maximum":600},` +
			`"limit":{"type":"integer","description":"Lines for log; default 200.","minimum":1,"maximum":2000},` +
			`"offset":{"type":"integer","description":"Newest lines for log to leave out.","minimum":0}` +
			`},"required":["action"],"additionalProperties":false}`),
	}
}

type processArguments struct {
	Action  string `json:"action"`
	ID      string `json:"id"`
	Data    string `json:"data"`
	Submit  bool   `json:"submit"`
	EOF     bool   `json:"eof"`
	Timeout int    `json:"timeout"`
	Limit   int    `json:"limit"`
	Offset  int    `json:"offset"`
}

// parse reads the arguments and finds the job; list has none.
func (p *Process) parse(run core.ToolRun) (a processArguments, j *job, err error) {
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return a, nil, fmt.Errorf("read arguments: %w", err)
	}
	if a.Action == "list" {
		return a, nil, nil
	}
	if a.ID == "" {
		return a, nil, errors.New("the id of a job is missing")
	}
	if j = p.t.find(run.SessionID, a.ID); j == nil {
		return a, nil, fmt.Errorf("there is no job %s; list shows them", a.ID)
	}
	if a.Submit {
		a.Data += "\n"
	}
	return a, j, nil
}

// Guard judges what is written to a job; everything else is free.
func (p *Process) Guard(_ context.Context, run core.ToolRun) tools.Verdict {
	a, j, err := p.parse(run)
	if err != nil {
		return tools.Unable(tools.Fail("process: " + err.Error() + "."))
	}
	if a.Action != "write" {
		return tools.Verdict{}
	}
	j.mu.Lock()
	typed := j.typed
	j.mu.Unlock()
	v := p.t.judge.judgeInput(j, typed, a.Data)
	if v.Action != tools.ActionDeny {
		v.Run = func(context.Context, core.ToolRun) core.ToolResult { return j.write(a, typed) }
	}
	return v
}

// Run does what was asked, without judging what is written; the registry has.
func (p *Process) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	a, j, err := p.parse(run)
	if err != nil {
		return tools.Fail("process: " + err.Error() + ".")
	}
	switch a.Action {
	case "list":
		return p.list(run.SessionID)
	case "log":
		return j.log(a)
	case "wait":
		return j.wait(ctx, a)
	case "kill":
		return p.kill(j)
	case "write":
		j.mu.Lock()
		typed := j.typed
		j.mu.Unlock()
		return j.write(a, typed)
	}
	return j.poll()
}

func (p *Process) list(session string) core.ToolResult {
	list := p.t.listJobs(session)
	if len(list) == 0 {
		return core.ToolResult{OK: true, Content: "There are no background jobs."}
	}
	var b strings.Builder
	running := 0
	for _, j := range list {
		if !j.ended() {
			running++
		}
		b.WriteString(j.status() + "; " + text.FirstLine(j.command, 120) + "\n")
	}
	return core.ToolResult{OK: true, Content: strings.TrimSuffix(b.String(), "\n"), Detail: &core.ToolDetail{Summary: fmt.Sprintf("%d running, %d ended", running, len(list)-running)}}
}

// poll shows what is new.
func (j *job) poll() core.ToolResult {
	ended := j.ended() // before the output is taken, so that nothing comes behind it
	j.mu.Lock()
	out, next, lost := j.out.since(j.polled, pollLimit, !ended)
	j.polled = next
	if ended {
		j.observed = true
	}
	end := j.end
	j.mu.Unlock()
	if lost {
		out = "[...]\n" + out
	}
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	note := j.status()
	if out == "" {
		note += "; nothing new was printed"
	}
	if path := j.out.file(); path != "" && lost {
		note += "; the log is in " + path
	}
	res := core.ToolResult{OK: true, Content: out + "[" + note + "]", Detail: &core.ToolDetail{Summary: j.status()}}
	if ended {
		code := end.code
		res.Detail.ExitCode = &code
	}
	return res
}

func (j *job) log(a processArguments) core.ToolResult {
	if a.Limit == 0 {
		a.Limit = defaultLines
	}
	out, shown := j.out.lines(a.Offset, min(a.Limit, maxLogLines), !j.ended())
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	note := fmt.Sprintf("%s; %d lines", j.status(), shown)
	if path := j.out.file(); path != "" {
		note += "; the log is in " + path
	}
	return core.ToolResult{OK: true, Content: out + "[" + note + "]", Detail: &core.ToolDetail{Summary: j.status()}}
}

func (j *job) wait(ctx context.Context, a processArguments) core.ToolResult {
	limit := defaultWait
	if a.Timeout > 0 {
		limit = min(time.Duration(a.Timeout)*time.Second, MaxTimeout)
	}
	j.mu.Lock()
	before := j.observed
	j.observed = true // whoever waits is told by the answer
	j.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-j.done:
		return j.poll()
	case <-timer.C:
	case <-ctx.Done():
	}
	j.mu.Lock()
	j.observed = before
	j.mu.Unlock()
	if ctx.Err() != nil {
		return core.ToolResult{Content: "Waiting was interrupted; " + j.status() + ".", Detail: &core.ToolDetail{Aborted: true}}
	}
	return j.poll()
}

func (p *Process) kill(j *job) core.ToolResult {
	if j.ended() {
		return j.poll()
	}
	if !j.stop(p.t.opts.Grace) {
		return tools.Fail("process: " + j.id + " could not be ended; " + j.status() + ".")
	}
	return j.poll()
}

// write sends a.Data to the job's input, if nothing else was sent since it was judged.
func (j *job) write(a processArguments, judged string) core.ToolResult {
	if len(a.Data) > maxData {
		return tools.Fail("process: data is longer than 64 KB; write it to a file instead.")
	}
	j.mu.Lock()
	in := j.stdin
	switch {
	case in == nil || j.ended():
		j.mu.Unlock()
		return tools.Fail("process: the input of " + j.id + " is closed; " + j.status() + ".")
	case j.typed != judged:
		j.mu.Unlock()
		return tools.Fail("process: something else was written to " + j.id + " meanwhile; try again.")
	}
	if j.feeds != feedText {
		j.typed += a.Data
	}
	j.mu.Unlock()
	sent := make(chan error, 1)
	go func() { // a job that does not read blocks it; its end frees it
		_, err := in.WriteString(a.Data)
		sent <- err
	}()
	timer := time.NewTimer(writeWait)
	defer timer.Stop()
	select {
	case err := <-sent:
		if err != nil {
			return tools.Fail("process: " + j.id + " does not take input: " + err.Error() + ".")
		}
	case <-j.done:
	case <-timer.C:
		return tools.Fail("process: " + j.id + " does not read its input; the text is waiting.")
	}
	if a.EOF {
		j.closeInput()
	}
	return core.ToolResult{OK: true, Content: fmt.Sprintf("Wrote %d characters to %s.", text.Len(a.Data), j.id), Detail: &core.ToolDetail{Summary: "wrote to " + j.id}}
}

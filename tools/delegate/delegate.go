package delegate

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hermes/core"
	"hermes/tools"
)

//go:embed delegate_task.md
var description string

//go:embed prompt.md
var closing string

// The defaults of Options.
const (
	DefaultIterations = 50
	DefaultConcurrent = 3
)

// Options configures the tool. Runner is required.
type Options struct {
	Runner        core.Runner
	Toolsets      []string // those of the session; delegation and clarify are left out for sub-agents
	MaxIterations int      // model requests a task may ask for; 0 is DefaultIterations
	MaxConcurrent int      // sub-agents at work at the same time, over all calls; 0 is DefaultConcurrent
}

// Delegate is the delegate_task tool. It is safe for concurrent use.
type Delegate struct {
	opts  Options
	spec  core.ToolSpec
	slots chan struct{} // one token a sub-agent at work
}

var (
	_ core.Tool    = (*Delegate)(nil)
	_ tools.Capped = (*Delegate)(nil)
)

// New returns the delegate_task tool.
func New(opts Options) *Delegate {
	if opts.MaxIterations <= 0 {
		opts.MaxIterations = DefaultIterations
	}
	if opts.MaxConcurrent <= 0 {
		opts.MaxConcurrent = DefaultConcurrent
	}
	opts.Toolsets = childToolsets(opts.Toolsets)
	return &Delegate{opts: opts, spec: newSpec(opts), slots: make(chan struct{}, opts.MaxConcurrent)}
}

// childToolsets are the toolsets a sub-agent may have, sorted.
func childToolsets(all []string) []string {
	out := slices.DeleteFunc(slices.Clone(all), withheld)
	slices.Sort(out)
	return slices.Compact(out)
}

// withheld reports whether a sub-agent never gets the toolset: it must not delegate further, and the
// person answers to the agent they talk with.
func withheld(toolset string) bool { return toolset == "delegation" || toolset == "clarify" }

func newSpec(opts Options) core.ToolSpec {
	names := strings.Join(opts.Toolsets, ", ")
	if names == "" {
		names = "none"
	}
	one := `"task":{"type":"string","description":"What to do and what the report must hold."},` +
		`"context":{"type":"string","description":"What the sub-agent must know."},` +
		`"toolsets":{"type":"array","description":"Toolsets it may use.","items":{"type":"string"}},` +
		fmt.Sprintf(`"max_iterations":{"type":"integer","description":"Model requests it may make; default and most %d.","minimum":1}`, opts.MaxIterations)
	return core.ToolSpec{
		Name:        "delegate_task",
		Description: strings.TrimSpace(strings.ReplaceAll(description, "{toolsets}", names)),
		Parameters: json.RawMessage(`{"type":"object","properties":{` + one + `,` +
			`"tasks":{"type":"array","description":"Several tasks instead of one, at most 5, each with these fields.","items":{"type":"object","properties":{` +
			one + `},"required":["task"],"additionalProperties":false}}` +
			`},"additionalProperties":false}`),
	}
}

// Spec describes the tool.
func (d *Delegate) Spec() core.ToolSpec { return d.spec }

// OutputLimit is the tool's own bound and a margin for its lines: answers are cut one by one, so that
// the figures of each task stay.
func (*Delegate) OutputLimit() int { return MaxAnswers + 10_000 }

// WaitsForOthers says that sub-agents end by their own budget.
func (*Delegate) WaitsForOthers() {}

// Run runs the tasks of one call and returns when all have ended.
func (d *Delegate) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	tasks, err := d.parse(run)
	if err != nil {
		return tools.Fail("delegate_task was not run: " + strings.TrimSuffix(err.Error(), ".") + ".")
	}
	ends := make([]ending, len(tasks))
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() { ends[i] = d.work(ctx, t) })
	}
	wg.Wait()
	return report(ctx, tasks, ends)
}

// ending is how one task went. started is false when it was cancelled while waiting for its turn.
type ending struct {
	result  core.TaskResult
	err     error
	started bool
}

// work waits for a free slot and runs t. A panic of the runner ends the task, not the program.
func (d *Delegate) work(ctx context.Context, t core.Task) (e ending) {
	if ctx.Err() != nil {
		return ending{err: ctx.Err()}
	}
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		return ending{err: ctx.Err()}
	}
	defer func() { <-d.slots }()
	defer func() {
		if p := recover(); p != nil {
			e = ending{started: true, err: fmt.Errorf("the sub-agent failed inside hermes: %v", p)}
			e.result.Reason = core.EndError
		}
	}()
	e.started = true
	e.result, e.err = d.opts.Runner.RunTask(ctx, t)
	if e.result.Reason == "" {
		e.result.Reason = core.EndAnswered
		if e.err != nil {
			e.result.Reason = core.EndError
		}
		if errors.Is(e.err, context.Canceled) || errors.Is(e.err, context.DeadlineExceeded) {
			e.result.Reason = core.EndInterrupted
		}
	}
	return e
}

func newTaskID() string { return "t-" + rand.Text()[:12] }

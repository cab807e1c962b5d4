package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/home"
)

const (
	// Limit is the time any call may take, longer than the longest a tool sets for itself.
	Limit = 15 * time.Minute

	stopGrace = 5 * time.Second
)

// Options configures a registry. Home is required; everything else has a safe zero value.
type Options struct {
	Home            home.Home
	Approver        core.Approver // nil denies whatever asks
	Allow           AllowStore    // nil remembers nothing beyond the session
	Assessor        Assessor      // answers in the person's place where it is sure (approvals.mode smart); nil asks always
	Redactor        core.Redactor // nil redacts nothing
	Spills          *Spills       // nil makes one from Home and Redactor
	Yolo            bool          // skips questions, never refusals
	ApprovalTimeout time.Duration // 0 waits as long as the run lives
	Limit           time.Duration // 0 is Limit
	Grace           time.Duration // a tool may take to return once its time is over; 0 is 5 s
	OutputLimit     int           // code points; 0 is OutputLimit
	Window          func() int    // tokens of the model's window, 0 when unknown; nil never knows
	// Fault hears of panics inside tools, with the stack; nil drops them. The model gets a result anyway.
	Fault func(tool string, value any, stack []byte)
}

// Registry is the frozen set of tools of a session. It implements core.Toolbox and is safe for
// concurrent use.
type Registry struct {
	opts   Options
	names  []string // sorted
	tools  map[string]entry
	redact func(string) string
	spills *Spills

	mu    sync.Mutex
	rules map[string]bool // session id + rule answered "session" or "always"
	// dangers counts, by session, what the assessor refused in a row.
	dangers map[string]int
}

type entry struct {
	tool   core.Tool
	spec   core.ToolSpec
	schema schema
}

var _ core.Toolbox = (*Registry)(nil)

// New freezes the tools into a registry. Two tools of one name and a schema that is no JSON object are
// programmer errors and panic.
func New(opts Options, list ...core.Tool) *Registry {
	r := &Registry{
		opts: opts, tools: make(map[string]entry, len(list)), rules: map[string]bool{}, dangers: map[string]int{},
		redact: func(s string) string { return s }, spills: opts.Spills,
	}
	if opts.Redactor != nil {
		r.redact = opts.Redactor.Redact
	}
	if r.opts.Grace <= 0 {
		r.opts.Grace = stopGrace
	}
	if r.spills == nil {
		r.spills = NewSpills(opts.Home, opts.Redactor)
	}
	for _, t := range list {
		e := entry{tool: t, spec: t.Spec()}
		if err := json.Unmarshal(e.spec.Parameters, &e.schema); err != nil || e.schema.Type != "object" {
			panic(fmt.Sprintf("tools: schema of %s is no JSON object: %v", e.spec.Name, err))
		}
		if _, twice := r.tools[e.spec.Name]; twice {
			panic("tools: two tools named " + e.spec.Name)
		}
		r.tools[e.spec.Name] = e
		r.names = append(r.names, e.spec.Name)
	}
	slices.Sort(r.names)
	return r
}

// Specs lists the tools sorted by name; the same at every call.
func (r *Registry) Specs() []core.ToolSpec {
	out := make([]core.ToolSpec, len(r.names))
	for i, n := range r.names {
		out[i] = r.tools[n].spec
	}
	return out
}

// Run executes one call and always returns exactly one result: check arguments → guard → approval →
// execute → redact and cap. at gives the session, run and live output; its Arguments are ignored.
func (r *Registry) Run(ctx context.Context, call core.ToolCall, at core.ToolRun) core.ToolResult {
	e, ok := r.tools[call.Name]
	if !ok {
		return r.finish(Fail(fmt.Sprintf("There is no tool %q. The tools are: %s.", call.Name, strings.Join(r.names, ", "))), at, r.limit(nil))
	}
	at.CallID = call.ID
	args, err := parseArguments(call.Arguments, e.schema)
	if err != nil {
		return r.finish(Fail(fmt.Sprintf("%s was not run: %s.", call.Name, strings.TrimSuffix(err.Error(), "."))), at, r.limit(nil))
	}
	at.Arguments = args
	out := at.Output
	if out == nil {
		out = func(string) {}
	}
	l := &live{out: out, redact: r.redact}
	defer l.close()
	at.Output = l.write

	run := e.tool.Run
	if g, ok := e.tool.(Guarded); ok {
		v, fault := r.guard(ctx, g, call.Name, at)
		if fault != nil {
			return r.finish(*fault, at, r.limit(nil))
		}
		if refused := r.decide(ctx, call, at, v); refused != nil {
			return r.finish(*refused, at, r.limit(nil))
		}
		if v.Run != nil {
			run = v.Run
		}
	}
	return r.finish(r.execute(ctx, e, run, at), at, r.limit(e.tool))
}

// Limits are the limits in force for the model as it is now.
func (r *Registry) Limits() Limits {
	window := 0
	if r.opts.Window != nil {
		window = r.opts.Window()
	}
	l := LimitsFor(window)
	if r.opts.OutputLimit > 0 {
		l.Result = min(l.Result, r.opts.OutputLimit)
	}
	return l
}

// limit is what one result of t may have. Tools that bound themselves are only held to what a turn has.
func (r *Registry) limit(t core.Tool) int {
	l := r.Limits()
	if c, ok := t.(Capped); ok {
		return min(c.OutputLimit(), l.Turn)
	}
	return l.Result
}

// guard asks the tool for its verdict; a panic there refuses the call.
func (r *Registry) guard(ctx context.Context, g Guarded, name string, at core.ToolRun) (v Verdict, fault *core.ToolResult) {
	defer func() {
		if p := recover(); p != nil {
			r.report(name, p)
			f := Fail(fmt.Sprintf("%s was not run: its check failed inside hermes (%v).", name, p))
			fault = &f
		}
	}()
	return g.Guard(ctx, at), nil
}

func (r *Registry) report(name string, value any) {
	if r.opts.Fault != nil {
		r.opts.Fault(name, value, debug.Stack())
	}
}

// execute runs the tool under the time limit. A tool that ignores the end of its context is left
// behind after a grace: the model and the person must not wait for it.
func (r *Registry) execute(ctx context.Context, e entry, run func(context.Context, core.ToolRun) core.ToolResult, at core.ToolRun) core.ToolResult {
	name, limit := e.spec.Name, r.opts.Limit
	if limit <= 0 {
		limit = Limit
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if _, patient := e.tool.(Patient); !patient {
		limited, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	done := make(chan core.ToolResult, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				r.report(name, p)
				done <- Fail(fmt.Sprintf("%s failed inside hermes: %v. This is a fault of the tool, not of the call.", name, p))
			}
		}()
		done <- run(limited, at)
	}()
	var res core.ToolResult
	select {
	case res = <-done:
	case <-limited.Done():
		grace := time.NewTimer(r.opts.Grace)
		defer grace.Stop()
		select {
		case res = <-done:
		case <-grace.C:
			res = Fail(name + " did not stop in time and was left behind.")
		}
	}
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled):
		return aborted(res)
	case limited.Err() != nil && !res.OK && res.Content == "":
		res.Content = fmt.Sprintf("%s was stopped after %s.", name, limit)
	}
	return res
}

// aborted marks a result as interrupted and makes sure that it says so.
func aborted(res core.ToolResult) core.ToolResult {
	d := core.ToolDetail{}
	if res.Detail != nil {
		d = *res.Detail
	}
	if res.OK { // it had finished before the interrupt reached it
		return res
	}
	d.Aborted = true
	res.Detail = &d
	if res.Content == "" {
		res.Content = "Interrupted by the person before it finished."
	}
	return res
}

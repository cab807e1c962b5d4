package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/core"
	"hermes/tools"
	"hermes/tools/delegate"
	"hermes/tools/file"
	"hermes/tools/plan"
	"hermes/tools/search"
	"hermes/tools/terminal"
	"hermes/tools/web"
)

// The toolsets, by their names in the configuration.
const (
	setFile       = "file"
	setTerminal   = "terminal"
	setWeb        = "web"
	setTodo       = "todo"
	setClarify    = "clarify"
	setDelegation = "delegation"
	setSearch     = "session_search"
	setMemory     = "memory"
	setSkills     = "skills"
)

// toolsetNames lists the toolsets that exist, in the order they are offered.
func toolsetNames() []string {
	return []string{setFile, setTerminal, setWeb, setTodo, setClarify, setDelegation, setSearch, setMemory, setSkills}
}

// boxOptions are what the tools of one session need from it.
type boxOptions struct {
	approver core.Approver
	assessor tools.Assessor // nil: the person decides
	folder   string
	toolsets []string // nil takes the person's choice
	asker    core.Asker
	runner   core.Runner // nil: no delegation
	todos    *plan.Todos
	archive  search.Archive
	memory   core.Tool // nil: it remembers nothing
	skills   []core.Tool
	jobDone  func(terminal.JobDone)
	granted  func(session string) []string // variables that skills may use
	window   func() int                    // tokens of the model's window
}

// box is the tools of one session.
type box struct {
	*tools.Registry

	window  func() int
	chosen  []string // toolsets
	notices []core.Notice
	closers []func() error
}

// TurnLimit is how much all results of one answer may hold.
func (b *box) TurnLimit() int { return tools.LimitsFor(b.window()).Turn }

// Fit moves what is too long for the rest of the budget into a file.
func (b *box) Fit(at core.ToolRun, tool string, r core.ToolResult, left int) core.ToolResult {
	return b.Budget(at, []tools.Answer{{CallID: at.CallID, Tool: tool, Result: r}}, max(left, 1))[0]
}

func (b *box) close() error {
	var err error
	for _, f := range b.closers {
		err = errors.Join(err, f())
	}
	return err
}

// toolbox builds the tools of a session that works in folder.
func (a *App) toolbox(o boxOptions) (*box, error) {
	dir, err := tools.NewWorkdir(o.folder)
	if err != nil {
		return nil, err
	}
	if o.window == nil {
		o.window = func() int { return 0 }
	}
	hides := projectRedactor{a, dir.Root()}
	k := kit{app: a, o: o, dir: dir, policy: tools.NewPolicy(a.Home, dir.Root()), spills: tools.NewSpills(a.Home, hides)}
	b := &box{window: o.window}
	k.chosen = b.choose(a.toolsets(o.toolsets))
	b.chosen = k.chosen
	var list []core.Tool
	for _, name := range k.chosen {
		list = append(list, k.make(name, b)...)
	}
	b.Registry = tools.New(tools.Options{
		Home: a.Home, Approver: o.approver, Assessor: o.assessor, Allow: tools.NewRules(a.Settings, a.Config().Approvals.Allow), Redactor: hides,
		Spills: k.spills, Yolo: a.Yolo(), Window: o.window,
		Fault: func(tool string, value any, stack []byte) {
			a.Log.Error("panic in tool", "tool", tool, "value", fmt.Sprint(value), "stack", string(stack))
		},
	}, list...)
	return b, nil
}

// kit is what the toolsets of a session share.
type kit struct {
	app    *App
	o      boxOptions
	dir    *tools.Workdir
	policy tools.Policy
	spills *tools.Spills
	chosen []string
}

// make builds one toolset.
func (k *kit) make(name string, b *box) []core.Tool {
	cfg := k.app.Config()
	switch name {
	case setFile:
		return file.New(file.Options{Workdir: k.dir, Policy: k.policy, Keeper: k.app.copies, Trusted: k.app.Trusted})
	case setTerminal:
		t := terminal.New(terminal.Options{
			Home: k.app.Home, Workdir: k.dir, Policy: k.policy, Spills: k.spills, Timeout: cfg.Terminal.Limit(),
			Deny: cfg.Approvals.Deny, Passthrough: cfg.Terminal.EnvPassthrough, Environ: k.app.opts.Environ,
			Keeper: k.app.copies, OnDone: k.o.jobDone, Granted: k.o.granted,
		})
		b.closers = append(b.closers, t.Close)
		return t.Tools()
	case setWeb:
		search, err := web.ChooseSearch(cfg.Web.SearchURL, cfg.Web.SearchKeyEnv, k.app.lookup)
		if err != nil {
			b.notices = append(b.notices, core.Notice{Level: core.LevelWarn, Text: "web search is off: " + err.Error(), Remedy: core.HintOf(err)})
		}
		return web.New(web.Options{Spills: k.spills, Redactor: k.app.Redactor(), AllowPrivate: cfg.Web.AllowPrivate, Search: search})
	case setTodo:
		if k.o.todos != nil {
			return []core.Tool{plan.NewTodo(k.o.todos)}
		}
	case setClarify:
		return []core.Tool{plan.NewClarify(k.o.asker)}
	case setMemory:
		if k.o.memory != nil {
			return []core.Tool{k.o.memory}
		}
	case setSkills:
		return k.o.skills
	case setSearch:
		if k.o.archive != nil {
			return []core.Tool{search.New(k.app.Index, k.o.archive)}
		}
	case setDelegation:
		if k.o.runner != nil {
			return []core.Tool{delegate.New(delegate.Options{
				Runner: k.o.runner, Toolsets: k.chosen, MaxIterations: cfg.Delegation.MaxIterations, MaxConcurrent: cfg.Delegation.MaxConcurrentChildren,
			})}
		}
	}
	return nil
}

// Yolo tells whether approvals are off. An agent's own shell cannot switch them off for another agent.
func (a *App) Yolo() bool {
	return (a.opts.Yolo || a.Config().Approvals.Mode == "off") && !a.ActsAsAgent()
}

// toolsets are the names asked for: of a sub-agent's task, else the person's choice; none means all.
func (a *App) toolsets(task []string) []string {
	switch {
	case task != nil:
		return task
	case len(a.opts.Toolsets) > 0:
		return a.opts.Toolsets
	}
	return a.Config().Toolsets
}

// choose gives the toolsets to build and notes the names that mean nothing here.
func (b *box) choose(names []string) []string {
	if len(names) == 0 || slices.Contains(names, "all") {
		return toolsetNames()
	}
	var out, odd []string
	for _, n := range names {
		if n = strings.TrimSpace(n); slices.Contains(toolsetNames(), n) {
			out = append(out, n)
		} else if n != "" {
			odd = append(odd, n)
		}
	}
	if len(odd) > 0 {
		b.notices = append(b.notices, core.Notice{
			Level: core.LevelWarn, Text: "unknown toolsets are left out: " + strings.Join(odd, ", "),
			Remedy: "choose from: " + strings.Join(toolsetNames(), ", "),
		})
	}
	return out
}

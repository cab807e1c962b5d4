package app

import (
	"fmt"
	"slices"
	"strings"

	"hermes/core"
	"hermes/tools"
	"hermes/tools/file"
	"hermes/tools/terminal"
)

// toolset names, as in the configuration.
const (
	toolsetFile     = "file"
	toolsetTerminal = "terminal"
)

// known lists the toolsets that exist, in the order they are offered.
func known() []string { return []string{toolsetFile, toolsetTerminal} }

// box is the tools of one session.
type box struct {
	*tools.Registry

	notices []core.Notice
	close   func() error
}

// toolbox builds the tools of a session that works in folder.
func (a *App) toolbox(approver core.Approver, folder string) (*box, error) {
	dir, err := tools.NewWorkdir(folder)
	if err != nil {
		return nil, err
	}
	policy := tools.NewPolicy(a.Home, dir.Root())
	spills := tools.NewSpills(a.Home, a.redactor)
	b := &box{close: func() error { return nil }}
	var list []core.Tool
	for _, name := range b.choose(a.toolsets()) {
		switch name {
		case toolsetFile:
			list = append(list, file.New(file.Options{Workdir: dir, Policy: policy})...)
		case toolsetTerminal:
			t := terminal.New(terminal.Options{
				Home: a.Home, Workdir: dir, Policy: policy, Spills: spills, Timeout: a.Config.Terminal.Limit(),
				Deny: a.Config.Approvals.Deny, Passthrough: a.Config.Terminal.EnvPassthrough, Environ: a.opts.Environ,
			})
			b.close = t.Close
			list = append(list, t)
		}
	}
	b.Registry = tools.New(tools.Options{
		Home: a.Home, Approver: approver, Allow: tools.NewRules(a.Settings, a.Config.Approvals.Allow), Redactor: a.redactor, Spills: spills,
		Yolo: a.Yolo(),
		Fault: func(tool string, value any, stack []byte) {
			a.Log.Error("panic in tool", "tool", tool, "value", fmt.Sprint(value), "stack", string(stack))
		},
	}, list...)
	return b, nil
}

// Yolo tells whether approvals are off. An agent's own shell cannot switch them off for another agent.
func (a *App) Yolo() bool {
	return (a.opts.Yolo || a.Config.Approvals.Mode == "off") && !a.ActsAsAgent()
}

// toolsets are the names the person chose; none means all.
func (a *App) toolsets() []string {
	if len(a.opts.Toolsets) > 0 {
		return a.opts.Toolsets
	}
	return a.Config.Toolsets
}

// choose gives the toolsets to build and notes the names that mean nothing here.
func (b *box) choose(names []string) []string {
	if len(names) == 0 || slices.Contains(names, "all") {
		return known()
	}
	var out, odd []string
	for _, n := range names {
		if n = strings.TrimSpace(n); slices.Contains(known(), n) {
			out = append(out, n)
		} else if n != "" {
			odd = append(odd, n)
		}
	}
	if len(odd) > 0 {
		b.notices = append(b.notices, core.Notice{
			Level: core.LevelWarn, Text: "unknown toolsets are left out: " + strings.Join(odd, ", "),
			Remedy: "choose from: " + strings.Join(known(), ", "),
		})
	}
	return out
}

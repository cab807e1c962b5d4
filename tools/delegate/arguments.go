package delegate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/text"
)

// The limits of a call; lengths in code points.
const (
	MaxTasks   = 5
	maxTask    = 8_000
	maxContext = 32_000
	maxTitle   = 60
)

// order is one task as the model writes it. Toolsets is nil when the call names none.
type order struct {
	Task          string    `json:"task"`
	Context       string    `json:"context"`
	Toolsets      *[]string `json:"toolsets"`
	MaxIterations int       `json:"max_iterations"`
}

// parse reads the checked arguments of a call.
func (d *Delegate) parse(run core.ToolRun) ([]core.Task, error) {
	var a struct {
		order

		Tasks *[]json.RawMessage `json:"tasks"`
	}
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	if a.Tasks == nil {
		t, err := d.task(run, a.order)
		if err != nil {
			return nil, err
		}
		return []core.Task{t}, nil
	}
	switch {
	case strings.TrimSpace(a.Task) != "":
		return nil, errors.New("it holds both task and tasks; send one of them")
	case a.Context != "" || a.Toolsets != nil || a.MaxIterations != 0:
		return nil, errors.New("beside tasks no other field counts; put context, toolsets and max_iterations into each task")
	case len(*a.Tasks) == 0:
		return nil, errors.New("tasks is empty")
	case len(*a.Tasks) > MaxTasks:
		return nil, fmt.Errorf("it holds %d tasks, at most %d run in one call", len(*a.Tasks), MaxTasks)
	}
	var out []core.Task
	for i, raw := range *a.Tasks {
		t, err := d.parseOne(run, raw)
		if err != nil {
			return nil, fmt.Errorf("task %d: %w", i+1, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func (d *Delegate) parseOne(run core.ToolRun, raw json.RawMessage) (core.Task, error) {
	var o order
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return core.Task{}, fmt.Errorf("is not an object with the fields task, context, toolsets and max_iterations: %w", err)
	}
	return d.task(run, o)
}

// task checks o and turns it into a task. A budget above the limit is lowered to it; the result says
// what the budget was.
func (d *Delegate) task(run core.ToolRun, o order) (core.Task, error) {
	what, about := strings.TrimSpace(text.CleanUTF8(o.Task)), strings.TrimSpace(text.CleanUTF8(o.Context))
	switch {
	case what == "":
		return core.Task{}, errors.New("field \"task\" is missing or empty")
	case text.Len(what) > maxTask:
		return core.Task{}, fmt.Errorf("the task has %d characters, at most %d are taken; put the material into context or a file", text.Len(what), maxTask)
	case text.Len(about) > maxContext:
		return core.Task{}, fmt.Errorf("the context has %d characters, at most %d are taken; put it into a file and name that", text.Len(about), maxContext)
	case o.MaxIterations < 0:
		return core.Task{}, errors.New("max_iterations must be at least 1")
	}
	sets, err := d.toolsets(o.Toolsets)
	if err != nil {
		return core.Task{}, err
	}
	budget := d.opts.MaxIterations
	if o.MaxIterations > 0 {
		budget = min(o.MaxIterations, budget)
	}
	return core.Task{
		ID: newTaskID(), ParentSession: run.SessionID, ParentRun: run.RunID, CallID: run.CallID,
		Title: text.Title(what, maxTitle), Prompt: prompt(what, about), Toolsets: sets, MaxIterations: budget,
	}, nil
}

// toolsets returns the wished toolsets, sorted; all there are when none are wished for.
func (d *Delegate) toolsets(wish *[]string) ([]string, error) {
	if wish == nil {
		return slices.Clone(d.opts.Toolsets), nil
	}
	out := []string{}
	for _, name := range *wish {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case withheld(name):
			return nil, fmt.Errorf("a sub-agent never gets the toolset %q", name)
		case !slices.Contains(d.opts.Toolsets, name):
			return nil, fmt.Errorf("there is no toolset %q here; there are: %s", text.Cut(text.OneLine(name), 40), strings.Join(d.opts.Toolsets, ", "))
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func prompt(what, about string) string {
	var b strings.Builder
	b.WriteString(what)
	if about != "" {
		b.WriteString("\n\n## Context\n\n" + about)
	}
	b.WriteString("\n\n---\n" + strings.TrimSpace(closing))
	return b.String()
}

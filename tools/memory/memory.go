package memory

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/tools"
)

//go:embed memory.md
var description string

//go:embed guidance.md
var guidance string

// Guidance is the section of the system prompt that goes with the tool.
func Guidance() string { return strings.TrimSpace(guidance) }

// Name is the tool's name.
const Name = "memory"

// Gate stands between the model's wish and the files: it may ask the person, or keep the change as a
// proposal (an unattended or tainted turn, memory.write_approval).
type Gate interface {
	// Hold returns held true when the change must not be written now; note tells the model what became
	// of it. An error means that it could neither be decided nor kept.
	Hold(ctx context.Context, run core.ToolRun, by ledger.Change, t memory.Target, ops []memory.Op) (note string, held bool, err error)
}

// Options configures the tool. Store is required.
type Options struct {
	Store *memory.Store
	// By says who acts in a run; nil is the agent with the run's session and run.
	By func(run core.ToolRun) ledger.Change
	// Gate may hold changes back; nil writes all that the rules allow.
	Gate Gate
	// Emit hears of notices for the person; nil drops them. Changes are announced by the store.
	Emit func(core.Event)
}

// Memory is the memory tool. One value serves all sessions.
type Memory struct {
	opts   Options
	budget budget
}

var _ core.Tool = (*Memory)(nil)

// New returns the tool. It must not be offered when the store has nothing enabled.
func New(o Options) *Memory {
	if o.By == nil {
		o.By = func(run core.ToolRun) ledger.Change {
			return ledger.Change{Actor: ledger.Agent, SessionID: run.SessionID, RunID: run.RunID}
		}
	}
	return &Memory{opts: o}
}

// Spec describes the tool, with the stores that are enabled.
func (m *Memory) Spec() core.ToolSpec {
	enabled := m.opts.Store.Enabled()
	var names, lines []string
	for _, t := range enabled {
		names = append(names, fmt.Sprintf("%q", t))
		lines = append(lines, map[memory.Target]string{
			memory.Memory: fmt.Sprintf("- `target` \"memory\" (MEMORY.md, %d characters): your notes: the environment, conventions, lessons.", m.opts.Store.Limit(memory.Memory)),
			memory.User:   fmt.Sprintf("- `target` \"user\" (USER.md, %d characters): who the user is: name, role, preferences, ways of working.", m.opts.Store.Limit(memory.User)),
		}[t])
	}
	const (
		action = `{"type":"string","enum":["add","replace","remove"]}`
		text   = `"content":{"type":"string","description":"The whole new entry, for add and replace."},` +
			`"new_text":{"type":"string","description":"Another name of content."},` +
			`"old_text":{"type":"string","description":"A part of the entry to replace or remove."}`
	)
	return core.ToolSpec{
		Name: Name, Description: strings.ReplaceAll(strings.TrimSpace(description), "{{targets}}", strings.Join(lines, "\n")),
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"target":{"type":"string","enum":[` + strings.Join(names, ",") + `],"description":"Which store."},` +
			`"action":` + action + `,` + text + `,` +
			`"operations":{"type":"array","description":"Several changes as one, instead of action.","items":{"type":"object","properties":{"action":` + action + `,` + text + `},"required":["action"],"additionalProperties":false}}` +
			`},"required":["target"],"additionalProperties":false}`),
	}
}

// operation is one change as the model writes it.
type operation struct {
	Action  string `json:"action"`
	Content string `json:"content"`
	NewText string `json:"new_text"`
	OldText string `json:"old_text"`
}

func (o operation) op() memory.Op {
	text := o.Content
	if strings.TrimSpace(text) == "" {
		text = o.NewText
	}
	return memory.Op{Action: memory.Action(strings.ToLower(strings.TrimSpace(o.Action))), Text: text, Old: o.OldText}
}

// Run makes the change.
func (m *Memory) Run(ctx context.Context, run core.ToolRun) core.ToolResult {
	var a struct {
		operation

		Target     string      `json:"target"`
		Operations []operation `json:"operations"`
	}
	if err := json.Unmarshal(run.Arguments, &a); err != nil {
		return tools.Fail("Memory was not changed: the arguments cannot be read: " + err.Error() + ".")
	}
	t := memory.Target(strings.ToLower(strings.TrimSpace(a.Target)))
	ops, err := a.ops(a.Operations)
	if err != nil {
		return m.failed(run, t, err)
	}
	by := m.opts.By(run)
	if m.opts.Gate != nil {
		note, held, err := m.opts.Gate.Hold(ctx, run, by, t, ops)
		if err != nil {
			return m.failed(run, t, err)
		}
		if held {
			return result(true, holding{Success: true, Done: true, Held: true, Target: string(t), Message: note}, &core.ToolDetail{Summary: "waits for the person"})
		}
	}
	out, err := m.opts.Store.Do(ctx, by, t, ops...)
	if err != nil {
		return m.failed(run, t, err)
	}
	m.budget.reset(run)
	return m.done(out, len(a.Operations) > 0)
}

// ops are the operations of a call, of either form.
func (o operation) ops(list []operation) ([]memory.Op, error) {
	single := o != operation{}
	switch {
	case len(list) > 0 && single:
		return nil, &memory.RefusedError{Code: memory.RefusedAction, Message: "Give either action with its fields, or operations, not both."}
	case len(list) > 0:
		ops := make([]memory.Op, len(list))
		for i, o := range list {
			ops[i] = o.op()
		}
		return ops, nil
	case o.Action == "":
		return nil, &memory.RefusedError{Code: memory.RefusedAction, Message: "action is missing. Give action (add, replace or remove) with content and old_text, or a list of operations."}
	}
	return []memory.Op{o.op()}, nil
}

// failed answers a call that changed nothing, and counts it.
func (m *Memory) failed(run core.ToolRun, t memory.Target, err error) core.ToolResult {
	if errors.Is(err, context.Canceled) || core.CodeOf(err) == core.CodeInterrupted {
		return core.ToolResult{Content: "Interrupted before memory was changed.", Detail: &core.ToolDetail{Summary: "interrupted", Aborted: true}}
	}
	over, first := m.budget.fail(run)
	if over {
		if first {
			m.notify(run, t, err)
		}
		return result(false, failure{Done: true, Error: stop}, &core.ToolDetail{Summary: "refused again: told to stop"})
	}
	f := failure{Error: err.Error()}
	var r *memory.RefusedError
	if errors.As(err, &r) {
		f.Error = r.Message
		f.Matches, f.Backup, f.Decoded = r.Matches, r.Backup, r.Decoded
		if r.Code == memory.RefusedOverflow || r.Code == memory.RefusedNoMatch || r.Code == memory.RefusedNoOld || r.Code == memory.RefusedStale {
			f.Entries, f.Usage = slices.Clone(r.Entries), usage(r.Used, r.Limit)
		}
		return result(false, f, &core.ToolDetail{Summary: "refused: " + string(r.Code)})
	}
	f.Remedy = core.HintOf(err)
	return result(false, f, &core.ToolDetail{Summary: "could not change memory"})
}

// notify tells the person once a turn that the agent gave up.
func (m *Memory) notify(run core.ToolRun, t memory.Target, err error) {
	if m.opts.Emit == nil {
		return
	}
	n := &core.Notice{
		Meta: core.Meta{SessionID: run.SessionID, RunID: run.RunID}, Level: core.LevelWarn,
		Text: "The agent could not change memory and was told to stop trying.", Remedy: "Open the memory clean-up (/memory) and look at what is there.",
	}
	var r *memory.RefusedError
	if errors.As(err, &r) && r.Code == memory.RefusedOverflow {
		n.Text = fmt.Sprintf("%s is full (%s characters): the agent could not save a note.", t.File(), usage(r.Used, r.Limit))
		n.Remedy = "Make room in the memory clean-up (/memory)."
	}
	m.opts.Emit(n)
}

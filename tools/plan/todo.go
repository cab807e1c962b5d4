package plan

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"hermes/core"
	"hermes/core/text"
	"hermes/tools"
)

//go:embed todo.md
var todoText string

// Todo is the todo tool.
type Todo struct{ todos *Todos }

var _ core.Tool = (*Todo)(nil)

// NewTodo returns the todo tool on the lists of todos.
func NewTodo(todos *Todos) *Todo { return &Todo{todos} }

// Spec describes the tool.
func (*Todo) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "todo", Description: strings.TrimSpace(todoText),
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"items":{"type":"array","description":"The whole list, in order. Leave it out to read the list.","items":{"type":"object","properties":{` +
			`"id":{"type":"string","description":"Kept between calls; given by the tool when missing."},` +
			`"text":{"type":"string","description":"One line."},` +
			`"status":{"type":"string","enum":["pending","in_progress","done","cancelled"]}` +
			`},"required":["text","status"],"additionalProperties":false}}` +
			`},"additionalProperties":false}`),
	}
}

// Run writes the list, or reads it when the call holds none.
func (t *Todo) Run(_ context.Context, run core.ToolRun) core.ToolResult {
	items, written, err := ParseItems(run.Arguments)
	if err != nil {
		return tools.Fail("The task list was not changed: " + err.Error() + ".")
	}
	if written {
		t.todos.Set(run.SessionID, items)
	} else {
		items = t.todos.Snapshot(run.SessionID)
	}
	content, summary := List(items)
	return core.ToolResult{OK: true, Content: content, Detail: &core.ToolDetail{Summary: summary}}
}

// List writes items as the compact list the model reads, and as one line for the person.
func List(items []core.TodoItem) (list, summary string) {
	if len(items) == 0 {
		return "The task list is empty.", "no tasks"
	}
	var b strings.Builder
	done, open, now := 0, 0, ""
	for _, it := range items {
		mark := " "
		switch it.Status {
		case core.TodoDone:
			mark = "x"
			done++
		case core.TodoActive:
			mark, now = ">", it.Text
			open++
		case core.TodoCancelled:
			mark = "-"
		case core.TodoPending:
			open++
		}
		fmt.Fprintf(&b, "\n[%s] %s: %s", mark, it.ID, it.Text)
	}
	summary = fmt.Sprintf("%d done, %d open", done, open)
	head := "Tasks, " + summary + " ([ ] pending, [>] in progress, [x] done, [-] cancelled):"
	if now != "" {
		summary += "; now: " + text.Cut(now, 60)
	}
	return head + b.String(), summary
}

package activity

import (
	"fmt"

	"hermes/core"
	"hermes/tui/cell"
)

// minList is how many lines the list of calls keeps beside a long task list.
const minList = 4

// SetTodos shows the agent's task list.
func (p *Pane) SetTodos(items []core.TodoItem) { p.todos = items }

// todoBadge counts: "tasks 2/5".
func (p *Pane) todoBadge() string {
	if len(p.todos) == 0 {
		return ""
	}
	done, all := p.todoCount()
	return fmt.Sprintf("tasks %d/%d", done, all)
}

func (p *Pane) todoCount() (done, all int) {
	for _, t := range p.todos {
		switch t.Status {
		case core.TodoCancelled:
		case core.TodoDone:
			done++
			all++
		default:
			all++
		}
	}
	return done, all
}

// todoLines draws the task list: all of it when there is room, else the part around what is being
// done, and a rule below. Small panes and finished lists show nothing; the badge counts.
func (p *Pane) todoLines() []string {
	done, all := p.todoCount()
	room := min(p.h/2, p.h-minList) - 1
	if len(p.todos) == 0 || room < 2 || done == all {
		return nil
	}
	shown := min(len(p.todos), room)
	from := 0
	if shown < len(p.todos) {
		from = min(max(p.todoAt()-shown/2, 0), len(p.todos)-shown)
	}
	var out []string
	for i := from; i < from+shown; i++ {
		out = append(out, p.todoLine(p.todos[i]))
	}
	rule := fmt.Sprintf("── %d of %d done ", done, all)
	if more := len(p.todos) - shown; more > 0 {
		rule += fmt.Sprintf("· %d not shown ", more)
	}
	rule = cell.Truncate(rule, p.w)
	return append(out, p.st.Faint.Render(rule+cell.Repeat("─", p.w-cell.Width(rule))))
}

// todoAt is the item being done, else the first that is open.
func (p *Pane) todoAt() int {
	open := -1
	for i, t := range p.todos {
		if t.Status == core.TodoActive {
			return i
		}
		if open < 0 && t.Status == core.TodoPending {
			open = i
		}
	}
	return max(open, 0)
}

func (p *Pane) todoLine(t core.TodoItem) string {
	sign, style, text := "○", p.st.Muted, p.st.Text
	switch t.Status {
	case core.TodoActive:
		sign, style, text = "▸", p.st.Busy, p.st.Bold
	case core.TodoDone:
		sign, style, text = "✓", p.st.Good, p.st.Muted
	case core.TodoCancelled:
		sign, style, text = "−", p.st.Faint, p.st.Faint
	default:
	}
	return " " + style.Render(sign) + " " + text.Render(cell.Truncate(cell.Line(t.Text), p.w-4))
}

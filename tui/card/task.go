package card

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"hermes/core"
	"hermes/tui/cell"
	"hermes/tui/theme"
)

// maxSteps bounds the steps kept of one sub-agent; the newest stay.
const maxSteps = 60

// shortFigures is the width below which a task's line keeps room for what it does.
const shortFigures = 56

// Task is a sub-agent's run under the call that started it.
type Task struct {
	ID, Title string
	Toolsets  []string
	Limit     int // model requests it may make
	Request   int // the request it is at
	Calls     int
	Errors    int
	Steps     []string // clean lines, oldest first
	State     State
	Started   time.Time
	Took      time.Duration
	Cost      core.Cost
	Answer    string
	Problem   string // why it failed

	call *Call
}

// Done tells whether the sub-agent's run has ended.
func (t *Task) Done() bool { return t.State > Waiting }

// Row is one line of the tools pane: a call, or a sub-agent under it.
type Row struct {
	Call *Call
	Task *Task // nil for the call's own line
}

// Rows returns calls and sub-agents in the order the tools pane shows them. The slice belongs to the log.
func (l *Log) Rows() []Row { return l.rows }

// applyTask takes the events of sub-agents.
func (l *Log) applyTask(e core.Event) *Call {
	switch e := e.(type) {
	case *core.TaskStarted:
		return l.startTask(e)
	case *core.TaskStep:
		return l.updateTask(e.TaskID, func(t *Task) {
			t.Request, t.Calls = e.Request, e.ToolCalls
			t.step(e.Text)
		})
	case *core.TaskEnded:
		return l.updateTask(e.TaskID, func(t *Task) {
			t.Request, t.Calls, t.Errors = e.Result.Requests, e.Result.ToolCalls, e.Result.ToolErrors
			t.Cost, t.Answer = e.Result.Cost, e.Result.Answer
			t.Took = time.Duration(e.DurationMS) * time.Millisecond
			t.State = OK
			switch {
			case e.Result.Reason == core.EndInterrupted:
				t.State = Aborted
			case e.Error != nil:
				t.State, t.Problem = Failed, cell.Line(e.Error.Message)
			case e.Result.Reason == core.EndError:
				t.State = Failed
			case e.Result.Reason == core.EndBudget:
				t.State, t.Problem = Failed, "the limit of its model requests is reached"
			default:
			}
		})
	}
	return nil
}

func (l *Log) startTask(e *core.TaskStarted) *Call {
	c := l.byID[e.CallID]
	if c == nil || l.tasks[e.TaskID] != nil {
		return c
	}
	t := &Task{ID: e.TaskID, Title: cell.Line(e.Title), Toolsets: e.Toolsets, Limit: e.Limit, Started: e.Time, call: c}
	l.tasks[e.TaskID] = t
	c.tasks = append(c.tasks, t)
	c.version++
	at := len(l.rows)
	for i := len(l.rows) - 1; i >= 0; i-- { // nearly always the last call
		if l.rows[i].Call == c {
			at = i + 1
			break
		}
	}
	l.rows = append(l.rows, Row{})
	copy(l.rows[at+1:], l.rows[at:])
	l.rows[at] = Row{Call: c, Task: t}
	return c
}

func (l *Log) updateTask(id string, f func(*Task)) *Call {
	t := l.tasks[id]
	if t == nil {
		return nil
	}
	f(t)
	t.call.version++
	return t.call
}

// stopTasks ends what still ran under c.
func (c *Call) stopTasks() {
	for _, t := range c.tasks {
		if !t.Done() {
			t.State = Aborted
		}
	}
}

func (t *Task) step(text string) {
	if text = cell.Line(text); text == "" {
		return
	}
	t.Steps = append(t.Steps, text)
	if len(t.Steps) > maxSteps {
		t.Steps = append(t.Steps[:0:0], t.Steps[len(t.Steps)-maxSteps:]...)
	}
}

// Glyph returns the sign of the task's state and its style.
func (t *Task) Glyph(st *theme.Styles, tick int) (string, lipgloss.Style) {
	return (&Call{State: t.State}).Glyph(st, tick)
}

// Figures says how far the task is: "3/8 req · 5 calls · 1 ✗ · $0.004  12s", short "3/8 · 1 ✗  12s".
func (t *Task) Figures(now time.Time, short bool) string {
	s := fmt.Sprintf("%d/%d", t.Request, t.Limit)
	if !short {
		s += " req"
	}
	if t.Calls > 0 && !short {
		s += fmt.Sprintf(" · %d calls", t.Calls)
	}
	if t.Errors > 0 {
		s += fmt.Sprintf(" · %d ✗", t.Errors)
	}
	if t.Cost.Known && !short {
		s += fmt.Sprintf(" · $%.3f", t.Cost.USD)
	}
	took := t.Took
	if !t.Done() && !t.Started.IsZero() {
		took = max(now.Sub(t.Started), 0)
	}
	return s + "  " + Duration(took)
}

// Header draws the task on one line of exactly w cells: glyph, title, what it does now, figures.
func (t *Task) Header(st *theme.Styles, tick int, now time.Time, w int) string {
	glyph, style := t.Glyph(st, tick)
	left := st.Faint.Render("└ ") + style.Render(glyph) + " " + st.Bold.Render(t.Title)
	switch n := len(t.Steps); {
	case t.Problem != "":
		left += "  " + st.Bad.Render(t.Problem)
	case !t.Done() && n > 0:
		left += "  " + st.Text.Render(t.Steps[n-1])
	}
	return cell.Sides(left, st.Muted.Render(t.Figures(now, w < shortFigures)), w, 16)
}

// Full draws the task's last steps and its answer for an overlay, lines of at most w cells.
func (t *Task) Full(st *theme.Styles, w int) []string {
	var out []string
	if len(t.Toolsets) > 0 {
		out = append(out, st.Muted.Render(cell.Truncate("toolsets "+cell.Line(strings.Join(t.Toolsets, ", ")), w)), "")
	}
	for i, s := range t.Steps {
		mark := "· "
		if i == len(t.Steps)-1 && !t.Done() {
			mark = "▸ "
		}
		for _, l := range cell.Wrap(mark+s, w, "  ") {
			out = append(out, st.Text.Render(l))
		}
	}
	if len(t.Steps) == 0 {
		out = append(out, st.Faint.Render(cell.Truncate("no steps yet", w)))
	}
	if t.Problem != "" {
		out = append(out, "")
		for _, l := range cell.Wrap("✗ "+t.Problem, w, "  ") {
			out = append(out, st.Bad.Render(l))
		}
	}
	if t.Answer != "" {
		out = append(out, "", st.Title.Render(cell.Truncate("answer", w)))
		for _, l := range cell.Wrap(strings.TrimRight(cell.Clean(t.Answer), "\n"), w, "") {
			out = append(out, st.Text.Render(l))
		}
	}
	return out
}

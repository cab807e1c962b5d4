// Package card holds what the screen knows about tool calls and draws one call: its header line, its
// output, its diff. The chat, the tools pane and the approval dialog draw from here, so that a call
// looks the same everywhere.
//
// It must not know panes, focus or scrolling. Start at Log (fed with events) and Call; the drawing is
// in draw.go and diff.go.
package card

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"hermes/core"
	"hermes/tui/cell"
)

// State says where a call is in its life.
type State int

// The states of a call.
const (
	Running State = iota
	Waiting       // for an approval
	OK
	Failed
	Denied
	Aborted
)

// maxOutput bounds the live output kept of one call, in bytes; the newest stay.
const maxOutput = 64 << 10

// Call is one tool call.
type Call struct {
	ID, Tool  string
	Arguments string // JSON text as the model sent it
	Summary   string // the argument that tells most, one clean line
	State     State
	Started   time.Time
	Took      time.Duration
	Exit      *int
	Result    string // what the model reads
	Detail    *core.ToolDetail
	Why       string // of a denial

	asked   time.Time     // since when it waits for a person
	waited  time.Duration // for a person, which is none of its own time
	output  string
	cut     bool // output lost its beginning
	tasks   []*Task
	stopped bool // ended by Stop, which does not count it as failed
	version int
}

// Version rises with every change.
func (c *Call) Version() int { return c.version }

// Done tells whether the call has ended.
func (c *Call) Done() bool { return c.State > Waiting }

// failed tells whether it counts as failed: what a person stopped did not fail.
func (c *Call) failed() bool { return c.State == Failed || c.State == Denied }

// Duration is how long the call took, or has been running at now.
func (c *Call) Duration(now time.Time) time.Duration {
	if c.Done() || c.Started.IsZero() {
		return c.Took
	}
	return max(now.Sub(c.Started), 0)
}

// Text is the full output as far as it is kept: of a running call the live output, else the result.
func (c *Call) Text() string {
	if c.Done() && c.Result != "" {
		return c.Result
	}
	return c.output
}

// Log holds the calls of the open session in order.
type Log struct {
	calls  []*Call
	rows   []Row
	byID   map[string]*Call
	tasks  map[string]*Task
	failed int
	active int
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{byID: map[string]*Call{}, tasks: map[string]*Task{}} }

// Calls returns the calls, oldest first. The slice belongs to the log.
func (l *Log) Calls() []*Call { return l.calls }

// Find returns the call with the given id, nil when there is none.
func (l *Log) Find(id string) *Call { return l.byID[id] }

// Failed counts the calls that did not succeed.
func (l *Log) Failed() int { return l.failed }

// Active counts the calls that have not ended.
func (l *Log) Active() int { return l.active }

// Apply takes one event and returns the call it concerns, nil when it concerns none.
func (l *Log) Apply(e core.Event) *Call {
	switch e := e.(type) {
	case *core.ToolStarted:
		return l.start(e.CallID, e.Tool, e.Arguments, e.Time)
	case *core.ToolOutput:
		return l.update(e.CallID, func(c *Call) { c.addOutput(e.Text) })
	case *core.ApprovalAsked:
		return l.update(e.Approval.CallID, func(c *Call) {
			if !c.Done() {
				c.State, c.asked = Waiting, e.Time
			}
		})
	case *core.ToolEnded:
		if l.byID[e.CallID] == nil {
			l.start(e.CallID, e.Tool, "", e.Time)
		}
		return l.update(e.CallID, func(c *Call) {
			c.Took = max(time.Duration(e.DurationMS)*time.Millisecond-c.waited, 0)
			l.end(c, e.OK, e.Result, e.Detail, e.ExitCode)
		})
	}
	return l.applyTask(e)
}

// Approved says that the call waiting for approval goes on or was denied, at at.
func (l *Log) Approved(callID string, d core.Decision, why string, at time.Time) *Call {
	return l.update(callID, func(c *Call) {
		if c.State == Waiting && !c.asked.IsZero() && at.After(c.asked) {
			c.waited += at.Sub(c.asked)
			c.Started = c.Started.Add(at.Sub(c.asked))
		}
		if c.State == Waiting {
			c.State = Running
		}
		if d == core.DecideDeny {
			c.Why = why
		}
	})
}

// Stop marks every open call as aborted: its run has ended.
func (l *Log) Stop() {
	for _, c := range l.calls {
		if !c.Done() {
			c.State, c.stopped = Aborted, true
			c.stopTasks()
			c.version++
			l.active--
		}
	}
}

// Remove forgets a call and its sub-agents: its turn was undone.
func (l *Log) Remove(id string) {
	c := l.byID[id]
	if c == nil {
		return
	}
	delete(l.byID, id)
	for _, t := range c.tasks {
		delete(l.tasks, t.ID)
	}
	l.calls = slices.DeleteFunc(l.calls, func(o *Call) bool { return o == c })
	l.rows = slices.DeleteFunc(l.rows, func(r Row) bool { return r.Call == c })
	switch {
	case !c.Done():
		l.active--
	case c.failed():
		l.failed--
	}
}

// Replay adds a call from a stored transcript; Finish gives its result.
func (l *Log) Replay(call core.ToolCall, at time.Time) *Call {
	c := l.start(call.ID, call.Name, call.Arguments, at)
	return c
}

// Finish ends a replayed call.
func (l *Log) Finish(id string, r core.Record) *Call {
	return l.update(id, func(c *Call) {
		ok := r.OK == nil || *r.OK
		c.Took = time.Duration(r.TookMS) * time.Millisecond
		l.end(c, ok, r.Message.Content, r.Detail, nil)
	})
}

func (l *Log) start(id, tool, args string, at time.Time) *Call {
	if c := l.byID[id]; c != nil {
		return c
	}
	c := &Call{ID: id, Tool: cell.Line(tool), Arguments: args, Summary: Summarise(args), Started: at}
	l.calls = append(l.calls, c)
	l.rows = append(l.rows, Row{Call: c})
	l.byID[id] = c
	l.active++
	return c
}

func (l *Log) update(id string, f func(*Call)) *Call {
	c := l.byID[id]
	if c == nil {
		return nil
	}
	f(c)
	c.version++
	return c
}

func (l *Log) end(c *Call, ok bool, result string, d *core.ToolDetail, exit *int) {
	if !c.Done() {
		l.active--
	}
	c.Result, c.Detail, c.Exit = result, d, exit
	c.stopTasks()
	if d != nil && exit == nil {
		c.Exit = d.ExitCode
	}
	switch {
	case d != nil && d.Denied:
		c.State = Denied
	case d != nil && d.Aborted:
		c.State = Aborted
	case ok:
		c.State = OK
	default:
		c.State = Failed
	}
	if c.failed() {
		l.failed++
	}
}

func (c *Call) addOutput(s string) {
	c.output += s
	if len(c.output) > 2*maxOutput { // cut rarely, so that adding stays cheap
		c.output = c.output[len(c.output)-maxOutput:]
		c.cut = true
	}
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Summarise returns the argument that tells a person most about a call, on one clean line.
func Summarise(arguments string) string {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return cell.Line(arguments)
	}
	for _, key := range []string{"command", "path", "file_path", "pattern", "query", "url", "name", "text", "title", "goal", "task", "question"} {
		if s, ok := args[key].(string); ok && s != "" {
			return cell.Line(s)
		}
	}
	if items, ok := args["items"].([]any); ok {
		return countOf(len(items), "item")
	}
	keys := make([]string, 0, len(args))
	for k := range args {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	for _, k := range keys {
		v, err := json.Marshal(args[k])
		if err != nil {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" ")
		}
		b.WriteString(k + "=" + string(v))
	}
	return cell.Line(b.String())
}

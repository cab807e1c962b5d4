package app

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/agent"
	"hermes/core/prompt"
	"hermes/core/session"
	"hermes/core/text"
	"hermes/tools/plan"
)

// errBadEnd is why a sub-agent's work counts as failed.
var errBadEnd = errors.New("the sub-agent's run failed")

// RunTask runs a sub-agent for the session: its own transcript, a restricted set of tools, the same
// model and approver. Its progress goes to the parent's feed, its conversation does not.
func (s *Session) RunTask(ctx context.Context, t core.Task) (core.TaskResult, error) {
	a := s.app
	box, err := a.toolbox(boxOptions{approver: s.approver, folder: s.folder, toolsets: t.Toolsets, todos: &plan.Todos{}, window: s.window})
	if err != nil {
		return core.TaskResult{}, err
	}
	specs := box.Specs()
	names := make([]string, len(specs))
	for i, sp := range specs {
		names[i] = sp.Name
	}
	model := s.agent.Model()
	frozen := prompt.Build(prompt.Input{
		Facts: prompt.Facts{Folder: s.folder, Day: a.now(), Model: model.Info().Ref()}, Tools: names, System: a.systemLine(),
		ContextLength: model.Info().ContextLength, Private: a.Home.Dir(), Redact: a.Redactor().Redact,
	})
	ses := a.Sessions.New(s.folder, model.Info().Ref(), session.Prompt{System: frozen.Text, Tools: specs})
	w := &taskWatch{s: s, task: t, child: ses.ID(), started: a.now()}
	child := agent.New(agent.Options{
		Model: model, Tools: box, Journal: ses, System: frozen.Text, Specs: specs, Redactor: a.Redactor(), Name: t.Title,
		Emit: w.event, MaxIterations: t.MaxIterations,
	})
	w.emit(&core.TaskStarted{TaskID: t.ID, CallID: t.CallID, Title: t.Title, Child: ses.ID(), Toolsets: t.Toolsets, Limit: t.MaxIterations})
	end := child.Run(ctx, agent.Input{Text: t.Prompt})
	err = errors.Join(ses.Rename(taskTitle+t.Title), box.close(), ses.Close())
	// Undo of this turn takes the sub-agent's changes back, too.
	s.record(core.Record{Type: core.RecordNote, RunID: t.ParentRun, Target: ses.ID(), Reason: taskNote, Text: "task: " + t.Title})
	return w.end(end, err)
}

// taskTitle begins the title of a sub-agent's session.
const taskTitle = "task: "

// isTask tells a sub-agent's session by its title.
func isTask(title string) bool { return strings.HasPrefix(title, taskTitle) }

// taskNote marks the record that names a sub-agent's session in its parent's transcript.
const taskNote = "task"

// taskWatch turns a sub-agent's events into the parent's.
type taskWatch struct {
	s       *Session
	task    core.Task
	child   string
	started time.Time
	step    core.TaskStep
	taint   []string
}

func (w *taskWatch) emit(e core.Event) {
	h := e.Head()
	h.SessionID, h.RunID, h.Channel = w.task.ParentSession, w.task.ParentRun, core.ChannelChat
	w.s.Feed.Emit(e)
}

// event hears what the sub-agent does. Its agent calls it from several goroutines, one event at a time
// per call; only steps and taint are kept, under the parent's lock.
func (w *taskWatch) event(e core.Event) {
	w.s.taskMu.Lock()
	defer w.s.taskMu.Unlock()
	switch e := e.(type) {
	case *core.ToolStarted:
		w.step.ToolCalls++
		w.say(e.Tool + " " + subjectOf(e.Arguments))
	case *core.ToolEnded:
		if e.Detail != nil && e.Detail.Taint != "" {
			w.taint = append(w.taint, e.Detail.Taint)
		}
	case *core.MessageEnded:
		w.step.Request++
		if line := text.FirstLine(e.Message.Content, 120); line != "" {
			w.say(line)
		}
	}
}

func (w *taskWatch) say(line string) {
	step := w.step
	step.TaskID, step.CallID, step.Text = w.task.ID, w.task.CallID, line
	w.emit(&step)
}

// subjectOf is what a call is about, in a few words.
func subjectOf(args string) string {
	var a struct{ Command, Path, Query, Pattern, URL string }
	if json.Unmarshal([]byte(args), &a) != nil {
		return ""
	}
	for _, s := range []string{a.Command, a.Path, a.Query, a.Pattern, a.URL} {
		if s != "" {
			return text.Cut(text.OneLine(s), 100)
		}
	}
	return ""
}

// end tells how the sub-agent's run ended.
func (w *taskWatch) end(end *core.RunEnded, err error) (core.TaskResult, error) {
	slices.Sort(w.taint)
	r := core.TaskResult{
		Answer: end.Answer, Requests: end.Requests, ToolCalls: end.ToolCalls, ToolErrors: end.ToolErrors, Usage: end.Usage,
		Cost: end.Cost, Reason: end.Reason, SessionID: w.child, Taint: strings.Join(slices.Compact(w.taint), "\n"),
	}
	ended := &core.TaskEnded{TaskID: w.task.ID, CallID: w.task.CallID, Result: r, Error: end.Error, DurationMS: w.s.app.now().Sub(w.started).Milliseconds()}
	w.emit(ended)
	w.s.spent(end.Usage, end.Cost, "delegation")
	switch {
	case end.Error != nil:
		return r, &core.Error{Code: end.Error.Code, Op: "run task", Subject: w.task.Title, Err: errors.Join(errBadEnd, errors.New(end.Error.Message)), Hint: end.Error.Remedy}
	case err != nil:
		return r, err
	}
	return r, nil
}

// spent adds what a side task consumed to the session's figures.
func (s *Session) spent(u core.Usage, c core.Cost, what string) {
	s.record(core.Record{Type: core.RecordUsage, Usage: &u, Cost: &c, Purpose: core.PurposeChat, Reason: what})
	e := &core.UsageReported{Usage: u, Cost: c, Purpose: core.PurposeChat, Side: what}
	e.SessionID = s.ID()
	s.Feed.Emit(e)
}

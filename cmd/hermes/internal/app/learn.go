package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"hermes/core"
	"hermes/core/agent"
	"hermes/core/review"
	"hermes/core/text"
	"hermes/skills/learn"
)

var errNoSource = errors.New("there is no such file or folder")

// lesson follows a turn that was asked to learn: after it code checks what landed, and the model gets up to two
// rounds to mend it.
type lesson struct {
	mu      sync.Mutex
	request string
	active  bool
	round   int
	runs    []string // of this lesson
	done    chan struct{}
	left    []learn.Finding
	skills  []string
	waiting []string      // of skills, those that are proposals
	record  review.Record // of the check, while it goes on
}

// expand is the turn that is made of what was said.
func (s *Session) expand(said string) agent.Input {
	if shown, ok := learn.Repairs(said); ok {
		return agent.Input{Text: said, Shown: shown, Own: true}
	}
	if sources, ok := learn.Asked(said); ok {
		s.lesson.begin(sources)
		return agent.Input{Text: learn.Request(sources), Shown: said}
	}
	return agent.Input{Text: s.invoked(said), Shown: said}
}

func (l *lesson) begin(request string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.request, l.active, l.round, l.runs, l.left, l.skills, l.waiting = request, true, 0, nil, nil, nil, nil
	l.done = make(chan struct{})
}

// sources finds what a request names.
func (s *Session) sources() learn.Place {
	userHome, _ := os.UserHomeDir() // "~" stands for nothing then
	return learn.Place{Dir: s.folder, Home: userHome, Stat: func(path string) (bool, bool) {
		st, err := os.Stat(path)
		return err == nil && st.IsDir(), err == nil
	}}
}

// Learn asks for a skill made of sources; "" is what was just done. A path that stands nowhere is refused
// before a model is asked.
func (s *Session) Learn(sources string) error {
	if gone := s.sources().Missing(sources); gone != "" {
		return &core.Error{Code: core.CodeUsage, Op: "learn", Subject: gone, Err: errNoSource, Hint: "check the path; words that are no path say what to look at"}
	}
	return s.Conversation.Send(strings.TrimSpace(learn.Command + " " + sources))
}

// Lesson is how a lesson ended.
type Lesson struct {
	Skills  []string        `json:"skills"`            // that were written
	Waiting []string        `json:"waiting,omitempty"` // those of them that are proposals: nothing of them stands yet
	Left    []learn.Finding `json:"findings"`          // what is left to mend
}

// WaitLesson blocks until the lesson under way is over, or ctx ends.
func (s *Session) WaitLesson(ctx context.Context) Lesson {
	l := &s.lesson
	l.mu.Lock()
	done := l.done
	l.mu.Unlock()
	if done == nil {
		return Lesson{}
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return Lesson{Skills: slices.Clone(l.skills), Waiting: slices.Clone(l.waiting), Left: slices.Clone(l.left)}
}

// lessonEnded looks at a turn of a lesson: it asks for a repair, or tells the person how it ended.
func (s *Session) lessonEnded(end *core.RunEnded) {
	l := &s.lesson
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.active {
		return
	}
	l.runs = append(l.runs, end.RunID)
	if end.Reason != core.EndAnswered {
		l.finish()
		return
	}
	landed, findings, err := s.checkLesson(l.request, l.runs)
	if err != nil {
		s.app.Log.Warn("check what was learned", "err", err)
		l.finish()
		return
	}
	l.left, l.skills, l.waiting = findings, nil, nil
	for _, x := range landed {
		l.skills = append(l.skills, x.Entry.Name)
		if x.Waits {
			l.waiting = append(l.waiting, x.Entry.Name)
		}
	}
	if len(findings) > 0 && l.round < learn.MaxRounds {
		s.checking(l.skills, findings, l.round, false)
		l.round++
		if s.Conversation.Send(learn.Repair(findings, l.round, l.waiting)) == nil {
			return
		}
	}
	l.finish()
	s.checking(l.skills, findings, l.round, true)
	s.tellLesson(l.skills, l.waiting, findings)
}

// finish ends the lesson. The caller holds mu.
func (l *lesson) finish() {
	l.active = false
	close(l.done)
}

// tellLesson says what remains.
func (s *Session) tellLesson(names, waiting []string, left []learn.Finding) {
	n := &core.Notice{Level: core.LevelInfo, Text: "learned: " + strings.Join(names, ", ") + "; the check found nothing to mend"}
	if len(left) > 0 {
		var lines []string
		for _, f := range left {
			lines = append(lines, f.String())
		}
		n.Level, n.Text = core.LevelWarn, fmt.Sprintf("the check of what was learned still finds %d: %s", len(left), text.Cut(strings.Join(lines, " · "), 600))
		n.Remedy = "mend it by hand: /skills, or hermes skills check"
	}
	if len(waiting) > 0 {
		n.Text = strings.Join(waiting, ", ") + text.Plural(len(waiting), " waits", " wait") + " for you; " + strings.TrimPrefix(n.Text, "learned: "+strings.Join(names, ", ")+"; ")
		n.Remedy = "look at it and accept or edit it: Ctrl+X r, or hermes reviews list"
	}
	n.SessionID, n.Channel = s.ID(), core.ChannelChat
	s.Feed.Emit(n)
}

// checkLesson collects what the turns of a lesson did and checks it.
func (s *Session) checkLesson(request string, runs []string) ([]learn.Landed, []learn.Finding, error) {
	t := learn.Turn{Dir: s.folder, Tools: toolNames(s.ses.Prompt().Tools)}
	t.Sources = s.sources().Sources(request)
	calls := map[string]core.ToolCall{}
	for _, r := range s.ses.Records() {
		if r.Type != core.RecordMessage || !slices.Contains(runs, r.RunID) {
			continue
		}
		for _, c := range r.Message.ToolCalls {
			calls[c.ID] = c
		}
		if c, ok := calls[r.Message.ToolCallID]; ok && r.Message.Role == core.RoleTool && r.OK != nil && *r.OK {
			t.Calls, t.Results = append(t.Calls, c), append(t.Results, r.Message.Content)
		}
	}
	landed, err := s.landed(runs)
	if err != nil {
		return nil, nil, err
	}
	waiting, err := s.waiting(runs)
	if err != nil {
		return nil, nil, err
	}
	landed = append(landed, waiting...)
	return landed, learn.Check(t, landed), nil
}

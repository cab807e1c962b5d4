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
	"hermes/core/ledger"
	"hermes/core/review"
	"hermes/core/text"
	"hermes/skills"
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
	l.request, l.active, l.round, l.runs, l.left, l.skills = request, true, 0, nil, nil, nil
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

// WaitLesson blocks until the lesson under way is over, or ctx ends. It returns the skills that were written
// and what is left to mend.
func (s *Session) WaitLesson(ctx context.Context) (names []string, left []learn.Finding) {
	l := &s.lesson
	l.mu.Lock()
	done := l.done
	l.mu.Unlock()
	if done == nil {
		return nil, nil
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.skills), slices.Clone(l.left)
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
	findings, names, err := s.checkLesson(l.request, l.runs)
	if err != nil {
		s.app.Log.Warn("check what was learned", "err", err)
		l.finish()
		return
	}
	l.left, l.skills = findings, names
	if len(findings) > 0 && l.round < learn.MaxRounds {
		s.checking(names, findings, l.round, false)
		l.round++
		if s.Conversation.Send(learn.Repair(findings, l.round)) == nil {
			return
		}
	}
	l.finish()
	s.checking(names, findings, l.round, true)
	s.tellLesson(names, findings)
}

// finish ends the lesson. The caller holds mu.
func (l *lesson) finish() {
	l.active = false
	close(l.done)
}

// tellLesson says what remains.
func (s *Session) tellLesson(names []string, left []learn.Finding) {
	n := &core.Notice{Level: core.LevelInfo, Text: "learned: " + strings.Join(names, ", ") + "; the check found nothing to mend"}
	if len(left) > 0 {
		var lines []string
		for _, f := range left {
			lines = append(lines, f.String())
		}
		n.Level, n.Text = core.LevelWarn, fmt.Sprintf("the check of what was learned still finds %d: %s", len(left), text.Cut(strings.Join(lines, " · "), 600))
		n.Remedy = "mend it by hand: /skills, or hermes skills check"
	}
	n.SessionID, n.Channel = s.ID(), core.ChannelChat
	s.Feed.Emit(n)
}

// checkLesson collects what the turns of a lesson did and checks it.
func (s *Session) checkLesson(request string, runs []string) ([]learn.Finding, []string, error) {
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
	landed, names, err := s.landed(runs)
	if err != nil {
		return nil, nil, err
	}
	return learn.Check(t, landed), names, nil
}

// landed are the skills that the runs wrote, as they stand.
func (s *Session) landed(runs []string) (out []learn.Landed, names []string, err error) {
	touched := map[string]bool{}
	for _, run := range runs {
		log, err := s.app.Ledger.Log(ledger.Filter{SessionID: s.ID(), RunID: run, Subject: "skill:"})
		if err != nil {
			return nil, nil, err
		}
		for _, e := range log {
			touched[e.Subject] = true
		}
	}
	if len(touched) == 0 {
		return nil, nil, nil
	}
	checked, err := s.library.Check(s.life, skills.Scope{})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range checked {
		if !touched[c.Subject()] {
			continue
		}
		b, err := os.ReadFile(c.Path)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, learn.Landed{Entry: c.Entry, Text: string(b), Warnings: c.Warnings})
		names = append(names, c.Name)
	}
	return out, names, nil
}

package app

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"hermes/core"
)

// questions asks the person what the agent wants to know, through events, and waits for the answer.
type questions struct {
	emit func(core.Event)

	mu      sync.Mutex
	n       int
	waiting map[string]chan core.Answer
}

func newQuestions(emit func(core.Event)) *questions {
	return &questions{emit: emit, waiting: map[string]chan core.Answer{}}
}

// Ask blocks until the person answered or ctx ended.
func (q *questions) Ask(ctx context.Context, ask core.Question) (core.Answer, error) {
	answer := make(chan core.Answer, 1)
	q.mu.Lock()
	q.n++
	if ask.ID == "" {
		ask.ID = "q" + strconv.Itoa(q.n)
	}
	q.waiting[ask.ID] = answer
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		delete(q.waiting, ask.ID)
		q.mu.Unlock()
	}()
	stamp := func(e core.Event) core.Event {
		h := e.Head()
		h.SessionID, h.RunID, h.Channel = ask.SessionID, ask.RunID, core.ChannelChat
		return e
	}
	q.emit(stamp(&core.QuestionAsked{Question: ask}))
	select {
	case a := <-answer:
		q.emit(stamp(&core.QuestionDone{ID: ask.ID, Answer: a}))
		return a, nil
	case <-ctx.Done():
		q.emit(stamp(&core.QuestionDone{ID: ask.ID, Answer: core.Answer{Skipped: true}, Why: "interrupted"}))
		return core.Answer{Skipped: true}, ctx.Err()
	}
}

// Answer answers question id.
func (q *questions) Answer(id string, a core.Answer) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	answer, ok := q.waiting[id]
	if !ok {
		return &core.Error{Code: core.CodeNotFound, Op: "answer question", Subject: id, Err: errors.New("it is no longer waiting")}
	}
	delete(q.waiting, id)
	answer <- a
	return nil
}

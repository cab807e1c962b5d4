package app

import (
	"context"

	"hermes/core"
)

// questions asks the person what the agent wants to know, through events, and waits for the answer.
type questions struct {
	emit    func(core.Event)
	waiting waiting[core.Answer]
}

func newQuestions(emit func(core.Event)) *questions {
	return &questions{emit: emit, waiting: waiting[core.Answer]{prefix: "q"}}
}

// Ask blocks until the person answered or ctx ended.
func (q *questions) Ask(ctx context.Context, ask core.Question) (core.Answer, error) {
	id, answer, done := q.waiting.ask(ask.ID)
	defer done()
	ask.ID = id
	stamp := func(e core.Event) core.Event {
		h := e.Head()
		h.SessionID, h.RunID, h.Channel = ask.SessionID, ask.RunID, core.ChannelChat
		return e
	}
	q.emit(stamp(&core.QuestionAsked{Question: ask}))
	select {
	case a := <-answer:
		told := a
		if ask.Secret {
			told.Text = "" // nobody else hears it
		}
		q.emit(stamp(&core.QuestionDone{ID: ask.ID, Answer: told}))
		return a, nil
	case <-ctx.Done():
		q.emit(stamp(&core.QuestionDone{ID: ask.ID, Answer: core.Answer{Skipped: true}, Why: "interrupted"}))
		return core.Answer{Skipped: true}, ctx.Err()
	}
}

// Answer answers question id.
func (q *questions) Answer(id string, a core.Answer) error { return q.waiting.answer(id, a) }

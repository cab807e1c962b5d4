package app

import (
	"context"
	"sync"

	"hermes/core"
	"hermes/core/review"
)

// closedReason is why reviews end with the program.
const closedReason = "hermes was closed"

// left are the reviews of closed sessions that go on beside the open one. Their events go where the person is.
type left struct {
	mu   sync.Mutex
	feed *core.Feed         // of the session that was opened last
	list []*review.Reviewer // still at work
	turn bool               // of the open session is under way
}

// opened says that the person is in s now.
func (l *left) opened(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.feed = s.Feed
}

// leaves tells whether the person went on to another session, and takes the reviews of s over when they did.
func (l *left) leaves(s *Session) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.feed == s.Feed {
		l.feed = nil
	}
	if !s.attended || l.feed == nil || !s.reviewer.Leave() {
		return false
	}
	l.list = append(l.list, s.reviewer)
	if l.turn {
		s.reviewer.TurnStarts()
	}
	go func() {
		s.reviewer.Wait(context.Background()) // it ends with its reviews, which close ends
		l.mu.Lock()
		defer l.mu.Unlock()
		for i, r := range l.list {
			if r == s.reviewer {
				l.list = append(l.list[:i:i], l.list[i+1:]...)
				break
			}
		}
	}()
	return true
}

// each calls f for every reviewer that is still at work.
func (l *left) each(f func(*review.Reviewer)) {
	l.mu.Lock()
	list := l.list
	l.mu.Unlock()
	for _, r := range list {
		f(r)
	}
}

// turns tells them whether the open session needs the model's server.
func (l *left) turns(on bool) {
	l.mu.Lock()
	l.turn = on
	l.mu.Unlock()
	l.each(func(r *review.Reviewer) {
		if on {
			r.TurnStarts()
		} else {
			r.TurnOver()
		}
	})
}

// cancel ends one of them by its id.
func (l *left) cancel(id string) (found bool) {
	l.each(func(r *review.Reviewer) { found = found || id != "" && r.Cancel(id) })
	return found
}

// close ends them all.
func (l *left) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	l.each(func(r *review.Reviewer) { r.Close(ctx, closedReason) })
}

// emit tells the person, wherever they are now, what s learns.
func (l *left) emit(s *Session, e core.Event) {
	l.mu.Lock()
	feed := l.feed
	l.mu.Unlock()
	if feed == nil || !s.gone.Load() {
		feed = s.Feed
	}
	feed.Emit(e)
}

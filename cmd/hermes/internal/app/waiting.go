package app

import (
	"errors"
	"strconv"
	"sync"

	"hermes/core"
)

// waiting holds what a person was asked and has not answered yet: approvals and questions alike.
type waiting[T any] struct {
	prefix string // of the ids it gives

	mu   sync.Mutex
	n    int
	asks map[string]chan T
}

// ask registers id, or a new one when it is empty. done forgets it.
func (w *waiting[T]) ask(id string) (_ string, answer <-chan T, done func()) {
	ch := make(chan T, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	if id == "" {
		id = w.prefix + strconv.Itoa(w.n)
	}
	if w.asks == nil {
		w.asks = map[string]chan T{}
	}
	w.asks[id] = ch
	return id, ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.asks, id)
	}
}

// answer gives v to whoever waits for id.
func (w *waiting[T]) answer(id string, v T) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, ok := w.asks[id]
	if !ok {
		return &core.Error{Code: core.CodeNotFound, Op: "answer", Subject: id, Err: errors.New("it is no longer waiting")}
	}
	delete(w.asks, id)
	ch <- v
	return nil
}

package core

import (
	"context"
	"sync"
	"time"
)

// FeedLimit is how many undelivered events a Feed holds before Emit waits. Deltas that merge into
// an undelivered one take no place.
const FeedLimit = 1024

// Feed carries events from the core to one reader. Text, reasoning and output deltas merge with the
// last undelivered one of the same kind and target, so a slow reader gets fewer, longer deltas and
// never loses a character; everything else arrives as emitted. Emit blocks when the reader is
// FeedLimit events behind, until the reader or Close frees it.
type Feed struct {
	mu     sync.Mutex
	space  *sync.Cond
	queue  []Event
	ready  chan struct{} // holds one token while the queue is not empty
	closed bool
	seq    int64
	now    func() time.Time
}

// NewFeed returns an open feed.
func NewFeed() *Feed {
	f := &Feed{ready: make(chan struct{}, 1), now: time.Now}
	f.space = sync.NewCond(&f.mu)
	return f
}

// Emit hands e over. It stamps sequence and time where unset and must not be called with an event
// that is still being written by the caller. After Close events are dropped.
func (f *Feed) Emit(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq++
	h := e.Head()
	h.Seq = f.seq
	if h.Time.IsZero() {
		h.Time = f.now().UTC()
	}
	if f.merge(e) {
		return
	}
	for len(f.queue) >= FeedLimit && !f.closed {
		f.space.Wait()
	}
	if f.closed {
		return
	}
	f.queue = append(f.queue, e)
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// merge appends e to an undelivered delta when nothing of the same run stands between them.
func (f *Feed) merge(e Event) bool {
	if out, ok := e.(*ToolOutput); ok {
		return f.mergeOutput(out)
	}
	if len(f.queue) == 0 {
		return false
	}
	switch n := e.(type) {
	case *TextDelta:
		if l, ok := f.queue[len(f.queue)-1].(*TextDelta); ok && l.MessageID == n.MessageID && l.SessionID == n.SessionID {
			f.queue[len(f.queue)-1] = &TextDelta{Meta: n.Meta, MessageID: n.MessageID, Text: l.Text + n.Text}
			return true
		}
	case *ReasoningDelta:
		if l, ok := f.queue[len(f.queue)-1].(*ReasoningDelta); ok && l.MessageID == n.MessageID && l.SessionID == n.SessionID {
			f.queue[len(f.queue)-1] = &ReasoningDelta{Meta: n.Meta, MessageID: n.MessageID, Text: l.Text + n.Text}
			return true
		}
	}
	return false
}

// mergeOutput looks further back than merge does: the outputs of parallel calls interleave.
func (f *Feed) mergeOutput(n *ToolOutput) bool {
	for i := len(f.queue) - 1; i >= 0; i-- {
		l, ok := f.queue[i].(*ToolOutput)
		if !ok {
			return false
		}
		if l.CallID == n.CallID && l.SessionID == n.SessionID {
			f.queue[i] = &ToolOutput{Meta: l.Meta, CallID: l.CallID, Text: l.Text + n.Text}
			return true
		}
	}
	return false
}

// Next waits for events and returns all undelivered ones. After Close it returns what is left, then
// ok false. When ctx ends it returns nil, true.
func (f *Feed) Next(ctx context.Context) (batch []Event, ok bool) {
	for {
		f.mu.Lock()
		if len(f.queue) > 0 {
			batch = f.queue
			f.queue = nil
			f.space.Broadcast()
			f.mu.Unlock()
			return batch, true
		}
		closed := f.closed
		f.mu.Unlock()
		if closed {
			return nil, false
		}
		select {
		case <-f.ready:
		case <-ctx.Done():
			return nil, true
		}
	}
}

// Close lets Next return false once the queue is empty and frees waiting emitters.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	f.space.Broadcast()
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

package tui

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

const (
	// fastFPS is how often the renderer looks for a new frame while anything happens: a key waits at
	// most a few milliseconds for its frame.
	fastFPS = 120
	// slowEvery is how often it looks while nothing happens. Looking 120 times a second would cost a
	// percent of a core in wake-ups alone.
	slowEvery = time.Second
	// restAfter is how long nothing must have happened.
	restAfter = 250 * time.Millisecond
)

// pacer slows the renderer's clock down while nothing happens. Bubble Tea has no option for that: its
// ticker is private, so it is reached by reflection. When a later version has no such field the pacer
// does nothing and the clock stays fast; a test tells.
type pacer struct {
	mu     sync.Mutex
	ticker *time.Ticker
	rest   *time.Timer
	slow   bool
}

// newPacer returns the pacer of a running program, nil when its clock cannot be reached.
func newPacer(p *tea.Program) *pacer {
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	// The renderer started before the first message, in the goroutine that calls Update.
	t := *(**time.Ticker)(unsafe.Pointer(f.UnsafeAddr()))
	if t == nil {
		return nil
	}
	c := &pacer{ticker: t}
	c.rest = time.AfterFunc(restAfter, c.sleep)
	return c
}

// wake makes the clock fast; it is called with every message.
func (c *pacer) wake() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.slow {
		c.slow = false
		c.ticker.Reset(time.Second / fastFPS)
	}
	c.rest.Reset(restAfter)
}

func (c *pacer) sleep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slow = true
	c.ticker.Reset(slowEvery)
}

// stop leaves the clock alone from now on.
func (c *pacer) stop() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest.Stop()
}

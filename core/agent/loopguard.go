package agent

import (
	"crypto/sha256"
	"strconv"
	"sync"

	"hermes/core"
)

// When the same call gives the same result again and again, the model is told, then the turn is stopped.
const (
	loopNotice = 3
	loopStop   = 5
)

// loopGuard counts equal calls with equal results in a turn. A call that changes something and was not
// made before starts the count anew: running the tests after each edit is work, not a loop.
type loopGuard struct {
	mu      sync.Mutex
	seen    map[[32]byte]int
	stopped *core.ToolCall // the call that went round too often
}

// saw takes a result over and returns what to add to its text.
func (g *loopGuard) saw(c core.ToolCall, r core.ToolResult, shared bool) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := sha256.Sum256([]byte(c.Name + "\x00" + c.Arguments + "\x00" + r.Content))
	if g.seen == nil || !shared && r.OK && g.seen[key] == 0 {
		g.seen = map[[32]byte]int{}
	}
	g.seen[key]++
	n := g.seen[key]
	if n >= loopStop {
		g.stopped = &c
	}
	if n < loopNotice {
		return ""
	}
	return "\n\n[This call gave this very result " + strconv.Itoa(n) + " times in this turn. Do something else, or say what stands in the way.]"
}

// stop returns the call that ended the turn, or nil.
func (g *loopGuard) stop() *core.ToolCall {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stopped
}

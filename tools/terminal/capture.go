package terminal

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"hermes/core/text"
	"hermes/tools"
)

const (
	// keep is how many bytes are held at each end of the output: enough for half the result's code
	// points at four bytes each.
	keep = 4 * tools.OutputLimit / 2

	liveEvery = 33 * time.Millisecond // at most 30 pieces a second reach the screen
	liveMax   = 8 << 10               // bytes a piece; a flood shows its end only
)

// capture takes a command's output: it streams to the screen at a bounded rate, keeps both ends in
// memory, and once the middle would be lost writes everything to a spill file.
type capture struct {
	mu      sync.Mutex
	head    []byte
	tail    []byte // ring: the next byte goes to at
	at      int
	points  int // code points seen
	spill   *tools.Spill
	open    func() (*tools.Spill, error)
	live    func(string)
	pending []byte
	skipped bool
	timer   *time.Timer
	closed  bool
}

func newCapture(live func(string), open func() (*tools.Spill, error)) *capture {
	return &capture{live: live, open: open}
}

// Write takes output as it comes.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return len(p), nil
	}
	for _, b := range p {
		if utf8.RuneStart(b) {
			c.points++
		}
	}
	c.store(p)
	c.show(p)
	return len(p), nil
}

func (c *capture) store(p []byte) {
	rest := p
	if room := keep - len(c.head); room > 0 {
		n := min(room, len(rest))
		c.head = append(c.head, rest[:n]...)
		rest = rest[n:]
	}
	if len(rest) == 0 {
		return
	}
	if c.spill == nil && c.open != nil && len(c.tail)+len(rest) > keep {
		spill, err := c.open()
		c.open = nil // one try: the command goes on without
		if err == nil && spill != nil {
			c.spill = spill
			_, _ = spill.Write(c.head) // never fails
			_, _ = spill.Write(c.ring())
		}
	}
	if c.spill != nil {
		_, _ = c.spill.Write(rest) // never fails
	}
	if len(rest) > keep {
		rest = rest[len(rest)-keep:]
	}
	for len(rest) > 0 {
		if len(c.tail) < keep {
			n := min(keep-len(c.tail), len(rest))
			c.tail = append(c.tail, rest[:n]...)
			rest = rest[n:]
			continue
		}
		n := copy(c.tail[c.at:], rest)
		c.at = (c.at + n) % keep
		rest = rest[n:]
	}
}

// ring returns the tail in order.
func (c *capture) ring() []byte {
	return append(append([]byte(nil), c.tail[c.at:]...), c.tail[:c.at]...)
}

func (c *capture) show(p []byte) {
	c.pending = append(c.pending, p...)
	if over := len(c.pending) - liveMax; over > 0 {
		c.pending = append(c.pending[:0], c.pending[over:]...)
		c.skipped = true
	}
	if c.timer == nil {
		c.timer = time.AfterFunc(liveEvery, c.tick)
	}
}

func (c *capture) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = nil
	if !c.closed {
		c.flush(false)
	}
}

// flush sends what is pending, whole characters only unless it is the last time.
func (c *capture) flush(last bool) {
	p := c.pending
	if c.skipped {
		for len(p) > 0 && !utf8.RuneStart(p[0]) {
			p = p[1:]
		}
	}
	end := len(p)
	if !last {
		for i := 1; i <= min(utf8.UTFMax, len(p)); i++ {
			if b := p[len(p)-i:]; utf8.RuneStart(b[0]) {
				if !utf8.FullRune(b) {
					end = len(p) - i
				}
				break
			}
		}
	}
	out := text.CleanUTF8(string(p[:end]))
	c.pending = append([]byte(nil), p[end:]...)
	if c.skipped {
		out = "[...]\n" + out
		c.skipped = false
	}
	if out != "" {
		c.live(out)
	}
}

// seen is how many code points have come.
func (c *capture) seen() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.points
}

// finish stops taking output and shows what is pending.
func (c *capture) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.flush(true)
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// text returns the output in at most limit code points, how many were left out, and the file that has
// them all.
func (c *capture) text(limit int) (out string, cut int, spill string) {
	c.finish()
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := c.ring()
	whole := c.spill == nil && c.points == points(c.head)+points(tail)
	if c.spill != nil {
		spill, _ = c.spill.Close() // without the file the result still has both ends
		c.spill = nil
	}
	if whole {
		return text.CleanUTF8(string(c.head) + string(tail)), 0, spill // the registry cuts and spills
	}
	half := (limit - 100) / 2
	head := []rune(text.CleanUTF8(string(c.head)))
	end := []rune(text.CleanUTF8(string(tail)))
	head = head[:min(half, len(head))]
	end = end[max(0, len(end)-half):]
	cut = max(c.points-len(head)-len(end), 0)
	var b strings.Builder
	b.WriteString(string(head))
	b.WriteString(text.Gap(cut))
	b.WriteString(string(end))
	return b.String(), cut, spill
}

func points(p []byte) int {
	n := 0
	for _, b := range p {
		if utf8.RuneStart(b) {
			n++
		}
	}
	return n
}

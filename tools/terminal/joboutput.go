package terminal

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"hermes/core/text"
	"hermes/tools"
)

// jobTail is how many code points of a job's output are kept in memory.
const jobTail = 200_000

// jobOutput takes the output of a background job: the newest part stays in memory, all of it (up to a
// limit) goes to a log file.
type jobOutput struct {
	mu     sync.Mutex
	tail   []byte
	points int // code points in tail
	total  int // bytes seen
	all    int // code points seen
	log    *tools.Spill
	path   string
}

// newJobOutput logs to log, which may be nil.
func newJobOutput(log *tools.Spill) *jobOutput {
	o := &jobOutput{log: log}
	if log != nil {
		o.path = log.Path()
	}
	return o
}

// Write takes output as it comes.
func (o *jobOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := points(p)
	o.total += len(p)
	o.all += n
	o.points += n
	o.tail = append(o.tail, p...)
	if o.points > jobTail+jobTail/4 { // rarely, so that a flood is not copied again and again
		o.trim()
	}
	if o.log != nil {
		_, _ = o.log.Write(p) // never fails
	}
	return len(p), nil
}

// trim keeps the newest jobTail code points, in memory of their size. Callers hold mu.
func (o *jobOutput) trim() {
	over := o.points - jobTail
	i := 0
	for ; i < len(o.tail) && over > 0; i++ {
		if utf8.RuneStart(o.tail[i]) {
			over--
		}
	}
	for i < len(o.tail) && !utf8.RuneStart(o.tail[i]) {
		i++
	}
	o.tail = append(make([]byte, 0, len(o.tail)-i), o.tail[i:]...)
	o.points = points(o.tail)
}

// seen is how many code points have come.
func (o *jobOutput) seen() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all
}

// maxHeldWord bounds what since holds back, in bytes.
const maxHeldWord = 1024

// since returns what came after the first from bytes, at most limit code points of its end, and where
// to go on. lost is true when something before it is not there any more. With hold the last word waits
// for its end, unless it ends as prompts do: half a secret would not be recognised.
func (o *jobOutput) since(from, limit int, hold bool) (out string, next int, lost bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	start := o.total - len(o.tail)
	lost = from < start
	b := o.tail[max(from-start, 0):]
	next = o.total
	if n := len(b); n > 0 && from < o.total { // a character that is not complete comes the next time
		for i := 1; i <= min(utf8.UTFMax, n); i++ {
			if utf8.RuneStart(b[n-i]) {
				if !utf8.FullRune(b[n-i:]) {
					b, next = b[:n-i], next-i
				}
				break
			}
		}
	}
	if hold {
		n := len(b)
		b = settled(b)
		next -= n - len(b)
	}
	s := text.CleanUTF8(string(b))
	if over := text.Len(s) - limit; over > 0 {
		s, lost = string([]rune(s)[over:]), true
	}
	return s, next, lost
}

// settled is b without a last word that may go on.
func settled(b []byte) []byte {
	if i := bytes.LastIndexAny(b, " \t\r\n") + 1; len(b)-i <= maxHeldWord && !prompts(b) {
		return b[:i]
	}
	return b
}

// prompts reports whether b ends like a question to whoever reads it.
func prompts(b []byte) bool {
	return len(b) > 0 && bytes.IndexByte([]byte("?:])>$#%"), b[len(b)-1]) >= 0
}

// lines returns limit lines of the tail, leaving out the newest skip. hold is as for since.
func (o *jobOutput) lines(skip, limit int, hold bool) (out string, shown int) {
	o.mu.Lock()
	tail := o.tail
	if hold {
		tail = settled(tail)
	}
	all := strings.SplitAfter(text.CleanUTF8(string(tail)), "\n")
	o.mu.Unlock()
	if n := len(all); n > 0 && all[n-1] == "" {
		all = all[:n-1]
	}
	end := max(len(all)-skip, 0)
	from := max(end-limit, 0)
	return strings.Join(all[from:end], ""), end - from
}

// finish closes the log and frees what is not kept.
func (o *jobOutput) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.trim()
	if o.log != nil {
		path, err := o.log.Close()
		if err != nil {
			path = ""
		}
		o.log, o.path = nil, path
	}
}

// file is where the log is, "" when there is none.
func (o *jobOutput) file() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.path
}

//go:build !windows

package tui

import (
	"bytes"
	"time"
)

// restWait is how long the rest of a sequence may take: a slow line's worth, hardly felt when a key was
// meant that only looks like the beginning of one (Alt+[).
const restWait = 500 * time.Millisecond

// unfinished tells whether b ends within a control sequence. A lone Esc is a key and is never waited for.
func unfinished(b []byte) bool {
	at := bytes.LastIndexByte(b, 0x1b)
	if at < 0 {
		return false
	}
	tail := b[at+1:]
	if len(tail) == 0 { // Esc, or the first half of the end of a string
		start := bytes.LastIndexByte(b[:at], 0x1b)
		return start >= 0 && opensString(b[start+1:at])
	}
	if tail[0] == '[' {
		return bytes.IndexFunc(tail[1:], func(r rune) bool { return r >= 0x40 && r <= 0x7e || r > 0x7f }) < 0
	}
	return opensString(tail)
}

// opensString tells whether what follows an Esc begins a string (OSC, DCS, APC, PM) that has not ended yet.
func opensString(tail []byte) bool {
	return len(tail) > 1 && bytes.IndexByte([]byte("]P_^"), tail[0]) >= 0 && bytes.IndexByte(tail, 0x07) < 0
}

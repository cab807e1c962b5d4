package text

import (
	"unicode/utf8"
)

// TabWidth is the distance between tab stops that Neutralise uses.
const TabWidth = 8

// Neutralise makes foreign text safe to draw: what remains are printable characters and "\n".
// Terminal sequences (CSI with private modes, OSC, DCS, APC, PM, SOS, single escapes, C1 bytes) are
// removed whole; so are NUL, BEL and the other control characters and bidirectional overrides. A
// carriage return inside a line shows the line's last state, as a terminal would ("10%\r20%\rdone"
// becomes "done"); a backspace removes the character before it. Tabs become spaces up to the next
// stop (counted in code points). Invalid UTF-8 becomes U+FFFD. Applying it twice changes nothing
// more.
func Neutralise(s string) string {
	if clean(s) {
		return s
	}
	n := neutraliser{out: make([]byte, 0, len(s))}
	for i := 0; i < len(s); {
		if end := sequenceEnd(s, i); end > i {
			i = end
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		i += w
		n.add(r)
	}
	return string(n.out)
}

// clean is the fast path: most text has nothing to remove.
func clean(s string) bool {
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			if (b < ' ' && b != '\n') || b == 0x7f {
				return false
			}
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		if (r == utf8.RuneError && w <= 1) || (r >= 0x80 && r < 0xa0) || hidden(r) {
			return false
		}
		i += w
	}
	return true
}

// neutraliser builds one line at a time: lineAt is where it starts in out; cr is set when a carriage
// return was seen, so that the next character starts the line anew.
type neutraliser struct {
	out    []byte
	lineAt int
	column int
	cr     bool
}

func (n *neutraliser) add(r rune) {
	switch {
	case r == '\n':
		n.out = append(n.out, '\n')
		n.lineAt, n.column, n.cr = len(n.out), 0, false
	case r == '\r':
		n.cr = true
	case r == '\b':
		n.erase()
	case r == '\t':
		n.restart()
		for ok := true; ok; ok = n.column%TabWidth != 0 {
			n.put(' ')
		}
	case r < ' ' || (r >= 0x7f && r < 0xa0) || hidden(r):
	default:
		n.restart()
		n.put(r)
	}
}

func (n *neutraliser) put(r rune) {
	n.out = utf8.AppendRune(n.out, r)
	n.column++
}

func (n *neutraliser) restart() {
	if n.cr {
		n.out, n.column, n.cr = n.out[:n.lineAt], 0, false
	}
}

func (n *neutraliser) erase() {
	if len(n.out) > n.lineAt && !n.cr {
		_, w := utf8.DecodeLastRune(n.out)
		n.out = n.out[:len(n.out)-w]
		n.column--
	}
}

// hidden reports characters that steer how a line is laid out without being seen: bidirectional
// overrides, embeddings and isolates, line and paragraph separators, and the byte order mark. Joiners
// and variation selectors stay, emoji and scripts need them.
func hidden(r rune) bool {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0x200e, r == 0x200f, r == 0x061c, r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	case r >= 0xfff9 && r <= 0xfffb: // interlinear annotation
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags: text that no one sees
		return true
	}
	return false
}

// sequenceEnd returns the offset behind the terminal sequence that starts at i, or i when none does.
// An unfinished CSI ends where its grammar breaks; an unfinished string sequence ends at a line
// break, so that a stray introducer cannot swallow the rest of the text.
func sequenceEnd(s string, i int) int {
	switch {
	case s[i] == 0x1b:
		if i+1 >= len(s) {
			return i + 1
		}
		return escapeEnd(s, i+1)
	case s[i] == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] < 0xa0: // C1 as UTF-8
		return c1End(s, i+2, s[i+1])
	case s[i] >= 0x80 && s[i] < 0xa0: // C1 as a bare byte; valid UTF-8 never starts so
		if r, w := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && w == 1 {
			return c1End(s, i+1, s[i])
		}
	}
	return i
}

// escapeEnd handles what follows ESC at offset i.
func escapeEnd(s string, i int) int {
	switch b := s[i]; {
	case b == '[':
		return csiEnd(s, i+1)
	case b == ']' || b == 'P' || b == '_' || b == '^' || b == 'X':
		return stringEnd(s, i+1)
	case b >= 0x20 && b <= 0x2f: // intermediates, then one final byte
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x30 && s[i] < 0x7f {
			i++
		}
		return i
	case b > 0x2f && b < 0x7f:
		return i + 1
	}
	return i // ESC before a control or non-ASCII character: only the ESC goes
}

// c1End handles the 8-bit form b of an escape; i is the offset behind it.
func c1End(s string, i int, b byte) int {
	switch b {
	case 0x9b:
		return csiEnd(s, i)
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return stringEnd(s, i)
	}
	return i
}

func csiEnd(s string, i int) int {
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] < 0x7f {
		i++
	}
	return i
}

func stringEnd(s string, i int) int {
	for ; i < len(s); i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == '\n', s[i] == 0x18, s[i] == 0x1a:
			return i
		case s[i] == 0x1b:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return i // another sequence begins
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		}
	}
	return i
}

package cell

import (
	"strings"
)

// Wrap breaks s into lines of at most w cells; existing line breaks stay. It breaks after spaces and
// around wide characters, inside a word only when the word alone is too long, and never inside a
// character. Colours and attributes (CSI … m) carry over to the next line. hang is put before every
// line but the first of each input line.
func Wrap(s string, w int, hang string) []string {
	if w <= 0 {
		return nil
	}
	if Width(hang) > w/2 {
		hang = ""
	}
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if isPlainASCII(line) && len(line) <= w {
			out = append(out, line)
			continue
		}
		out = appendWrapped(out, line, w, hang)
	}
	return out
}

// wrapper holds the state of one line being broken.
type wrapper struct {
	out   []string
	w     int
	hang  string
	hangW int

	line    strings.Builder
	width   int    // of line
	brk     int    // byte offset in line after the last break opportunity; 0 when none
	brkW    int    // width of line[:brk]
	brkSGR  string // style active at brk
	sgr     string // style active now
	prevWid bool   // the last character was wide
	started bool   // a line went out: the next ones begin with hang
}

func appendWrapped(out []string, s string, w int, hang string) []string {
	r := wrapper{out: out, w: w, hang: hang, hangW: Width(hang)}
	for len(s) > 0 {
		if s[0] == 0x1b {
			n := escapeLen(s)
			r.style(s[:n])
			s = s[n:]
			continue
		}
		c, cw := cluster(s)
		r.add(c, cw)
		s = s[len(c):]
	}
	r.flush(r.line.String())
	return r.out
}

// style records a colour sequence; anything else is dropped.
func (r *wrapper) style(seq string) {
	if !isSGR(seq) {
		return
	}
	if seq == "\x1b[m" || seq == "\x1b[0m" {
		r.sgr = ""
	} else {
		r.sgr += seq
	}
	r.line.WriteString(seq)
}

func (r *wrapper) add(c string, cw int) {
	if cw > r.w-r.hangW && cw > 1 { // not even one wide character fits
		c, cw = "?", 1
	}
	if cw > 1 || r.prevWid {
		if !closing(c) && r.line.Len() > 0 {
			r.mark()
		}
	}
	if r.width+cw > r.w {
		if c == " " { // a space at the edge is the break itself
			r.prevWid = false
			r.width++ // counted as overflow, so that the next character breaks here
			r.mark()
			return
		}
		for r.width+cw > r.w && (!r.started || r.width > r.hangW) {
			r.split()
		}
	}
	r.line.WriteString(c)
	r.width += cw
	r.prevWid = cw > 1
	if c == " " {
		r.mark()
	}
}

func (r *wrapper) mark() {
	r.brk, r.brkW, r.brkSGR = r.line.Len(), r.width, r.sgr
}

// split ends the line at the last opportunity, or right here when there is none or what follows it would not fit
// behind the hang.
func (r *wrapper) split() {
	whole := r.line.String()
	if r.brk == 0 || r.brkW == 0 || r.hangW+r.width-r.brkW > r.w {
		r.brk, r.brkW, r.brkSGR = len(whole), r.width, r.sgr
	}
	head, rest, restW, sgr := whole[:r.brk], whole[r.brk:], r.width-r.brkW, r.brkSGR
	r.flushStyled(head, sgr)
	r.line.Reset()
	r.line.WriteString(r.hang)
	if sgr != "" {
		r.line.WriteString(sgr)
	}
	r.line.WriteString(rest)
	r.width = r.hangW + restW
	r.started = true
	r.brk, r.brkW = 0, 0
}

func (r *wrapper) flush(s string) { r.flushStyled(s, r.sgr) }

func (r *wrapper) flushStyled(s, sgr string) {
	s = strings.TrimRight(s, " ")
	if sgr != "" {
		s += "\x1b[m"
	}
	r.out = append(r.out, s)
}

// closing tells characters that must not begin a line.
func closing(c string) bool {
	return strings.Contains("、。，．：；！？）」』】》〉〕｝…‥・ー々ゝゞ’”%％,.!?:;)]}>\"'", c)
}

package file

import (
	"fmt"
	"regexp"
	"strings"
)

// The limits of one patch body.
const (
	maxPatchBytes = 4 << 20
	maxPatchFiles = 200
	maxHunks      = 2_000 // of one file
)

type operation int

const (
	opUpdate operation = iota
	opAdd
	opDelete
)

// section is what a patch does to one file.
type section struct {
	op      operation
	path    string
	to      string // "*** Move to:"; "" stays
	content string // of an added file
	hunks   []hunk
	line    int // of the header, from 1
}

// hunk is one place of an update.
type hunk struct {
	anchors []string // the lines named by "@@", outermost first
	soft    bool     // the anchor came from a header with line numbers and is only a hint
	lines   []patchLine
	eof     bool // "*** End of File": it ends where the file does
	line    int  // of the patch, from 1
}

// patchLine is one line of a hunk: ' ' stays, '-' goes, '+' comes.
type patchLine struct {
	op   byte
	text string
}

// text is the hunk's text before (without '+') or after (without '-') the change, each line ended.
func (h hunk) text(without byte) string {
	var b strings.Builder
	for _, l := range h.lines {
		if l.op != without {
			b.WriteString(l.text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// body reads a patch line by line.
type body struct {
	lines []string
	at    int
	out   []section
}

// parsePatch reads a whole patch body. Errors name the line and what is expected there.
func parsePatch(src string) ([]section, error) {
	if len(src) > maxPatchBytes {
		return nil, fmt.Errorf("the patch is larger than %d MB", maxPatchBytes>>20)
	}
	b := &body{lines: strings.Split(strings.ReplaceAll(src, "\r\n", "\n"), "\n")}
	for b.at < len(b.lines) && strings.TrimSpace(b.lines[b.at]) == "" {
		b.at++
	}
	if b.at == len(b.lines) || strings.TrimSpace(b.lines[b.at]) != "*** Begin Patch" {
		return nil, fmt.Errorf("line %d of the patch must be \"*** Begin Patch\"", b.at+1)
	}
	b.at++
	for {
		done, err := b.section()
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
		if len(b.out) > maxPatchFiles {
			return nil, fmt.Errorf("the patch changes more than %d files", maxPatchFiles)
		}
	}
	for ; b.at < len(b.lines); b.at++ {
		if strings.TrimSpace(b.lines[b.at]) != "" {
			return nil, b.fault("nothing may follow \"*** End Patch\"")
		}
	}
	if len(b.out) == 0 {
		return nil, fmt.Errorf("the patch names no file")
	}
	return b.out, nil
}

func (b *body) fault(what string) error {
	return fmt.Errorf("line %d of the patch: %s", b.at+1, what)
}

// section reads one file's part; done says that the patch has ended.
func (b *body) section() (done bool, err error) {
	for b.at < len(b.lines) && strings.TrimSpace(b.lines[b.at]) == "" {
		b.at++
	}
	if b.at == len(b.lines) {
		return false, fmt.Errorf("the patch has no \"*** End Patch\"; it seems to be cut off")
	}
	line := strings.TrimRight(b.lines[b.at], " \t")
	if line == "*** End Patch" {
		b.at++
		return true, nil
	}
	s := section{line: b.at + 1}
	for head, op := range map[string]operation{"*** Update File: ": opUpdate, "*** Add File: ": opAdd, "*** Delete File: ": opDelete} {
		if p, ok := strings.CutPrefix(line, head); ok {
			s.op, s.path = op, strings.TrimSpace(p)
		}
	}
	if s.path == "" {
		return false, b.fault("expected \"*** Update File: path\", \"*** Add File: path\", \"*** Delete File: path\" or \"*** End Patch\"")
	}
	b.at++
	switch s.op {
	case opAdd:
		err = b.added(&s)
	case opUpdate:
		err = b.update(&s)
	case opDelete:
	}
	b.out = append(b.out, s)
	return false, err
}

// header reports whether a line ends the lines of a section.
func header(line string) bool {
	return strings.HasPrefix(line, "*** ") && !strings.HasPrefix(line, "*** End of File") && !strings.HasPrefix(line, "*** Move to: ")
}

// added reads the lines of a new file. Empty lines before the next header separate and are no content.
func (b *body) added(s *section) error {
	var out strings.Builder
	for ; b.at < len(b.lines) && !header(b.lines[b.at]); b.at++ {
		l := b.lines[b.at]
		switch {
		case strings.HasPrefix(l, "+"):
			out.WriteString(l[1:] + "\n")
		case strings.TrimSpace(l) == "" && b.separates():
		case l == "":
			out.WriteString("\n")
		default:
			return b.fault("every line of an added file starts with \"+\"")
		}
	}
	s.content = out.String()
	return nil
}

// separates reports whether only empty lines come before the next header.
func (b *body) separates() bool {
	for _, l := range b.lines[b.at:] {
		if strings.TrimSpace(l) != "" {
			return header(l) || strings.HasPrefix(l, "@@")
		}
	}
	return true
}

func (b *body) update(s *section) error {
	if b.at < len(b.lines) {
		if to, ok := strings.CutPrefix(b.lines[b.at], "*** Move to: "); ok {
			if s.to = strings.TrimSpace(to); s.to == "" {
				return b.fault("\"*** Move to:\" needs a path")
			}
			b.at++
		}
	}
	var h *hunk
	open := func() {
		s.hunks = append(s.hunks, hunk{line: b.at + 1})
		h = &s.hunks[len(s.hunks)-1]
	}
	for ; b.at < len(b.lines) && !header(b.lines[b.at]); b.at++ {
		l := b.lines[b.at]
		switch {
		case strings.HasPrefix(l, "@@"):
			if h == nil || len(h.lines) > 0 || h.eof {
				open()
			}
			anchor(h, l)
		case strings.HasPrefix(l, "*** End of File"):
			if h == nil {
				return b.fault("\"*** End of File\" without a hunk before it")
			}
			h.eof = true
		case strings.HasPrefix(l, `\ No newline`):
		case strings.TrimSpace(l) == "" && b.separates():
		case l == "" || l[0] == ' ' || l[0] == '-' || l[0] == '+':
			if h == nil || h.eof {
				open()
			}
			if l == "" { // models drop the space of an empty context line
				l = " "
			}
			h.lines = append(h.lines, patchLine{l[0], l[1:]})
		default:
			return b.fault("a line of an update starts with a space, \"-\" or \"+\", or is an \"@@\" line")
		}
	}
	return b.checkHunks(s)
}

func (b *body) checkHunks(s *section) error {
	if len(s.hunks) == 0 && s.to == "" {
		return fmt.Errorf("line %d of the patch: the update of %s has no hunk", s.line, s.path)
	}
	if len(s.hunks) > maxHunks {
		return fmt.Errorf("line %d of the patch: the update of %s has more than %d hunks; write the file anew", s.line, s.path, maxHunks)
	}
	for _, h := range s.hunks {
		if h.text('+') == h.text('-') {
			return fmt.Errorf("line %d of the patch: the hunk changes nothing; it needs lines with \"-\" or \"+\"", h.line)
		}
	}
	return nil
}

// anchor takes an "@@" line. "@@ -1,3 +1,4 @@ head" is the form with line numbers: models get those
// wrong, so only the head counts, and only as a hint.
func anchor(h *hunk, line string) {
	if m := regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)$`).FindStringSubmatch(line); m != nil {
		h.soft = true
		line = "@@ " + m[1]
	}
	a := strings.TrimSpace(strings.TrimPrefix(line, "@@"))
	for strings.HasSuffix(a, "@@") { // some close the line as they opened it
		a = strings.TrimSpace(strings.TrimSuffix(a, "@@"))
	}
	if a != "" {
		h.anchors = append(h.anchors, a)
	}
}

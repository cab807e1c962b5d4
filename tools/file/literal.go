package file

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
)

// matcher finds lines that match a pattern. Running a regular expression over every line is slow, so a
// text is first searched for what every match must hold.
type matcher struct {
	re *regexp.Regexp
	// need lists texts of which every match holds at least one; empty when nothing is known.
	need [][]byte
	// fold says that need is in lower case and case does not count.
	fold bool
	// whole finds the pattern in a text of many lines; nil when lines must be looked at one by one.
	whole *regexp.Regexp
}

// maxNeeds is how many alternatives are searched for one by one.
const maxNeeds = 8

func newMatcher(pattern string) (*matcher, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	m := &matcher{re: re}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return m, nil //nolint:nilerr // compiled above; only the shortcut is lost
	}
	if n, ok := needOf(tree); ok && len(n.texts) <= maxNeeds {
		m.fold = n.fold
		for _, t := range n.texts {
			m.need = append(m.need, []byte(t))
		}
		return m, nil
	}
	// A match within a line is one within the text too, once ^ and $ mean lines; \A and \z cannot.
	if lines, err := syntax.Parse("(?m:"+pattern+")", syntax.Perl); err == nil && !anchored(lines) {
		m.whole, _ = regexp.Compile("(?m:" + pattern + ")") // nil is fine
	}
	return m, nil
}

// need is what must stand in a text: one of texts.
type need struct {
	texts []string
	fold  bool
}

// worth ranks needs: the shortest text decides how much is ruled out.
func (n need) worth() int {
	least := 1 << 20
	for _, t := range n.texts {
		least = min(least, len(t))
	}
	return 4*least - len(n.texts)
}

// needOf works out what every match of re must hold.
func needOf(re *syntax.Regexp) (n need, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return needOfLiteral(re)
	case syntax.OpCapture, syntax.OpPlus:
		return needOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needOf(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if s, fits := needOf(sub); fits && (!ok || s.worth() > n.worth()) {
				n, ok = s, true
			}
		}
		return n, ok
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			s, fits := needOf(sub)
			if !fits || (i > 0 && s.fold != n.fold) {
				return need{}, false
			}
			n.texts, n.fold = append(n.texts, s.texts...), s.fold
		}
		return n, len(n.texts) > 0
	default:
	}
	return need{}, false
}

func needOfLiteral(re *syntax.Regexp) (need, bool) {
	s := string(re.Rune)
	if strings.ContainsRune(s, '\uFFFD') { // also matches bytes that are no UTF-8
		return need{}, false
	}
	if re.Flags&syntax.FoldCase == 0 {
		return need{texts: []string{s}}, true
	}
	// Letters with relatives outside ASCII (k and s have) cannot be searched as bytes.
	longest := ""
	for _, run := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r >= 0x80 || r == 'k' || r == 's' }) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	return need{texts: []string{longest}, fold: true}, len(longest) > 1
}

// anchored reports whether the pattern speaks of the begin or end of the whole text.
func anchored(re *syntax.Regexp) bool {
	if re.Op == syntax.OpBeginText || re.Op == syntax.OpEndText {
		return true
	}
	for _, sub := range re.Sub {
		if anchored(sub) {
			return true
		}
	}
	return false
}

// haystack is a text prepared for searching; lower is a buffer to be used again.
type haystack struct {
	text  []byte
	lower []byte // text in lower case, when the matcher folds
}

func (m *matcher) prepare(text, buffer []byte) haystack {
	h := haystack{text: text, lower: buffer}
	if m.fold && len(m.need) > 0 {
		h.lower = lowerASCII(buffer[:0], text)
	}
	return h
}

func lowerASCII(dst, src []byte) []byte {
	if cap(dst) < len(src) {
		dst = make([]byte, 0, len(src)+len(src)/4)
	}
	dst = dst[:len(src)]
	for i, b := range src {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		dst[i] = b
	}
	return dst
}

// next is the first place at or behind from where a match can be near: the line there has to be looked
// at. -1 is nowhere.
func (m *matcher) next(h haystack, from int) int {
	if len(m.need) == 0 {
		if from < len(h.text) {
			return from
		}
		return -1
	}
	in := h.text
	if m.fold {
		in = h.lower
	}
	at := -1
	for _, n := range m.need {
		part := in[from:]
		if at >= 0 {
			part = in[from:min(at+len(n), len(in))]
		}
		if i := bytes.Index(part, n); i >= 0 && (at < 0 || from+i < at) {
			at = from + i
		}
	}
	return at
}

// none reports that no line of h matches, as far as that can be told without looking at lines.
func (m *matcher) none(h haystack) bool {
	if len(m.need) > 0 {
		return m.next(h, 0) < 0
	}
	// A line that ends in CR LF ends before the CR for a pattern, which the whole text does not know.
	return m.whole != nil && bytes.IndexByte(h.text, '\r') < 0 && !m.whole.Match(h.text)
}

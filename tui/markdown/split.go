package markdown

import (
	"strings"

	"hermes/tui/cell"
)

// kind says how a block is drawn.
type kind int

const (
	prose   kind = iota // paragraph, heading, rule, HTML
	item                // one top-level list item with everything below it
	quote               // block quote
	code                // fenced code
	table               // pipe table
	heading             // a heading: gets air above
)

// block is one top-level piece of a document that can be rendered without its neighbours.
type block struct {
	kind kind
	text string // clean Markdown, no line break at the end; of code, fences included
	gap  bool   // a blank line stands before it
}

// splitter cuts a growing document into blocks. Whole lines go in; a block is handed out as soon as
// nothing that follows can change it. The cut depends on the lines only, never on how they arrived.
type splitter struct {
	out  []block // closed blocks
	cur  []string
	kind kind
	gap  bool // of the open block
	// blank counts blank lines after the open block that may still turn out to belong to it.
	blank int
	fence string // closing fence of an open code block, or of one inside a list item
	size  int    // bytes in cur
}

// line takes one clean line without its line break.
func (s *splitter) line(l string) {
	trimmed := strings.TrimLeft(l, " ")
	indent := len(l) - len(trimmed)
	if s.fence != "" {
		s.fenced(l, trimmed)
		return
	}
	if trimmed == "" {
		if len(s.cur) > 0 {
			s.blank++
			if s.kind != item {
				s.close()
			}
		} else {
			s.blank++
		}
		return
	}
	if s.kind == item && len(s.cur) > 0 && indent >= 2 {
		s.extend(l)
		s.fence = fenceOf(trimmed)
		return
	}
	s.start(l, trimmed, indent)
}

// fenced takes a line inside a fence.
func (s *splitter) fenced(l, trimmed string) {
	s.extend(l)
	if strings.HasPrefix(trimmed, s.fence) && strings.Trim(trimmed, s.fence[:1]+" ") == "" {
		s.fence = ""
		if s.kind == code {
			s.close()
		}
	}
}

// start takes a line that may begin a block.
func (s *splitter) start(l, trimmed string, indent int) {
	open := len(s.cur) > 0 && s.blank == 0
	switch {
	case indent > 3 && open:
		s.extend(l)
	case fenceOf(trimmed) != "" && indent <= 3:
		s.begin(code, l)
		s.fence = fenceOf(trimmed)
	case isHeading(trimmed):
		s.begin(heading, l)
		s.close()
	case open && s.kind == prose && isSetext(trimmed):
		s.kind = heading
		s.extend(l)
		s.close()
	case isRule(trimmed):
		s.begin(prose, l)
		s.close()
	case isItem(trimmed):
		s.begin(item, l)
	case strings.HasPrefix(trimmed, ">"):
		if open && s.kind == quote {
			s.extend(l)
		} else {
			s.begin(quote, l)
		}
	case open && s.kind == prose && isDelimiterRow(trimmed) && strings.Contains(s.cur[len(s.cur)-1], "|"):
		s.toTable(l)
	case open && s.kind == table && !strings.Contains(trimmed, "|"):
		s.begin(prose, l)
	case open:
		s.extend(l)
	default:
		s.begin(prose, l)
	}
}

// toTable turns the last line of the open paragraph into the head of a table.
func (s *splitter) toTable(l string) {
	head := s.cur[len(s.cur)-1]
	if len(s.cur) > 1 {
		s.cur = s.cur[:len(s.cur)-1]
		s.close()
		s.begin(table, head)
	}
	s.kind = table
	s.extend(l)
}

func (s *splitter) begin(k kind, l string) {
	gap := s.blank > 0 || k == code || k == table || k == heading
	if n := len(s.out); n > 0 || len(s.cur) > 0 {
		prev := s.kind
		gap = gap || prev == code || prev == table || prev == heading
	}
	s.close()
	s.kind, s.gap, s.blank = k, gap, 0
	s.cur, s.size = append(s.cur, l), len(l)
}

func (s *splitter) extend(l string) {
	for ; s.blank > 0; s.blank-- {
		s.cur = append(s.cur, "")
	}
	s.cur = append(s.cur, l)
	s.size += len(l) + 1
}

// close hands out the open block. The blank lines seen stay counted for the next one.
func (s *splitter) close() {
	if len(s.cur) == 0 {
		return
	}
	s.out = append(s.out, s.open())
	s.cur, s.size = nil, 0
}

// open returns the open block as it stands.
func (s *splitter) open() block {
	return block{kind: s.kind, text: strings.Join(s.cur, "\n"), gap: s.gap && len(s.out) > 0}
}

func fenceOf(trimmed string) string {
	for _, c := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, c))
		if n >= 3 && (c == "~" || !strings.Contains(trimmed[n:], "`")) {
			return trimmed[:n]
		}
	}
	return ""
}

func isHeading(trimmed string) bool {
	n := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
	return n >= 1 && n <= 6 && (len(trimmed) == n || trimmed[n] == ' ')
}

func isSetext(trimmed string) bool {
	t := strings.TrimRight(trimmed, " ")
	return t != "" && (strings.Trim(t, "=") == "" || strings.Trim(t, "-") == "")
}

func isRule(trimmed string) bool {
	t := strings.ReplaceAll(trimmed, " ", "")
	if len(t) < 3 {
		return false
	}
	return strings.Trim(t, "-") == "" || strings.Trim(t, "*") == "" || strings.Trim(t, "_") == ""
}

func isItem(trimmed string) bool {
	if len(trimmed) >= 2 && strings.ContainsRune("-*+", rune(trimmed[0])) && trimmed[1] == ' ' {
		return true
	}
	n := 0
	for n < len(trimmed) && n < 9 && trimmed[n] >= '0' && trimmed[n] <= '9' {
		n++
	}
	return n > 0 && n+1 < len(trimmed) && (trimmed[n] == '.' || trimmed[n] == ')') && trimmed[n+1] == ' '
}

func isDelimiterRow(trimmed string) bool {
	return strings.Contains(trimmed, "-") && strings.Trim(trimmed, "|-: ") == ""
}

// cleanLine prepares one raw line, its line break removed. Tabs are four cells here: most are
// indentation of code.
func cleanLine(raw string) string {
	return cell.Line(strings.ReplaceAll(strings.TrimSuffix(raw, "\r"), "\t", "    "))
}

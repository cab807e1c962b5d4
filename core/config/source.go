package config

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// source is a file's bytes with the places of its lines, counted as the YAML parser counts them.
type source struct {
	data  []byte
	lines []int // offset of each line's first byte
	eol   string
}

func newSource(data []byte) *source {
	s := &source{data: data, eol: "\n"}
	start := 0
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		start = 3
	}
	s.lines = append(s.lines, start)
	for i := start; i < len(data); {
		w := breakWidth(data[i:])
		if w == 0 {
			i++
			continue
		}
		if len(s.lines) == 1 && w == 2 && data[i] == '\r' {
			s.eol = "\r\n"
		}
		i += w
		s.lines = append(s.lines, i)
	}
	return s
}

// breakWidth is the length of the line break b starts with; YAML knows more of them than most.
func breakWidth(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("\r\n")), bytes.HasPrefix(b, []byte("\u0085")):
		return 2
	case b[0] == '\n', b[0] == '\r':
		return 1
	case bytes.HasPrefix(b, []byte("\u2028")), bytes.HasPrefix(b, []byte("\u2029")):
		return 3
	}
	return 0
}

var errPlace = errors.New("the place of the value cannot be found in the file")

// offset turns the parser's line and column (1-based, in code points) into a byte offset.
func (s *source) offset(line, column int) (int, error) {
	if line < 1 || line > len(s.lines) || column < 1 {
		return 0, errPlace
	}
	i := s.lines[line-1]
	for range column - 1 {
		if i >= len(s.data) {
			return 0, errPlace
		}
		_, w := utf8.DecodeRune(s.data[i:])
		i += w
	}
	return i, nil
}

// line returns line n (1-based) without its break, and the offset behind the break.
func (s *source) line(n int) (body string, next int) {
	start, next := s.lines[n-1], len(s.data)
	if n < len(s.lines) {
		next = s.lines[n]
	}
	return strings.TrimRight(string(s.data[start:next]), "\r\n\u0085\u2028\u2029"), next
}

// scalar returns the bytes of a one-line scalar or alias as written, without anchor and tag. An empty
// value has start == end, right behind its colon.
func (s *source) scalar(n *yaml.Node) (start, end int, err error) {
	start, err = s.offset(n.Line, n.Column)
	if err != nil {
		return 0, 0, err
	}
	if n.Kind == yaml.AliasNode {
		end = start + 1 + len(n.Value)
		if end > len(s.data) || string(s.data[start:end]) != "*"+n.Value {
			return 0, 0, errPlace
		}
		return start, end, nil
	}
	for start < len(s.data) && (s.data[start] == '&' || s.data[start] == '!') {
		for start < len(s.data) && s.data[start] > ' ' {
			start++
		}
		for start < len(s.data) && s.data[start] == ' ' {
			start++
		}
	}
	switch n.Style &^ yaml.TaggedStyle {
	case yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle:
		end = quotedEnd(s.data, start)
	case 0:
		end = start + len(n.Value)
		if end > len(s.data) || string(s.data[start:end]) != n.Value {
			return 0, 0, errors.New("the value spans lines")
		}
	default:
		return 0, 0, errors.New("the value is a block of lines")
	}
	if end < 0 {
		return 0, 0, errPlace
	}
	return start, end, nil
}

// quotedEnd returns the offset behind the quoted scalar at i, or -1.
func quotedEnd(data []byte, i int) int {
	if i >= len(data) || (data[i] != '"' && data[i] != '\'') {
		return -1
	}
	quote := data[i]
	for i++; i < len(data); i++ {
		switch {
		case data[i] == '\\' && quote == '"':
			i++
		case data[i] == quote && quote == '\'' && i+1 < len(data) && data[i+1] == '\'':
			i++
		case data[i] == quote:
			return i + 1
		}
	}
	return -1
}

// flowEnd returns the offset of the bracket that closes the flow collection opening at i, or -1.
func flowEnd(data []byte, i int) int {
	depth := 0
	for ; i < len(data); i++ {
		switch c := data[i]; {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i
			}
		case (c == '"' || c == '\'') && tokenStart(data, i):
			end := quotedEnd(data, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case c == '#' && (data[i-1] == ' ' || data[i-1] == '\t' || data[i-1] == '\n'):
			for i < len(data) && data[i] != '\n' {
				i++
			}
		}
	}
	return -1
}

// tokenStart reports whether a new token can begin at i: a quote inside a plain word is no quote.
func tokenStart(data []byte, i int) bool {
	return i == 0 || bytes.IndexByte([]byte(" \t\r\n,[{:"), data[i-1]) >= 0
}

// blockEnd returns the last line (1-based) that belongs to a block whose keys or dashes stand at
// column, given the line its last entry starts on.
func (s *source) blockEnd(line, column int) int {
	last := line
	for n := line + 1; n <= len(s.lines); n++ {
		body, _ := s.line(n)
		trimmed := strings.TrimLeft(body, " ")
		indent := len(body) - len(trimmed)
		switch {
		case strings.TrimSpace(trimmed) == "" || (trimmed[0] == '#' && indent < column):
			continue
		case indent < column-1 || indent == column-1 && !strings.HasPrefix(trimmed, "- ") && trimmed != "-":
			return last
		case trimmed[0] == '#': // an indented comment belongs to the block it stands in
			last = n
		default:
			last = n
		}
	}
	return last
}

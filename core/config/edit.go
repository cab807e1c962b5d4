package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// edit is one change to a config.yaml: the value at path becomes want. Bytes outside the value stay.
type edit struct {
	path []string
	kind Kind
	want []string // one value, or the items of a list
}

// errNoop says that the file already says it.
var errNoop = errors.New("nothing to change")

// apply returns data with the change made, proven by reading it back: only the one value differs.
func (e edit) apply(data []byte) ([]byte, error) {
	root, err := parseTree(data)
	if err != nil {
		return nil, err
	}
	s := newSource(data)
	out, err := e.splice(s, root)
	if err != nil {
		return nil, err
	}
	if err := e.verify(root, out); err != nil {
		return nil, err
	}
	return out, nil
}

func (s *source) replace(start, end int, with string) []byte {
	out := make([]byte, 0, len(s.data)+len(with))
	out = append(out, s.data[:start]...)
	out = append(out, with...)
	return append(out, s.data[end:]...)
}

// splice finds where the value stands, or where it has to be added.
func (e edit) splice(s *source, root *yaml.Node) ([]byte, error) {
	if root == nil {
		return s.append(e.block(e.path, 0, 2, s.eol)), nil
	}
	at, flow := root, root.Style&yaml.FlowStyle != 0
	for i, name := range e.path {
		key, value := child(at, name)
		last := i == len(e.path)-1
		switch {
		case key == nil:
			return e.add(s, at, i, flow)
		case last:
			return e.set(s, key, value, flow)
		case value.Kind == yaml.AliasNode:
			return nil, fmt.Errorf("%s is shared through the anchor %q", joinKey(e.path[:i+1]), value.Value)
		case isNull(value) && value.Value == "" && !flow:
			return e.addBelow(s, key, i+1)
		case i == 0 && name == "model" && value.Kind == yaml.ScalarNode:
			return e.splitModel(s, value, i+1)
		case value.Kind != yaml.MappingNode:
			return nil, fmt.Errorf("%s is not a section", joinKey(e.path[:i+1]))
		}
		at, flow = value, flow || value.Style&yaml.FlowStyle != 0
	}
	return nil, errPlace
}

// append puts text at the end of the file, on a line of its own.
func (s *source) append(text string) []byte {
	out := append([]byte(nil), s.data...)
	if n := len(out); n > 0 && s.lines[len(s.lines)-1] != n {
		out = append(out, s.eol...)
	}
	return append(out, text...)
}

// insertAfter puts text behind line n.
func (s *source) insertAfter(n int, text string) []byte {
	_, next := s.line(n)
	if next == len(s.data) {
		return s.append(text)
	}
	return s.replace(next, next, text)
}

// add puts the key path[i:] into the mapping at, which does not have it yet.
func (e edit) add(s *source, at *yaml.Node, i int, flow bool) ([]byte, error) {
	if flow {
		start, err := s.offset(at.Line, at.Column)
		if err != nil {
			return nil, err
		}
		return s.addToFlow(start, e.inline(e.path[i:]))
	}
	if i == 0 {
		return s.append(e.block(e.path, 0, indentStep(at), s.eol)), nil
	}
	column := at.Content[0].Column
	lastKey := at.Content[len(at.Content)-2]
	end := s.blockEnd(lastKey.Line, column)
	return s.insertAfter(end, e.block(e.path[i:], column-1, column-1, s.eol)), nil
}

// addBelow fills the empty section that key opens with path[i:].
func (e edit) addBelow(s *source, key *yaml.Node, i int) ([]byte, error) {
	indent := key.Column - 1 + 2
	return s.insertAfter(key.Line, e.block(e.path[i:], indent, 2, s.eol)), nil
}

// splitModel turns the short form "model: name" into a section, unless it is the name that changes.
func (e edit) splitModel(s *source, value *yaml.Node, i int) ([]byte, error) {
	if e.path[i] == "default" {
		return e.set(s, value, value, false)
	}
	start, end, err := s.scalar(value)
	if err != nil {
		return nil, err
	}
	old := string(s.data[start:end])
	body := strings.TrimSuffix(e.block(e.path[i:], 2, 2, s.eol), s.eol)
	return s.replace(start, end, s.eol+"  default: "+old+s.eol+body), nil
}

// indentStep is how deep the file indents its sections.
func indentStep(root *yaml.Node) int {
	for i := 1; i < len(root.Content); i += 2 {
		if v := root.Content[i]; v.Kind == yaml.MappingNode && v.Style&yaml.FlowStyle == 0 && len(v.Content) > 0 && v.Content[0].Column > 1 {
			return v.Content[0].Column - 1
		}
	}
	return 2
}

// block writes the lines for path, nested from indent on.
func (e edit) block(path []string, indent, step int, eol string) string {
	var b strings.Builder
	for i, name := range path {
		pad := strings.Repeat(" ", indent+i*step)
		b.WriteString(pad + plainOr(name, 0) + ":")
		if i < len(path)-1 {
			b.WriteString(eol)
			continue
		}
		if e.kind == KindList && len(e.want) > 0 {
			for _, item := range e.want {
				b.WriteString(eol + pad + strings.Repeat(" ", step) + "- " + plainOr(item, 0))
			}
		} else {
			b.WriteString(" " + e.value(0))
		}
	}
	return b.String() + eol
}

// inline writes path for the inside of a flow mapping.
func (e edit) inline(path []string) string {
	out := e.value(0)
	for i := len(path) - 1; i >= 0; i-- {
		out = plainOr(path[i], 0) + ": " + out
		if i > 0 {
			out = "{" + out + "}"
		}
	}
	return out
}

// addToFlow puts entry before the bracket that closes the collection opening at start.
func (s *source) addToFlow(start int, entry string) ([]byte, error) {
	end := flowEnd(s.data, start)
	if end < 0 {
		return nil, errPlace
	}
	at := end
	for at > start+1 && strings.IndexByte(" \t\r\n", s.data[at-1]) >= 0 {
		at--
	}
	switch {
	case at == start+1:
	case s.data[at-1] == ',':
		entry = " " + entry
	default:
		entry = ", " + entry
	}
	return s.replace(at, at, entry), nil
}

// set replaces an existing value.
func (e edit) set(s *source, key, n *yaml.Node, flow bool) ([]byte, error) {
	switch n.Kind {
	case yaml.MappingNode:
		return nil, fmt.Errorf("%s is a section, not a value", joinKey(e.path))
	case yaml.SequenceNode:
		return e.setList(s, key, n, flow)
	default: // scalars and aliases
	}
	start, end, err := s.scalar(n)
	if err != nil {
		return nil, err
	}
	with := e.value(n.Style)
	if start == end { // "key:" with nothing behind it
		if start == 0 || (s.data[start-1] != ':' && s.data[start-1] != ' ') {
			return nil, errPlace
		}
		if e.kind == KindList && !flow && len(e.want) > 0 && n.Anchor == "" {
			lines := e.block(e.path[len(e.path)-1:], key.Column-1, 2, s.eol)
			_, items, _ := strings.Cut(lines, s.eol)
			return s.insertAfter(key.Line, items), nil
		}
		if s.data[start-1] == ':' {
			with = " " + with
		}
	}
	return s.replace(start, end, with), nil
}

// setList replaces the items of a list, in the form it has.
func (e edit) setList(s *source, key, n *yaml.Node, flow bool) ([]byte, error) {
	if e.kind != KindList {
		return nil, fmt.Errorf("%s is a list, not a value", joinKey(e.path))
	}
	old, extra := listItems(n)
	if extra {
		return nil, fmt.Errorf("%s holds more than single values", joinKey(e.path))
	}
	start, err := s.offset(n.Line, n.Column)
	if err != nil {
		return nil, err
	}
	if n.Anchor != "" {
		return nil, fmt.Errorf("%s is shared through the anchor %q", joinKey(e.path), n.Anchor)
	}
	adds := len(e.want) > len(old) && equal(e.want[:len(old)], old)
	if flow || n.Style&yaml.FlowStyle != 0 {
		if adds {
			return s.addToFlow(start, e.items(e.want[len(old):]))
		}
		end := flowEnd(s.data, start)
		if end < 0 {
			return nil, errPlace
		}
		if strings.ContainsAny(string(s.data[start:end]), "#\n") {
			return nil, fmt.Errorf("%s spans lines or has comments", joinKey(e.path))
		}
		return s.replace(start, end+1, e.value(0)), nil
	}
	return e.setBlockList(s, key, n, old, adds)
}

func (e edit) setBlockList(s *source, key, n *yaml.Node, old []string, adds bool) ([]byte, error) {
	pad := strings.Repeat(" ", n.Column-1)
	last := s.blockEnd(n.Content[len(n.Content)-1].Line, n.Column)
	if adds {
		var b strings.Builder
		for _, item := range e.want[len(old):] {
			b.WriteString(pad + "- " + plainOr(item, 0) + s.eol)
		}
		return s.insertAfter(last, b.String()), nil
	}
	// What stays keeps its line as written; items are dropped, and the rest is added at the end.
	left := e.want
	out := append([]byte(nil), s.data[:s.lines[n.Line-1]]...)
	kept := 0
	for i, c := range n.Content {
		from, to := c.Line, last
		if i+1 < len(n.Content) {
			to = n.Content[i+1].Line - 1
		}
		if len(left) > 0 && left[0] == old[i] {
			_, next := s.line(to)
			out = append(out, s.data[s.lines[from-1]:next]...)
			left = left[1:]
			kept++
		}
	}
	if kept+len(left) == 0 { // an empty block is written as []
		if n.Column == key.Column {
			pad += "  "
		}
		out = append(out, pad+"[]"+s.eol...)
	}
	for _, item := range left {
		out = append(out, pad+"- "+plainOr(item, 0)+s.eol...)
	}
	_, next := s.line(last)
	return append(out, s.data[next:]...), nil
}

// value writes the new value in the style of the old one where that can hold it.
func (e edit) value(style yaml.Style) string {
	switch e.kind {
	case KindList:
		return "[" + e.items(e.want) + "]"
	case KindString, KindAny:
		return plainOr(e.want[0], style)
	default: // numbers and booleans are plain unless they were quoted
	}
	if style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		return plainOr(e.want[0], style)
	}
	return e.want[0]
}

func (e edit) items(list []string) string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = plainOr(item, 0)
	}
	return strings.Join(out, ", ")
}

// plainOr writes s as YAML text: in quotes when style has them or when s would mean something else.
func plainOr(s string, style yaml.Style) string {
	switch {
	case style&yaml.SingleQuotedStyle != 0 && !hasControl(s):
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	case style&yaml.DoubleQuotedStyle == 0 && plainSafe(s):
		return s
	}
	b, err := json.Marshal(s) // JSON strings are YAML strings
	if err != nil {
		return `""`
	}
	r := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", "\x7f", `\x7f`)
	return r.Replace(string(b))
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || (r >= 0x7f && r < 0xa0) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
	})
}

func plainSafe(s string) bool {
	if !regexp.MustCompile(`^[A-Za-z_/.~][A-Za-z0-9_/.@+~-]*(:[A-Za-z0-9_/.@+~-]+)*/?$`).MatchString(s) {
		return false
	}
	if _, isBool := boolean(s); isBool { // true for programs that read YAML 1.1
		return false
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: s}
	return n.ShortTag() == "!!str"
}

// listItems returns the scalar items of n and whether there are others.
func listItems(n *yaml.Node) (items []string, extra bool) {
	for _, c := range n.Content {
		if c.Kind != yaml.ScalarNode {
			return nil, true
		}
		items = append(items, c.Value)
	}
	return items, false
}

func equal(a, b []string) bool {
	return strings.Join(a, "\x00") == strings.Join(b, "\x00") && len(a) == len(b)
}

package config

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// splitKey takes a dotted path apart; a part with dots in it is written in double quotes, as in
// prices."gpt-4.1".input. Below "keys" all is one part: it is the name of an action, as in keys.pane.next.
func splitKey(path string) ([]string, error) {
	var parts []string
	for rest := path; ; {
		var part string
		if strings.HasPrefix(rest, `"`) {
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("key %q: the quote is not closed", path)
			}
			part, rest = rest[1:end+1], rest[end+2:]
		} else {
			end := strings.IndexByte(rest, '.')
			if end < 0 {
				end = len(rest)
			}
			part, rest = rest[:end], rest[end:]
		}
		if part == "" || strings.ContainsAny(part, "\n\r") {
			return nil, fmt.Errorf("key %q is not a dotted path", path)
		}
		parts = append(parts, part)
		if rest == "" {
			if len(parts) > 2 && parts[0] == "keys" {
				parts = []string{"keys", strings.Join(parts[1:], ".")}
			}
			return parts, nil
		}
		if rest[0] != '.' {
			return nil, fmt.Errorf("key %q is not a dotted path", path)
		}
		rest = rest[1:]
	}
}

// joinKey is the inverse of splitKey.
func joinKey(parts []string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		if strings.Contains(p, ".") {
			p = `"` + p + `"`
		}
		quoted[i] = p
	}
	return strings.Join(quoted, ".")
}

// parseTree parses data into its root mapping; nil when the document is empty. A root that is no
// mapping is an error.
func parseTree(data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := safeUnmarshal(data, &doc); err != nil {
		return nil, located(data, err)
	}
	if doc.Kind == 0 || len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	switch {
	case root.Kind == yaml.MappingNode:
		return root, nil
	case isNull(root):
		return nil, nil
	}
	return nil, &parseError{line: root.Line, msg: "the file is not a list of \"key: value\" lines"}
}

// safeUnmarshal turns a panic of the parser on hostile input into an error.
func safeUnmarshal(data []byte, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	return yaml.Unmarshal(data, into)
}

// parseError is a fault with a known line (1-based, 0 unknown).
type parseError struct {
	line int
	msg  string
}

func (e *parseError) Error() string { return e.msg }

// lineOf takes the line and the plain message out of an error of the YAML library.
func lineOf(err error) (line int, msg string) {
	var pe *parseError
	if errors.As(err, &pe) {
		return pe.line, pe.msg
	}
	msg = strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^line (\d+): (.*)$`).FindStringSubmatch(msg); m != nil {
		line, _ = strconv.Atoi(m[1]) // digits by the pattern
		msg = m[2]
	}
	return line, msg
}

// located corrects the line of an error about tabs: the library names where the block began.
func located(data []byte, err error) error {
	line, msg := lineOf(err)
	if !strings.Contains(msg, "tab character") && !strings.Contains(msg, "cannot start any token") {
		return err
	}
	n := 0
	for l := range strings.Lines(string(data)) {
		n++
		if indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]; n >= line && strings.Contains(indent, "\t") && strings.TrimSpace(l) != "" {
			return &parseError{line: n, msg: "a tab is used for indentation; YAML wants spaces"}
		}
	}
	return err
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// child returns the key and value nodes of name in mapping m; the last one when it is repeated.
func child(m *yaml.Node, name string) (key, value *yaml.Node) {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name && m.Content[i].Kind == yaml.ScalarNode {
			key, value = m.Content[i], m.Content[i+1]
		}
	}
	return key, value
}

// flatten records every leaf below n under its path: "kind value" for scalars, so that two files can
// be compared by what they say. Aliases are followed; depth and size are bounded because aliases can
// multiply.
func flatten(n *yaml.Node, prefix string, into map[string]string, depth int) error {
	if depth > 100 || len(into) > 100_000 {
		return errors.New("nested too deeply")
	}
	if n == nil {
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return flatten(n.Alias, prefix, into, depth+1)
	case yaml.MappingNode:
		if len(n.Content) == 0 {
			into[prefix] = "{}"
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if err := flatten(n.Content[i+1], prefix+"\x00"+n.Content[i].Value, into, depth+1); err != nil {
				return err
			}
		}
	case yaml.SequenceNode:
		into[prefix] = "[]" + strconv.Itoa(len(n.Content))
		for i, c := range n.Content {
			if err := flatten(c, prefix+"\x00\x01"+strconv.Itoa(i), into, depth+1); err != nil {
				return err
			}
		}
	default:
		into[prefix] = n.ShortTag() + " " + n.Value
	}
	return nil
}

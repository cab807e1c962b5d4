package scripted

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// decodeStrict decodes a mapping into the struct out points to and refuses keys it has no field for.
// The decoder's own KnownFields does not reach into types with UnmarshalYAML.
func decodeStrict(n *yaml.Node, out any) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return lineError(n.Line, "want a mapping")
	}
	allowed := keysOf(reflect.TypeOf(out).Elem())
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Value != "<<" && !slices.Contains(allowed, key.Value) {
			return lineError(key.Line, "unknown key %q, want one of %s", key.Value, strings.Join(allowed, ", "))
		}
	}
	return n.Decode(out)
}

// keysOf lists the YAML names of t's fields.
func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("yaml"); tag != "" && tag != "-" {
			keys = append(keys, tag)
		}
	}
	return keys
}

// StringList is one string or a list of strings.
type StringList []string

// UnmarshalYAML reads either form.
func (l *StringList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = StringList{n.Value}
		return nil
	}
	var list []string
	if err := n.Decode(&list); err != nil {
		return err
	}
	*l = list
	return nil
}

// Value is text sent as written, or a YAML value that is sent as JSON with its key order kept.
type Value struct {
	raw  string
	node *yaml.Node
}

// Raw returns a Value that is sent as written.
func Raw(text string) Value { return Value{raw: text} }

// UnmarshalYAML keeps the node: templates are filled in before it becomes JSON.
func (v *Value) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		v.raw = n.Value
		return nil
	}
	v.node = n
	_, err := v.render(nil)
	return err
}

// empty says that nothing was given.
func (v Value) empty() bool { return v.raw == "" && v.node == nil }

// render gives the bytes with templates filled in.
func (v Value) render(vars vars) (string, error) {
	if v.node == nil {
		return vars.fill(v.raw), nil
	}
	var b bytes.Buffer
	if err := writeJSON(&b, v.node, vars); err != nil {
		return "", err
	}
	return b.String(), nil
}

// texts calls yield for every string that may hold a template.
func (v Value) texts(yield func(text string, line int)) {
	if v.node == nil {
		yield(v.raw, 0)
		return
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			yield(n.Value, n.Line)
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(v.node)
}

// writeJSON encodes a YAML node as JSON in the order it is written.
func writeJSON(b *bytes.Buffer, n *yaml.Node, vars vars) error {
	switch n.Kind {
	case yaml.AliasNode:
		return writeJSON(b, n.Alias, vars)
	case yaml.MappingNode:
		return writeObject(b, n, vars)
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, c, vars); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	default:
		return writeScalar(b, n, vars)
	}
}

func writeScalar(b *bytes.Buffer, n *yaml.Node, vars vars) error {
	if n.Tag == "!!str" {
		b.WriteString(quote(vars.fill(n.Value)))
		return nil
	}
	var scalar any
	if err := n.Decode(&scalar); err != nil {
		return err
	}
	text, err := json.Marshal(scalar)
	if err != nil {
		return lineError(n.Line, "%q cannot be JSON", n.Value)
	}
	b.Write(text)
	return nil
}

func writeObject(b *bytes.Buffer, n *yaml.Node, vars vars) error {
	b.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(n.Content[i].Value))
		b.WriteByte(':')
		if err := writeJSON(b, n.Content[i+1], vars); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// quote is a JSON string without HTML escapes.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always encodes
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

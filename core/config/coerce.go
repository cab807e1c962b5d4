package config

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

type pair struct{ key, value *yaml.Node }

// expand lists the pairs of mapping m with merge keys ("<<: *anchor") put in where m does not say
// otherwise.
func expand(m *yaml.Node, depth int) []pair {
	var out []pair
	var merged []*yaml.Node
	for i := 0; i+1 < len(m.Content); i += 2 {
		k, v := m.Content[i], m.Content[i+1]
		switch {
		case k.ShortTag() != "!!merge":
			out = append(out, pair{k, v})
		case follow(v).Kind == yaml.SequenceNode:
			merged = append(merged, follow(v).Content...)
		default:
			merged = append(merged, v)
		}
	}
	if depth > 10 {
		return out
	}
	for _, n := range merged {
		if n = follow(n); n.Kind != yaml.MappingNode {
			continue
		}
		for _, p := range expand(n, depth+1) {
			if !slices.ContainsFunc(out, func(o pair) bool { return o.key.Value == p.key.Value }) {
				out = append(out, p)
			}
		}
	}
	return out
}

// follow returns what an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	for range 10 {
		if n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return n
}

func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// coerce returns n as a value of k's kind, or why it is none. It forgives what people write: quoted
// numbers, yes and no, a single word where a list is meant.
func coerce(k Key, n *yaml.Node) (v *yaml.Node, why string) {
	if k.Kind == KindAny {
		return n, ""
	}
	if k.Kind == KindList {
		return coerceList(n)
	}
	if n.Kind != yaml.ScalarNode {
		return nil, "must be a single " + string(k.Kind)
	}
	raw := strings.TrimSpace(n.Value)
	switch k.Kind {
	case KindInt:
		i, ok := integer(n, raw)
		if !ok {
			return nil, "must be a whole number"
		}
		if float64(i) < k.Min {
			return nil, "must be at least " + strconv.FormatFloat(k.Min, 'f', -1, 64)
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(i, 10)}, ""
	case KindFloat:
		f, err := strconv.ParseFloat(raw, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, "must be a number"
		}
		if f < k.Min {
			return nil, "must be at least " + strconv.FormatFloat(k.Min, 'f', -1, 64)
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: strconv.FormatFloat(f, 'f', -1, 64)}, ""
	case KindBool:
		b, ok := boolean(raw)
		if !ok {
			return nil, "must be true or false"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}, ""
	default:
		return coerceText(k, n)
	}
}

func coerceText(k Key, n *yaml.Node) (v *yaml.Node, why string) {
	value := n.Value
	if len(k.Oneof) == 0 {
		return text(value), ""
	}
	value = strings.ToLower(strings.TrimSpace(value))
	if b, ok := boolean(value); ok && !slices.Contains(k.Oneof, value) { // YAML reads a bare "off" as false in some programs
		value = "off"
		if b {
			value = "on"
		}
	}
	if !slices.Contains(k.Oneof, value) {
		return nil, "must be " + k.Words()
	}
	return text(value), ""
}

func coerceList(n *yaml.Node) (v *yaml.Node, why string) {
	out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	items := n.Content
	switch n.Kind {
	case yaml.ScalarNode:
		items = []*yaml.Node{n}
	case yaml.SequenceNode:
	default:
		return nil, "must be a list"
	}
	for _, c := range items {
		c = follow(c)
		if isNull(c) {
			continue
		}
		if c.Kind != yaml.ScalarNode {
			return nil, "must be a list of single values"
		}
		out.Content = append(out.Content, text(c.Value))
	}
	return out, ""
}

func integer(n *yaml.Node, raw string) (int64, bool) {
	var i int64
	if n.ShortTag() == "!!int" && n.Decode(&i) == nil {
		return i, true
	}
	if i, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

func boolean(raw string) (value, ok bool) {
	switch strings.ToLower(raw) {
	case "true", "yes", "on", "y", "1":
		return true, true
	case "false", "no", "off", "n", "0":
		return false, true
	}
	return false, false
}

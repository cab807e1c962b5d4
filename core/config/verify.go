package config

import (
	"errors"
	"maps"
	"strings"

	"gopkg.in/yaml.v3"
)

// errVerify says that a splice would have changed more, or less, than the one value. It is the net
// under the byte arithmetic: shared anchors and unusual layouts end here.
var errVerify = errors.New("the value cannot be changed without touching others")

// verify reads out back and compares it with the tree before.
func (e edit) verify(before *yaml.Node, out []byte) error {
	after, err := parseTree(out)
	if err != nil {
		return errVerify
	}
	if !e.says(after) {
		return errVerify
	}
	return onlyAt(e.path, before, after)
}

// onlyAt proves that two trees differ at most at and below path.
func onlyAt(path []string, before, after *yaml.Node) error {
	old, err := flat(before)
	if err != nil {
		return err
	}
	now, err := flat(after)
	if err != nil {
		return err
	}
	at := "\x00" + strings.Join(path, "\x00")
	forget(old, at)
	forget(now, at)
	for i := range path { // sections that were empty are filled now
		above := "\x00" + strings.Join(path[:i], "\x00")
		if i == 0 {
			above = ""
		}
		if v, ok := old[above]; ok && (v == "{}" || v == "!!null ") {
			delete(old, above)
		}
	}
	if !maps.Equal(old, now) {
		return errVerify
	}
	return nil
}

// flat is flatten with the short form of the model section written out.
func flat(root *yaml.Node) (map[string]string, error) {
	m := map[string]string{}
	if err := flatten(root, "", m, 0); err != nil {
		return nil, err
	}
	const short = "\x00model"
	if v, ok := m[short]; ok && v != "{}" && !strings.HasPrefix(v, "!!null") && !strings.HasPrefix(v, "[]") {
		delete(m, short)
		m[short+"\x00default"] = v
	}
	return m, nil
}

func forget(m map[string]string, at string) {
	maps.DeleteFunc(m, func(k, _ string) bool { return k == at || strings.HasPrefix(k, at+"\x00") })
}

// says reports whether the tree holds the wanted value at the path.
func (e edit) says(root *yaml.Node) bool {
	n := lookup(root, e.path)
	if n == nil {
		return false
	}
	switch e.kind {
	case KindList:
		items, extra := listItems(n)
		return n.Kind == yaml.SequenceNode && !extra && equal(items, e.want)
	case KindString:
		return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && n.Value == e.want[0]
	default:
		return n.Kind == yaml.ScalarNode && n.Value == e.want[0]
	}
}

// lookup returns the value at path, aliases followed, nil when there is none.
func lookup(root *yaml.Node, path []string) *yaml.Node {
	n := root
	for i, name := range path {
		if n == nil {
			return nil
		}
		if i == 1 && path[0] == "model" && name == "default" && n.Kind == yaml.ScalarNode && !isNull(n) {
			return n
		}
		_, n = child(n, name)
		if n != nil {
			n = follow(n)
		}
	}
	return n
}

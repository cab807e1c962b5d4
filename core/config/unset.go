package config

import (
	"context"
	"errors"
	"io/fs"

	"gopkg.in/yaml.v3"

	"hermes/core"
)

// Unset takes the setting at path out of the file, so that its default holds again; a section that is empty then goes
// with it. Other lines keep their bytes. It tells whether the file had it: what nobody knows may be taken out too.
func (s *Store) Unset(ctx context.Context, path string) (had bool, err error) {
	parts, err := splitKey(path)
	if err != nil {
		return false, &core.Error{Code: core.CodeUsage, Op: "unset", Err: err, Hint: "Write it like memory.nudge_interval."}
	}
	if _, err := readFile(s.home.Config()); errors.Is(err, fs.ErrNotExist) {
		return false, s.absent(parts)
	}
	err = s.rewrite(ctx, parts, func(data []byte, root *yaml.Node) ([]byte, error) {
		if lookup(root, parts) == nil {
			return nil, s.absent(parts)
		}
		out, err := without(data, root, parts)
		if err != nil {
			return nil, s.refuse(parts, 0, err)
		}
		had = true
		return out, nil
	})
	return had, err
}

// absent is the answer for a setting the file does not have: an error only when there is no such setting at all.
func (s *Store) absent(parts []string) error {
	keys := keyTable(Keys())
	if _, known := keys.find(parts); known || keys.section(parts) {
		return nil
	}
	return s.unknown("unset", keys, parts)
}

// without cuts the lines of one setting out of a file, proven by reading it back.
func without(data []byte, root *yaml.Node, path []string) ([]byte, error) {
	var cut *yaml.Node // the key whose lines go: the outermost that has nothing else below it
	at := root
	for i, name := range path {
		key, value := child(at, name)
		if key == nil || at.Style&yaml.FlowStyle != 0 {
			return nil, errVerify
		}
		if i == 0 || len(at.Content) > 2 {
			cut = key
		}
		at = value
	}
	s := newSource(data)
	if cut == nil || cut.Line < 1 || cut.Line > len(s.lines) {
		return nil, errPlace
	}
	_, end := s.line(s.blockEnd(cut.Line, cut.Column))
	out := s.replace(s.lines[cut.Line-1], end, "")
	after, err := parseTree(out)
	if err != nil {
		return nil, errVerify
	}
	if lookup(after, path) != nil {
		return nil, errVerify
	}
	return out, onlyAt(path, root, after)
}

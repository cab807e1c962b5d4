package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"hermes/core"
	"hermes/core/home"
)

// Store reads and edits single settings of a home's config.yaml and .env. It keeps nothing in memory;
// every edit happens under a lock between processes and replaces the file in one step.
type Store struct {
	home home.Home
}

// Open returns the store of h. It touches nothing.
func Open(h home.Home) *Store { return &Store{home: h} }

// Setting is a value as a person should see it.
type Setting struct {
	Path  string
	Value string // the value in effect; lists as "[a, b]"; secrets masked
	Set   bool   // it stands in the file; else it is the default
}

// Get returns the setting at path: the file's value where it is usable, else the default. A section
// gives its part of the file. Unknown paths are core.CodeNotFound.
func (s *Store) Get(path string) (Setting, error) {
	parts, err := splitKey(path)
	if err != nil {
		return Setting{}, &core.Error{Code: core.CodeUsage, Op: "read setting", Err: err, Hint: "Write it like memory.nudge_interval."}
	}
	root, err := s.tree()
	if err != nil {
		return Setting{}, err
	}
	keys := keyTable(Keys())
	k, known := keys.find(parts)
	if n := lookup(root, parts); n != nil && !isNull(n) {
		why := ""
		if known {
			n, why = coerce(k, n)
		}
		if why == "" {
			return Setting{Path: path, Value: show(parts, n), Set: true}, nil
		}
	}
	if !known && !keys.section(parts) {
		return Setting{}, s.unknown("read setting", keys, parts)
	}
	return Setting{Path: path, Value: k.Default}, nil
}

// All lists every known setting without a "*" in its path, and those the file adds, in the order of
// Keys.
func (s *Store) All() ([]Setting, error) {
	root, err := s.tree()
	if err != nil {
		return nil, err
	}
	var out []Setting
	for _, k := range Keys() {
		for _, parts := range starred(root, strings.Split(k.Path, ".")) {
			got, err := s.Get(joinKey(parts))
			if err != nil {
				return nil, err
			}
			out = append(out, got)
		}
	}
	return out, nil
}

// starred lists the paths in the tree that fit a path with "*"; a path without is its own only fit.
func starred(root *yaml.Node, path []string) [][]string {
	star := slices.Index(path, "*")
	if star < 0 {
		return [][]string{path}
	}
	var out [][]string
	m := lookup(root, path[:star])
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for _, p := range expand(m, 0) {
		at := append(slices.Clone(path[:star]), p.key.Value)
		at = append(at, path[star+1:]...)
		if lookup(root, at) != nil {
			out = append(out, at)
		}
	}
	return out
}

// show writes a node for a person.
func show(path []string, n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		if last := path[len(path)-1]; LooksSecret(last) && n.Value != "" {
			return Mask(n.Value)
		}
		return n.Value
	case yaml.SequenceNode:
		if items, extra := listItems(n); !extra {
			return edit{kind: KindList, want: items}.value(0)
		}
	default: // sections
	}
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(masked(n, 0)); err != nil {
		return ""
	}
	return strings.TrimRight(b.String(), "\n")
}

// masked copies n with secret-looking values masked.
func masked(n *yaml.Node, depth int) *yaml.Node {
	if depth > 20 {
		return text("...")
	}
	n = follow(n)
	c := *n
	c.Anchor, c.Content = "", nil
	for i, sub := range n.Content {
		m := masked(sub, depth+1)
		if n.Kind == yaml.MappingNode && i%2 == 1 && m.Kind == yaml.ScalarNode && LooksSecret(n.Content[i-1].Value) {
			m = text(Mask(m.Value))
		}
		c.Content = append(c.Content, m)
	}
	return &c
}

// Set changes the setting at path to value, which is read according to the setting's kind (a list as
// "a, b" or "[a, b]"). Setting back the old value gives back the old bytes, except where the old
// spelling was not the plain one (0x10, 2_200). A file that cannot be parsed is left alone.
func (s *Store) Set(ctx context.Context, path, value string) error {
	parts, err := splitKey(path)
	if err != nil {
		return &core.Error{Code: core.CodeUsage, Op: "set", Err: err, Hint: "Write it like memory.nudge_interval."}
	}
	return s.change(ctx, parts, func(k Key, _ *yaml.Node) ([]string, error) { return wanted(k, value) })
}

// Add appends item to the list at path; it changes nothing when the list has it.
func (s *Store) Add(ctx context.Context, path, item string) error {
	return s.changeList(ctx, path, func(items []string) []string {
		if slices.Contains(items, item) {
			return items
		}
		return append(items, item)
	})
}

// Remove takes item out of the list at path; it changes nothing when the list does not have it.
func (s *Store) Remove(ctx context.Context, path, item string) error {
	return s.changeList(ctx, path, func(items []string) []string {
		return slices.DeleteFunc(items, func(i string) bool { return i == item })
	})
}

func (s *Store) changeList(ctx context.Context, path string, f func([]string) []string) error {
	parts, err := splitKey(path)
	if err != nil {
		return &core.Error{Code: core.CodeUsage, Op: "set", Err: err}
	}
	return s.change(ctx, parts, func(k Key, n *yaml.Node) ([]string, error) {
		if k.Kind != KindList {
			return nil, errors.New("is not a list")
		}
		var items []string
		if n != nil && !isNull(n) {
			v, why := coerceList(n)
			if why != "" {
				return nil, errors.New(why)
			}
			items, _ = listItems(v)
		}
		next := f(slices.Clone(items))
		if equal(next, items) {
			return nil, errNoop
		}
		return next, nil
	})
}

// change runs one edit of config.yaml; want decides the new value from the old node.
func (s *Store) change(ctx context.Context, parts []string, want func(Key, *yaml.Node) ([]string, error)) error {
	if err := home.EnsureDir(s.home.Dir()); err != nil {
		return err
	}
	return s.rewrite(ctx, parts, func(data []byte, root *yaml.Node) ([]byte, error) {
		k, ok := keyTable(Keys()).find(parts)
		n := lookup(root, parts)
		switch {
		case ok:
		case n != nil && n.Kind == yaml.ScalarNode: // another program's key that is there may be changed
			k = Key{Path: joinKey(parts), Kind: KindAny}
		default:
			return nil, s.unknown("set", Keys(), parts)
		}
		values, err := want(k, n)
		if errors.Is(err, errNoop) {
			return nil, nil
		}
		if err != nil {
			return nil, &core.Error{Code: core.CodeUsage, Op: "set", Subject: joinKey(parts), Err: err, Hint: k.Doc}
		}
		out, err := edit{path: parts, kind: k.Kind, want: values}.apply(data)
		if err != nil {
			line, msg := lineOf(err)
			return nil, s.refuse(parts, line, errors.New(msg))
		}
		return out, nil
	})
}

// rewrite replaces config.yaml by what f makes of it, under its lock; nil leaves it.
func (s *Store) rewrite(ctx context.Context, parts []string, f func(data []byte, root *yaml.Node) ([]byte, error)) error {
	file := s.home.Config()
	return home.WithLock(ctx, file+".lock", func() error {
		data, err := readFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s.refuse(parts, 0, err)
		}
		root, err := parseTree(data)
		if err != nil {
			line, msg := lineOf(err)
			return s.refuse(parts, line, errors.New(msg))
		}
		out, err := f(data, root)
		if err != nil || out == nil {
			return err
		}
		return home.WriteFile(file, out, home.FileMode)
	})
}

// wanted reads value as k's kind.
func wanted(k Key, value string) ([]string, error) {
	if strings.ContainsRune(value, 0) {
		return nil, errors.New("must not hold a NUL character")
	}
	n := text(value)
	switch k.Kind {
	case KindAny:
		return []string{value}, nil
	case KindList:
		return ListOf(value)
	case KindInt, KindFloat, KindBool:
		value = strings.TrimSpace(value)
		n.Value = value
	default: // text is taken as it is
	}
	v, why := coerce(k, n)
	if why != "" {
		return nil, errors.New(why)
	}
	return []string{v.Value}, nil
}

// ListOf reads a list as Set does: items between commas, or YAML in brackets.
func ListOf(value string) ([]string, error) {
	trimmed := strings.TrimSpace(value)
	if !strings.HasPrefix(trimmed, "[") {
		var out []string
		for item := range strings.SplitSeq(trimmed, ",") {
			if item = strings.TrimSpace(item); item != "" {
				out = append(out, item)
			}
		}
		return out, nil
	}
	var doc yaml.Node
	if err := safeUnmarshal([]byte(trimmed), &doc); err != nil || len(doc.Content) != 1 {
		return nil, errors.New("must be a list like [a, b]")
	}
	v, why := coerceList(doc.Content[0])
	if why != "" {
		return nil, errors.New(why)
	}
	items, _ := listItems(v)
	return items, nil
}

func (s *Store) tree() (*yaml.Node, error) {
	data, err := readFile(s.home.Config())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &core.Error{Code: core.CodeConfig, Op: "read", Subject: s.home.Config(), Err: err}
	}
	root, err := parseTree(data)
	if err != nil {
		line, msg := lineOf(err)
		return nil, &core.Error{
			Code: core.CodeConfig, Op: "read", Subject: s.home.Config(), Line: line, Err: errors.New(msg),
			Hint: "Fix the line; the file was not changed.",
		}
	}
	return root, nil
}

func (s *Store) refuse(parts []string, line int, err error) error {
	return &core.Error{
		Code: core.CodeConfig, Op: "set " + joinKey(parts) + " in", Subject: s.home.Config(), Line: line, Err: err,
		Hint: "Edit the file by hand (hermes config edit); it was not changed.",
	}
}

func (s *Store) unknown(op string, keys keyTable, parts []string) error {
	hint := "List the settings with: hermes config keys"
	if near := keys.near(parts); near != "" {
		hint = "Did you mean " + near + "?"
	}
	return &core.Error{Code: core.CodeNotFound, Op: op, Subject: joinKey(parts), Err: errors.New("there is no such setting"), Hint: hint}
}

// SetEnv writes NAME=value to the home's .env (mode 0600), replacing the last assignment of that name
// in place or adding a line at the end.
func (s *Store) SetEnv(ctx context.Context, name, value string) error {
	if !validEnvName(name) || strings.ContainsRune(value, 0) {
		return &core.Error{Code: core.CodeUsage, Op: "set variable", Subject: name, Err: errors.New("is not a usable name or value")}
	}
	return s.changeEnv(ctx, func(data string) (string, error) {
		out := spliceEnv(data, name, value)
		return out, verifyEnv(data, out, name, value)
	})
}

// UnsetEnv removes every assignment of name from the home's .env.
func (s *Store) UnsetEnv(ctx context.Context, name string) error {
	return s.changeEnv(ctx, func(data string) (string, error) {
		lines, _ := parseEnv(data)
		for _, l := range slices.Backward(lines) {
			if l.name != name {
				continue
			}
			start := strings.LastIndexByte(data[:l.start], '\n') + 1
			end := l.end + strings.IndexByte(data[l.end:]+"\n", '\n') + 1
			data = data[:start] + data[min(end, len(data)):]
		}
		return data, nil
	})
}

func (s *Store) changeEnv(ctx context.Context, f func(string) (string, error)) error {
	file := s.home.Env()
	if err := home.EnsureDir(s.home.Dir()); err != nil {
		return err
	}
	return home.WithLock(ctx, file+".lock", func() error {
		data, err := readFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &core.Error{Code: core.CodeConfig, Op: "edit", Subject: file, Err: err}
		}
		out, ferr := f(string(data))
		if ferr != nil {
			return &core.Error{Code: core.CodeConfig, Op: "edit", Subject: file, Err: ferr, Hint: "Edit the file by hand; it was not changed."}
		}
		if out == string(data) {
			return nil
		}
		if err == nil { // WriteFile keeps the mode, and keys are for nobody else
			if err := os.Chmod(file, home.FileMode); err != nil {
				return &core.Error{Code: core.CodeConfig, Op: "edit", Subject: file, Err: err, Hint: "chmod 600 " + file}
			}
		}
		return home.WriteFile(file, []byte(out), home.FileMode)
	})
}

// verifyEnv proves that only name changed: a quote left open further up would swallow a new line.
func verifyEnv(before, after, name, value string) error {
	was, is := map[string]string{}, map[string]string{}
	lines, _ := parseEnv(before)
	for _, l := range lines {
		was[l.name] = l.value
	}
	lines, _ = parseEnv(after)
	for _, l := range lines {
		is[l.name] = l.value
	}
	was[name] = value
	if !maps.Equal(was, is) {
		return errors.New("a quote is not closed")
	}
	return nil
}

func spliceEnv(data, name, value string) string {
	lines, _ := parseEnv(data)
	for _, l := range slices.Backward(lines) {
		if l.name != name {
			continue
		}
		if l.value == value {
			return data
		}
		return data[:l.start] + quoteEnv(value) + data[l.end:]
	}
	eol := "\n"
	if strings.Contains(data, "\r\n") {
		eol = "\r\n"
	}
	if data != "" && !strings.HasSuffix(data, "\n") {
		data += eol
	}
	return data + fmt.Sprintf("%s=%s%s", name, quoteEnv(value), eol)
}

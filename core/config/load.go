package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"hermes/core"
	"hermes/core/home"
)

// maxFile bounds what is read as a configuration, in bytes.
const maxFile = 4 << 20

// Problem is something in config.yaml or .env that could not be used as written. Level info is for
// keys of other programs: legal, listed, not to be nagged about.
type Problem struct {
	Level  core.Level
	File   string // absolute
	Line   int    // 1-based; 0 when the whole file is meant
	Key    string // dotted path; may be empty
	Text   string // what is wrong and what is used instead
	Remedy string // what the person can do
}

// String gives "config.yaml:12: memory.nudge_interval: must be …".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(filepath.Base(p.File))
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Load reads config.yaml and .env of h. It always returns a usable configuration: what cannot be read
// has its default and a Problem that names file, line and key. It changes nothing on disk.
func Load(h home.Home) (Config, []Problem) {
	l := loader{file: h.Config(), keys: Keys()}
	cfg := l.config()
	cfg.Secrets = l.secrets(h.Env())
	return cfg, l.problems
}

type loader struct {
	file     string
	keys     keyTable
	problems []Problem
}

func (l *loader) warn(line int, key, text, remedy string) {
	l.problems = append(l.problems, Problem{Level: core.LevelWarn, File: l.file, Line: line, Key: key, Text: text, Remedy: remedy})
}

func (l *loader) broken(line int, text, remedy string) {
	l.problems = append(l.problems, Problem{Level: core.LevelError, File: l.file, Line: line, Text: text, Remedy: remedy})
}

func (l *loader) config() Config {
	data, err := readFile(l.file)
	if errors.Is(err, fs.ErrNotExist) {
		return Default()
	}
	if err != nil {
		l.broken(0, err.Error()+fallback, "Make the file readable.")
		return cautious()
	}
	root, err := parseTree(data)
	if err != nil {
		line, msg := lineOf(err)
		l.broken(line, msg+fallback, "Fix the line; the file was not changed.")
		return cautious()
	}
	if root == nil {
		return Default()
	}
	tree, err := l.clean(root, nil, 0)
	if err != nil {
		l.broken(0, err.Error()+fallback, "Simplify the anchors.")
		return cautious()
	}
	cfg := Default()
	if err := decode(tree, &cfg); err != nil {
		line, msg := lineOf(err)
		l.broken(line, msg+fallback, "Fix the line; the file was not changed.")
		return cautious()
	}
	return cfg
}

// fallback says what happens while a file cannot be read at all.
const fallback = "; the defaults are used, and what is learned waits in the inbox"

// cautious is the configuration of a home whose file cannot be read: the file may well ask for approval
// before anything is learned, so nothing is learned without it.
func cautious() Config {
	c := Default()
	c.Memory.WriteApproval, c.Skills.WriteApproval = true, true
	return c
}

func decode(n *yaml.Node, into any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	return n.Decode(into)
}

// clean returns a copy of mapping m that holds only known keys with values of the right kind, and
// reports the rest.
func (l *loader) clean(m *yaml.Node, path []string, depth int) (*yaml.Node, error) {
	if depth > 20 {
		return nil, errors.New("nested too deeply")
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	pairs := expand(m, 0)
	for i, p := range pairs {
		at := append(slices.Clone(path), p.key.Value)
		if slices.ContainsFunc(pairs[i+1:], func(o pair) bool { return o.key.Value == p.key.Value }) {
			l.warn(p.key.Line, joinKey(at), "is set again further down; the last one counts", "Remove one of the lines.")
			continue
		}
		value, err := l.value(p, at, depth)
		if err != nil {
			return nil, err
		}
		if value != nil {
			out.Content = append(out.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: p.key.Value}, value)
		}
	}
	return out, nil
}

// value returns the usable form of one value, nil when its default is to be used.
func (l *loader) value(p pair, at []string, depth int) (*yaml.Node, error) {
	n := follow(p.value)
	if isNull(n) {
		return nil, nil
	}
	if k, ok := l.keys.find(at); ok {
		v, why := coerce(k, n)
		if why != "" {
			def := k.Default
			if def == "" {
				def = "nothing"
			}
			l.warn(p.key.Line, joinKey(at), why+"; using "+def, "Correct the value: hermes config set "+joinKey(at)+" VALUE")
			return nil, nil
		}
		return v, nil
	}
	if !l.keys.section(at) {
		hint := ""
		if near := l.keys.near(at); near != "" {
			hint = "Did you mean " + near + "?"
		}
		l.problems = append(l.problems, Problem{
			Level: core.LevelInfo, File: l.file, Line: p.key.Line, Key: joinKey(at), Text: "is not a setting of hermes and is left alone", Remedy: hint,
		})
		return nil, nil
	}
	if len(at) == 1 && at[0] == "model" && n.Kind == yaml.ScalarNode { // the short form of other versions
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "default"}
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, text(n.Value)}}, nil
	}
	if n.Kind != yaml.MappingNode {
		l.warn(p.key.Line, joinKey(at), "must be a section of \"key: value\" lines; the defaults are used", "Indent its keys below it.")
		return nil, nil
	}
	return l.clean(n, at, depth+1)
}

func (l *loader) secrets(file string) Secrets {
	l.file = file
	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Secrets{}
	}
	if err != nil {
		l.broken(0, err.Error(), "Make it a readable UTF-8 file; its variables are not used until then.")
		return Secrets{}
	}
	if info, err := os.Stat(file); err == nil && filepath.Separator == '/' && info.Mode().Perm()&0o077 != 0 {
		l.warn(0, "", fmt.Sprintf("others can read your keys (mode %04o)", info.Mode().Perm()), "chmod 600 "+file)
	}
	lines, bad := parseEnv(string(data))
	for _, n := range bad {
		l.warn(n, "", "is not a NAME=value line and is skipped", "Correct the line or put # before it.")
	}
	values := make(map[string]string, len(lines))
	for _, e := range lines {
		values[e.name] = e.value
	}
	return Secrets{values: values}
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a file")
	}
	if info.Size() > maxFile {
		return nil, errors.New("is too large for a configuration")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8 text")
	}
	return data, nil
}

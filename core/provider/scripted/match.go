package scripted

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// When is a condition on a request; all given fields must hold.
type When struct {
	User      *Text      `yaml:"user"`
	Result    *Text      `yaml:"result"`
	Last      *Text      `yaml:"last"`
	System    *Text      `yaml:"system"`
	Any       *Text      `yaml:"any"`
	Model     *Text      `yaml:"model"`
	Turn      *Count     `yaml:"turn"`
	Users     *Count     `yaml:"users"`
	Request   *Count     `yaml:"request"`
	Calls     *Count     `yaml:"calls"`
	HasTool   StringList `yaml:"has_tool"`
	LacksTool StringList `yaml:"lacks_tool"`
	NoTools   *bool      `yaml:"no_tools"`
	Stream    *bool      `yaml:"stream"`
	Call      *CallIs    `yaml:"call"`
	Not       *When      `yaml:"not"`
	Either    []When     `yaml:"either"`
}

// CallIs is a condition on an answered tool call since the last user message.
type CallIs struct {
	N      int    `yaml:"n"` // from 1; 0 is the last
	Name   string `yaml:"name"`
	OK     *bool  `yaml:"ok"`
	Result *Text  `yaml:"result"`
}

// Text is a condition on a text; all given parts must hold.
type Text struct {
	Contains string   `yaml:"contains"`
	Lacks    string   `yaml:"lacks"`
	Equals   *string  `yaml:"equals"`
	Regexp   *Pattern `yaml:"regexp"`
}

// Count is a condition on a number.
type Count struct {
	Min *int `yaml:"min"`
	Max *int `yaml:"max"`
}

// UnmarshalYAML refuses unknown keys.
func (w *When) UnmarshalYAML(n *yaml.Node) error {
	type plain When
	return decodeStrict(n, (*plain)(w))
}

// UnmarshalYAML refuses unknown keys.
func (c *CallIs) UnmarshalYAML(n *yaml.Node) error {
	type plain CallIs
	return decodeStrict(n, (*plain)(c))
}

// UnmarshalYAML reads a string (contains) or a mapping.
func (t *Text) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		t.Contains = n.Value
		return nil
	}
	type plain Text
	return decodeStrict(n, (*plain)(t))
}

// UnmarshalYAML reads a number or {min, max}.
func (c *Count) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		v, err := strconv.Atoi(n.Value)
		if err != nil {
			return lineError(n.Line, "%q is no number", n.Value)
		}
		c.Min, c.Max = &v, &v
		return nil
	}
	type plain Count
	return decodeStrict(n, (*plain)(c))
}

// UnmarshalYAML refuses unknown keys.
func (c *Capture) UnmarshalYAML(n *yaml.Node) error {
	type plain Capture
	return decodeStrict(n, (*plain)(c))
}

// match says whether r fulfils w and adds what its regexps captured to vars.
func (w *When) match(r *Request, vars vars) bool {
	if w == nil {
		return true
	}
	return w.matchTexts(r, vars) && w.matchCounts(r) && w.matchTools(r) && w.Call.match(r, vars) && w.matchNested(r, vars)
}

func (w *When) matchTexts(r *Request, vars vars) bool {
	last := ""
	if len(r.Messages) > 0 {
		last = r.Messages[len(r.Messages)-1].Content
	}
	pairs := []struct {
		cond *Text
		text string
	}{{w.User, r.User()}, {w.Result, r.LastResult()}, {w.Last, last}, {w.System, r.System()}, {w.Model, r.Model}}
	for _, p := range pairs {
		if !p.cond.match(p.text, vars) {
			return false
		}
	}
	if w.Any == nil {
		return true
	}
	for _, m := range r.Messages {
		if w.Any.match(m.Content, vars) {
			return true
		}
	}
	return false
}

func (w *When) matchCounts(r *Request) bool {
	return w.Turn.match(r.Turn()) && w.Users.match(r.Users()) && w.Request.match(r.N) && w.Calls.match(len(r.Results()))
}

func (w *When) matchTools(r *Request) bool {
	for _, name := range w.HasTool {
		if !r.HasTool(name) {
			return false
		}
	}
	for _, name := range w.LacksTool {
		if r.HasTool(name) {
			return false
		}
	}
	if w.NoTools != nil && *w.NoTools != (len(r.Tools) == 0) {
		return false
	}
	return w.Stream == nil || *w.Stream == r.Stream
}

func (w *When) matchNested(r *Request, vars vars) bool {
	if w.Not != nil && w.Not.match(r, vars) {
		return false
	}
	if len(w.Either) == 0 {
		return true
	}
	for i := range w.Either {
		if w.Either[i].match(r, vars) {
			return true
		}
	}
	return false
}

func (c *CallIs) match(r *Request, vars vars) bool {
	if c == nil {
		return true
	}
	results := r.Results()
	n := c.N
	if n == 0 {
		n = len(results)
	}
	if n < 1 || n > len(results) {
		return false
	}
	res := results[n-1]
	if c.Name != "" && c.Name != res.Call.Name {
		return false
	}
	if c.OK != nil && *c.OK != res.OK {
		return false
	}
	return c.Result.match(res.Content, vars)
}

func (t *Text) match(text string, vars vars) bool {
	if t == nil {
		return true
	}
	if !strings.Contains(text, t.Contains) {
		return false
	}
	if t.Lacks != "" && strings.Contains(text, t.Lacks) {
		return false
	}
	if t.Equals != nil && *t.Equals != text {
		return false
	}
	return t.Regexp == nil || vars.capture(t.Regexp.Regexp, text)
}

func (c *Count) match(n int) bool {
	if c == nil {
		return true
	}
	return (c.Min == nil || n >= *c.Min) && (c.Max == nil || n <= *c.Max)
}

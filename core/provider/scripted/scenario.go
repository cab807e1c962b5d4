package scripted

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"hermes/core"
)

// Scenario is what a server plays. Load makes one from YAML; Go tests may fill it themselves and set
// Func. It is read-only once a server uses it, so one scenario may serve several servers.
type Scenario struct {
	Name             string   `yaml:"name"`
	Models           []string `yaml:"models"`
	Key              string   `yaml:"key"`
	Strict           bool     `yaml:"strict"`
	CacheControl     bool     `yaml:"cache_control"`
	RequireReasoning bool     `yaml:"require_reasoning"`
	RejectReasoning  bool     `yaml:"reject_reasoning"`
	Chunk            int      `yaml:"chunk"`
	Delay            Duration `yaml:"delay"`
	Steps            []Rule   `yaml:"steps"`
	Rules            []Rule   `yaml:"rules"`
	Else             *Reply   `yaml:"else"`

	// Func answers before steps and rules do; ok false leaves the request to them. Only for Go.
	Func func(*Request) (r Reply, ok bool) `yaml:"-"`
}

// Rule answers the requests its When matches.
type Rule struct {
	Name    string             `yaml:"name"`
	When    *When              `yaml:"when"`
	Once    bool               `yaml:"once"`
	Times   int                `yaml:"times"`
	Capture map[string]Capture `yaml:"capture"`
	Reply   *Reply             `yaml:"reply"`
	Turns   []Reply            `yaml:"turns"`

	line int
}

// Capture names a piece of the request for templates: the first group of Regexp, or its whole match.
type Capture struct {
	From   string  `yaml:"from"`
	Regexp Pattern `yaml:"regexp"`
}

// Duration is a time.Duration written as "150ms".
type Duration time.Duration

// UnmarshalYAML reads the text form.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil || v < 0 {
		return lineError(n.Line, "%q is no duration such as 150ms", n.Value)
	}
	*d = Duration(v)
	return nil
}

// Pattern is a compiled regular expression.
type Pattern struct{ *regexp.Regexp }

// UnmarshalYAML compiles the expression.
func (p *Pattern) UnmarshalYAML(n *yaml.Node) error {
	re, err := regexp.Compile(n.Value)
	if err != nil {
		return lineError(n.Line, "%v", err)
	}
	p.Regexp = re
	return nil
}

// UnmarshalYAML reads a rule and remembers its line.
func (r *Rule) UnmarshalYAML(n *yaml.Node) error {
	type plain Rule
	if err := decodeStrict(n, (*plain)(r)); err != nil {
		return err
	}
	r.line = n.Line
	return nil
}

// limit is how often the rule may answer; 0 is unlimited.
func (r *Rule) limit() int {
	if r.Once {
		return 1
	}
	return r.Times
}

// label names the rule in messages.
func (r *Rule) label() string {
	if r.Name != "" {
		return r.Name
	}
	return "rule at line " + strconv.Itoa(r.line)
}

// Load parses a scenario. name is the file name used in errors, which carry the line.
func Load(name string, data []byte) (*Scenario, error) {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the scenario is empty")
		}
		return nil, loadError(name, err)
	}
	var s Scenario
	if err := decodeStrict(doc.Content[0], &s); err != nil {
		return nil, loadError(name, err)
	}
	if s.Name == "" {
		s.Name = name
	}
	if err := s.check(); err != nil {
		return nil, loadError(name, err)
	}
	return &s, nil
}

// check finds what the types cannot express.
func (s *Scenario) check() error {
	if len(s.Steps)+len(s.Rules) == 0 && s.Else == nil {
		return lineError(1, "no steps, rules or else: the scenario can answer nothing")
	}
	for _, list := range [][]Rule{s.Steps, s.Rules} {
		for i := range list {
			if err := list[i].check(); err != nil {
				return err
			}
		}
	}
	if s.Else != nil {
		return s.Else.check(names(nil))
	}
	return nil
}

func (r *Rule) check() error {
	if (r.Reply == nil) == (len(r.Turns) == 0) {
		return lineError(r.line, "a rule needs either reply or turns")
	}
	for name, c := range r.Capture {
		if c.Regexp.Regexp == nil {
			return lineError(r.line, "capture %s needs a regexp", name)
		}
		switch c.From {
		case "user", "result", "system", "any":
		default:
			return lineError(r.line, "capture %s: from is %q, want user, result, system or any", name, c.From)
		}
	}
	known := names(r)
	if r.Reply != nil {
		return r.Reply.check(known)
	}
	for i := range r.Turns {
		if err := r.Turns[i].check(known); err != nil {
			return err
		}
	}
	return nil
}

// faultError is a fault at a line of the scenario.
type faultError struct {
	line int
	msg  string
}

func (e *faultError) Error() string { return e.msg }

func lineError(line int, format string, args ...any) error {
	return &faultError{line: line, msg: fmt.Sprintf(format, args...)}
}

// loadError turns whatever the decoder says into one error with file and line.
func loadError(name string, err error) error {
	out := &core.Error{
		Code: core.CodeConfig, Op: "load scenario", Subject: name, Err: err,
		Hint: "see the package comment of core/provider/scripted for the format",
	}
	var le *faultError
	if errors.As(err, &le) {
		out.Line = le.line
		return out
	}
	text := err.Error()
	if _, rest, ok := strings.Cut(text, "line "); ok {
		num, msg, _ := strings.Cut(rest, ":")
		if n, convErr := strconv.Atoi(num); convErr == nil {
			first, _, _ := strings.Cut(strings.TrimSpace(msg), "\n")
			out.Line, out.Err = n, errors.New(first)
		}
	}
	return out
}

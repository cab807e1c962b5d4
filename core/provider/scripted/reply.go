package scripted

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// Reply is one answer. The zero value is an empty answer that finishes with "stop".
type Reply struct {
	Text           string    `yaml:"text"`
	Reasoning      string    `yaml:"reasoning"`
	ReasoningField string    `yaml:"reasoning_field"` // default reasoning_content
	ToolCalls      []Call    `yaml:"tool_calls"`
	Interleave     bool      `yaml:"interleave"`
	Finish         *string   `yaml:"finish"`
	Usage          Usage     `yaml:"usage"`
	Chunk          int       `yaml:"chunk"`       // characters a delta; 0 takes the scenario's
	Delay          *Duration `yaml:"delay"`       // between frames; nil takes the scenario's
	FirstDelay     Duration  `yaml:"first_delay"` // before the first byte
	Events         []Value   `yaml:"events"`
	Raw            string    `yaml:"raw"`
	Fault          *Fault    `yaml:"fault"`
	Wire           Wire      `yaml:"wire"`

	// Hold keeps the answer back until it is closed or the client leaves. Only for Go.
	Hold <-chan struct{} `yaml:"-"`
	// OnFrame is called after frame n (from 1) was flushed. Only for Go.
	OnFrame func(n int) `yaml:"-"`

	line int
}

// Call is a tool call of a reply.
type Call struct {
	ID         string `yaml:"id"`
	Name       string `yaml:"name"`
	Arguments  Value  `yaml:"arguments"`
	Index      string `yaml:"index"`
	Chunk      int    `yaml:"chunk"`
	NameAlways bool   `yaml:"name_always"`
}

// Usage says what the reply reports as consumption. The zero value estimates.
type Usage struct {
	Mode       string // "auto" (or empty), "none", "null", "given", "raw"
	Prompt     int
	Completion int
	Cached     *int
	Reasoning  *int
	Raw        Value
}

// Fault is a failure of the server or the link.
type Fault struct {
	Status      int               `yaml:"status"`
	Headers     map[string]string `yaml:"headers"`
	ContentType string            `yaml:"content_type"`
	Body        Value             `yaml:"body"`
	Error       *Value            `yaml:"error"` // the error object
	Cut         bool              `yaml:"cut"`
	Stall       bool              `yaml:"stall"`
	End         bool              `yaml:"end"`
	After       int               `yaml:"after"`       // frames
	AfterBytes  int               `yaml:"after_bytes"` // bytes of the body; wins over After
}

// Wire changes how a stream is framed.
type Wire struct {
	Split          int    `yaml:"split"`
	CRLF           bool   `yaml:"crlf"`
	Comments       bool   `yaml:"comments"`
	NoDone         bool   `yaml:"no_done"`
	NoSpace        bool   `yaml:"no_space"`
	Event          string `yaml:"event"`
	TwoLines       bool   `yaml:"two_lines"`
	NoRole         bool   `yaml:"no_role"`
	NoFinalBlank   bool   `yaml:"no_final_blank"`
	EmptyFirst     bool   `yaml:"empty_first"`
	FinishWithLast bool   `yaml:"finish_with_last"`
	JSON           bool   `yaml:"json"`
}

// Say is a reply of plain text.
func Say(text string) Reply { return Reply{Text: text} }

// Ask is a reply of tool calls: name and raw arguments alternate.
func Ask(nameArgs ...string) Reply {
	var r Reply
	for pair := range slices.Chunk(nameArgs, 2) {
		c := Call{Name: pair[0], Arguments: Raw("{}")}
		if len(pair) == 2 {
			c.Arguments = Raw(pair[1])
		}
		r.ToolCalls = append(r.ToolCalls, c)
	}
	return r
}

// Finish returns word for Reply.Finish.
func Finish(word string) *string { return &word }

// UnmarshalYAML refuses unknown keys and remembers the line.
func (r *Reply) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		r.Text, r.line = n.Value, n.Line
		return nil
	}
	type plain Reply
	if err := decodeStrict(n, (*plain)(r)); err != nil {
		return err
	}
	r.line = n.Line
	return nil
}

// UnmarshalYAML refuses unknown keys.
func (c *Call) UnmarshalYAML(n *yaml.Node) error {
	type plain Call
	return decodeStrict(n, (*plain)(c))
}

// UnmarshalYAML refuses unknown keys.
func (f *Fault) UnmarshalYAML(n *yaml.Node) error {
	type plain Fault
	return decodeStrict(n, (*plain)(f))
}

// UnmarshalYAML refuses unknown keys.
func (w *Wire) UnmarshalYAML(n *yaml.Node) error {
	type plain Wire
	return decodeStrict(n, (*plain)(w))
}

// UnmarshalYAML reads "auto", "none", "null" or the figures.
func (u *Usage) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		u.Mode = n.Value
		if !slices.Contains([]string{"auto", "none", "null"}, n.Value) {
			return lineError(n.Line, "usage is %q, want auto, none, null or figures", n.Value)
		}
		return nil
	}
	var given struct {
		Prompt     int   `yaml:"prompt"`
		Completion int   `yaml:"completion"`
		Cached     *int  `yaml:"cached"`
		Reasoning  *int  `yaml:"reasoning"`
		Raw        Value `yaml:"raw"`
	}
	if err := decodeStrict(n, &given); err != nil {
		return err
	}
	*u = Usage{Mode: "given", Prompt: given.Prompt, Completion: given.Completion, Cached: given.Cached, Reasoning: given.Reasoning, Raw: given.Raw}
	if !given.Raw.empty() {
		u.Mode = "raw"
	}
	return nil
}

// check finds wrong words and undefined template names.
func (r *Reply) check(known map[string]bool) error {
	switch r.ReasoningField {
	case "", "reasoning_content", "reasoning", "reasoning_details":
	default:
		return lineError(r.line, "reasoning_field is %q, want reasoning_content, reasoning or reasoning_details", r.ReasoningField)
	}
	if r.Fault != nil {
		if err := r.Fault.check(r.line); err != nil {
			return err
		}
	}
	for _, c := range r.ToolCalls {
		if c.Name == "" {
			return lineError(r.line, "a tool call needs a name")
		}
	}
	var firstErr error
	r.texts(func(text string, line int) {
		if line == 0 {
			line = r.line
		}
		if err := checkTemplate(text, line, known); err != nil && firstErr == nil {
			firstErr = err
		}
	})
	return firstErr
}

// texts yields every string that may hold a template.
func (r *Reply) texts(yield func(text string, line int)) {
	for _, s := range []string{r.Text, r.Reasoning, r.Raw} {
		yield(s, 0)
	}
	for _, c := range r.ToolCalls {
		c.Arguments.texts(yield)
	}
	for _, e := range r.Events {
		e.texts(yield)
	}
	if r.Fault != nil {
		r.Fault.Body.texts(yield)
		if r.Fault.Error != nil {
			r.Fault.Error.texts(yield)
		}
	}
}

func (f *Fault) check(line int) error {
	kinds := 0
	for _, on := range []bool{f.Status != 0, f.Status == 0 && f.Error != nil, f.Cut, f.Stall, f.End} {
		if on {
			kinds++
		}
	}
	if kinds != 1 {
		return lineError(line, "a fault is exactly one of status, error, cut, stall, end")
	}
	return nil
}

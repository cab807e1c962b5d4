package provider

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strings"

	"hermes/core"
)

// answer collects the deltas of one attempt and passes them on as they come.
type answer struct {
	sink   func(core.Delta)
	text   strings.Builder
	calls  callAssembler
	finish string
	usage  usage
	shown  bool // something reached the sink: no silent retry any more
	ended  bool // the server said it is done: a finish reason or [DONE]
	soft   bool // the last chunk looked like an end, though no word said so

	thought strings.Builder
	field   string // the reasoning field whose text is shown
	details [][]byte
}

func newAnswer(sink func(core.Delta)) *answer { return &answer{sink: sink} }

func (a *answer) emit(d core.Delta) {
	a.shown = true
	a.sink(d)
}

// add takes one chunk. It returns the error the chunk reports.
func (a *answer) add(c chunk) error {
	if c.Usage != nil {
		a.usage.merge(*c.Usage)
	}
	if err := c.failure(); err != nil {
		return err
	}
	if len(c.Choices) == 0 {
		a.soft = a.soft || c.Usage != nil && a.shown // usage alone is what a stream ends with
		return nil
	}
	ch := c.Choices[0]
	d := ch.Delta
	if d.empty() && ch.Message != nil {
		d = ch.Message
	}
	if d != nil {
		a.delta(d)
	}
	a.soft = false
	if ch.FinishReason == nil {
		return nil
	}
	switch word := string(*ch.FinishReason); word {
	case "":
		a.soft = d.empty() && a.shown // some servers send "" with every chunk, some as the last word
	case "error":
		return &serverError{message: "the server ended the answer with an error"}
	default:
		a.finish, a.ended = word, true
	}
	return nil
}

// delta takes the content of one chunk: thinking first, then text, then calls.
func (a *answer) delta(d *delta) {
	a.think(d)
	if text := string(d.Content) + string(d.Refusal); text != "" {
		a.text.WriteString(text)
		a.emit(core.Delta{Text: text})
	}
	for _, f := range d.ToolCalls {
		i, named, args := a.calls.add(f)
		if i < 0 || named == "" && args == "" {
			continue
		}
		a.emit(core.Delta{Call: i, CallName: named, CallArgs: args})
	}
}

// think keeps reasoning byte for byte and shows it once, though some servers send it in two fields.
func (a *answer) think(d *delta) {
	var listed strings.Builder
	for _, raw := range rawList(d.ReasoningDetails) {
		a.details = append(a.details, raw)
		var piece struct {
			Text    looseString `json:"text"`
			Summary looseString `json:"summary"`
		}
		_ = json.Unmarshal(raw, &piece) // encrypted pieces have no text
		listed.WriteString(string(piece.Text) + string(piece.Summary))
	}
	for _, f := range []struct{ name, text string }{
		{"reasoning_content", string(d.ReasoningContent)},
		{"reasoning", string(d.Reasoning)},
		{"reasoning_details", listed.String()},
	} {
		if f.text == "" || a.field != "" && a.field != f.name {
			continue
		}
		a.field = f.name
		a.thought.WriteString(f.text)
		a.emit(core.Delta{Reasoning: f.text})
	}
}

func rawList(raw json.RawMessage) []json.RawMessage {
	var l []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}

// complete says that the answer may be taken as whole when the stream ends cleanly here.
func (a *answer) complete() bool {
	return a.ended || a.soft && a.calls.whole()
}

// message is the answer so far.
func (a *answer) message() core.Message {
	m := core.Message{Role: core.RoleAssistant, Content: a.text.String(), ToolCalls: a.calls.finish()}
	if a.thought.Len() == 0 && len(a.details) == 0 {
		return m
	}
	m.Reasoning = &core.Reasoning{Text: a.thought.String(), Field: a.field}
	if m.Reasoning.Field == "reasoning_details" {
		m.Reasoning.Field = ""
	}
	if len(a.details) > 0 {
		m.Reasoning.Details = append(append([]byte{'['}, bytes.Join(a.details, []byte{','})...), ']')
	}
	return m
}

// callAssembler puts tool calls together from fragments. Servers disagree about the index: it may be
// absent, null, 0 for every call, or skip numbers; ids may be absent or repeated in every fragment.
type callAssembler struct{ calls []*partialCall }

type partialCall struct {
	index    int // -1: none was given
	id, name string
	args     strings.Builder
	extra    string
	scan     objectScan
}

// add finds the call a fragment belongs to and returns its number, the name when it has just become
// known, and the new argument text; -1 when the fragment says nothing.
func (c *callAssembler) add(f fragment) (n int, name, args string) {
	id, fname, fargs := string(f.ID), string(f.Function.Name), string(f.Function.Arguments)
	n = c.find(f, id, fname, fargs)
	if n < 0 {
		if id == "" && fname == "" && strings.TrimSpace(fargs) == "" {
			return -1, "", ""
		}
		c.calls = append(c.calls, &partialCall{index: -1})
		n = len(c.calls) - 1
	}
	p := c.calls[n]
	if f.Index != nil {
		p.index = *f.Index
	}
	if p.id == "" {
		p.id = id
	}
	name = p.rename(fname)
	if len(f.Extra) > 0 && string(f.Extra) != "null" {
		p.extra = string(canonical(f.Extra, ""))
	}
	if p.scan.complete() && fargs == p.args.String() {
		return n, name, "" // the whole call once more
	}
	p.args.WriteString(fargs)
	p.scan.add(fargs)
	return n, name, fargs
}

// find returns the number of the call a fragment continues, or -1 for a new one.
func (c *callAssembler) find(f fragment, id, name, args string) int {
	for i := len(c.calls) - 1; i >= 0; i-- {
		p := c.calls[i]
		switch {
		case id != "" && p.id == id:
			if p.again(name, args) && args != p.args.String() {
				return -1 // a server that gives every call the same id
			}
			return i
		case id != "" && (p.id != "" || f.Index == nil || p.index != *f.Index || name != "" && p.name != ""):
			continue // another call's
		case f.Index != nil && p.index != *f.Index:
			continue
		}
		if id == "" && (p.again(name, args) || name != "" && p.name != "" && p.args.Len() > 0 && name != p.name) {
			return -1
		}
		if id == "" && f.Index == nil && name != "" && p.name != "" && name != p.name {
			return -1
		}
		return i
	}
	if id == "" && name == "" {
		return len(c.calls) - 1 // arguments alone belong to the latest call, whatever their index says
	}
	return -1
}

// again says that a fragment starts a call anew although this one is whole.
func (p *partialCall) again(name, args string) bool {
	return name != "" && p.scan.complete() && strings.TrimSpace(args) != ""
}

// rename takes a name that is new, repeated, cumulative or in pieces and returns it when it changed.
func (p *partialCall) rename(name string) string {
	if name == "" || name == p.name {
		return ""
	}
	switch {
	case p.name == "" || strings.HasPrefix(name, p.name):
		p.name = name
	case p.args.Len() == 0:
		p.name += name
	default:
		return ""
	}
	return p.name
}

// whole says that every call's arguments are complete.
func (c *callAssembler) whole() bool {
	for _, p := range c.calls {
		if !p.scan.complete() {
			return false
		}
	}
	return true
}

// finish returns the calls in order of first appearance, each with an id of its own.
func (c *callAssembler) finish() []core.ToolCall {
	var out []core.ToolCall
	seen := map[string]bool{}
	for _, p := range c.calls {
		if p.name == "" && strings.TrimSpace(p.args.String()) == "" {
			continue // an id without a call
		}
		if p.id == "" || seen[p.id] {
			p.id = newCallID()
		}
		seen[p.id] = true
		args := p.args.String()
		if strings.TrimSpace(args) == "" {
			args = "{}" // a tool without parameters
		}
		out = append(out, core.ToolCall{ID: p.id, Name: p.name, Arguments: args, Extra: p.extra})
	}
	return out
}

func newCallID() string {
	var b [9]byte
	_, _ = rand.Read(b[:]) // never fails
	return "call_" + hex.EncodeToString(b[:])
}

// objectScan follows JSON text as it arrives and knows when one whole object has been seen, without
// parsing it again for every fragment.
type objectScan struct {
	depth            int
	begun, bad       bool
	inString, escape bool
}

func (s *objectScan) add(text string) {
	for i := range len(text) {
		c := text[i]
		switch {
		case s.escape:
			s.escape = false
		case s.inString && c == '\\':
			s.escape = true
		case c == '"':
			s.inString = !s.inString
		case s.inString:
		case c == '{' || c == '[':
			s.bad = s.bad || s.begun && s.depth == 0
			s.begun = true
			s.depth++
		case c == '}' || c == ']':
			s.depth--
		}
	}
}

func (s *objectScan) complete() bool { return s.begun && !s.bad && s.depth == 0 && !s.inString }

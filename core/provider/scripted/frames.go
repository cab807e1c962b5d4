package scripted

import (
	"fmt"
	"strings"
)

// frame is one event of a stream: its data payload, without framing.
type frame struct {
	data string
	// verbatim payloads are whole body bytes and get no framing.
	verbatim bool
}

// rendered is a reply with templates filled in, for one request.
type rendered struct {
	Reply

	req   *Request
	vars  vars
	usage string // JSON of the usage field; "" leaves it out
	calls []renderedCall
}

type renderedCall struct {
	Call

	id, args string
}

// render fills in templates and generated ids.
func render(r Reply, req *Request, v vars, usage func(out rendered) string) (rendered, error) {
	out := rendered{Reply: r, req: req, vars: v}
	out.Text = v.fill(r.Text)
	out.Reasoning = v.fill(r.Reasoning)
	for i, c := range r.ToolCalls {
		args, err := c.Arguments.render(v)
		if err != nil {
			return out, err
		}
		if c.Arguments.empty() {
			args = "{}"
		}
		id := c.ID
		switch id {
		case "":
			id = fmt.Sprintf("call_%d_%d", req.N, i+1)
		case "none":
			id = ""
		}
		out.calls = append(out.calls, renderedCall{Call: c, id: id, args: args})
	}
	out.usage = usage(out)
	return out, nil
}

// finish is the JSON of the finish reason and whether a finishing chunk is sent at all.
func (r *rendered) finish() (word string, send bool) {
	switch {
	case r.Finish == nil && len(r.calls) > 0:
		return `"tool_calls"`, true
	case r.Finish == nil:
		return `"stop"`, true
	case *r.Finish == "none":
		return "", false
	case *r.Finish == "null":
		return "null", true
	}
	return quote(*r.Finish), true
}

// frames lists the events of the stream, [DONE] included.
func (r *rendered) frames() ([]frame, error) {
	if r.Raw != "" {
		return []frame{{data: r.vars.fill(r.Raw), verbatim: true}}, nil
	}
	if len(r.Events) > 0 {
		return r.eventFrames()
	}
	var deltas []string
	if !r.Wire.NoRole {
		deltas = append(deltas, `{"role":"assistant","content":""}`)
	}
	for _, s := range cut(r.Reasoning, r.Chunk) {
		deltas = append(deltas, "{"+r.reasoningJSON(s)+"}")
	}
	for _, s := range cut(r.Text, r.Chunk) {
		deltas = append(deltas, `{"content":`+quote(s)+`}`)
	}
	deltas = append(deltas, r.callDeltas()...)
	return r.wrap(deltas), nil
}

// wrap puts deltas into chunks and adds the finish, the usage and [DONE].
func (r *rendered) wrap(deltas []string) []frame {
	var out []frame
	if r.Wire.EmptyFirst {
		out = append(out, frame{data: r.chunk(`"choices":[]`, "")})
	}
	word, send := r.finish()
	for i, d := range deltas {
		finish := "null"
		if r.Wire.FinishWithLast && send && i == len(deltas)-1 {
			finish, send = word, false
		}
		out = append(out, frame{data: r.chunk(fmt.Sprintf(`"choices":[{"index":0,"delta":%s,"finish_reason":%s}]`, d, finish), "")})
	}
	if send {
		out = append(out, frame{data: r.chunk(fmt.Sprintf(`"choices":[{"index":0,"delta":{},"finish_reason":%s}]`, word), "")})
	}
	if r.usage != "" {
		out = append(out, frame{data: r.chunk(`"choices":[]`, r.usage)})
	}
	return r.done(out)
}

func (r *rendered) done(out []frame) []frame {
	if !r.Wire.NoDone {
		out = append(out, frame{data: "[DONE]"})
	}
	return out
}

func (r *rendered) eventFrames() ([]frame, error) {
	var out []frame
	for _, e := range r.Events {
		data, err := e.render(r.vars)
		if err != nil {
			return nil, err
		}
		out = append(out, frame{data: data})
	}
	return r.done(out), nil
}

// chunk is one chat.completion.chunk object.
func (r *rendered) chunk(choices, usage string) string {
	if usage != "" {
		usage = `,"usage":` + usage
	}
	return fmt.Sprintf(`{"id":"chatcmpl-%d","object":"chat.completion.chunk","created":1700000000,"model":%s,%s%s}`,
		r.req.N, quote(r.req.Model), choices, usage)
}

func (r *rendered) reasoningField() string {
	if r.ReasoningField == "" {
		return "reasoning_content"
	}
	return r.ReasoningField
}

// reasoningJSON is the field that carries a piece of reasoning.
func (r *rendered) reasoningJSON(piece string) string {
	if r.reasoningField() == "reasoning_details" {
		return `"reasoning_details":[{"type":"reasoning.text","text":` + quote(piece) + `,"format":"unknown","index":0}]`
	}
	return quote(r.reasoningField()) + ":" + quote(piece)
}

// callDeltas are the fragments of all calls, one call after the other or alternating.
func (r *rendered) callDeltas() []string {
	perCall := make([][]string, len(r.calls))
	most := 0
	for i, c := range r.calls {
		perCall[i] = c.deltas(i)
		most = max(most, len(perCall[i]))
	}
	var out []string
	if !r.Interleave {
		for _, d := range perCall {
			out = append(out, d...)
		}
		return out
	}
	for k := range most {
		for _, d := range perCall {
			if k < len(d) {
				out = append(out, d[k])
			}
		}
	}
	return out
}

// deltas are the fragments of call number i.
func (c *renderedCall) deltas(i int) []string {
	index := fmt.Sprintf(`"index":%d,`, i)
	switch c.Index {
	case "":
	case "none":
		index = ""
	default:
		index = `"index":` + c.Index + ","
	}
	pieces := cut(c.args, c.Chunk)
	if len(pieces) == 0 {
		pieces = []string{""}
	}
	var out []string
	for k, p := range pieces {
		head, name := "", ""
		if k == 0 {
			head = `"type":"function",`
			if c.id != "" {
				head = `"id":` + quote(c.id) + "," + head
			}
		}
		if k == 0 || c.NameAlways {
			name = `"name":` + quote(c.Name) + ","
		}
		out = append(out, fmt.Sprintf(`{"tool_calls":[{%s%s"function":{%s"arguments":%s}}]}`, index, head, name, quote(p)))
	}
	return out
}

// object is the whole answer as one JSON object, for requests without stream.
func (r *rendered) object() string {
	msg := `{"role":"assistant","content":` + quote(r.Text)
	if r.Reasoning != "" {
		msg += "," + r.reasoningJSON(r.Reasoning)
	}
	if len(r.calls) > 0 {
		var calls []string
		for _, c := range r.calls {
			id := ""
			if c.id != "" {
				id = `"id":` + quote(c.id) + ","
			}
			calls = append(calls, fmt.Sprintf(`{%s"type":"function","function":{"name":%s,"arguments":%s}}`, id, quote(c.Name), quote(c.args)))
		}
		msg += `,"tool_calls":[` + strings.Join(calls, ",") + "]"
	}
	finish, send := r.finish()
	if !send {
		finish = "null"
	}
	usage := ""
	if r.usage != "" {
		usage = `,"usage":` + r.usage
	}
	return fmt.Sprintf(`{"id":"chatcmpl-%d","object":"chat.completion","created":1700000000,"model":%s,"choices":[{"index":0,"message":%s},"finish_reason":%s}]%s}`,
		r.req.N, quote(r.req.Model), msg, finish, usage)
}

// cut splits s into pieces of n code points; n 0 gives one piece, empty text none.
func cut(s string, n int) []string {
	if s == "" {
		return nil
	}
	if n <= 0 {
		return []string{s}
	}
	var out []string
	count, from := 0, 0
	for i := range s {
		if count == n {
			out = append(out, s[from:i])
			from, count = i, 0
		}
		count++
	}
	return append(out, s[from:])
}

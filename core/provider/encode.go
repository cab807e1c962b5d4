package provider

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes/core"
)

const cacheMarker = `,"cache_control":{"type":"ephemeral"}`

// encode gives the request body. Everything that grows comes last, so that the body of request n+1
// starts with the bytes of request n up to the end of its messages (cache markers aside).
func (c *Client) encode(req core.Request, q quirks) []byte {
	size := 1024
	for i := range req.Messages {
		size += len(req.Messages[i].Content) + len(req.Messages[i].Content)/16 + 128
	}
	e := encoder{b: make([]byte, 0, size), quirk: q, ref: c.info.Ref()}
	e.raw(`{"model":`)
	e.str(c.info.Model)
	e.raw(`,"stream":true`)
	if q.streamOptions {
		e.raw(`,"stream_options":{"include_usage":true}`)
	}
	if req.MaxTokens > 0 {
		name := "max_tokens"
		if q.completionLimit {
			name = "max_completion_tokens"
		}
		e.raw(`,"` + name + `":` + strconv.Itoa(req.MaxTokens))
	}
	if q.cacheKey && req.SessionID != "" {
		e.raw(`,"prompt_cache_key":`)
		e.str(req.SessionID)
	}
	if len(req.Tools) == 0 && q.declareTools {
		e.tools(usedTools(req.Messages), `,"tool_choice":"none"`)
	} else {
		e.tools(req.Tools, "")
	}
	e.messages(req.Messages)
	e.raw("}")
	return e.b
}

// encoder appends JSON with fixed field order.
type encoder struct {
	b     []byte
	quirk quirks
	ref   string // "provider/model" that reasoning may be replayed to
}

func (e *encoder) raw(s string) { e.b = append(e.b, s...) }
func (e *encoder) str(s string) { e.b = appendString(e.b, s) }

// usedTools declares, without descriptions, what the history calls, for servers that reject calls of
// tools they were not told about.
func usedTools(messages []core.Message) []core.ToolSpec {
	var out []core.ToolSpec
	seen := map[string]bool{}
	for i := range messages {
		for _, c := range messages[i].ToolCalls {
			if name := wireName(c.Name); !seen[name] {
				seen[name] = true
				out = append(out, core.ToolSpec{Name: name})
			}
		}
	}
	return out
}

// tools writes the list and, when it is not empty, what follows it.
func (e *encoder) tools(tools []core.ToolSpec, then string) {
	for i, t := range tools {
		if i == 0 {
			e.raw(`,"tools":[`)
		} else {
			e.raw(",")
		}
		e.raw(`{"type":"function","function":{"name":`)
		e.str(t.Name)
		e.raw(`,"description":`)
		e.str(t.Description)
		e.raw(`,"parameters":`)
		e.b = append(e.b, canonical(t.Parameters, `{"type":"object","properties":{}}`)...)
		e.raw("}}")
	}
	if len(tools) > 0 {
		e.raw("]" + then)
	}
}

func (e *encoder) messages(messages []core.Message) {
	e.raw(`,"messages":[`)
	marked := map[int]bool{}
	if e.quirk.cacheMarkers {
		marked = markers(messages)
	}
	first := true
	for i := range messages {
		m := &messages[i]
		if m.Role == core.RoleAssistant && m.Content == "" && len(m.ToolCalls) == 0 {
			continue // an answer that was cut before its first word: servers reject empty messages
		}
		if !first {
			e.raw(",")
		}
		first = false
		e.message(m, marked[i])
	}
	e.raw("]")
}

// markers picks at most three messages to mark: the system prompt and the last two with content.
func markers(messages []core.Message) map[int]bool {
	marked := map[int]bool{}
	for i := len(messages) - 1; i >= 0 && len(marked) < 2; i-- {
		if messages[i].Role != core.RoleSystem && messages[i].Content != "" {
			marked[i] = true
		}
	}
	if len(messages) > 0 && messages[0].Role == core.RoleSystem {
		marked[0] = true
	}
	return marked
}

func (e *encoder) message(m *core.Message, marked bool) {
	e.raw(`{"role":`)
	e.str(string(m.Role))
	if m.Role == core.RoleTool {
		e.raw(`,"tool_call_id":`)
		e.str(m.ToolCallID)
	}
	e.content(m, marked)
	if m.Role == core.RoleAssistant {
		e.calls(m)
		e.reasoning(m)
	}
	e.raw("}")
}

// content writes a string, or a list of one part where markers are in use: always the list then, so
// that a message keeps its form when its marker moves on.
func (e *encoder) content(m *core.Message, marked bool) {
	e.raw(`,"content":`)
	switch {
	case m.Content == "" && len(m.ToolCalls) > 0:
		e.raw("null")
	case !e.quirk.cacheMarkers || m.Content == "":
		e.str(m.Content)
	default:
		e.raw(`[{"type":"text","text":`)
		e.str(m.Content)
		if marked {
			e.raw(cacheMarker)
		}
		e.raw("}]")
	}
}

func (e *encoder) calls(m *core.Message) {
	for i, c := range m.ToolCalls {
		if i == 0 {
			e.raw(`,"tool_calls":[`)
		} else {
			e.raw(",")
		}
		e.raw(`{"id":`)
		e.str(c.ID)
		e.raw(`,"type":"function","function":{"name":`)
		e.str(wireName(c.Name))
		e.raw(`,"arguments":`)
		e.str(wireArguments(c.Arguments))
		e.raw("}")
		if c.Extra != "" && m.Model == e.ref {
			e.raw(`,"extra_content":`)
			e.b = append(e.b, canonical([]byte(c.Extra), "null")...)
		}
		e.raw("}")
	}
	if len(m.ToolCalls) > 0 {
		e.raw("]")
	}
}

// reasoning replays the thinking text under the name the server gave it.
func (e *encoder) reasoning(m *core.Message) {
	if !e.replays(m) {
		return
	}
	if len(m.Reasoning.Details) > 0 {
		e.raw(`,"reasoning_details":`)
		e.b = append(e.b, canonical(m.Reasoning.Details, "[]")...)
		return
	}
	if m.Reasoning.Field == "" {
		return
	}
	e.raw(",")
	e.str(m.Reasoning.Field)
	e.raw(":")
	e.str(m.Reasoning.Text)
}

func (e *encoder) replays(m *core.Message) bool {
	if m.Reasoning == nil || m.Model != e.ref || m.Incomplete {
		return false
	}
	return e.quirk.reasoning == replayAll || e.quirk.reasoning == replayCalls && len(m.ToolCalls) > 0
}

// hasReasoning says whether any message could carry reasoning to this model.
func hasReasoning(messages []core.Message, ref string) bool {
	for i := range messages {
		if m := &messages[i]; m.Reasoning != nil && m.Model == ref && !m.Incomplete {
			return true
		}
	}
	return false
}

// wireArguments keeps arguments byte for byte when they are a JSON object. Anything else was answered
// with an error result and would be rejected by servers, so an empty object stands in for it.
func wireArguments(args string) string {
	trimmed := strings.TrimLeft(args, " \t\r\n")
	if strings.HasPrefix(trimmed, "{") && json.Valid([]byte(args)) {
		return args
	}
	return "{}"
}

// wireName keeps a tool name when servers accept it; an invented one loses its odd characters.
func wireName(name string) string {
	ok := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	const longest = 64
	name = strings.Map(func(r rune) rune {
		if ok(r) {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), longest)]
}

// canonical gives JSON in one spelling, whatever stored and reloaded it meanwhile; fallback when it is
// no JSON.
func canonical(raw []byte, fallback string) []byte {
	var compact, out bytes.Buffer
	if len(raw) == 0 || json.Compact(&compact, raw) != nil {
		return []byte(fallback)
	}
	json.HTMLEscape(&out, compact.Bytes())
	return out.Bytes()
}

// appendString appends s as a JSON string. Unlike encoding/json it leaves <, > and & alone: they would
// cost tokens in some servers' templates. Invalid UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			b = append(b, s[start:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(b, s[start:i]...)
			b = append(b, "\uFFFD"...)
			i++
			start = i
			continue
		}
		i += size
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// sentReasoning is what an answer with tool calls carried as reasoning.
type sentReasoning struct{ field, text string }

// remember keeps the reasoning of a reply by its call ids.
func (s *Server) remember(r rendered) {
	if r.Reasoning == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range r.calls {
		s.sent[c.id] = sentReasoning{field: r.reasoningField(), text: r.Reasoning}
	}
}

// acceptable refuses what the scenario says a server refuses.
func (s *Server) acceptable(w http.ResponseWriter, req *Request) bool {
	fail := func(code, message string) bool {
		s.refuse(w, http.StatusBadRequest, "invalid_request_error", code, message)
		return false
	}
	if req.Fields == nil {
		return fail("", "We could not parse the JSON body of your request.")
	}
	if len(s.scenario.Models) > 0 && !slices.Contains(s.scenario.Models, req.Model) {
		s.refuse(w, http.StatusNotFound, "invalid_request_error", "model_not_found",
			fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", req.Model))
		return false
	}
	if msg := s.checkReasoning(req); msg != "" {
		return fail("", msg)
	}
	if !s.scenario.Strict {
		return true
	}
	v := validator{cacheControl: s.scenario.CacheControl, reasoning: !s.scenario.RejectReasoning && s.scenario.RequireReasoning}
	for _, check := range []func(*Request) string{v.fields, v.tools, v.messages, v.pairing} {
		if msg := check(req); msg != "" {
			return fail("", msg)
		}
	}
	return true
}

func reasoningFields() []string {
	return []string{"reasoning_content", "reasoning", "reasoning_details"}
}

// checkReasoning applies require_reasoning and reject_reasoning.
func (s *Server) checkReasoning(req *Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range req.Messages {
		if s.scenario.RejectReasoning {
			for _, f := range reasoningFields() {
				if _, has := m.Fields[f]; has {
					return fmt.Sprintf("Unknown parameter: 'messages[%d].%s'.", i, f)
				}
			}
		}
		if !s.scenario.RequireReasoning || len(m.ToolCalls) == 0 {
			continue
		}
		want, ours := s.sent[m.ToolCalls[0].ID]
		if ours && reasoningText(m.Fields[want.field]) != want.text {
			return fmt.Sprintf("The `%s` in the thinking mode must be passed back to the API. (messages[%d])", want.field, i)
		}
	}
	return ""
}

// reasoningText reads a string, or joins the texts of a reasoning_details list.
func reasoningText(raw json.RawMessage) string {
	if parts := list(raw); parts != nil {
		out := ""
		for _, p := range parts {
			out += text(object(p)["text"])
		}
		return out
	}
	return text(raw)
}

// validator holds the strict checks; each returns "" or the message of a 400.
type validator struct{ cacheControl, reasoning bool }

// unknown names the first field that is not allowed.
func unknown(fields map[string]json.RawMessage, path string, allowed ...string) string {
	var bad []string
	for f := range fields {
		if !slices.Contains(allowed, f) {
			bad = append(bad, f)
		}
	}
	if len(bad) == 0 {
		return ""
	}
	slices.Sort(bad)
	return fmt.Sprintf("Unknown parameter: '%s%s'.", path, bad[0])
}

func (v validator) fields(r *Request) string {
	if r.Model == "" {
		return "you must provide a model parameter"
	}
	return unknown(r.Fields, "", "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options",
		"max_tokens", "max_completion_tokens", "temperature", "top_p", "stop", "n", "seed", "user", "metadata", "store",
		"response_format", "reasoning_effort", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs",
		"prompt_cache_key", "safety_identifier", "service_tier", "verbosity")
}

func validName(s string) bool { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString(s) }

func (v validator) tools(r *Request) string {
	raw, has := r.Fields["tools"]
	if !has {
		if _, bad := r.Fields["tool_choice"]; bad {
			return "'tool_choice' is only allowed when 'tools' are specified."
		}
		if _, bad := r.Fields["parallel_tool_calls"]; bad {
			return "'parallel_tool_calls' is only allowed when 'tools' are specified."
		}
		return ""
	}
	tools := list(raw)
	if len(tools) == 0 {
		return "Invalid 'tools': empty array. Expected an array with minimum length 1."
	}
	seen := map[string]bool{}
	for i, t := range tools {
		tool := object(t)
		fn := object(tool["function"])
		name := text(fn["name"])
		path := fmt.Sprintf("tools[%d].", i)
		switch {
		case text(tool["type"]) != "function":
			return "Invalid value: '" + path + "type'. Supported value is 'function'."
		case !validName(name):
			return "Invalid '" + path + "function.name': does not match '^[a-zA-Z0-9_-]{1,64}$'."
		case seen[name]:
			return "Tool names must be unique: " + name
		case fn["parameters"] != nil && object(fn["parameters"]) == nil:
			return "Invalid type for '" + path + "function.parameters': expected an object."
		}
		seen[name] = true
		allowed := []string{"type", "function"}
		if v.cacheControl {
			allowed = append(allowed, "cache_control")
		}
		if msg := unknown(tool, path, allowed...); msg != "" {
			return msg
		}
		if msg := unknown(fn, path+"function.", "name", "description", "parameters", "strict"); msg != "" {
			return msg
		}
	}
	return ""
}

func (v validator) messages(r *Request) string {
	if len(r.Messages) == 0 {
		return "Invalid 'messages': empty array. Expected an array with minimum length 1."
	}
	for i, m := range r.Messages {
		path := fmt.Sprintf("messages[%d].", i)
		allowed := []string{"role", "content", "name"}
		switch m.Role {
		case "system", "developer":
			if i > 0 {
				return "Invalid '" + path + "role': the system message must be the first."
			}
		case "user":
		case "assistant":
			allowed = append(allowed, "tool_calls", "refusal")
			if v.reasoning {
				allowed = append(allowed, reasoningFields()...)
			}
			if m.Content == "" && len(m.ToolCalls) == 0 {
				return "Invalid '" + path + "content': an assistant message needs content or tool_calls."
			}
		case "tool":
			allowed = []string{"role", "content", "tool_call_id"}
		default:
			return fmt.Sprintf("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user' and 'tool'.", m.Role)
		}
		if msg := unknown(m.Fields, path, allowed...); msg != "" {
			return msg
		}
		if msg := v.content(m, path); msg != "" {
			return msg
		}
	}
	return v.order(r)
}

func (v validator) order(r *Request) string {
	first := 0
	if role := r.Messages[0].Role; role == "system" || role == "developer" {
		first = 1
	}
	if len(r.Messages) <= first || r.Messages[first].Role != "user" {
		return "The conversation must start with a user message."
	}
	if last := r.Messages[len(r.Messages)-1]; last.Role != "user" && last.Role != "tool" {
		return "The last message must have role user or tool."
	}
	return ""
}

// content checks the form of a message's content.
func (v validator) content(m Message, path string) string {
	raw := m.Fields["content"]
	if len(raw) == 0 || string(raw) == "null" {
		if m.Role == "assistant" && len(m.ToolCalls) > 0 {
			return ""
		}
		return "Missing required parameter: '" + path + "content'."
	}
	if raw[0] == '"' {
		return ""
	}
	parts := list(raw)
	if len(parts) == 0 {
		return "Invalid type for '" + path + "content': expected a string or an array of parts."
	}
	for _, p := range parts {
		part := object(p)
		allowed := []string{"type", "text"}
		if v.cacheControl {
			allowed = append(allowed, "cache_control")
		}
		if text(part["type"]) != "text" {
			return "Invalid value: '" + path + "content[].type'."
		}
		if msg := unknown(part, path+"content[].", allowed...); msg != "" {
			return msg
		}
	}
	return ""
}

// pairing wants exactly one result per call, directly behind the message that made the calls.
func (v validator) pairing(r *Request) string {
	open := map[string]bool{} // calls of the last assistant message; true when answered
	for i, m := range r.Messages {
		if m.Role == "tool" {
			answered, known := open[m.ToolCallID]
			if !known {
				return fmt.Sprintf("messages[%d] with role 'tool' must be a response to a preceding message with 'tool_calls'.", i)
			}
			if answered {
				return fmt.Sprintf("messages[%d]: duplicate result for tool_call_id '%s'.", i, m.ToolCallID)
			}
			open[m.ToolCallID] = true
			continue
		}
		if msg := unanswered(open); msg != "" {
			return msg
		}
		open = map[string]bool{}
		for _, c := range m.ToolCalls {
			if msg := checkCall(c, open, i); msg != "" {
				return msg
			}
			open[c.ID] = false
		}
	}
	return unanswered(open)
}

func checkCall(c ToolCall, open map[string]bool, i int) string {
	_, twice := open[c.ID]
	switch {
	case c.ID == "":
		return fmt.Sprintf("Missing required parameter: 'messages[%d].tool_calls[].id'.", i)
	case twice:
		return fmt.Sprintf("messages[%d]: duplicate tool call id '%s'.", i, c.ID)
	case !validName(c.Name):
		return fmt.Sprintf("Invalid 'messages[%d].tool_calls[].function.name'.", i)
	case object(json.RawMessage(c.Arguments)) == nil:
		return fmt.Sprintf("Invalid 'messages[%d].tool_calls[].function.arguments': not a JSON object.", i)
	}
	return ""
}

func unanswered(open map[string]bool) string {
	var ids []string
	for id, done := range open {
		if !done {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	return fmt.Sprintf("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "+
		"The following tool_call_ids did not have response messages: %s", ids[0])
}

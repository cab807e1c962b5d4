package core

// InterruptedResult is the text of a tool result that never came: the call was interrupted, or the
// process died while it ran. It is a constant so that a repaired conversation has the same bytes
// every time it is loaded.
const InterruptedResult = "[interrupted: this call did not finish; its effects are unknown]"

// RepairMessages returns msgs in the form every server accepts: each tool call of an assistant
// message is answered by exactly one tool message directly after it, in call order. A missing
// result becomes InterruptedResult; orphans, duplicate results and calls that repeat an id within
// one message are dropped, and so are assistant messages with neither text nor calls. Calls of
// incomplete messages were never run and are dropped. It is idempotent and never changes a
// conversation that is already valid.
func RepairMessages(msgs []Message) []Message {
	out := make([]Message, 0, len(msgs))
	for i, m := range msgs {
		switch m.Role {
		case RoleTool:
			// placed below, behind the assistant message it answers
		case RoleAssistant:
			if m.Incomplete {
				m.ToolCalls = nil
			}
			m.ToolCalls = uniqueCalls(m.ToolCalls)
			if m.Content == "" && len(m.ToolCalls) == 0 {
				continue
			}
			out = append(out, m)
			for _, c := range m.ToolCalls {
				out = append(out, resultFor(c, msgs[i+1:]))
			}
		default:
			out = append(out, m)
		}
	}
	return out
}

// uniqueCalls drops calls that repeat an id: no server can tell their results apart.
func uniqueCalls(calls []ToolCall) []ToolCall {
	seen := make(map[string]bool, len(calls))
	for i, c := range calls {
		if seen[c.ID] {
			kept := append([]ToolCall(nil), calls[:i]...)
			for _, c := range calls[i:] {
				if !seen[c.ID] {
					seen[c.ID] = true
					kept = append(kept, c)
				}
			}
			return kept
		}
		seen[c.ID] = true
	}
	return calls
}

// resultFor finds the answer to c before the next assistant message that asks for the same id
// (some servers count their ids from zero in every answer).
func resultFor(c ToolCall, rest []Message) Message {
	for _, m := range rest {
		if m.Role == RoleTool && m.ToolCallID == c.ID {
			return m
		}
		if m.Role == RoleAssistant && hasCall(m, c.ID) {
			break
		}
	}
	return Message{Role: RoleTool, Content: InterruptedResult, ToolCallID: c.ID, ToolName: c.Name}
}

func hasCall(m Message, id string) bool {
	for _, c := range m.ToolCalls {
		if c.ID == id {
			return true
		}
	}
	return false
}

package tools

import (
	"encoding/json"

	"hermes/core"
)

// Reader is implemented by tools that only look: their calls may run side by side.
type Reader interface {
	// ReadsOnly tells whether a call with these arguments changes nothing.
	ReadsOnly(args json.RawMessage) bool
}

// Shared tells whether call may run beside other calls of the kind. Everything that may write, wait for a
// person or start something runs alone and in order.
func (r *Registry) Shared(call core.ToolCall) bool {
	reader, ok := r.tools[call.Name].tool.(Reader)
	var object map[string]json.RawMessage
	return ok && json.Unmarshal([]byte(call.Arguments), &object) == nil && reader.ReadsOnly(json.RawMessage(call.Arguments))
}

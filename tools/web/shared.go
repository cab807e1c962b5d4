package web

import "encoding/json"

// ReadsOnly lets pages be read side by side.
func (*Extract) ReadsOnly(json.RawMessage) bool { return true }

// ReadsOnly lets searches run side by side.
func (*Search) ReadsOnly(json.RawMessage) bool { return true }

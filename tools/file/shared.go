package file

import "encoding/json"

// ReadsOnly lets reads run side by side.
func (*Read) ReadsOnly(json.RawMessage) bool { return true }

// ReadsOnly lets searches run side by side.
func (*Search) ReadsOnly(json.RawMessage) bool { return true }

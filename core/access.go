package core

// Sharer is implemented by toolboxes that know which calls may run side by side.
type Sharer interface {
	// Shared tells whether call only reads and may run beside other shared calls. Unknown tools and
	// arguments that cannot be read are not shared.
	Shared(call ToolCall) bool
}

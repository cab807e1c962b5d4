package core

// Sharer is implemented by toolboxes that know which calls may run side by side.
type Sharer interface {
	// Shared tells whether call only reads and may run beside other shared calls. Unknown tools and
	// arguments that cannot be read are not shared.
	Shared(call ToolCall) bool
}

// Budgeter is implemented by toolboxes that keep the results of one model answer within bounds together.
type Budgeter interface {
	// TurnLimit is how many code points all results of one model answer may have.
	TurnLimit() int
	// Fit moves what does not fit into left code points out of the result's way (into a file that the
	// result names). at names the session and the call.
	Fit(at ToolRun, tool string, r ToolResult, left int) ToolResult
}

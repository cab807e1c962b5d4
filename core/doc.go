// Package core holds the nouns every floor shares: messages, tool calls, events, usage and the
// small ports (Model, Tool, Approver …) through which the rooms of the house meet.
//
// It must stay pure: standard library only, no I/O, no knowledge of terminals, providers or files.
// Start reading at message.go (what a conversation is), then event.go (what the outside sees).
package core

// Package memory holds the memory toolset: one tool through which the model keeps short facts in
// MEMORY.md and USER.md, and the guidance that goes into the prompt beside it.
//
// What may be written is decided in core/memory; here are the words for the model, the budget of failures
// of a turn and what the person hears. Start with memory.go, then result.go.
package memory

// Package prompt assembles the system prompt: sections in a fixed order, built once per session and
// then frozen, so that a provider's prompt cache holds for the whole session.
//
// It reads SOUL.md and the context files of a project; everything else (the names of the tools, the
// skills index, the memory blocks) is handed in as text. It does not store the prompt: core/session
// does. Start reading at Build (prompt.go), then contextfile.go.
package prompt

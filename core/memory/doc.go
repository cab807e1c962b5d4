// Package memory owns MEMORY.md (the agent's notes) and USER.md (the profile of the person): two small
// files of entries under a hard limit, shared with other programs of the same home. It reads and writes
// their format, decides what may be written, renders the block of a session's prompt, and tells history.
//
// Every change goes through the ledger, under the file's lock, on what stands on the disk at that moment.
// It knows nothing of models, tools or screens. Start with store.go (Store), then ops.go (add, replace,
// remove), format.go (what is on disk), tidy.go (the person's clean-up), snapshot.go (the prompt).
package memory

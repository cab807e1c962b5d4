// Package session keeps transcripts: one append-only JSONL file a session, which is the truth about
// what was said. It writes, replays, repairs, forks and exports them, and keeps the frozen system
// prompt and tool list of a session beside them, once, by hash.
//
// It knows the form of a record, not what a turn is: core/agent decides what is appended. Indexes
// over transcripts live elsewhere and can always be rebuilt from here. Start reading at Store
// (store.go), then Session (session.go) and format.go.
package session

// Package search is the session_search toolset: what was said in past sessions, found and read again.
//
// It knows the index and a reader of transcripts by port; it never opens a file itself and knows no screen.
// Start with session_search.go.
package search

// Package index finds what was said in past sessions. Every message of every transcript is a document of
// a full-text index (Bleve) that holds terms only, no text and no positions: the engine proposes messages,
// the transcript itself decides whether they match and gives the excerpt. So the index can be thrown away
// at any time, and a query means the same with and without it.
//
// The package hides the engine. It reads transcripts and never writes them; it knows no screen, no tool and
// no agent. Start reading at Index (index.go) and Search (search.go), then query.go (what a query means),
// terms.go (what a word is), feed.go and fresh.go (how and when transcripts get in), postings.go and rank.go
// (which messages the engine proposes) and scan.go (search without the engine).
package index

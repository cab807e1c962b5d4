// Package review is the background learning: it counts turns, decides when a review is due, leads a review
// agent through a copy of the conversation within hard limits, keeps what every review did, and keeps the
// proposals that wait for a person.
//
// Code decides here, the model only writes: when a review runs, how many calls it has, which tools act,
// what it must read before it writes, what a person refused before and how much a day may cost. The
// package does not know how an agent loop works, how skills or memory are stored, or what a screen is:
// conversations come in through Forker, transcripts through Archive, stores through core.Applier.
//
// Start reading at Reviewer (reviewer.go). Book (book.go) is the home's file of counters, Inbox (inbox.go)
// the proposals, Records (record.go) the finished and running reviews, gate.go the rules for each call.
package review

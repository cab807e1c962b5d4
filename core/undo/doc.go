// Package undo keeps copies of files that the agent is about to change, and puts the files of a turn back.
// Copies are stored once by content below the home's undo folder and pruned oldest first; a journal per
// session says which file was what before and after each call. A file the person changed since is left
// alone and named.
//
// It knows files and the journal; it does not know tools, conversations or screens. Start with keep.go
// (what happens before and after a call), then restore.go (taking a turn back); state.go says what a file
// is at one moment, store.go where copies live.
package undo

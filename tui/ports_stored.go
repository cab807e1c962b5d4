package tui

import (
	"context"

	"hermes/core"
	"hermes/core/memory"
	"hermes/tui/cleanup"
	"hermes/tui/sessions"
)

// The ports to what is stored beside the open session. All of them may be absent.

// Cleaner is what the memory clean-up reads and writes.
type Cleaner interface {
	// Sheets returns the stores that are on, MEMORY first, with flags and origins.
	Sheets(ctx context.Context) ([]memory.Sheet, error)
	// Background says what entries cost so far and which sessions they came from. It may take a while.
	Background(ctx context.Context) (cleanup.Background, error)
	// Tidy writes a draft as one change, in the person's name.
	Tidy(ctx context.Context, d memory.Draft) (memory.Tidied, error)
	// History tells the life of an entry, newest first.
	History(ctx context.Context, id string) ([]memory.Moment, error)
	// Deleted lists what can be restored, newest first.
	Deleted(ctx context.Context) ([]memory.Moment, error)
}

// Transcript is a stored session to be read.
type Transcript struct {
	ID, Title string
	Records   []core.Record
}

// Transcripts reads stored sessions without opening them.
type Transcripts interface {
	// Transcript reads session id, whoever holds it.
	Transcript(ctx context.Context, id string) (Transcript, error)
	// Around returns the messages around message id of a session, oldest first; a dozen is enough.
	Around(ctx context.Context, session, message string) ([]PreviewLine, error)
}

// Finder searches what was said in all sessions.
type Finder interface {
	// Find searches for a query of the index's grammar. It fails only when nothing can be searched at all;
	// Found says what limited it. The end of ctx gives it up.
	Find(ctx context.Context, query string) (Found, error)
}

// Found is what a search found.
type Found = sessions.Found

package sessions

import "time"

// Found is what a full-text search found, best session first.
type Found struct {
	Query   string
	Total   int      // messages that match
	Limited string   // why there may be more, or why it was slow; "" when nothing is amiss
	Notes   []string // what of the query was not understood
	Groups  []Group
}

// Group is a session with its best hits.
type Group struct {
	ID      string
	Title   string
	Started time.Time
	Hits    []Hit
}

// Hit is a message that matches; Message is "" when the title does.
type Hit struct {
	Message string
	Role    string // "user", "assistant", "tool", "title"
	Tool    string
	Time    time.Time
	Excerpt string   // raw
	Marks   [][2]int // byte ranges of Excerpt that match
}

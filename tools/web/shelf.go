package web

import (
	"sync"
	"time"
)

// The bounds of the shelf.
const (
	shelfPages = 8
	shelfTime  = 15 * time.Minute
	shelfText  = 4 << 20 // bytes of a page; larger ones are fetched again
)

// shelf keeps the last pages read, so that paging on goes through the text that was shown first. It is
// safe for concurrent use.
type shelf struct {
	mu    sync.Mutex
	now   func() time.Time
	pages []shelved // oldest first
}

type shelved struct {
	key  string
	page *page
	at   time.Time
}

func newShelf() *shelf { return &shelf{now: time.Now} }

// get returns the page kept under key, nil when there is none or it is old.
func (s *shelf) get(key string) *page {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pages {
		if p.key == key && s.now().Sub(p.at) < shelfTime {
			return p.page
		}
	}
	return nil
}

// put keeps page under key; the oldest one makes room.
func (s *shelf) put(key string, pg *page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.pages[:0]
	for _, p := range s.pages {
		if p.key != key && s.now().Sub(p.at) < shelfTime {
			kept = append(kept, p)
		}
	}
	if len(pg.text) <= shelfText {
		kept = append(kept, shelved{key, pg, s.now()})
	}
	if len(kept) > shelfPages {
		kept = append(kept[:0], kept[1:]...)
	}
	s.pages = kept
}

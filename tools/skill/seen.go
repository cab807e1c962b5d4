package skill

import (
	"strings"
	"sync"
)

// maxSeen bounds what is remembered of one session.
const maxSeen = 500

// seen remembers which version of which file each session was shown last, or wrote itself. It is safe for
// concurrent use.
type seen struct {
	mu       sync.Mutex
	sessions map[string]*sights
}

type sights struct {
	hashes map[string]string // path → hash of the version the model knows
	views  map[string]string // path and offset → hash of what was given
}

func newSeen() *seen { return &seen{sessions: map[string]*sights{}} }

func (s *seen) of(session string) *sights {
	v := s.sessions[session]
	if v == nil || len(v.hashes)+len(v.views) > maxSeen {
		v = &sights{hashes: map[string]string{}, views: map[string]string{}}
		s.sessions[session] = v
	}
	return v
}

// know notes that the session knows this version of path.
func (s *seen) know(session, path, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(session).hashes[path] = hash
}

// known is the version of path that the session knows; "" for none.
func (s *seen) known(session, path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of(session).hashes[path]
}

// repeated notes a view and reports whether the same was given before.
func (s *seen) repeated(session, key, hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.of(session).views
	if v[key] == hash {
		return true
	}
	v[key] = hash
	return false
}

// forget takes back what the session has before it: all of it, or what path names.
func (s *seen) forget(session, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.sessions[session]
	if v == nil {
		return
	}
	if path == "" {
		v.views = map[string]string{}
		return
	}
	for key := range v.views {
		if len(key) > len(path) && key[:len(path)] == path && key[len(path)] == 0 {
			delete(v.views, key)
		}
	}
}

// forgetSession is forget for a session and all its sub-agents.
func (s *seen) forgetSession(id, path string) {
	s.mu.Lock()
	var all []string
	for key := range s.sessions {
		if before, _, _ := strings.Cut(key, "\x00"); before == id {
			all = append(all, key)
		}
	}
	s.mu.Unlock()
	for _, key := range all {
		s.forget(key, path)
	}
}

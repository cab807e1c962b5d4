package undo

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/home"
)

const (
	// DefaultMaxBytes is how much the copies may take on disk.
	DefaultMaxBytes = 256 << 20
	// MaxFile is the largest file that is copied, in bytes.
	MaxFile = 16 << 20
)

// Store is the copies and journals of one home. It is safe for concurrent use.
type Store struct {
	home home.Home
	max  int64

	mu      sync.Mutex
	size    int64                       // of all copies; -1 until counted
	tracked map[string]map[string]state // session + run → path → as the agent left it
}

// New returns the store of h whose copies may take maxBytes; 0 or less is DefaultMaxBytes.
func New(h home.Home, maxBytes int64) *Store {
	if maxBytes <= 0 {
		maxBytes = DefaultMaxBytes
	}
	return &Store{home: h, max: maxBytes, size: -1, tracked: map[string]map[string]state{}}
}

func (s *Store) blobs() string { return filepath.Join(s.home.Undo(), "blobs") }

func (s *Store) blob(hash string) string { return filepath.Join(s.blobs(), hash) }

// journal is the file of a session. Ids come from outside, so they are checked.
func (s *Store) journal(session string) (string, error) {
	if session == "" || len(session) > 200 || session != filepath.Base(session) || strings.HasPrefix(session, ".") || strings.ContainsAny(session, `/\:`) {
		return "", fmt.Errorf("%q is no session id", session)
	}
	return filepath.Join(s.home.Undo(), session+".jsonl"), nil
}

// put stores the content of a file under its hash. Callers hold mu.
func (s *Store) put(hash string, data []byte) error {
	if err := home.EnsureDir(s.blobs()); err != nil {
		return err
	}
	path := s.blob(hash)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // used again: pruned later
		return nil
	}
	if err := home.WriteFile(path, data, home.FileMode); err != nil {
		return err
	}
	if s.size >= 0 {
		s.size += int64(len(data))
	}
	return s.prune()
}

// prune removes the oldest copies until a tenth of the room is free again. Callers hold mu.
func (s *Store) prune() error {
	if s.size >= 0 && s.size <= s.max {
		return nil
	}
	entries, err := os.ReadDir(s.blobs())
	if err != nil {
		return err
	}
	var infos []fs.FileInfo
	s.size = 0
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			infos = append(infos, info)
			s.size += info.Size()
		}
	}
	if s.size <= s.max {
		return nil
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, info := range infos {
		if s.size <= s.max-s.max/10 {
			break
		}
		if err := os.Remove(s.blob(info.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.size -= info.Size()
	}
	return nil
}

// Drop forgets a session's journal, when the session is deleted. Copies go when their turn comes.
func (s *Store) Drop(session string) error {
	path, err := s.journal(session)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &core.Error{Op: "remove undo journal", Subject: path, Err: err}
	}
	return nil
}

// kind says what a journal line is.
type kind string

const (
	kindBefore kind = "before" // a file is about to change
	kindAfter  kind = "after"  // what stands there now, for a line whose end was open
	kindUndone kind = "undone" // the lines IDs were taken back
)

// line is one line of a journal.
type line struct {
	Kind kind      `json:"kind"`
	ID   string    `json:"id,omitempty"`
	Time time.Time `json:"time"`
	Run  string    `json:"run,omitempty"`
	Call string    `json:"call,omitempty"`
	Path string    `json:"path,omitempty"`
	// Before and After are what stood and what will stand there. After is nil while nobody knows.
	Before *state `json:"before,omitempty"`
	After  *state `json:"after,omitempty"`
	// Made is the topmost folder that has to be created for the file; "" when its folder exists.
	Made string `json:"made,omitempty"`
	// Missing says why there is no copy.
	Missing string   `json:"missing,omitempty"`
	IDs     []string `json:"ids,omitempty"`
}

// append writes lines and waits until they are on disk.
func (s *Store) append(session string, lines ...line) error {
	if len(lines) == 0 {
		return nil
	}
	path, err := s.journal(session)
	if err != nil {
		return err
	}
	if err := home.EnsureDir(s.home.Undo()); err != nil {
		return err
	}
	var out []byte
	if torn(path) {
		out = append(out, '\n')
	}
	for _, l := range lines {
		b, err := json.Marshal(l)
		if err != nil {
			return fmt.Errorf("write undo journal: %w", err)
		}
		out = append(append(out, b...), '\n')
	}
	return home.Append(path, out, true)
}

// torn reports whether the file ends within a line, as after a crash.
func torn(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	b := make([]byte, 1)
	_, err = f.ReadAt(b, info.Size()-1)
	return err == nil && b[0] != '\n'
}

// load reads the lines of a session that were not taken back, in order, each with its end filled in.
// Damaged lines are skipped.
func (s *Store) load(session string) ([]line, error) {
	path, err := s.journal(session)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &core.Error{Op: "read undo journal", Subject: path, Err: err}
	}
	var out []line
	at := map[string]int{}
	undone := map[string]bool{}
	for raw := range strings.Lines(string(data)) {
		var l line
		if json.Unmarshal([]byte(raw), &l) != nil {
			continue
		}
		switch l.Kind {
		case kindBefore:
			if l.Before != nil && filepath.IsAbs(l.Path) {
				at[l.ID] = len(out)
				out = append(out, l)
			}
		case kindAfter:
			if i, ok := at[l.ID]; ok {
				out[i].After = l.After
			}
		case kindUndone:
			for _, id := range l.IDs {
				undone[id] = true
			}
		}
	}
	return slices.DeleteFunc(out, func(l line) bool { return undone[l.ID] }), nil
}

package undo

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"hermes/core"
)

// maxTracked bounds the files of one turn that commands are watched for.
const maxTracked = 200

// Keep copies what stands at the paths of edits and writes down, on disk before it returns, what the
// call is about to do. settle is called when the call is done: for open edits it notes what stands there
// then. It is never nil; calling it again does nothing.
//
// A call with open edits or none is a command: files the same turn changed before are watched too, so
// that a formatter run between two edits does not look like the person's hand.
//
// The error names the files that cannot be brought back.
func (s *Store) Keep(run core.ToolRun, edits []core.FileEdit) (settle func() error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var open, lines []line
	var errs []error
	command := len(edits) == 0
	named := map[string]bool{}
	for _, e := range edits {
		named[e.Path] = true
		l, err := s.before(run, e.Path)
		if err != nil {
			errs = append(errs, err)
		}
		switch {
		case e.Open:
			command = true
			open = append(open, l)
		case e.After == "":
			l.After = &state{Is: absent}
		default:
			l.After = &state{Is: file, Hash: e.After, Mode: l.Before.Mode}
		}
		lines = append(lines, l)
	}
	if err := s.append(run.SessionID, lines...); err != nil {
		errs = append(errs, err)
		open = nil
	} else {
		for _, l := range lines {
			s.track(run, l)
		}
	}
	var watched []line
	if command {
		watched = s.watch(run, named)
	}
	var once sync.Once
	return func() (err error) {
		once.Do(func() { err = s.settle(run, open, watched) })
		return err
	}, errors.Join(errs...)
}

// before describes path as it is and copies it. Callers hold mu.
func (s *Store) before(run core.ToolRun, path string) (line, error) {
	st, data, err := look(path, true)
	if err == nil && st.Is == file {
		err = s.put(st.Hash, data)
	}
	l := line{
		Kind: kindBefore, ID: rand.Text()[:16], Time: time.Now().UTC(), Run: run.RunID, Call: run.CallID, Path: path, Before: &st, Made: missingFolder(path),
	}
	if err != nil {
		l.Missing = err.Error()
		return l, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return l, nil
}

func turn(run core.ToolRun) string { return run.SessionID + "\x00" + run.RunID }

// track remembers how the agent left a file. Only the running turn of a session is remembered. Callers
// hold mu.
func (s *Store) track(run core.ToolRun, l line) {
	if l.After == nil {
		return
	}
	of := s.tracked[turn(run)]
	if of == nil {
		for k := range s.tracked {
			if len(k) > len(run.SessionID) && k[:len(run.SessionID)+1] == run.SessionID+"\x00" {
				delete(s.tracked, k)
			}
		}
		of = map[string]state{}
		s.tracked[turn(run)] = of
	}
	if _, known := of[l.Path]; known || len(of) < maxTracked {
		of[l.Path] = *l.After
	}
}

// watch copies the files this turn changed and that are still as it left them. Callers hold mu.
func (s *Store) watch(run core.ToolRun, named map[string]bool) []line {
	var out []line
	for path, left := range s.tracked[turn(run)] {
		if named[path] {
			continue
		}
		if l, err := s.before(run, path); err == nil && l.Before.same(left) {
			out = append(out, l)
		}
	}
	return out
}

// settle notes how a command left the files it named, and watched ones that it changed.
func (s *Store) settle(run core.ToolRun, open, watched []line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []line
	for _, l := range open {
		st, _, err := look(l.Path, false)
		if err != nil {
			continue // not known, as after a crash: undo leaves it
		}
		l.After = &st
		s.track(run, l)
		lines = append(lines, line{Kind: kindAfter, ID: l.ID, Time: time.Now().UTC(), After: &st})
	}
	for _, l := range watched {
		st, _, err := look(l.Path, false)
		if err != nil || st.same(*l.Before) {
			continue
		}
		l.After = &st
		s.track(run, l)
		lines = append(lines, l)
	}
	return s.append(run.SessionID, lines...)
}

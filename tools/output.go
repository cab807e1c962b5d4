package tools

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
)

// The limits of what a call may produce.
const (
	// OutputLimit is how many code points of a result reach the model.
	OutputLimit = 50_000
	// SpillLimit is how many bytes of a result are kept on disk.
	SpillLimit = 16 << 20
)

// Spills keeps full results on disk when only a part of them reaches the model, redacted and mode
// 0600, below the session's folder.
type Spills struct {
	home   home.Home
	redact func(string) string
}

// NewSpills returns the spills of h. A nil redactor keeps text as it is.
func NewSpills(h home.Home, r core.Redactor) *Spills {
	s := &Spills{home: h, redact: func(t string) string { return t }}
	if r != nil {
		s.redact = r.Redact
	}
	return s
}

// Open starts the spill file of a call.
func (s *Spills) Open(sessionID, callID string) (*Spill, error) {
	dir := s.home.SessionFiles(safeName(sessionID))
	if err := home.EnsureDir(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, safeName(callID)+".txt")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, home.FileMode)
	if err != nil {
		return nil, fmt.Errorf("spill output: %w", err)
	}
	return &Spill{f: f, redact: s.redact, path: path}, nil
}

// Redact removes secrets from t as it is done for spilled text.
func (s *Spills) Redact(t string) string { return s.redact(t) }

// safeName makes an id that came from outside usable as a file name.
func safeName(id string) string {
	id = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, id)
	if id == "" {
		return "_"
	}
	return id[:min(len(id), 100)]
}

// Spill is one spill file being written. It is not safe for concurrent use.
type Spill struct {
	f       *os.File
	redact  func(string) string
	path    string
	pending []byte
	written int
	err     error
}

// Path is where the file is, or will be once enough was written.
func (s *Spill) Path() string { return s.path }

// spillChunk is how much is gathered before it is redacted and written: secrets sit on one line, so
// it is cut at line ends.
const spillChunk = 64 << 10

// Write takes output as it comes. Nothing is kept beyond SpillLimit. It never fails; Close tells.
func (s *Spill) Write(p []byte) (int, error) {
	if s.err != nil || s.written >= SpillLimit {
		return len(p), nil //nolint:nilerr // a full disk must not stop the command; Close reports it
	}
	s.pending = append(s.pending, p...)
	if len(s.pending) < spillChunk {
		return len(p), nil
	}
	cut := bytes.LastIndexByte(s.pending, '\n') + 1
	if key := openKey(string(s.pending)); key < cut {
		cut = key // a key block is redacted whole
	}
	if cut == 0 && len(s.pending) < 16*spillChunk {
		return len(p), nil
	}
	if cut == 0 {
		cut = len(s.pending)
	}
	s.flush(cut)
	return len(p), nil
}

func (s *Spill) flush(n int) {
	out := s.redact(text.CleanUTF8(string(s.pending[:n])))
	s.pending = append(s.pending[:0], s.pending[n:]...)
	if rest := SpillLimit - s.written; len(out) > rest {
		out = out[:rest] + "\n[the rest was not kept]\n"
	}
	s.written += len(out)
	_, s.err = s.f.WriteString(out)
}

// Close finishes the file and returns its path; on failure the file is removed and the path is "".
func (s *Spill) Close() (path string, err error) {
	if s.err == nil && len(s.pending) > 0 && s.written < SpillLimit {
		s.flush(len(s.pending))
	}
	if err := errors.Join(s.err, s.f.Close()); err != nil {
		_ = os.Remove(s.path) // half a result is worse than none
		return "", fmt.Errorf("spill output: %w", err)
	}
	return s.path, nil
}

// live passes a call's output on while it runs: redacted, and not after the call has returned. What
// follows the last white space is held back, because a secret may not be complete yet.
type live struct {
	mu     sync.Mutex
	out    func(string)
	redact func(string) string
	held   string
	closed bool
}

// maxHeld bounds what is held back, in bytes; a key block that has begun may be longer than a word.
const (
	maxHeld    = 1024
	maxHeldKey = 32 << 10
)

// openKey returns where a private key block begins that has not ended yet, or len(s).
func openKey(s string) int {
	begin := strings.LastIndex(s, "-----BEGIN ")
	if begin < 0 || strings.Contains(s[begin:], "-----END ") {
		return len(s)
	}
	return begin
}

func (l *live) write(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || s == "" {
		return
	}
	s = l.held + s
	cut := strings.LastIndexAny(s, " \t\r\n") + 1
	if key := openKey(s); key < cut && len(s)-key < maxHeldKey {
		cut = key
	} else if len(s)-cut > maxHeld {
		cut = len(s)
		for cut > 0 && !utf8.RuneStart(s[cut-1]) {
			cut--
		}
	}
	l.held = s[cut:]
	if cut > 0 {
		l.out(l.redact(s[:cut]))
	}
}

func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed && l.held != "" {
		l.out(l.redact(l.held))
	}
	l.closed = true
}

// finish redacts a result, cuts it to limit code points and spills the full text when it was cut.
func (r *Registry) finish(res core.ToolResult, run core.ToolRun, limit int) core.ToolResult {
	res.Content = r.redact(text.CleanUTF8(res.Content))
	if res.Detail != nil {
		d := *res.Detail
		d.Summary, d.Diff, d.Taint = r.redact(d.Summary), r.redact(d.Diff), r.redact(d.Taint)
		res.Detail = &d
	}
	cutText, cut := text.HeadTail(res.Content, limit)
	if cut == 0 {
		return res
	}
	full := res.Content
	d := core.ToolDetail{}
	if res.Detail != nil {
		d = *res.Detail
	}
	d.Cut += cut
	if d.Spill == "" {
		d.Spill = r.spill(full, run)
	}
	res.Detail = &d
	res.Content = cutText
	if d.Spill != "" {
		res.Content += "\n[the full text is in " + filepath.ToSlash(d.Spill) + "; read it with read_file and an offset, or narrow the call]"
	}
	return res
}

// spill returns the file that keeps full, "" when it cannot be kept: the call has worked all the same.
func (r *Registry) spill(full string, run core.ToolRun) string {
	s, err := r.spills.Open(run.SessionID, run.CallID)
	if err != nil {
		return ""
	}
	_, _ = s.Write([]byte(full)) // never fails
	path, err := s.Close()
	if err != nil {
		return ""
	}
	return path
}

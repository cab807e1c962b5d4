package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"hermes/core/home"
)

// logLimit is the size at which the log starts anew; one old log is kept.
const logLimit = 5 << 20

// logFile is an io.Writer that creates its file with the first line, so that a fresh machine stays
// untouched, and rotates it at logLimit. Secrets are removed from every line: errors quote what they meet.
type logFile struct {
	path   string
	redact func(string) string

	mu   sync.Mutex
	f    *os.File
	size int64
}

// Write appends p, one log line. A log that cannot be written is given up for this line only.
func (l *logFile) Write(p []byte) (int, error) {
	whole := len(p)
	p = []byte(l.redact(string(p)))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil && l.size+int64(len(p)) > logLimit {
		if err := errors.Join(l.f.Close(), os.Rename(l.path, l.path+".1")); err != nil {
			return 0, err
		}
		l.f = nil
	}
	if l.f == nil {
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	n, err := l.f.Write(p)
	l.size += int64(n)
	if err == nil {
		n = whole
	}
	return n, err
}

// open creates the log only in a home that exists: a message is no reason to make one.
func (l *logFile) open() error {
	dir := filepath.Dir(l.path)
	if _, err := os.Stat(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := home.EnsureDir(dir); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, home.FileMode)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.f, l.size = f, st.Size()
	return nil
}

// Close ends the log.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

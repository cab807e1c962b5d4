package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// isJournal recognises the names of the monthly journals.
func isJournal(name string) bool {
	month, ok := strings.CutSuffix(name, ".jsonl")
	_, err := time.Parse("2006-01", month)
	return ok && err == nil
}

// index is the journal in memory. It is rebuilt from the files at any time and follows what other
// processes append by reading on from where it stopped.
type index struct {
	mu      sync.Mutex
	files   []journalFile
	entries []*Entry // in journal order
	byID    map[string]*Entry
	heads   map[string]string // name of a file → hash it had after its last change, "" when removed
	maxID   string            // highest id seen
	newest  int               // highest version seen
	damaged int               // lines that could not be read
}

// journalFile is how far one month was read.
type journalFile struct {
	name string
	info fs.FileInfo
	read int64 // up to the last line break
	size int64
}

// refresh reads what was appended since the last time. It takes no lock between processes: an
// unfinished last line is left for the next time.
func (x *index) refresh(dir string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	names, err := journals(dir)
	if err != nil {
		return err
	}
	if !x.follows(dir, names) {
		x.files, x.entries, x.maxID, x.newest, x.damaged = nil, nil, "", 0, 0
		x.byID, x.heads = map[string]*Entry{}, map[string]string{}
	}
	for i, name := range names {
		if i == len(x.files) {
			x.files = append(x.files, journalFile{name: name})
		}
		if err := x.read(dir, &x.files[i]); err != nil {
			return err
		}
	}
	return nil
}

// journals lists the months, oldest first.
func journals(dir string) ([]string, error) {
	all, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	var out []string
	for _, e := range all {
		if isJournal(e.Name()) {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out, nil
}

// follows reports whether the files read so far are still the same files, only longer.
func (x *index) follows(dir string, names []string) bool {
	if x.byID == nil || len(names) < len(x.files) {
		return false
	}
	for i, f := range x.files {
		info, err := os.Stat(filepath.Join(dir, names[i]))
		if err != nil || f.name != names[i] || info.Size() < f.read || f.info != nil && !os.SameFile(info, f.info) {
			return false
		}
		if i < len(x.files)-1 && info.Size() > f.size {
			return false // lines of an older month came later: their order is only known by reading again
		}
	}
	return true
}

// read parses what is new in one month.
func (x *index) read(dir string, f *journalFile) error {
	file, err := os.Open(filepath.Join(dir, f.name))
	if err != nil {
		return fmt.Errorf("read ledger: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("read ledger: %w", err)
	}
	f.info, f.size = info, info.Size()
	if info.Size() == f.read {
		return nil
	}
	data, err := io.ReadAll(io.NewSectionReader(file, f.read, info.Size()-f.read))
	if err != nil {
		return fmt.Errorf("read ledger: %w", err)
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	for raw := range bytes.Lines(data[:end]) {
		x.add(raw)
	}
	f.read += int64(end)
	return nil
}

// add takes one line. Lines that cannot be read are counted and skipped: a torn line is what a crash
// leaves, and must not hide the rest.
func (x *index) add(raw []byte) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return
	}
	if id, ok := plainDone(raw); ok {
		x.settle(id, Done, "")
		return
	}
	var l line
	if err := json.Unmarshal(raw, &l); err != nil {
		x.damaged++
		return
	}
	switch l.Kind {
	case lineHeader:
		x.newest = max(x.newest, l.Version)
	case lineIntent, lineNoted:
		if l.Entry == nil || l.ID == "" || x.byID[l.ID] != nil {
			x.damaged++
			return
		}
		l.State, x.maxID = Open, max(x.maxID, l.ID)
		x.entries, x.byID[l.ID] = append(x.entries, l.Entry), l.Entry
		if l.Kind == lineNoted {
			x.settle(l.ID, Done, "")
		}
	case lineDone:
		x.settle(l.id(), Done, "")
	case lineAborted:
		x.settle(l.id(), Aborted, l.note())
	}
}

// plainDone recognises the line that closes nearly every change, half of all lines, without decoding it.
func plainDone(raw []byte) (id string, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(`{"kind":"done","id":"`))
	if !ok || len(rest) != 26+2 || !bytes.HasSuffix(rest, []byte(`"}`)) {
		return "", false
	}
	return string(rest[:26]), true
}

func (l line) id() string {
	if l.Entry == nil {
		return ""
	}
	return l.ID
}

func (l line) note() string {
	if l.Entry == nil {
		return ""
	}
	return l.Note
}

func (x *index) settle(id string, s State, note string) {
	e := x.byID[id]
	if e == nil || e.State == Done {
		return
	}
	e.State, e.Note = s, note
	if s == Done {
		for _, f := range e.Files {
			x.follow(f)
		}
	}
}

// follow moves the heads on.
func (x *index) follow(f FileChange) {
	if f.Op != OpMove {
		x.heads[f.Path] = f.After
		return
	}
	for name, hash := range x.heads {
		if rest, ok := strings.CutPrefix(name, f.From); ok && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
			x.heads[f.Path+rest] = hash
			x.heads[name] = ""
		}
	}
}

// head is the hash a file should have, as far as the journal knows.
func (x *index) head(name string) (hash string, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	hash, known = x.heads[name]
	return hash, known
}

func (x *index) version() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.newest
}

func (x *index) openEntries() []Entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []Entry
	for _, e := range x.entries {
		if e.State == Open {
			out = append(out, *e)
		}
	}
	return out
}

// last is the id of the newest line and the month it stands in, with whether that file ends torn.
func (x *index) last() (id, month string, torn bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := len(x.files); n > 0 {
		f := x.files[n-1]
		month, torn = f.name, f.size > f.read
	}
	return x.maxID, month, torn
}

// all returns the entries in journal order. They are copies; their slices are shared and must not be
// changed.
func (x *index) all() []Entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := make([]Entry, len(x.entries))
	for i, e := range x.entries {
		out[i] = *e
	}
	return out
}

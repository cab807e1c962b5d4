package session

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes/core"
	"hermes/core/home"
)

// Session is one open transcript, held by this process alone. A new one touches the disk with its
// first record. It is safe for concurrent use.
type Session struct {
	store *Store

	mu       sync.Mutex
	header   Header
	prompt   Prompt // written with the header
	file     *os.File
	lock     *home.FileLock
	size     int64
	records  []core.Record
	messages []core.Message
	nextID   int
	damage   Damage
	aside    string // where a damaged original was kept
	closed   bool
}

// ID is the session's id.
func (s *Session) ID() string { return s.header.ID }

// Header returns the header line.
func (s *Session) Header() Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.header
}

// Prompt returns the frozen prompt and tool list of the session.
func (s *Session) Prompt() Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompt
}

// Damage says what was lost when the transcript was opened and where its original was kept.
func (s *Session) Damage() (d Damage, original string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.damage, s.aside
}

// Records returns a copy of everything recorded so far, oldest first.
func (s *Session) Records() []core.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// Title is the session's title: the last one given, else the first line the person wrote.
func (s *Session) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return titleOf(s.records)
}

// Titled tells whether a title was given, by a person or a model.
func (s *Session) Titled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.records, func(r core.Record) bool { return r.Type == core.RecordTitle })
}

// Messages is the conversation as the next request must carry it, without the system prompt: voided
// messages left out, every call answered exactly once.
func (s *Session) Messages() []core.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return core.RepairMessages(s.messages)
}

// NewMessageID reserves the id of the next message.
func (s *Session) NewMessageID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	return "m" + strconv.Itoa(s.nextID)
}

// Append stores r as one line. When the disk refuses, the file is as before and the error says so.
func (s *Session) Append(r core.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return &core.Error{Op: "record to session", Subject: s.header.ID, Err: os.ErrClosed}
	}
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	line, err := encodeLine(r)
	if err != nil {
		return &core.Error{Op: "encode record", Err: err}
	}
	if err := s.begin(); err != nil {
		return err
	}
	if err := s.write(line); err != nil {
		return err
	}
	s.take(r)
	return nil
}

// SetPrompt freezes a prompt for a session that lost its own (an old or damaged file). The rest of the
// transcript keeps its bytes.
func (s *Session) SetPrompt(p Prompt) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt = p
	if s.file == nil {
		return nil // written with the header
	}
	var err error
	if s.header.Prompt, s.header.Tools, err = s.store.savePrompt(p); err != nil {
		return err
	}
	path := s.file.Name()
	raw, err := os.ReadFile(path)
	if err != nil {
		return &core.Error{Op: "read session", Subject: path, Err: err}
	}
	line, err := encodeLine(s.header)
	if err != nil {
		return &core.Error{Op: "encode session header", Err: err}
	}
	first, rest, _ := bytes.Cut(raw, []byte("\n"))
	if !isHeader(first) {
		rest = raw
	}
	if err := home.WriteFile(path, append(line, rest...), home.FileMode); err != nil {
		return err
	}
	// The rename put a new file in place of the one that is open.
	if err := s.file.Close(); err != nil {
		return &core.Error{Op: "close transcript", Subject: path, Err: err}
	}
	return s.openFile()
}

// begin creates lock, prompts and file of a new session. The caller holds mu.
func (s *Session) begin() error {
	if s.file != nil {
		return nil
	}
	if err := s.store.ready(); err != nil {
		return err
	}
	if err := s.acquire(); err != nil {
		return err
	}
	var err error
	if s.header.Prompt, s.header.Tools, err = s.store.savePrompt(s.prompt); err != nil {
		return err
	}
	line, err := encodeLine(s.header)
	if err != nil {
		return &core.Error{Op: "encode session header", Err: err}
	}
	if err := s.openFile(); err != nil {
		return err
	}
	return s.write(line)
}

// openFile opens the transcript for appending. The caller holds the lock.
func (s *Session) openFile() error {
	path := s.store.home.Transcript(s.header.ID)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, home.FileMode)
	if err != nil {
		return &core.Error{Op: "open transcript", Subject: path, Err: err, Hint: "check the permissions and the free space of the home"}
	}
	st, err := f.Stat()
	if err != nil {
		return errors.Join(&core.Error{Op: "open transcript", Subject: path, Err: err}, f.Close())
	}
	s.file, s.size = f, st.Size()
	return nil
}

// write appends line whole or not at all. The caller holds mu.
func (s *Session) write(line []byte) error {
	n, err := s.file.Write(line)
	if err == nil {
		s.size += int64(n)
		return nil
	}
	// A full disk may have taken half a line: take it back, so that the next one stands alone.
	err = errors.Join(err, s.file.Truncate(s.size))
	return &core.Error{
		Op: "record to session", Subject: filepath.Base(s.file.Name()), Err: err,
		Hint: "free some disk space; nothing that was recorded before is lost",
	}
}

// take keeps r in memory. The caller holds mu.
func (s *Session) take(r core.Record) {
	s.records = append(s.records, r)
	if r.Message != nil {
		if n, err := strconv.Atoi(strings.TrimPrefix(r.Message.ID, "m")); err == nil && n > s.nextID {
			s.nextID = n
		}
	}
	switch r.Type {
	case core.RecordMessage:
		s.messages = append(s.messages, *r.Message)
	case core.RecordCompacted:
		s.messages = compacted(s.messages, r)
	case core.RecordUndo:
		s.messages = before(s.messages, r.Target)
	case core.RecordDiscard:
		s.messages = slices.DeleteFunc(s.messages, func(m core.Message) bool { return m.ID == r.Target })
	default:
	}
}

// before is the conversation up to message id; all of it when id is not there (any more).
func before(msgs []core.Message, id string) []core.Message {
	if i := slices.IndexFunc(msgs, func(m core.Message) bool { return m.ID == id }); i >= 0 && id != "" {
		return slices.Clone(msgs[:i])
	}
	return msgs
}

// compacted puts the summary of r in the place of the messages it stands for.
func compacted(msgs []core.Message, r core.Record) []core.Message {
	from := slices.IndexFunc(msgs, func(m core.Message) bool { return m.ID == r.From })
	if r.Message == nil || r.From == "" || from < 0 {
		return msgs // not ours to guess
	}
	until := len(msgs)
	if r.Target != "" {
		until = slices.IndexFunc(msgs, func(m core.Message) bool { return m.ID == r.Target })
	}
	if until <= from {
		return msgs
	}
	return slices.Concat(msgs[:from], []core.Message{*r.Message}, msgs[until:])
}

// Sync makes everything appended survive a power cut.
func (s *Session) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	if err := s.file.Sync(); err != nil {
		return &core.Error{Op: "sync transcript", Subject: s.file.Name(), Err: err, Hint: "check the disk"}
	}
	return nil
}

// Rename gives the session a title, folded to one line.
func (s *Session) Rename(title string) error {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return &core.Error{Code: core.CodeUsage, Op: "rename session", Err: errors.New("the title is empty")}
	}
	return s.Append(core.Record{Type: core.RecordTitle, Title: title})
}

// Close syncs the transcript and frees it for other processes. Calling it again does nothing.
func (s *Session) Close() error {
	err := s.Sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Unlock())
	}
	return err
}

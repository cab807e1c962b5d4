package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
)

// Store is the folder of transcripts of one home.
type Store struct {
	home home.Home
	now  func() time.Time
}

// NewStore returns the store of h. It touches nothing.
func NewStore(h home.Home) *Store { return &Store{home: h, now: time.Now} }

// idPattern is what a session id may look like, ours and foreign ones; never a path.
var idPattern = text.NewPattern(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// NewID returns a fresh id: "20061102-150405-1f9a3c", so that names sort by time.
func (st *Store) NewID() string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return st.now().UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}

// ready makes the folder of transcripts.
func (st *Store) ready() error {
	if err := st.home.Open(); err != nil {
		return err
	}
	return home.EnsureDir(st.home.Sessions())
}

// New returns a session that does not exist on disk until its first record.
func (st *Store) New(cwd, model string, p Prompt) *Session {
	return &Session{store: st, prompt: p, header: Header{
		Type: headerType, V: Version, ID: st.NewID(), Created: st.now().UTC(), Cwd: cwd, Model: model,
	}}
}

// checkID refuses what is no id before it becomes part of a path.
func checkID(id string) error {
	if !idPattern.Regexp().MatchString(id) {
		return &core.Error{
			Code: core.CodeNotFound, Op: "find session", Subject: fmt.Sprintf("%q", id),
			Err: errors.New("not a session id"), Hint: "list them with: hermes sessions list",
		}
	}
	return nil
}

// Read loads a transcript without taking it over; it works while another process holds it.
func (st *Store) Read(id string) (*Transcript, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	path := st.home.Transcript(id)
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &core.Error{
				Code: core.CodeNotFound, Op: "open session", Subject: id, Err: errors.New("no such session"),
				Hint: "list them with: hermes sessions list",
			}
		}
		return nil, &core.Error{Op: "open session", Subject: path, Err: err, Hint: "check the permissions of the home"}
	}
	defer f.Close() //nolint:errcheck // read only
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		return nil, &core.Error{Op: "open session", Subject: path, Err: errors.New("it is a folder"), Hint: "move the folder away"}
	}
	t, err := Parse(f)
	if err != nil {
		return nil, &core.Error{Op: "read session", Subject: path, Err: err}
	}
	if t.Header.ID == "" {
		t.Header = Header{Type: headerType, V: Version, ID: id, Created: created(f)}
	}
	t.Header.ID = id // a copied file is another session
	return t, nil
}

func created(f *os.File) time.Time {
	fi, err := f.Stat()
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime().UTC()
}

// LoadPrompt reads the frozen prompt of a transcript.
func (st *Store) LoadPrompt(h Header) (Prompt, error) { return st.loadPrompt(h) }

// LockPatience is how long Open waits for a session that another process holds for a moment.
const LockPatience = 500 * time.Millisecond

// Open takes session id over for writing. A session held elsewhere is an error with CodeBusy. A
// damaged transcript is set aside as it is and rewritten without its unreadable lines; Damage tells.
func (st *Store) Open(ctx context.Context, id string) (*Session, error) {
	if _, err := st.Read(id); err != nil { // a missing session must not leave a lock file
		return nil, err
	}
	s := &Session{store: st, header: Header{ID: id}}
	if err := s.acquireWithin(ctx, LockPatience); err != nil {
		return nil, err
	}
	if err := st.load(s); err != nil {
		return nil, errors.Join(err, s.lock.Unlock())
	}
	return s, nil
}

// load fills s from disk; its lock is held.
func (st *Store) load(s *Session) error {
	id := s.header.ID
	t, err := st.Read(id)
	if err != nil {
		return err
	}
	if t.Header.V > Version {
		return &core.Error{
			Code: core.CodeConfig, Op: "open session", Subject: id,
			Err:  fmt.Errorf("it was written by a newer hermes (format %d, this one knows %d)", t.Header.V, Version),
			Hint: "update hermes, or fork the session to go on with a copy",
		}
	}
	if s.prompt, err = st.loadPrompt(t.Header); err != nil {
		return err
	}
	if t.Damage.Any() {
		if s.aside, err = st.mend(t); err != nil {
			return err
		}
	}
	s.header, s.damage = t.Header, t.Damage
	for _, r := range t.Records {
		s.take(r)
	}
	if err := s.openFile(); err != nil {
		return err
	}
	if t.Damage.Torn && !t.Damage.Any() {
		return s.write([]byte("\n")) // a whole record whose line break was lost
	}
	return nil
}

// mend keeps the damaged file aside and writes its good lines in its place.
func (st *Store) mend(t *Transcript) (aside string, err error) {
	path := st.home.Transcript(t.Header.ID)
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", &core.Error{Op: "read session", Subject: path, Err: err}
	}
	aside = path + ".damaged-" + st.now().UTC().Format("20060102-150405")
	for i := 2; exists(aside); i++ {
		aside = fmt.Sprintf("%s.damaged-%s-%d", path, st.now().UTC().Format("20060102-150405"), i)
	}
	if err := home.WriteFile(aside, raw, home.FileMode); err != nil {
		return "", err
	}
	var b strings.Builder
	if t.Damage.NoHeader {
		line, err := encodeLine(t.Header)
		if err != nil {
			return "", &core.Error{Op: "encode session header", Err: err}
		}
		b.Write(line)
	}
	for _, line := range t.good {
		b.Write(line)
		b.WriteByte('\n')
	}
	return aside, home.WriteFile(path, []byte(b.String()), home.FileMode)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// acquire takes the session's lock without waiting. The caller holds mu.
func (s *Session) acquire() error {
	l, err := home.TryLock(s.store.home.TranscriptLock(s.header.ID))
	if err != nil {
		return busy(s.header.ID, err)
	}
	s.lock = l
	return nil
}

func (s *Session) acquireWithin(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	l, err := home.Lock(ctx, s.store.home.TranscriptLock(s.header.ID))
	if err != nil {
		return busy(s.header.ID, err)
	}
	s.lock = l
	return nil
}

func busy(id string, err error) error {
	if core.CodeOf(err) != core.CodeBusy {
		return err
	}
	return &core.Error{
		Code: core.CodeBusy, Op: "open session", Subject: id, Err: err,
		Hint: "another hermes has it open: read it (hermes sessions show " + id + "), fork it (hermes sessions fork " + id + "), or wait until it is closed there",
	}
}

// Delete removes a session with its spilled results. One that is open anywhere is refused.
func (st *Store) Delete(ctx context.Context, id string) error {
	s, err := st.Open(ctx, id)
	if err != nil && core.CodeOf(err) != core.CodeConfig && core.CodeOf(err) != core.CodeNotFound {
		return err
	}
	if s == nil && !exists(st.home.Transcript(id)) {
		return err
	}
	path := st.home.Transcript(id)
	if rerr := os.Remove(path); rerr != nil {
		return &core.Error{Op: "delete session", Subject: path, Err: rerr}
	}
	err = os.RemoveAll(st.home.SessionFiles(id))
	if s != nil {
		err = errors.Join(err, s.Close())
	}
	_ = os.Remove(st.home.TranscriptLock(id)) // a leftover lock file is harmless
	if err != nil {
		return &core.Error{Op: "delete session", Subject: id, Err: err}
	}
	return nil
}

// Resolve turns what a person typed into an id: the id itself, an unambiguous prefix, or "last".
func (st *Store) Resolve(name string) (string, error) {
	if checkID(name) == nil && exists(st.home.Transcript(name)) {
		return name, nil
	}
	rows, _, err := st.List()
	if err != nil {
		return "", err
	}
	if name == "last" && len(rows) > 0 {
		return rows[0].ID, nil
	}
	var hits []string
	for _, r := range rows {
		if name != "" && strings.HasPrefix(r.ID, name) {
			hits = append(hits, r.ID)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return "", &core.Error{
			Code: core.CodeNotFound, Op: "find session", Subject: fmt.Sprintf("%q", name),
			Err: errors.New("no such session"), Hint: "list them with: hermes sessions list",
		}
	}
	return "", &core.Error{
		Code: core.CodeUsage, Op: "find session", Subject: fmt.Sprintf("%q", name),
		Err:  fmt.Errorf("%d sessions start like this", len(hits)),
		Hint: "give more of the id: " + strings.Join(hits[:min(3, len(hits))], ", "),
	}
}

// idOf returns the session id of a file name in the folder, or "".
func idOf(name string) string {
	id, ok := strings.CutSuffix(filepath.Base(name), ".jsonl")
	if !ok || checkID(id) != nil {
		return ""
	}
	return id
}

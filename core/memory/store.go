package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/text"
)

// Target is one of the two files.
type Target string

// The targets, in lock order.
const (
	Memory Target = "memory" // MEMORY.md: environment, conventions, lessons
	User   Target = "user"   // USER.md: who the person is
)

// Targets lists both, in lock order.
func Targets() []Target { return []Target{Memory, User} }

// File is the name of the target's file.
func (t Target) File() string {
	if t == User {
		return "USER.md"
	}
	return "MEMORY.md"
}

// Subject is the target's name in the ledger.
func (t Target) Subject() string { return kind + ":" + string(t) }

// kind is what the ledger's subjects of this package begin with.
const kind = "memory"

// The limits when Options leaves them open, in code points of the joined text.
const (
	MemoryLimit = 2200
	UserLimit   = 1375
)

// Options configures a store. Home and Ledger are required.
type Options struct {
	Home        home.Home
	Ledger      *ledger.Ledger
	MemoryLimit int  // code points; 0 is MemoryLimit
	UserLimit   int  // code points; 0 is UserLimit
	MemoryOff   bool // memory.memory_enabled is false
	UserOff     bool // memory.user_profile_enabled is false
	// Emit hears of each change (core.MemoryChanged) after all locks are released; nil drops them.
	Emit func(core.Event)
}

// Store is both files of one home. It holds no entries: every call reads the disk. It is safe for
// concurrent use, also beside other processes.
type Store struct {
	opts Options
}

// New returns the store. Register Subject with the ledger, behind the skills.
func New(o Options) *Store {
	if o.MemoryLimit <= 0 {
		o.MemoryLimit = MemoryLimit
	}
	if o.UserLimit <= 0 {
		o.UserLimit = UserLimit
	}
	return &Store{opts: o}
}

// Enabled lists the targets in use.
func (s *Store) Enabled() []Target {
	var out []Target
	if !s.opts.MemoryOff {
		out = append(out, Memory)
	}
	if !s.opts.UserOff {
		out = append(out, User)
	}
	return out
}

// Limit is the target's limit in code points.
func (s *Store) Limit(t Target) int {
	if t == User {
		return s.opts.UserLimit
	}
	return s.opts.MemoryLimit
}

// Path is the target's file.
func (s *Store) Path(t Target) string {
	if t == User {
		return s.opts.Home.UserFile()
	}
	return s.opts.Home.MemoryFile()
}

// usable refuses unknown and switched off targets.
func (s *Store) usable(t Target) error {
	switch {
	case t != Memory && t != User:
		return &RefusedError{
			Code: RefusedTarget, Target: t, Message: fmt.Sprintf(
				"There is no store %q. target is \"memory\" (MEMORY.md: your notes on environment, conventions and lessons) or \"user\" (USER.md: who the user is and what they prefer).", t),
			Plain: fmt.Sprintf("There is no store %q.", t), Hint: "The stores are memory (the agent's notes) and user (your profile).",
		}
	case t == Memory && s.opts.MemoryOff, t == User && s.opts.UserOff:
		key := "memory.memory_enabled"
		if t == User {
			key = "memory.user_profile_enabled"
		}
		return &RefusedError{
			Code: RefusedDisabled, Target: t, Message: fmt.Sprintf("%s is switched off by the user's settings. Do not try again.", t.File()),
			Plain: t.File() + " is switched off.", Hint: "Switch it on: hermes config set " + key + " true",
		}
	}
	return nil
}

// state is one file as it stands.
type state struct {
	entries []string
	exact   bool
	raw     []byte
}

// decode makes a state of a file's bytes; err is what reading said.
func (s *Store) decode(t Target, raw []byte, err error) (state, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return state{exact: true}, nil
	}
	var st state
	if err == nil {
		st.raw = raw
		st.entries, st.exact, err = parse(raw)
	}
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return st, &RefusedError{
			Code: RefusedUnreadable, Target: t, Err: err,
			Message: fmt.Sprintf("%s cannot be read (%v), so nothing was changed: what cannot be read must not be written over. Tell the user; do not try again.", t.File(), err),
			Plain:   fmt.Sprintf("%s cannot be read: %v.", t.File(), err),
			Hint:    "Repair " + s.Path(t) + ": it must be UTF-8 text that you may read.",
		}
	}
	return st, nil
}

func (s *Store) read(t Target) (state, error) {
	raw, err := os.ReadFile(s.Path(t))
	return s.decode(t, raw, err)
}

func (s *Store) readTx(tx *ledger.Tx, t Target) (state, error) {
	raw, err := tx.Read(s.Path(t))
	return s.decode(t, raw, err)
}

// locked runs f under the locks of the targets, taken in their fixed order. The names of the lock files
// are shared with other programs of the home.
func (s *Store) locked(ctx context.Context, targets []Target, f func() error) (err error) {
	unlock, err := s.lock(ctx, targets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return f()
}

func (s *Store) lock(ctx context.Context, targets []Target) (unlock func() error, err error) {
	if err := home.EnsureDir(s.opts.Home.Memories()); err != nil {
		return nil, err
	}
	var held []*home.FileLock
	unlock = func() error {
		var errs []error
		for _, l := range held {
			errs = append(errs, l.Unlock())
		}
		return errors.Join(errs...)
	}
	for _, t := range Targets() {
		for _, want := range targets {
			if want != t {
				continue
			}
			l, err := ledger.Lock(ctx, s.Path(t)+".lock")
			if err != nil {
				return nil, errors.Join(err, unlock())
			}
			held = append(held, l)
			break
		}
	}
	return unlock, nil
}

// usage is "1,834/2,200".
func usage(used, limit int) string { return text.Thousands(used) + "/" + text.Thousands(limit) }

// Percent is how full a store is, rounded down; above 100 when an editor overfilled it.
func Percent(used, limit int) int {
	if limit <= 0 {
		return 100
	}
	return used * 100 / limit
}

// Usage is "83% — 1,834/2,200 characters".
func Usage(used, limit int) string {
	return fmt.Sprintf("%d%% — %s characters", Percent(used, limit), usage(used, limit))
}

// emit tells of a change.
func (s *Store) emit(by ledger.Change, o Outcome, action string) {
	if s.opts.Emit == nil || o.LedgerID == "" {
		return
	}
	channel := core.ChannelChat
	if by.Actor == ledger.Review || by.Actor == ledger.Curator {
		channel = core.ChannelLearning
	}
	s.opts.Emit(&core.MemoryChanged{
		Meta:  core.Meta{SessionID: by.SessionID, RunID: by.RunID, Channel: channel},
		Store: string(o.Target), Used: o.Used, Limit: o.Limit, Entries: o.Entries, Action: action, LedgerID: o.LedgerID, Actor: string(by.Actor),
	})
}

// Tell emits how t stands after others changed it: an editor, another program.
func (s *Store) Tell(t Target) {
	if s.opts.Emit == nil {
		return
	}
	st, _ := s.read(t) // what cannot be read holds nothing
	s.opts.Emit(&core.MemoryChanged{
		Store: string(t), Used: size(st.entries), Limit: s.Limit(t), Entries: len(st.entries), Action: "outside", Actor: string(ledger.Outside),
	})
}

// backupName is a free name for a copy of the target's file.
func backupName(path string, unix int64, exists func(string) bool) string {
	for {
		name := fmt.Sprintf("%s.bak.%d", path, unix)
		if !exists(name) {
			return name
		}
		unix++
	}
}

// quote is a short form of an entry for messages of one line.
func quote(entry string, n int) string { return text.Cut(strings.TrimSpace(text.OneLine(entry)), n) }

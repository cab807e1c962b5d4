package skills

import (
	"context"
	"path/filepath"

	"hermes/core/home"
	"hermes/core/ledger"
)

// subject lets the ledger undo changes of skills, file by file.
type subject struct{ l *Library }

var _ ledger.Subject = subject{}

// Subject is the library's part in the ledger: register it there, before that of the memory.
func (l *Library) Subject() ledger.Subject { return subject{l} }

// Kind is what the subjects of skills begin with.
func (subject) Kind() string { return kind }

// Lock takes the lock of the library, whatever the subjects.
func (u subject) Lock(ctx context.Context, _ []string) (func() error, error) {
	if err := home.EnsureDir(u.l.Home()); err != nil {
		return nil, err
	}
	lock, err := ledger.Lock(ctx, filepath.Join(u.l.Home(), lockFile))
	if err != nil {
		return nil, err
	}
	return lock.Unlock, nil
}

// Revert puts each file back; later changes of other lines stay.
func (subject) Revert(tx *ledger.Tx, e ledger.Entry) (merged bool, err error) {
	return ledger.RevertFiles(tx, e)
}

// Parts are none: a skill is its files.
func (subject) Parts(string, []byte, []byte) []ledger.Part { return nil }

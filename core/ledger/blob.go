package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"hermes/core"
	"hermes/core/home"
)

func (l *Ledger) blobs() string { return filepath.Join(l.home.Ledger(), "blobs") }

func (l *Ledger) blobPath(hash string) string { return filepath.Join(l.blobs(), hash) }

// put keeps data under its hash, on disk before it returns.
func (l *Ledger) put(data []byte) error {
	hash := Hash(data)
	if info, err := os.Stat(l.blobPath(hash)); err == nil && info.Size() == int64(len(data)) {
		return nil
	}
	// One name for the unfinished file is enough under the lock, and leaves nothing to clean up.
	tmp := filepath.Join(l.blobs(), unfinished)
	if err := writeSynced(tmp, data); err != nil {
		return &core.Error{Op: "keep version", Subject: l.blobs(), Err: err, Hint: "Check that the disk has room and the home is writable."}
	}
	if err := os.Rename(tmp, l.blobPath(hash)); err != nil {
		return &core.Error{Op: "keep version", Subject: l.blobs(), Err: err}
	}
	l.at("blob")
	return syncDir(l.blobs())
}

// unfinished is the name of the blob that is being written.
const unfinished = ".unfinished"

func writeSynced(path string, data []byte) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, home.FileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes names in dir durable. Windows cannot and need not.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil //nolint:nilerr // writable but not readable: the change stands, only its moment on disk is the system's
	}
	_ = d.Sync() // some file systems cannot sync folders; there is nothing better to do
	return d.Close()
}

// Blob returns the bytes with this hash. Pruned ones are an error with core.CodeNotFound.
func (l *Ledger) Blob(hash string) ([]byte, error) {
	if len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return nil, &core.Error{Code: core.CodeNotFound, Op: "read version", Subject: hash, Err: errors.New("no such version")}
	}
	data, err := os.ReadFile(l.blobPath(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &core.Error{
			Code: core.CodeNotFound, Op: "read version", Subject: hash[:12], Err: errors.New("no longer kept"),
			Hint: "Old versions are pruned by age and size; a secret that was purged is gone for good.",
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read version: %w", err)
	}
	if Hash(data) != hash {
		return nil, &core.Error{Op: "read version", Subject: hash[:12], Err: errors.New("damaged on disk")}
	}
	return data, nil
}

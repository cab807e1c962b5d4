package home

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// WriteFile replaces the content of path in one step: after it returns, or after a crash at any
// moment, the file holds either the old or the new bytes, whole. It writes a temporary file in the
// same folder, syncs it, renames it over the target and syncs the folder.
//
// Links are followed, so a link stays a link and its target changes; a dangling link creates its
// target. An existing file keeps its mode (and, as far as the system allows, owner); a new one gets
// mode, less the umask. The folder must exist. Hard links are not kept. On failure the old file is
// intact and no temporary file is left. Errors are *core.Error.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	target, err := ResolvePath(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return pathError("write", path, err)
	case info.IsDir():
		return pathError("write", path, errors.New("is a folder"))
	case !info.Mode().IsRegular():
		return pathError("write", path, fmt.Errorf("is not a regular file (%s)", info.Mode().Type()))
	}
	tmp, err := writeTemp(target, data, mode, info)
	if err != nil {
		return pathError("write", path, err)
	}
	if err := replace(tmp, target); err != nil {
		_ = os.Remove(tmp) // the rename's failure is the one to report
		return pathError("write", path, err)
	}
	if err := syncDir(filepath.Dir(target)); err != nil {
		return pathError("sync folder of", path, err)
	}
	return nil
}

// writeTemp writes data beside target, synced, with the mode and owner target has or will have. It
// leaves nothing behind when it fails.
func writeTemp(target string, data []byte, mode fs.FileMode, old fs.FileInfo) (name string, err error) {
	create := mode.Perm()
	if old != nil {
		create = 0o600 // nobody may look in before the final mode is set
	}
	f, err := createTemp(target, create)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // best effort; the first failure is the one to report
		}
	}()
	_, err = f.Write(data)
	if err == nil && old != nil {
		keepOwner(f, old)
		err = f.Chmod(old.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
	}
	if err == nil {
		err = f.Sync()
	}
	return f.Name(), errors.Join(err, f.Close())
}

// createTemp makes a hidden file beside target. os.CreateTemp would do but for its fixed mode 0600,
// from which the umask cannot be recovered.
func createTemp(target string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(target)
	if len(base) > 100 {
		base = base[:100] // leave room below the usual limit of 255 bytes a name
	}
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.tmp-%08x", base, rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		return f, err
	}
}

// Append adds data at the end of path in one write, creating the file with mode 0600. sync says
// whether the bytes must be on disk before it returns.
func Append(path string, data []byte, sync bool) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, FileMode)
	if err != nil {
		return pathError("append to", path, err)
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return pathError("append to", path, err)
	}
	return nil
}

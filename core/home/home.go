package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hermes/core"
)

// EnvVar is the environment variable that moves the home.
const EnvVar = "HERMES_HOME"

// The modes of what hermes creates in its home: nobody else reads along.
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
)

// Home is the folder that holds everything hermes keeps. The zero value is not usable; see Resolve.
type Home struct {
	dir string
}

// Resolve decides where the home is: dir when it is not empty, else $HERMES_HOME, else ~/.hermes.
// A leading "~/" is expanded. It reads and creates nothing. getenv is os.Getenv outside tests.
func Resolve(dir string, getenv func(string) string) (Home, error) {
	if dir == "" {
		dir = getenv(EnvVar)
	}
	if dir == "" {
		dir = filepath.Join("~", ".hermes")
	}
	dir, err := expandTilde(dir)
	if err != nil {
		return Home{}, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Home{}, fmt.Errorf("resolve home %s: %w", dir, err)
	}
	return Home{dir: abs}, nil
}

// At returns the home in dir, which must be absolute.
func At(dir string) Home { return Home{dir: filepath.Clean(dir)} }

func expandTilde(dir string) (string, error) {
	if dir != "~" && (len(dir) < 2 || dir[0] != '~' || !os.IsPathSeparator(dir[1])) {
		return dir, nil
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", &core.Error{
			Code: core.CodeSetup, Op: "find the home folder", Err: err,
			Hint: "Set " + EnvVar + " or pass --home DIR.",
		}
	}
	return filepath.Join(user, dir[1:]), nil
}

// Open makes sure that the home exists, is a folder and can be written to; it creates it with mode
// 0700 when missing. Errors are *core.Error with a remedy.
func (h Home) Open() error {
	info, err := os.Stat(h.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := EnsureDir(h.dir); err != nil {
			return &core.Error{Code: core.CodeSetup, Op: "create home", Subject: h.dir, Err: cause(err), Hint: homeHint(err)}
		}
	case err != nil:
		return &core.Error{Code: core.CodeSetup, Op: "open home", Subject: h.dir, Err: cause(err), Hint: homeHint(err)}
	case !info.IsDir():
		return &core.Error{
			Code: core.CodeSetup, Op: "open home", Subject: h.dir, Err: errors.New("is a file, not a folder"),
			Hint: "Move the file away, or choose another folder with " + EnvVar + " or --home.",
		}
	}
	return h.probe()
}

// probe writes and removes a small file: permission bits alone do not tell about read-only mounts,
// full disks and foreign owners.
func (h Home) probe() error {
	f, err := os.CreateTemp(h.dir, ".probe-*")
	if err == nil {
		_, err = f.WriteString("hermes\n")
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return &core.Error{Code: core.CodeSetup, Op: "write to home", Subject: h.dir, Err: cause(err), Hint: homeHint(err)}
	}
	return nil
}

func homeHint(err error) string {
	if isNoSpace(err) {
		return "The disk is full: free some space, or choose another folder with " + EnvVar + " or --home."
	}
	return "Make the folder writable (chmod u+rwx), or choose another with " + EnvVar + " or --home."
}

// Loose reports the home's mode when others than the owner have any access to it; ok is false when
// it is tight, missing, or the system has no such modes.
func (h Home) Loose() (mode fs.FileMode, ok bool) {
	info, err := os.Stat(h.dir)
	if err != nil || !hasModes {
		return 0, false
	}
	mode = info.Mode().Perm()
	return mode, mode&0o077 != 0
}

// EnsureDir creates dir and missing parents with mode 0700; an existing folder keeps its mode.
func EnsureDir(dir string) error {
	if err := os.MkdirAll(dir, DirMode); err != nil {
		return pathError("create folder", dir, err)
	}
	return nil
}

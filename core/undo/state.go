package undo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// What can stand at a path.
const (
	absent = "absent"
	file   = "file"
	link   = "link"
	folder = "folder"
	other  = "other"
)

// state is what stands at a path at one moment.
type state struct {
	Is     string      `json:"is"`
	Hash   string      `json:"hash,omitempty"`   // SHA-256 of a file, hex; of one larger than MaxFile size and time
	Target string      `json:"target,omitempty"` // of a link, as written
	Mode   fs.FileMode `json:"mode,omitempty"`   // permissions of a file
}

// same reports whether two states hold the same; modes do not count.
func (s state) same(o state) bool { return s.Is == o.Is && s.Hash == o.Hash && s.Target == o.Target }

// look tells what stands at path, with the bytes of a file; a link is not followed. A file larger than
// MaxFile has no bytes, which is an error when copied says that they are needed.
func look(path string, copied bool) (s state, data []byte, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err != nil && !exists(filepath.Dir(path)):
		return state{Is: absent}, nil, nil
	case err != nil:
		return state{Is: other}, nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return state{Is: link, Target: target}, nil, err
	case info.IsDir():
		return state{Is: folder}, nil, nil
	case !info.Mode().IsRegular():
		return state{Is: other}, nil, nil
	}
	s = state{Is: file, Mode: info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)}
	if data, err = read(path); err != nil {
		return s, nil, err
	}
	if data == nil { // reading gigabytes only to know them again is not worth it
		s.Hash = fmt.Sprintf("size %d, time %d", info.Size(), info.ModTime().UnixNano())
		if copied {
			err = fmt.Errorf("larger than %d MB", MaxFile>>20)
		}
		return s, nil, err
	}
	s.Hash = hashOf(data)
	return s, data, nil
}

// read returns the bytes of a file, nil when it is larger than MaxFile.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil || len(data) > MaxFile {
		return nil, err
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// missingFolder is the topmost folder above path that does not exist; "" when all do.
func missingFolder(path string) string {
	missing := ""
	for dir := filepath.Dir(path); !exists(dir); dir = filepath.Dir(dir) {
		missing = dir
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return missing
}

package home

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

const hasModes = false

// The Windows error numbers behind the words below.
const (
	errnoWriteProtect     syscall.Errno = 19
	errnoSharingViolation syscall.Errno = 32
	errnoHandleDiskFull   syscall.Errno = 39
	errnoDiskFull         syscall.Errno = 112
)

func isNoSpace(err error) bool {
	return errors.Is(err, errnoDiskFull) || errors.Is(err, errnoHandleDiskFull)
}

func isReadOnly(err error) bool { return errors.Is(err, errnoWriteProtect) }

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// replace renames tmp over target. Scanners and indexers hold new files open for a moment, so a
// refusal is tried again for up to half a second.
func replace(tmp, target string) error {
	var err error
	for wait := time.Millisecond; wait < 500*time.Millisecond; wait *= 2 {
		err = os.Rename(tmp, target)
		if err == nil || !(errors.Is(err, syscall.ERROR_ACCESS_DENIED) || errors.Is(err, errnoSharingViolation)) {
			return err
		}
		time.Sleep(wait)
	}
	return err
}

func keepOwner(*os.File, fs.FileInfo) {}

// syncDir does nothing: folders cannot be synced here, the file system journals renames.
func syncDir(string) error { return nil }

// Alive tells whether a process of this machine runs; 0 counts as running.
func Alive(pid int) bool {
	if pid <= 0 {
		return true
	}
	p, err := os.FindProcess(pid) // on Windows it fails when there is none
	if err != nil {
		return false
	}
	return p.Release() == nil
}

//go:build unix

package home

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const hasModes = true

func isNoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// replace renames tmp over target.
func replace(tmp, target string) error { return os.Rename(tmp, target) }

// keepOwner gives f the owner of old where that differs and is allowed (hermes run as root on a
// person's file). Failing is normal for everybody else and changes nothing that matters.
func keepOwner(f *os.File, old fs.FileInfo) {
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	now, err := f.Stat()
	if err != nil {
		return
	}
	if cur, ok := now.Sys().(*syscall.Stat_t); ok && (cur.Uid != st.Uid || cur.Gid != st.Gid) {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

// syncDir makes a rename in dir durable. File systems that cannot sync folders say EINVAL.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil // writable but not readable: the rename stands, only its durability is the kernel's
		}
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// Alive tells whether a process of this machine runs; 0 counts as running.
func Alive(pid int) bool {
	if pid <= 0 {
		return true
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

//go:build unix

package file

import (
	"errors"

	"golang.org/x/sys/unix"
)

// slurp appends the content of the file at path to buf, as far as it has at most limit bytes; whole is
// false when it has more. It goes to the system directly: over tens of thousands of files the bookkeeping
// of os.File is what costs.
func slurp(path string, buf []byte, limit int) (out []byte, whole bool, err error) {
	var fd int
	for {
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return buf, false, err
	}
	defer func() { _ = unix.Close(fd) }() // only read
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return buf, false, err
		case n == 0:
			return buf, true, nil
		}
		if buf = buf[:len(buf)+n]; len(buf) > limit {
			return buf, false, nil
		}
	}
}

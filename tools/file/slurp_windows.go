package file

import (
	"io"
	"os"
)

// slurp appends the content of the file at path to buf, as far as it has at most limit bytes; whole is
// false when it has more.
func slurp(path string, buf []byte, limit int) (out []byte, whole bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return buf, false, err
	}
	defer func() { _ = f.Close() }() // only read
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		if buf = buf[:len(buf)+n]; len(buf) > limit {
			return buf, false, nil
		}
		switch {
		case err == io.EOF: //nolint:errorlint // Read returns it bare
			return buf, true, nil
		case err != nil:
			return buf, false, err
		}
	}
}

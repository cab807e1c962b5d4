package skills

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"hermes/core/ledger"
	"hermes/core/text"
)

const (
	window   = 8 << 10 // bytes of a file that are read first; nearly all frontmatter ends in them
	maxWhole = 4 << 20 // of a file that has no end of frontmatter before
)

// readRecord reads the frontmatter of file, however long it is.
func readRecord(file string, now time.Time) fileRecord {
	r := fileRecord{Read: now.UnixNano()}
	fail := func(err error) fileRecord {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		r.Read, r.Code, r.Fault = 0, CodeUnreadable, fmt.Sprintf("%s cannot be read: %v", filepath.Base(file), err)
		r.Hash = ledger.Hash([]byte(r.Fault))
		return r
	}
	f, err := os.Open(file)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	r.Mtime, r.Size = info.ModTime().UnixNano(), info.Size()
	data, err := readHead(f)
	if err != nil {
		return fail(err)
	}
	r.Hash = ledger.Hash(data)[:16]
	r.note(data)
	return r
}

// note takes what the index needs out of the start of a file.
func (r *fileRecord) note(data []byte) {
	d := head(data)
	r.Meta = d.Meta
	r.Meta.Keys = nil
	switch {
	case !utf8.Valid(data[:d.End]):
		r.Code, r.Line, r.Fault = CodeLenient, 1, "the frontmatter is not UTF-8; the bytes that are not were replaced"
	case d.Problem != nil && !d.Has:
		r.Code, r.Line, r.Fault = CodeUnreadable, d.Problem.Line, d.Problem.Message
	case d.Problem != nil:
		r.Code, r.Line, r.Fault = CodeLenient, d.Problem.Line, d.Problem.Message
	}
	r.Threat = poison(r.Meta.Name, r.Meta.Description)
}

// readHead reads f up to the end of its frontmatter, or whole when it has none.
func readHead(f io.Reader) ([]byte, error) {
	data := make([]byte, 0, window)
	for {
		n, err := io.ReadFull(f, data[len(data):cap(data)])
		data = data[:len(data)+n]
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return nil, err
		}
		fences := text.Frontmatter(string(data))
		switch {
		case fences.Found && (end || fences.Body < len(data)):
			return data[:fences.Body], nil // a fence at the very end of the window may go on: "----"
		case end, len(data) >= maxWhole:
			return data, nil
		case !fences.Open:
			return data, nil
		}
		grown := make([]byte, len(data), 2*cap(data))
		copy(grown, data)
		data = grown
	}
}

package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// lineLimit is the longest line and event of a stream, in bytes. A write of a large file arrives as
// one line; 64 KiB, a common limit, breaks it.
const lineLimit = 32 << 20

var errLineLimit = errors.New("the server sent a line longer than 32 MiB")

// event is one server-sent event. Data is only valid until the next call.
type event struct {
	name string
	data []byte
}

// eventReader reads server-sent events, more forgiving than the standard asks: a last event without a
// blank line counts, so do events without blank lines between them, and bare JSON lines.
type eventReader struct {
	r      *bufio.Reader
	limit  int
	line   []byte
	data   []byte
	has    bool   // data holds an event being collected
	name   string // of that event
	parked []byte // a data line that belongs to the event after the one just returned
	park   bool
	start  bool // before the first line
	err    error
}

func newEventReader(r *bufio.Reader) *eventReader {
	return &eventReader{r: r, limit: lineLimit, start: true}
}

// next returns the next event, then io.EOF, or the error that broke the stream. What an error left
// unfinished is dropped; at a clean end it is returned as the last event.
func (e *eventReader) next() (event, error) {
	e.data, e.has, e.name = e.data[:0], false, ""
	if e.park {
		e.data, e.has, e.park = append(e.data, e.parked...), true, false
	}
	for {
		if e.err != nil {
			if e.has && errors.Is(e.err, io.EOF) {
				return event{name: e.name, data: e.data}, nil
			}
			return event{}, e.err
		}
		line, err := e.readLine()
		if err != nil {
			e.err = err
			if len(line) == 0 || !errors.Is(err, io.EOF) {
				continue
			}
		}
		done, err := e.take(line)
		if err != nil {
			e.err = err
			return event{}, err
		}
		if done {
			return event{name: e.name, data: e.data}, nil
		}
	}
}

// take adds one line; done says that an event is complete.
func (e *eventReader) take(line []byte) (done bool, err error) {
	if len(line) == 0 {
		return e.has, nil
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	if line[0] == '{' {
		field, value = []byte("data"), line // some servers put a bare error object between events
	}
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		e.name = string(value)
	case "data":
		if e.has && json.Valid(e.data) {
			// Complete already: the blank line is missing.
			e.parked, e.park = append(e.parked[:0], value...), true
			return true, nil
		}
		if e.has {
			e.data = append(e.data, '\n')
		}
		if len(e.data)+len(value) > e.limit {
			return false, errLineLimit
		}
		e.data, e.has = append(e.data, value...), true
	}
	return false, nil // comments, ids, retry hints and unknown fields
}

// readLine returns a line without its end. The slice is valid until the next call. With an error it
// returns what there was of the line.
func (e *eventReader) readLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		part, err := e.r.ReadSlice('\n')
		if len(e.line) == 0 && err == nil {
			return e.trim(part), nil // the usual case needs no copy
		}
		if len(e.line)+len(part) > e.limit {
			return nil, errLineLimit
		}
		e.line = append(e.line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return e.trim(e.line), err
	}
}

func (e *eventReader) trim(line []byte) []byte {
	if e.start {
		e.start = false
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

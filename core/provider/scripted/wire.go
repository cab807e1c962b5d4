package scripted

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// errCut asks the handler to break the connection.
var errCut = errors.New("cut the connection")

// stream writes a reply's frames, with its faults, to one client.
type stream struct {
	w       http.ResponseWriter
	flush   func() error
	reply   *rendered
	delay   time.Duration
	written int // bytes of the body
}

// play writes the frames and returns errCut when the connection must be broken.
func (s *stream) play(ctx context.Context, frames []frame) error {
	fault := s.reply.Fault
	if fault != nil && fault.Stall && fault.After == 0 && fault.AfterBytes == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
	if err := s.flush(); err != nil {
		return err
	}
	for i, f := range frames {
		if fault != nil && fault.AfterBytes == 0 && i == fault.After {
			return s.fail(ctx, fault)
		}
		if i > 0 {
			if err := pause(ctx, s.delay); err != nil {
				return err
			}
		}
		if stop, err := s.write(ctx, s.bytes(f, i == len(frames)-1)); stop || err != nil {
			return err
		}
		if s.reply.OnFrame != nil {
			s.reply.OnFrame(i + 1)
		}
	}
	if fault != nil {
		return s.fail(ctx, fault)
	}
	return nil
}

// fail does what a fault in the middle of a stream says.
func (s *stream) fail(ctx context.Context, f *Fault) error {
	switch {
	case f.Cut:
		return errCut
	case f.Stall:
		<-ctx.Done()
		return ctx.Err()
	case f.Error != nil:
		object, err := f.Error.render(s.reply.vars)
		if err != nil {
			return err
		}
		_, err = s.write(ctx, s.bytes(frame{data: `{"error":` + object + `}`}, false))
		return err
	}
	return nil // end
}

// bytes frames one event.
func (s *stream) bytes(f frame, last bool) string {
	if f.verbatim {
		return f.data
	}
	w := s.reply.Wire
	var b strings.Builder
	if w.Comments {
		b.WriteString(": KEEPALIVE\n\n")
	}
	if w.Event != "" {
		b.WriteString("event: " + w.Event + "\n")
	}
	for _, line := range dataLines(f.data, w.TwoLines) {
		b.WriteString("data:")
		if !w.NoSpace {
			b.WriteString(" ")
		}
		b.WriteString(line + "\n")
	}
	if !last || !w.NoFinalBlank {
		b.WriteString("\n")
	}
	if w.CRLF {
		return strings.ReplaceAll(b.String(), "\n", "\r\n")
	}
	return b.String()
}

// dataLines breaks a payload after its first comma, where JSON allows white space.
func dataLines(data string, two bool) []string {
	if i := strings.Index(data, `,"`); two && i >= 0 {
		return []string{data[:i+1], data[i+1:]}
	}
	return strings.Split(data, "\n")
}

// write sends text in pieces of Wire.Split bytes; stop says that a fault ended the body.
func (s *stream) write(ctx context.Context, text string) (stop bool, err error) {
	f := s.reply.Fault
	cutHere := f != nil && f.AfterBytes > 0 && s.written+len(text) >= f.AfterBytes
	if cutHere {
		text = text[:f.AfterBytes-s.written]
	}
	size := s.reply.Wire.Split
	if size <= 0 {
		size = len(text)
	}
	for len(text) > 0 {
		n := min(size, len(text))
		if _, err := s.w.Write([]byte(text[:n])); err != nil {
			return true, err
		}
		if err := s.flush(); err != nil {
			return true, err
		}
		s.written += n
		text = text[n:]
	}
	if cutHere {
		after := *f
		s.reply.Fault = &Fault{} // the failure itself is written whole
		return true, s.fail(ctx, &after)
	}
	return false, nil
}

// pause waits d or until the client leaves.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

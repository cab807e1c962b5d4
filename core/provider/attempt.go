package provider

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// What ends an attempt besides the server.
var (
	errTotal     = errors.New("the answer took too long")
	errTail      = errors.New("the stream stayed open after its end")
	errTruncated = errors.New("the answer broke off")
	errEmptyBody = errors.New("the server sent an empty body")
)

// stallError says how long no byte arrived.
type stallError struct{ limit time.Duration }

// Error names the limit.
func (e *stallError) Error() string { return "no answer for longer than " + e.limit.String() }

// tailLimit is how long a stream may stay open after its finish reason, for the usage and [DONE].
const tailLimit = 5 * time.Second

// attempt sends one request and collects its answer. It returns nil only for a whole answer.
func (c *Client) attempt(parent context.Context, body []byte, a *answer) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	w := newWatch(cancel, c.opts)
	defer w.stop()
	var resp *http.Response
	err := c.api.Post(ctx, "chat/completions", body, &resp)
	if resp == nil {
		return c.cause(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err != nil && resp.StatusCode < http.StatusBadRequest {
		return c.cause(ctx, err) // a refused redirect
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return c.statusError(ctx, resp)
	}
	r := bufio.NewReaderSize(&watched{r: resp.Body, w: w}, 64<<10)
	err = c.read(r, resp, a, w)
	if err != nil && a.ended && !isServerError(err) {
		return nil // everything was there; how the link ended does not matter
	}
	return c.cause(ctx, err)
}

// cause puts the reason an attempt was cancelled in the place of "context canceled".
func (c *Client) cause(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if why := context.Cause(ctx); why != nil && !isServerError(err) {
		var stall *stallError
		if errors.As(why, &stall) || errors.Is(why, errTotal) {
			return fmt.Errorf("%w: %w", why, err)
		}
	}
	return err
}

func isServerError(err error) bool {
	var se *serverError
	return errors.As(err, &se)
}

// read looks at what kind of body came and reads it.
func (c *Client) read(r *bufio.Reader, resp *http.Response, a *answer, w *watch) error {
	first, err := firstByte(r)
	if err != nil {
		if errors.Is(err, io.EOF) {
			return errEmptyBody
		}
		return err
	}
	page := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") && !strings.ContainsRune("{[:de", rune(first))
	if first == '<' || page {
		return &serverError{html: true, message: "the server answered with a web page"}
	}
	if first == '{' || first == '[' {
		return c.readObject(r, a)
	}
	return c.readStream(r, a, w)
}

// firstByte peeks at the first byte that is no white space.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b == ' ' || b == '\n' || b == '\r' || b == '\t' {
			continue
		}
		return b, r.UnreadByte()
	}
}

// readObject reads the answer of a server that does not stream, or its error with a good status.
func (c *Client) readObject(r io.Reader, a *answer) error {
	body, err := io.ReadAll(io.LimitReader(r, lineLimit+1))
	if err != nil {
		return err
	}
	if len(body) > lineLimit {
		return errLineLimit
	}
	ch, err := parseChunk(body)
	if err != nil {
		if e := parseErrorBody(body); bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) && e.message != "" {
			return e
		}
		return fmt.Errorf("read answer: %w", err)
	}
	if err := a.add(ch); err != nil {
		return err
	}
	if len(ch.Choices) == 0 {
		return parseErrorBody(body)
	}
	a.ended = true
	return nil
}

// readStream reads events until the server is done.
func (c *Client) readStream(r *bufio.Reader, a *answer, w *watch) error {
	events := newEventReader(r)
	for {
		ev, err := events.next()
		if errors.Is(err, io.EOF) {
			if a.complete() {
				return nil
			}
			return errTruncated
		}
		if err != nil {
			return err
		}
		data := bytes.TrimSpace(ev.data)
		if len(data) == 0 {
			continue
		}
		if bytes.Equal(data, []byte("[DONE]")) {
			a.ended = true
			return nil
		}
		if ev.name == "error" && data[0] != '{' {
			return &serverError{message: oneLine(string(data))}
		}
		ch, err := parseChunk(data)
		if err != nil {
			return c.eventError(events, err, data)
		}
		if err := a.add(ch); err != nil {
			return err
		}
		if a.ended {
			w.tail()
		}
	}
}

// eventError tells a payload that was cut by the end of the stream from one that never was JSON.
func (c *Client) eventError(events *eventReader, err error, data []byte) error {
	if _, next := events.next(); next != nil && errors.Is(next, io.EOF) && data[0] == '{' {
		return errTruncated
	}
	return &protocolError{fmt.Errorf("read event %q: %w", oneLine(excerptOf(data)), err)}
}

func excerptOf(data []byte) string {
	const most = 60
	if len(data) > most {
		return string(data[:most]) + "…"
	}
	return string(data)
}

// protocolError marks an answer that is not what a chat server sends.
type protocolError struct{ error }

// Unwrap returns the cause.
func (e *protocolError) Unwrap() error { return e.error }

// watch ends an attempt that makes no progress: nothing at all for the first-byte limit, then nothing
// for the idle limit, or too long in all. The idle limit runs only while a read waits: a reader of
// deltas that takes its time is not the server's fault.
type watch struct {
	cancel func(error)
	idle   time.Duration
	first  *time.Timer
	wait   *time.Timer
	total  *time.Timer
	end    *time.Timer // nil until the answer was complete
}

func newWatch(cancel func(error), o Options) *watch {
	w := &watch{cancel: cancel, idle: o.Idle}
	w.first = time.AfterFunc(o.FirstByte, func() { cancel(&stallError{o.FirstByte}) })
	w.wait = time.AfterFunc(o.Idle, func() { cancel(&stallError{o.Idle}) })
	w.wait.Stop()
	w.total = time.AfterFunc(o.Total, func() { cancel(errTotal) })
	return w
}

// tail says that only the end of the stream is missing.
func (w *watch) tail() {
	if w.end == nil {
		w.end = time.AfterFunc(min(tailLimit, w.idle), func() { w.cancel(errTail) })
	}
}

func (w *watch) stop() {
	w.first.Stop()
	w.wait.Stop()
	w.total.Stop()
	if w.end != nil {
		w.end.Stop()
	}
}

// watched is a body whose reads are watched. One goroutine reads.
type watched struct {
	r     io.Reader
	w     *watch
	begun bool
}

// Read reads from the body.
func (r *watched) Read(p []byte) (int, error) {
	if r.begun {
		r.w.wait.Reset(r.w.idle)
	}
	n, err := r.r.Read(p)
	if n > 0 && !r.begun {
		r.begun = true
		r.w.first.Stop()
	}
	r.w.wait.Stop()
	return n, err
}

// boundedErrors limits the bodies of refused requests: the client below reads them whole.
type boundedErrors struct{ next http.RoundTripper }

// RoundTrip sends the request.
func (b boundedErrors) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(req)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		const most = 1 << 20
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, most), resp.Body}
	}
	return resp, err
}

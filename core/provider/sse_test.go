package provider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func newReader(r io.Reader) *eventReader { return newEventReader(bufio.NewReaderSize(r, 16)) }

// readAll reads every event as "name=data".
func readAll(r *eventReader) ([]string, error) {
	var out []string
	for {
		ev, err := r.next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, ev.name+"="+string(ev.data))
	}
}

func TestEventReader(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"two events":         {"data: a\n\ndata: b\n\n", []string{"=a", "=b"}},
		"last without blank": {"data: a\n\ndata: b\n", []string{"=a", "=b"}},
		"last without end":   {"data: a\n\ndata: b", []string{"=a", "=b"}},
		"crlf":               {"data: a\r\n\r\ndata: b\r\n\r\n", []string{"=a", "=b"}},
		"comments":           {": hi\n\n:\ndata: a\n: in between\n\n", []string{"=a"}},
		"names":              {"event: error\ndata: a\n\ndata: b\n\n", []string{"error=a", "=b"}},
		"two lines":          {"data: {\ndata: }\n\n", []string{"={\n}"}},
		"no blank between":   {"data: {}\ndata: {\"a\":1}\ndata: [DONE]\n", []string{"={}", `={"a":1}`, "=[DONE]"}},
		"no space":           {"data:a\n\ndata:  b\n\n", []string{"=a", "= b"}},
		"other fields":       {"id: 1\nretry: 5\nnonsense\ndata: a\n\n", []string{"=a"}},
		"bare object":        {"{\"error\":1}\n\n", []string{`={"error":1}`}},
		"bom":                {"\xef\xbb\xbfdata: a\n\n", []string{"=a"}},
		"empty data":         {"data:\n\ndata: a\n\n", []string{"=", "=a"}},
		"long line":          {"data: " + strings.Repeat("x", 100) + "\n\n", []string{"=" + strings.Repeat("x", 100)}},
		"nothing":            {"\n\n: x\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, r := range map[string]io.Reader{"whole": strings.NewReader(tc.in), "bytes": iotest.OneByteReader(strings.NewReader(tc.in))} {
				got, err := readAll(newReader(r))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s: %s", how, diff)
				}
			}
		})
	}
}

func TestEventReader_limit(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"one line":  "data: a\n\ndata: " + strings.Repeat("x", 200) + "\n\n",
		"one event": "data: a\n\n" + strings.Repeat("data: xxxxxxxxxx\n", 20),
	} {
		r := newReader(strings.NewReader(in))
		r.limit = 100
		got, err := readAll(r)
		if !errors.Is(err, errLineLimit) || len(got) != 1 {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestEventReader_dropsWhatABrokenLinkLeft(t *testing.T) {
	t.Parallel()
	r := newReader(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), errReader{io.ErrUnexpectedEOF}))
	if ev, err := r.next(); err != nil || string(ev.data) != "1" {
		t.Fatalf("got %q, %v", ev.data, err)
	}
	if ev, err := r.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v; want the error", ev.data, err)
	}
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }

func FuzzEventReader(f *testing.F) {
	f.Add([]byte("data: a\n\ndata: {\"x\":1}\ndata: [DONE]\n"), 3)
	f.Add([]byte(": c\r\nevent: error\r\ndata: 1\r\ndata: 2\r\n\r\n{\"error\":{}}"), 1)
	f.Add([]byte("\xef\xbb\xbfdata:\n\n"), 2)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		whole, err := readAll(newReader(bytes.NewReader(in)))
		if err != nil {
			t.Fatalf("a clean stream gave %v", err)
		}
		split, err := readAll(newReader(&chunked{in, max(1, size%7)}))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, split); diff != "" {
			t.Errorf("the result depends on how bytes arrive: %s", diff)
		}
		if len(strings.Join(whole, "")) > len(in)+len(whole)+bytes.Count(in, []byte("\n")) {
			t.Errorf("more came out than went in: %q", whole)
		}
	})
}

// chunked hands out n bytes a read.
type chunked struct {
	b []byte
	n int
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.b[:min(c.n, len(c.b))])
	c.b = c.b[n:]
	return n, nil
}

package provider

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"hermes/core"
)

// readBody reads a stream body without a server.
func readBody(tb testing.TB, body io.Reader, sink func(core.Delta)) (*answer, error) {
	tb.Helper()
	c := &Client{opts: Options{}}
	c.opts.defaults()
	w := newWatch(func(error) {}, c.opts)
	defer w.stop()
	a := newAnswer(sink)
	err := c.read(bufio.NewReaderSize(body, 64<<10), &http.Response{Header: http.Header{}}, a, w)
	return a, err
}

func TestRead_splitAtEveryByte(t *testing.T) {
	t.Parallel()
	body := ": hi\r\n\r\ndata: {\"choices\":[{\"delta\":{\"reasoning\":\"é\"}}]}\r\n\r\n" +
		"data: {\"choices\":[{\"delta\":{\"content\":\"世界\"}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
	for i := range len(body) + 1 {
		a, err := readBody(t, io.MultiReader(strings.NewReader(body[:i]), strings.NewReader(body[i:])), func(core.Delta) {})
		if err != nil {
			t.Fatalf("split at %d: %v", i, err)
		}
		m := a.message()
		if m.Content != "世界" || m.Reasoning == nil || m.Reasoning.Text != "é" || len(m.ToolCalls) != 1 {
			t.Fatalf("split at %d: %+v", i, m)
		}
	}
}

func TestRead_cutAtEveryByteIsNeverTakenAsWhole(t *testing.T) {
	t.Parallel()
	body := "data: {\"choices\":[{\"delta\":{\"content\":\"one\"}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}"
	for i := range len(body) {
		if _, err := readBody(t, strings.NewReader(body[:i]), func(core.Delta) {}); err == nil {
			t.Fatalf("cut at %d of %d was taken as a whole answer: %q", i, len(body), body[:i])
		}
	}
	if _, err := readBody(t, strings.NewReader(body), func(core.Delta) {}); err != nil {
		t.Fatal(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]"))
	f.Add([]byte("{\"error\":{\"message\":\"x\",\"code\":502}}"))
	f.Add([]byte("[{\"error\":{}}]"))
	f.Add([]byte("data: {\"choices\":[{\"message\":{\"content\":[{\"text\":\"a\"}]}}],\"usage\":[]}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		var text strings.Builder
		a, err := readBody(t, bytes.NewReader(body), func(d core.Delta) { text.WriteString(d.Text) })
		if got := a.message(); got.Content != text.String() {
			t.Errorf("message %q, deltas %q", got.Content, text.String())
		}
		if err == nil && !a.ended && !a.soft {
			t.Error("success without an end")
		}
	})
}

func BenchmarkReadStream(b *testing.B) {
	var body bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&body, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\","+
			"\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word%d \"},\"finish_reason\":null}]}\n\n", i)
	}
	body.WriteString("data: [DONE]\n\n")
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readBody(b, bytes.NewReader(body.Bytes()), func(core.Delta) {}); err != nil {
			b.Fatal(err)
		}
	}
}

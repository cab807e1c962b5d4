//go:build !windows

package tui

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hermes/core"
	"hermes/tui/tuitest"
)

var figures = flag.Bool("figures", false, "measure the figures of the workspace and write them to testdata/bench/tui.txt")

// sheet collects the figures with their limits.
type sheet struct {
	t     *testing.T
	lines []string
}

func (s *sheet) add(what string, got, limit float64, unit string) {
	mark := "ok"
	if got > limit {
		mark = "OVER"
		s.t.Errorf("%s: %.3g %s, limit %.3g", what, got, unit, limit)
	}
	s.lines = append(s.lines, fmt.Sprintf("%-62s %10.3f %-5s limit %8.3f  %s", what, got, unit, limit, mark))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func p95(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)*95/100]
}

func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func resident() float64 {
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kb float64
	if i := bytes.Index(b, []byte("VmRSS:")); i >= 0 {
		_, _ = fmt.Sscan(string(b[i+len("VmRSS:"):]), &kb)
	}
	return kb / 1024
}

// TestFigures measures what the issue limits. Run it on a quiet machine:
//
//	go test ./tui -run TestFigures -figures -count=1 -timeout 10m
func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("measured with -figures only")
	}
	s := &sheet{t: t}
	before := resident()
	past := dataset(5000, 20<<20)
	size, wide := 0, 0
	for _, r := range past {
		size += len(r.Message.Content)
		for _, c := range r.Message.Content {
			if c >= 0x2e80 {
				wide++
			}
		}
	}
	t.Logf("%d messages, %d bytes, %d CJK characters", len(past), size, wide)
	data := resident()

	x := newTerminal(t)
	p := newPorts()
	p.past = past
	start := time.Now()
	m := New(Options{Workspace: p.workspace("s1"), Theme: "dark"})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, m, x.tty, x.tty) }()
	x.wait(t, "commands")
	s.add("open 5,000 messages, 20 MB, to the last screen", ms(time.Since(start)), 1000, "ms")

	s.add("key to frame in the terminal, p95 of 300", ms(keyTimes(t, x)), 16, "ms")
	streamed := strings.Repeat("plain words streamed to the screen. ", 40)
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() { // 200 deltas a second
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				at := i * 7 % (len(streamed) - 8)
				p.feed.Emit(&core.TextDelta{Meta: core.Meta{SessionID: "s1"}, MessageID: "live", Text: streamed[at : at+7]})
			}
		}
	})
	s.add("key to frame while 200 deltas/s stream, p95 of 300", ms(keyTimes(t, x)), 16, "ms")
	close(stop)
	group.Wait()
	s.add("resident with 5,000 messages beyond an empty test process", resident()-before, 150, "MB")
	s.lines = append(s.lines, fmt.Sprintf("    of which the records themselves are %.1f MB", data-before))

	time.Sleep(time.Second)
	written, spent := len(x.output()), cpu()
	const idle = 60 * time.Second
	time.Sleep(idle)
	s.add("idle for 60 s: share of a core", 100*float64(cpu()-spent)/float64(idle), 0.5, "%")
	s.add("idle for 60 s: bytes written", float64(len(x.output())-written), 0, "B")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	s.resize(past)
	s.deltas()
	s.tidying()
	s.bytesPerFrame()
	s.write(t)
}

// keyTimes types characters and waits until each is on its way to the terminal.
func keyTimes(t *testing.T, x *terminal) time.Duration {
	t.Helper()
	var all []time.Duration
	for i := range 300 {
		mark := string(rune('一' + i)) // a character that stands nowhere else
		before := len(x.output())
		start := time.Now()
		x.typed(t, mark)
		for !strings.Contains(x.since(before), mark) {
			select {
			case <-x.news:
			case <-time.After(5 * time.Second):
				t.Fatalf("%q is not drawn", mark)
			}
		}
		all = append(all, time.Since(start))
		time.Sleep(time.Duration(7+i%13) * time.Millisecond) // keys come at no fixed phase of the clock
		if i%20 == 19 {
			x.typed(t, "\x15") // clear the line
		}
	}
	return p95(all)
}

// since returns what was written after the first n bytes.
func (x *terminal) since(n int) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return string(x.out.Bytes()[n:])
}

func (s *sheet) resize(past []core.Record) {
	p := newPorts()
	p.past = past
	m := New(Options{Workspace: p.workspace("s1"), Theme: "dark"})
	m.ctx = s.t.Context()
	m.Update(tuitest.Size(120, 40))
	m.View()
	for range 200 { // read somewhere in the middle
		m.chat.Scroll(-40)
	}
	m.View()
	var all []time.Duration
	for i := range 200 {
		start := time.Now()
		m.Update(tuitest.Size(90+i%60, 30+i%20))
		m.View()
		all = append(all, time.Since(start))
	}
	s.add("resize in the middle of 5,000 messages, p95 of 200", ms(p95(all)), 16, "ms")
}

// tidying presses keys of the memory clean-up with 200 entries at 200x60.
func (s *sheet) tidying() {
	m := tidyModel(s.t)
	var all []time.Duration
	for i := range 300 {
		key := [...]string{"j", "d", "J", "space", "t", "u", "h", "l"}[i%8]
		start := time.Now()
		m.Update(tuitest.Key(key))
		m.View()
		all = append(all, time.Since(start))
	}
	s.add("clean-up of 200 entries: key to frame, p95 of 300", ms(p95(all)), 8, "ms")
}

func (s *sheet) deltas() {
	pieces := streamText()
	m := benchModel(s.t)
	deltaCost(m, pieces[:250])
	early := deltaCost(m, pieces[250:500])
	deltaCost(m, pieces[500:len(pieces)-250])
	late := deltaCost(m, pieces[len(pieces)-250:])
	s.lines = append(s.lines, fmt.Sprintf("    a delta of 40 characters with its frame: early %v, late %v", early.Round(time.Microsecond), late.Round(time.Microsecond)))
	s.add("2,500 deltas: cost of a late one / an early one", float64(late)/float64(early), 2, "×")
}

// bytesPerFrame streams plain text into a fresh chat and counts what the terminal gets.
func (s *sheet) bytesPerFrame() {
	x, p, _ := runTerminal(s.t, nil)
	at := core.Meta{SessionID: "s1"}
	p.feed.Emit(&core.TextDelta{Meta: at, MessageID: "a", Text: "It begins. "})
	x.wait(s.t, "begins.")
	time.Sleep(200 * time.Millisecond) // the first frames
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "plain word %d of ", i*i) // lines that differ, as in life
	}
	text := b.String()
	before := len(x.output())
	for i := 0; i+8 <= len(text); i += 8 { // 200 deltas a second
		p.feed.Emit(&core.TextDelta{Meta: at, MessageID: "a", Text: text[i : i+8]})
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond)
	s.add("bytes written / bytes of plain text streamed", float64(len(x.output())-before)/float64(len(text)), 4, "×")
}

func (s *sheet) write(t *testing.T) {
	t.Helper()
	head := fmt.Sprintf("Figures of the workspace, measured %s on %s/%s, %d processors, %s.\n\n    go test ./tui -run TestFigures -figures -count=1 -timeout 10m\n\n",
		time.Now().UTC().Format("2006-01-02"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	path := filepath.Join("..", "testdata", "bench", "tui.txt")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(head+strings.Join(s.lines, "\n")+"\n"), 0o644); err != nil { //nolint:gosec // a file of the project
		t.Fatal(err)
	}
	t.Log("\n" + strings.Join(s.lines, "\n"))
}

// The data set is what it says.
func TestDataset(t *testing.T) {
	t.Parallel()
	past := dataset(500, 2<<20)
	size, runes, wide := 0, 0, 0
	for _, r := range past {
		size += len(r.Message.Content)
		for _, c := range r.Message.Content {
			runes++
			if c >= 0x1100 {
				wide++
			}
		}
	}
	if len(past) != 500 || size < 19<<17/10*8 || size > 26<<17/10*10 {
		t.Errorf("%d messages, %d bytes", len(past), size)
	}
	if share := 100 * wide / runes; share < 7 || share > 14 {
		t.Errorf("%d %% CJK", share)
	}
	p, c := newPorts(), newClock()
	p.past = past
	r := startRig(t, New(Options{Workspace: p.workspace("s1"), Now: c.now}), p, c, 100, 30)
	tuitest.Fills(t, r.screen(), 100, 30)
}

//go:build unix

package index

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes/core"
	"hermes/core/home"
)

const (
	childMode = "HERMES_INDEX_TEST_CHILD"
	childHome = "HERMES_INDEX_TEST_HOME"
)

// TestChild is the other program of the tests below, not a test of its own.
func TestChild(t *testing.T) {
	mode := os.Getenv(childMode)
	if mode == "" {
		t.Skip("run by other tests")
	}
	signal.Ignore(syscall.SIGXFSZ) // a limit on file sizes stands for a full disk
	s := &shelf{t: t, home: home.At(os.Getenv(childHome))}
	x := s.index()
	if mode == "full" {
		got, r := found(t, x, "pelican", Options{Limit: 100})
		fmt.Printf("\nsaid %d sessions, %s\n", len(strings.Fields(got)), r.Limited)
		got, _ = found(t, x, "heron", Options{})
		fmt.Printf("\nsaid %q\n", got)
		return
	}
	// Writes and searches at every line it gets, until there is none.
	in := bufio.NewScanner(os.Stdin)
	for n := 0; in.Scan(); n++ {
		s.say(mode, core.RoleUser, fmt.Sprintf("pelican %s number%d", mode, n))
		got, r := found(t, x, in.Text(), Options{})
		fmt.Printf("\nsaid %q %s\n", got, r.Limited)
	}
}

// child is a running program.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startChild(t *testing.T, s *shelf, mode string, wrap ...string) *child {
	t.Helper()
	args := append(wrap, os.Args[0], "-test.run", "^TestChild$", "-test.count", "1")
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), childMode+"="+mode, childHome+"="+s.home.Dir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &child{cmd, in, bufio.NewScanner(out)}
}

// said waits for the next word of the program.
func (c *child) said(t *testing.T) string {
	t.Helper()
	for c.out.Scan() {
		if line, ok := strings.CutPrefix(c.out.Text(), "said "); ok {
			return line
		}
		if strings.Contains(c.out.Text(), "FAIL") || strings.Contains(c.out.Text(), "panic") {
			t.Error(c.out.Text())
		}
	}
	t.Fatal("the other program ended")
	return ""
}

func (c *child) ask(t *testing.T, q string) string {
	t.Helper()
	if _, err := io.WriteString(c.in, q+"\n"); err != nil {
		t.Fatal(err)
	}
	return c.said(t)
}

func TestPrograms_searchAndWriteAtOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	one, two := startChild(t, s, "one"), startChild(t, s, "two")
	x := s.index()
	for i := range 15 {
		// Both have been told before either is heard: they work at the same time.
		for _, c := range []*child{one, two} {
			if _, err := io.WriteString(c.in, "pelican\n"); err != nil {
				t.Fatal(err)
			}
		}
		s.say("three", core.RoleUser, fmt.Sprintf("pelican three number%d", i))
		mine, _ := found(t, x, fmt.Sprintf("three number%d", i), Options{})
		a, b := one.said(t), two.said(t)
		if !strings.Contains(a, "one") || !strings.Contains(b, "two") || mine != "three" {
			t.Fatalf("round %d: what one wrote is not found by itself: %s; %s; %s", i, a, b, mine)
		}
	}
	for _, c := range []*child{one, two} {
		if got := c.ask(t, "pelican"); !strings.Contains(got, "one") || !strings.Contains(got, "two") || !strings.Contains(got, "three") {
			t.Errorf("%s", got)
		}
	}
	// One is killed in the middle, the others go on, and so does a program started later.
	if _, err := io.WriteString(one.in, "pelican\n"); err != nil {
		t.Fatal(err)
	}
	if err := one.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = one.cmd.Wait() // killed
	start := time.Now()
	if got := two.ask(t, "pelican"); !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("%s", got)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	if err := two.in.Close(); err != nil {
		t.Fatal(err)
	}
	for two.out.Scan() { // until it ends
		continue
	}
	if err := two.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if r := wantFound(t, s.index(), "pelican", "one two three"); r.Limited != "" {
		t.Errorf("%q", r.Limited)
	}
}

// The disk is full while the index is written: search goes on with the transcripts, and later the index is
// complete.
func TestIndex_diskFull(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for i := range 900 {
		s.say(fmt.Sprintf("s%02d", i%20), core.RoleUser, fmt.Sprintf("pelican %d %s", i, strings.Repeat(fmt.Sprintf("word%d ", i), 30)))
	}
	s.say("s00", core.RoleUser, "a heron")
	before := treeOf(t, s.home.Sessions())
	for _, blocks := range []int{0, 8, 64, 200, 400} {
		c := startChild(t, s, "full", "sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks), "sh")
		if got := c.said(t); !strings.HasPrefix(got, "20 sessions") {
			t.Errorf("%d blocks: %s", blocks, got)
		} else {
			t.Logf("%d blocks: %s", blocks, got)
		}
		if got := c.said(t); got != `"s00"` {
			t.Errorf("%d blocks: %s", blocks, got)
		}
		for c.out.Scan() {
			continue
		}
		_ = c.cmd.Wait() // closing the index may have failed, too
	}
	x := s.index()
	if r := wantFound(t, x, "heron", "s00"); strings.Contains(r.Limited, "directly") {
		t.Errorf("%q", r.Limited)
	}
	if _, r := found(t, x, "pelican", Options{Limit: 100}); r.Total != 900 {
		t.Errorf("%d found", r.Total)
	}
	if treeOf(t, s.home.Sessions()) != before {
		t.Error("a transcript was touched")
	}
}

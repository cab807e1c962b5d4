package memory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes/core/home"
	"hermes/core/ledger"
)

// The test program is also the other processes: started with these variables it writes, or reads until
// its standard input ends.
const (
	envHome  = "MEMORY_TEST_HOME"
	envRole  = "MEMORY_TEST_ROLE"
	envCount = "MEMORY_TEST_COUNT"
	envRuns  = "HERMES_MEMORY_WRITES" // opt-in: changes by 4 processes, 10000 for the recorded run
	envKills = "HERMES_MEMORY_KILLS"  // opt-in: random kills, 1000 for the recorded run
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envHome); dir != "" {
		if err := child(dir, os.Getenv(envRole)); err != nil {
			fmt.Println("error:", err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

func child(dir, role string) error {
	h := home.At(dir)
	l := ledger.New(h)
	s := New(Options{Home: h, Ledger: l})
	l.Register(s.Subject())
	ctx := context.Background()
	if err := l.Open(ctx); err != nil {
		return err
	}
	count, _ := strconv.Atoi(os.Getenv(envCount))
	switch {
	case role == "reader":
		return childReads(s)
	case role == "holder": // takes the file's lock and waits to be killed
		_, err := s.lock(ctx, []Target{Memory})
		fmt.Println("held", err)
		select {}
	case role == "twins":
		return childTwins(ctx, s)
	case strings.HasPrefix(role, "churn"):
		return childChurns(ctx, s, role, count)
	}
	for i := range count {
		if _, err := s.Do(ctx, agent, Memory, Op{Action: Add, Text: fmt.Sprintf("%s entry %05d", role, i)}); err != nil {
			return err
		}
	}
	return nil
}

// childReads looks at the file until its input ends: it must never be torn or lose an entry it had.
func childReads(s *Store) error {
	end := make(chan struct{})
	go func() { _, _ = bufio.NewReader(os.Stdin).ReadByte(); close(end) }()
	seen := 0
	for n := 0; ; n++ {
		select {
		case <-end:
			fmt.Println("reads", n)
			return nil
		default:
		}
		raw, err := os.ReadFile(s.Path(Memory))
		if errors.Is(err, os.ErrNotExist) && seen == 0 {
			continue
		}
		entries, exact, perr := parse(raw)
		if err != nil || perr != nil || !exact || len(entries) < seen {
			return fmt.Errorf("after %d entries: %d, %w %w", seen, len(entries), err, perr)
		}
		for _, e := range entries {
			if len(e) != 20 {
				return fmt.Errorf("torn entry %q", e)
			}
		}
		seen = len(entries)
	}
}

// childChurns keeps one entry of its own and counts in it.
func childChurns(ctx context.Context, s *Store, name string, count int) error {
	for i := range count {
		op := Op{Action: Replace, Old: name + " ", Text: fmt.Sprintf("%s %d", name, i)}
		if i == 0 {
			op.Action = Add
		}
		if _, err := s.Do(ctx, agent, Memory, op); err != nil {
			return err
		}
	}
	return nil
}

// childTwins changes both files in one batch, for ever, and says so.
func childTwins(ctx context.Context, s *Store) error {
	for {
		m, err := s.read(Memory)
		if err != nil {
			return err
		}
		n := 0
		if len(m.entries) > 0 {
			n, _ = strconv.Atoi(strings.TrimPrefix(m.entries[0], "round "))
		}
		text := fmt.Sprintf("round %d", n+1)
		d := &DraftSheet{Base: []string{}, Items: []DraftItem{{Text: text}}}
		if n > 0 {
			d.Base = []string{ID(m.entries[0])}
		}
		if _, err := s.Tidy(ctx, you, Draft{Memory: d, User: d}); err != nil {
			return err
		}
		fmt.Println(n + 1)
	}
}

func start(t *testing.T, dir, role string, count int) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envHome+"="+dir, envRole+"="+role, envCount+"="+strconv.Itoa(count))
	return cmd
}

func TestOpenME03_twoWritersAndAReader(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	r := newRig(t, t.TempDir())
	reader := start(t, r.opts.Home.Dir(), "reader", 0)
	in, err := reader.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	reader.Stdout = &out
	if err := reader.Start(); err != nil {
		t.Fatal(err)
	}
	var want []string
	var writers []*exec.Cmd
	for _, name := range []string{"writerAB", "writerCD"} {
		w := start(t, r.opts.Home.Dir(), name, 20)
		var said strings.Builder
		w.Stdout = &said
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { t.Log(name, said.String()) })
		writers = append(writers, w)
		for i := range 20 {
			want = append(want, fmt.Sprintf("%s entry %05d", name, i))
		}
	}
	for _, w := range writers {
		if err := w.Wait(); err != nil {
			t.Error(err)
		}
	}
	_ = in.Close()
	if err := reader.Wait(); err != nil {
		t.Errorf("%v %s", err, out.String())
	}
	got := r.entries(t, Memory)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%d entries: %q", len(got), got)
	}
	if s, _ := r.Sheet(t.Context(), Memory); s.Used != 917 {
		t.Errorf("%d characters", s.Used)
	}
	noTemps(t, r)
}

func TestOpenME03_killedWhileHoldingTheLock(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	r := newRig(t, t.TempDir())
	holder := start(t, r.opts.Home.Dir(), "holder", 0)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held <nil>\n" {
		t.Fatalf("%q %v", line, err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	r.do(t, Memory, Op{Action: Add, Text: "after the kill"})
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("took %s", took)
	}
	_ = holder.Wait()
	noTemps(t, r)
}

// kill -9 at random moments, inside changes of both files: acknowledged ones are whole.
func TestOpenME03_killedAtRandom(t *testing.T) {
	t.Parallel()
	kills := 6
	if n, err := strconv.Atoi(os.Getenv(envKills)); err == nil {
		kills = n
	} else if testing.Short() {
		t.Skip("starts processes")
	}
	r := newRig(t, t.TempDir())
	said, slowest := 0, time.Duration(0)
	for range kills {
		cmd := start(t, r.opts.Home.Dir(), "twins", 0)
		var out strings.Builder
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(10+rand.IntN(60))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // killed: that is the point
		timer.Stop()
		if strings.Contains(out.String(), "error") {
			t.Fatal(out.String())
		}
		if lines := strings.Fields(out.String()); len(lines) > 0 {
			n, err := strconv.Atoi(lines[len(lines)-1])
			if err != nil {
				t.Fatal(err)
			}
			said = n
		}
		began := time.Now()
		if err := r.ledger.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(began))
		m, u := r.raw(t, Memory), r.raw(t, User)
		n, _ := strconv.Atoi(strings.TrimPrefix(m, "round "))
		if m != u || n < said || n > said+1 {
			t.Fatalf("acknowledged %d, on disk %q and %q", said, m, u)
		}
		said = n
	}
	noTemps(t, r)
	t.Logf("%d kills, %d changes, slowest recovery %s", kills, said, slowest)
	if slowest > 2*time.Second {
		t.Errorf("recovery took %s", slowest)
	}
}

// Four processes change one file, each its own entry: nothing is lost.
func TestFourWriters(t *testing.T) {
	t.Parallel()
	writes := 80
	if n, err := strconv.Atoi(os.Getenv(envRuns)); err == nil {
		writes = n
	} else if testing.Short() {
		t.Skip("starts processes")
	}
	r := newRig(t, t.TempDir())
	var cmds []*exec.Cmd
	var outs [4]strings.Builder
	for i := range 4 {
		cmd := start(t, r.opts.Home.Dir(), fmt.Sprintf("churn%d", i), writes/4)
		cmd.Stdout = &outs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v %s", err, outs[i].String())
		}
	}
	got := r.entries(t, Memory)
	slices.Sort(got)
	var want []string
	for i := range 4 {
		want = append(want, fmt.Sprintf("churn%d %d", i, writes/4-1))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if log, err := r.ledger.Log(ledger.Filter{}); err != nil || len(log) != writes {
		t.Errorf("%d changes in the ledger, %v", len(log), err)
	}
}

func noTemps(t *testing.T, r *rig) {
	t.Helper()
	for _, pattern := range []string{"memories/.*", "ledger/blobs/.*"} {
		if left, _ := filepath.Glob(filepath.Join(r.opts.Home.Dir(), filepath.FromSlash(pattern))); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

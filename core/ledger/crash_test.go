package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes/core/home"
)

// The test program is its own victim: started with these variables it makes one change and dies in the
// middle, or writes until it is killed.
const (
	envHome  = "LEDGER_TEST_HOME"
	envStep  = "LEDGER_TEST_STEP"
	envKills = "HERMES_LEDGER_KILLS" // opt-in: how many random kills, 1000 for the recorded run
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envHome); dir != "" {
		victim(dir, os.Getenv(envStep))
		return
	}
	os.Exit(m.Run())
}

func victim(dir, step string) {
	l := New(home.At(dir))
	if step == "loop" {
		loop(l)
		return
	}
	l.step = func(s string) {
		if s == step {
			die()
		}
	}
	if err := l.Open(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	_, err := l.Apply(context.Background(), byAgent, func(tx *Tx) error { return crashChange(l, tx) })
	if err != nil {
		fmt.Println(err)
		os.Exit(4)
	}
}

// die ends the process as kill -9 does: nothing deferred runs, no file is closed by us.
func die() {
	p, _ := os.FindProcess(os.Getpid())
	_ = p.Kill()
	select {}
}

// crashChange touches three files and a folder.
func crashChange(l *Ledger, tx *Tx) error {
	return errors.Join(
		tx.Write(l.Path("a"), []byte("a new"), 0o600),
		tx.Move(l.Path("d"), l.Path("x/d")),
		tx.Write(l.Path("x/d/f"), []byte("f new"), 0o600),
		tx.Remove(l.Path("gone")),
		tx.Write(l.Path("n/e/w"), []byte("w new"), 0o600),
	)
}

var (
	crashBefore = map[string]string{"a": "a old", "d/f": "f old", "d/g": "g", "gone": "gone"}
	crashAfter  = map[string]string{"a": "a new", "x/d/f": "f new", "x/d/g": "g", "n/e/w": "w new"}
)

// kill -9 between any two steps: the old or the new state, and a journal that says which.
func TestCrash_atEveryStep(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	tests := map[string]bool{ // step → is the change there afterwards
		"locked": false, "blob": false, "blobs": false, "intent": false,
		"file 0": true, "file 1": true, "file 2": true, "file 3": true, "file 4": true, "done": true,
	}
	for step, there := range tests {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			l := open(t, t.TempDir())
			write(t, l, byAgent, crashBefore)
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), envHome+"="+l.home.Dir(), envStep+"="+step)
			if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
				t.Fatalf("the victim lived: %v %s", err, out)
			}
			began := time.Now()
			again := open(t, l.home.Dir())
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("recovery took %s", took)
			}
			want := crashBefore
			if there {
				want = crashAfter
			}
			wantTree(t, again, want)
			log, err := again.Log(Filter{Unsettled: true, SessionID: "s1"})
			if err != nil {
				t.Fatal(err)
			}
			recorded := len(log) == 2 && log[0].State == Done
			if recorded != there || log[0].State == Open {
				t.Errorf("the journal says %+v", log[0])
			}
			write(t, again, byAgent, map[string]string{"a": "on we go"})
			noLeftovers(t, l.home.Dir())
		})
	}
}

// Somebody writes a file of a half-done change before the next start: what was ours goes back, theirs stays.
func TestCrash_thenAForeignWrite(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	write(t, l, byAgent, crashBefore)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envHome+"="+l.home.Dir(), envStep+"=file 2")
	if err := cmd.Run(); err == nil {
		t.Fatal("the victim lived")
	}
	if err := os.WriteFile(l.Path("gone"), []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, l.home.Dir())
	wantTree(t, again, map[string]string{"a": "a old", "d/f": "f old", "d/g": "g", "gone": "theirs"})
	if log, _ := again.Log(Filter{Unsettled: true}); log[0].State != Aborted || !strings.Contains(log[0].Note, "gone") {
		t.Errorf("%+v", log[0])
	}
}

// loop writes two files in one change, always with the same number, and says so when it is done.
func loop(l *Ledger) {
	for {
		n := 0
		_, err := l.Apply(context.Background(), byAgent, func(tx *Tx) error {
			b, err := tx.Read(l.Path("n"))
			if err == nil {
				n, err = strconv.Atoi(string(b))
			} else if errors.Is(err, os.ErrNotExist) {
				err = nil
			}
			n++
			text := []byte(strconv.Itoa(n))
			return errors.Join(err, tx.Write(l.Path("n"), text, 0o600), tx.Write(l.Path("twin"), text, 0o600))
		})
		if err != nil {
			fmt.Println("error", err)
			os.Exit(4)
		}
		fmt.Println(n)
	}
}

// kill -9 at random moments: every acknowledged change is whole.
func TestCrash_atRandom(t *testing.T) {
	t.Parallel()
	kills := 8
	if n, err := strconv.Atoi(os.Getenv(envKills)); err == nil {
		kills = n
	} else if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	l := open(t, dir)
	said, slowest := 0, time.Duration(0)
	for range kills {
		said = max(said, killOne(t, dir))
		began := time.Now()
		if err := l.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(began))
		got := tree(t, dir)
		n, _ := strconv.Atoi(got["n"])
		if got["n"] != got["twin"] || n < said || n > said+1 {
			t.Fatalf("acknowledged %d, on disk %v", said, got)
		}
		said = n // one that was finished without a word counts from here on
	}
	noLeftovers(t, dir)
	t.Logf("%d kills, %d changes, slowest recovery %s", kills, said, slowest)
	if slowest > 2*time.Second {
		t.Errorf("recovery took %s", slowest)
	}
}

// killOne lets a writer work for a moment and returns the last number it acknowledged.
func killOne(t *testing.T, dir string) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envHome+"="+dir, envStep+"=loop")
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Duration(5+rand.IntN(60))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait() // killed: that is the point
	if strings.Contains(out.String(), "error") {
		t.Fatal(out.String())
	}
	lines := strings.Fields(out.String())
	if len(lines) == 0 {
		return 0
	}
	n, err := strconv.Atoi(lines[len(lines)-1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func noLeftovers(t *testing.T, dir string) {
	t.Helper()
	if exists(filepath.Join(dir, "ledger", "blobs", unfinished)) {
		t.Error("an unfinished version is left behind")
	}
	for name := range tree(t, dir) {
		if strings.Contains(filepath.Base(name), ".tmp-") {
			t.Errorf("left behind: %s", name)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	l := open(b, b.TempDir())
	for i := range b.N {
		_, err := l.Apply(b.Context(), byAgent, func(tx *Tx) error {
			return tx.Write(l.Path("a"), []byte(strconv.Itoa(i)), 0o600)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// What a short-lived command pays to open a journal of 10,000 changes.
func BenchmarkOpen10k(b *testing.B) {
	dir := b.TempDir()
	l := open(b, dir)
	e := write(b, l, byAgent, map[string]string{"a": "x"})
	var lines []byte
	id := e.ID
	for range 10_000 {
		id = nextID(e.Time, id)
		c := e
		c.ID = id
		for _, ln := range []line{{Kind: lineIntent, Entry: &c}, outcome(lineDone, id, "")} {
			raw, err := ln.encode()
			if err != nil {
				b.Fatal(err)
			}
			lines = append(lines, raw...)
		}
	}
	if err := home.Append(l.Path("ledger/"+e.Time.Format("2006-01")+".jsonl"), lines, false); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if log, err := New(home.At(dir)).Log(Filter{}); err != nil || len(log) != 10_001 {
			b.Fatal(len(log), err)
		}
	}
}

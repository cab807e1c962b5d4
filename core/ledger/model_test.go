package ledger

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// random is one change made of random operations, the same for the same seed. It gives up operations
// that are not possible.
func random(l *Ledger, tx *Tx, r *rand.Rand) {
	names := []string{"a", "b", "d/a", "d/b", "d/e/a", "f/a"}
	dirs := []string{"d", "d/e", "f", "g", "x/y"}
	for range 1 + r.IntN(5) {
		name, dir := l.Path(names[r.IntN(len(names))]), l.Path(dirs[r.IntN(len(dirs))])
		switch r.IntN(6) {
		case 0, 1, 2:
			if _, disk, ok := tx.locate(name); ok && disk != "" {
				if info, err := os.Stat(disk); err == nil && info.IsDir() {
					continue
				}
			}
			if blocked(l, tx, name) {
				continue
			}
			_ = tx.Write(name, fmt.Appendf(nil, "text %d", r.IntN(4)), 0o600)
		case 3:
			if _, disk, ok := tx.locate(name); ok && disk != "" {
				if info, err := os.Stat(disk); err == nil && info.IsDir() {
					continue
				}
			}
			_ = tx.Remove(name)
		case 4:
			_ = tx.RemoveAll(dir)
		case 5:
			to := l.Path(dirs[r.IntN(len(dirs))] + "/m")
			if !blocked(l, tx, to) {
				_ = tx.Move(dir, to)
			}
		}
	}
}

// blocked tells that a file stands where name needs a folder.
func blocked(l *Ledger, tx *Tx, name string) bool {
	for dir := path.Dir(name); strings.HasPrefix(dir, l.home.Dir()+"/"); dir = path.Dir(dir) {
		data, disk, ok := tx.locate(dir)
		if ok && disk == "" && data != nil {
			return true
		}
		if info, err := os.Stat(disk); ok && disk != "" && err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// envRounds is an opt-in for more random changes; 4000 were made for the record.
const envRounds = "HERMES_LEDGER_ROUNDS"

// crash is what stops a change in the middle, as a dying process would but for the locks.
type crash struct{}

// Random changes that stop at random steps: always the state before or the state after, and undo leads
// back to the beginning.
func TestModel_crashAndUndo(t *testing.T) {
	t.Parallel()
	rounds := 60
	if n, err := strconv.Atoi(os.Getenv(envRounds)); err == nil {
		rounds = n
	} else if testing.Short() {
		rounds = 20
	}
	for seed := range uint64(rounds) {
		model(t, seed)
		if t.Failed() {
			return
		}
	}
}

func model(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	l, twin := open(t, t.TempDir()), open(t, t.TempDir())
	var ids []string
	for n := range 6 {
		before := tree(t, l.home.Dir())
		plan := r.Uint64()
		e, err := twin.Apply(t.Context(), byAgent, func(tx *Tx) error { random(twin, tx, rand.New(rand.NewPCG(plan, 1))); return nil })
		if err != nil {
			t.Fatalf("seed %d, change %d: %v", seed, n, err)
		}
		after := tree(t, twin.home.Dir())
		steps := 0
		stop := r.IntN(12)
		l.step = func(string) {
			if steps++; steps > stop {
				panic(crash{})
			}
		}
		crashed := attempt(t, l, plan)
		l = open(t, l.home.Dir())
		now := tree(t, l.home.Dir())
		log, err := l.Log(Filter{Unsettled: true})
		if err != nil {
			t.Fatal(err)
		}
		recorded := len(log) > 0 && log[0].State == Done && (len(ids) == 0 || log[0].ID > ids[len(ids)-1])
		switch {
		case maps.Equal(now, after) && (recorded || maps.Equal(before, after) || e.ID == ""):
			if recorded {
				ids = append(ids, log[0].ID)
			}
		case crashed && maps.Equal(now, before) && !recorded:
			// Make it again: the twin is ahead.
			if attempt(t, l, plan) {
				t.Fatal("crashed without a reason")
			}
			if diff := cmp.Diff(after, tree(t, l.home.Dir())); diff != "" {
				t.Fatalf("seed %d, change %d, again: %s", seed, n, diff)
			}
			if log, _ = l.Log(Filter{}); len(log) > 0 && (len(ids) == 0 || log[0].ID > ids[len(ids)-1]) {
				ids = append(ids, log[0].ID)
			}
		default:
			tell(t, l, ids)
			t.Fatalf("seed %d, change %d, stop %d, recorded %v: neither before nor after\nbefore %v\nafter  %v\nnow    %v\n%+v", seed, n, stop, recorded, before, after, now, log[0])
		}
	}
	if len(ids) == 0 {
		return
	}
	if _, err := l.Undo(t.Context(), Change{Actor: You}, false, ids...); err != nil {
		tell(t, l, ids)
		t.Fatalf("seed %d: %v", seed, err)
	}
	if diff := cmp.Diff(map[string]string{}, tree(t, l.home.Dir())); diff != "" {
		tell(t, l, ids)
		t.Errorf("seed %d: undone to %s", seed, diff)
	}
}

// attempt makes the change of plan and tells whether it stopped in the middle.
func attempt(t *testing.T, l *Ledger, plan uint64) (crashed bool) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(crash); !ok {
				panic(p)
			}
			crashed = true
		}
	}()
	if _, err := l.Apply(t.Context(), byAgent, func(tx *Tx) error { random(l, tx, rand.New(rand.NewPCG(plan, 1))); return nil }); err != nil {
		t.Fatal(err)
	}
	return false
}

// tell prints the journal of a failed round.
func tell(t *testing.T, l *Ledger, ids []string) {
	t.Helper()
	log, _ := l.Log(Filter{Unsettled: true})
	for _, e := range log {
		t.Logf("%s %s %s %v", e.ID, e.Action, e.State, slices.Contains(ids, e.ID))
		for _, f := range e.Files {
			t.Logf("    %s %s → %s made %s prune %s %.6s %.6s", f.Op, f.From, f.Path, f.Made, f.Prune, f.Before, f.After)
		}
	}
}

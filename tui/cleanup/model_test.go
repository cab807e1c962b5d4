package cleanup_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"hermes/core/home"
	"hermes/core/ledger"
	"hermes/core/memory"
	"hermes/tui/cleanup"
	"hermes/tui/theme"
	"hermes/tui/tuitest"
)

// Random keys over a real memory, with changes by others in between: what the view showed as the outcome is
// what stands on the disk afterwards, nobody's entry is lost, and undoing everything leads back.
func TestModel_whatIsShownIsWritten(t *testing.T) {
	t.Parallel()
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := newModel(t, uint64(seed))
			for range 4 {
				r.round()
			}
		})
	}
}

type model struct {
	t     *testing.T
	rnd   *rand.Rand
	store *memory.Store
	view  *cleanup.View
	n     int
}

func newModel(t *testing.T, seed uint64) *model {
	t.Helper()
	h := home.At(t.TempDir())
	l := ledger.New(h)
	r := &model{t: t, rnd: rand.New(rand.NewPCG(seed, 7))}
	r.store = memory.New(memory.Options{Home: h, Ledger: l, MemoryLimit: 400, UserLimit: 250})
	l.Register(r.store.Subject())
	for range 6 {
		r.add(memory.Memory)
		r.add(memory.User)
	}
	r.view = cleanup.New(now, "")
	r.read()
	return r
}

// add is somebody else's new entry; a full store refuses it, which is right.
func (r *model) add(target memory.Target) {
	r.t.Helper()
	r.n++
	text := fmt.Sprintf("entry %d 東京", r.n)
	_, err := r.store.Do(r.t.Context(), ledger.Change{Actor: ledger.Agent}, target, memory.Op{Action: memory.Add, Text: text})
	var refused *memory.RefusedError
	if err != nil && (!errors.As(err, &refused) || refused.Code != memory.RefusedOverflow) {
		r.t.Fatal(err)
	}
}

func (r *model) read() {
	r.t.Helper()
	var out []memory.Sheet
	for _, target := range memory.Targets() {
		s, err := r.store.Sheet(r.t.Context(), target)
		if err != nil {
			r.t.Fatal(err)
		}
		out = append(out, s)
	}
	r.view.SetSheets(out)
}

func (r *model) files() [2]string {
	r.t.Helper()
	var out [2]string
	for i, target := range memory.Targets() {
		b, err := os.ReadFile(r.store.Path(target))
		if err != nil {
			r.t.Fatal(err)
		}
		out[i] = string(b)
	}
	return out
}

var strokes = strings.Fields("j k j k G g h l tab space space d d t J K u u ctrl+r e1 e2 m a pgdown ctrl+u esc")

// stroke presses one random key, or writes a short text.
func (r *model) stroke() {
	k := strokes[r.rnd.IntN(len(strokes))]
	switch k {
	case "e1":
		press(r.view, "e", fmt.Sprintf("'%d", r.rnd.IntN(10)), "enter")
	case "e2":
		press(r.view, "e", "ctrl+j", "'行", "enter")
	case "m":
		press(r.view, "m", "enter")
	case "a":
		press(r.view, "a", fmt.Sprintf("'new %d", r.rnd.IntN(5)), "enter")
	case "esc": // ends marks; where it would leave, it stays
		press(r.view, "esc", "n")
	default:
		press(r.view, k)
	}
}

// round is some work, a look at what it would lead to, undo and redo of all of it, and the writing.
func (r *model) round() {
	r.t.Helper()
	for range 30 {
		r.stroke()
		if r.rnd.IntN(25) == 0 {
			r.add(memory.Targets()[r.rnd.IntN(2)])
			r.read()
		}
		if r.rnd.IntN(10) == 0 {
			w, h := 40+r.rnd.IntN(120), 12+r.rnd.IntN(30)
			tuitest.Fills(r.t, frame(r.view, theme.Plain, w, h), w, h)
		}
	}
	press(r.view, "esc", "esc", "n") // out of an editor that was refused something
	for range 200 {
		press(r.view, "ctrl+r")
	}
	want := r.outcome()
	for range 200 {
		press(r.view, "u")
	}
	if r.view.Pending() {
		r.t.Fatalf("undoing everything leaves changes: %q, on the disk %q", r.outcome(), r.files())
	}
	for range 200 {
		press(r.view, "ctrl+r")
	}
	if got := r.outcome(); got != want {
		r.t.Fatalf("redo leads to\n%q, not\n%q", got, want)
	}
	if a := press(r.view, "w", "y"); a.Do == cleanup.Write {
		r.write(a.Draft, want)
		return
	}
	for range 200 { // nothing to write, or it does not fit
		press(r.view, "u")
	}
}

func (r *model) write(d memory.Draft, want [2]string) {
	r.t.Helper()
	done, err := r.store.Tidy(r.t.Context(), ledger.Change{Actor: ledger.You}, d)
	if err != nil {
		r.t.Fatal(err)
	}
	if got := r.files(); got != want {
		r.t.Fatalf("on the disk\n%q, shown was\n%q", got, want)
	}
	r.view.Written(done)
	r.read()
	if r.view.Pending() || r.outcome() != want {
		r.t.Fatalf("after writing the view shows\n%q, on the disk is\n%q", r.outcome(), want)
	}
}

// outcome is what both files would hold.
func (r *model) outcome() (out [2]string) {
	r.t.Helper()
	byID := map[string]string{}
	for _, file := range r.files() {
		for e := range strings.SplitSeq(file, memory.Separator) {
			byID[memory.ID(e)] = e
		}
	}
	d := r.view.Draft()
	for i, sheet := range []*memory.DraftSheet{d.Memory, d.User} {
		var texts []string
		for _, it := range sheet.Items {
			text := it.Text
			if it.ID != "" {
				text = byID[it.ID]
			}
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		out[i] = strings.Join(texts, memory.Separator)
	}
	return out
}

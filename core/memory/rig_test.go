package memory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
)

// rig is a store on a home of its own.
type rig struct {
	*Store
	ledger *ledger.Ledger
	events []*core.MemoryChanged
}

func newRig(tb testing.TB, dir string) *rig {
	tb.Helper()
	r := &rig{ledger: ledger.New(home.At(dir))}
	r.Store = New(Options{Home: home.At(dir), Ledger: r.ledger, Emit: func(e core.Event) {
		if m, ok := e.(*core.MemoryChanged); ok {
			r.events = append(r.events, m)
		}
	}})
	r.ledger.Register(r.Subject())
	if err := r.ledger.Open(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return r
}

var (
	agent = ledger.Change{Actor: ledger.Agent, SessionID: "s1", RunID: "r1"}
	you   = ledger.Change{Actor: ledger.You}
)

// seed writes a file as another program would.
func (r *rig) seed(tb testing.TB, t Target, raw string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(r.Path(t)), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(r.Path(t), []byte(raw), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func (r *rig) raw(tb testing.TB, t Target) string {
	tb.Helper()
	b, err := os.ReadFile(r.Path(t))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		tb.Fatal(err)
	}
	return string(b)
}

func (r *rig) do(tb testing.TB, t Target, ops ...Op) Outcome {
	tb.Helper()
	o, err := r.Do(tb.Context(), agent, t, ops...)
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

// refuse expects a refusal that leaves the file byte-identical.
func (r *rig) refuse(tb testing.TB, t Target, code RefusedCode, ops ...Op) RefusedError {
	tb.Helper()
	before := r.raw(tb, t)
	_, err := r.Do(tb.Context(), agent, t, ops...)
	var e *RefusedError
	if !errors.As(err, &e) || e.Code != code {
		tb.Fatalf("want %s, got %v", code, err)
	}
	if r.raw(tb, t) != before {
		tb.Errorf("%s: the file changed", code)
	}
	return *e
}

func (r *rig) entries(tb testing.TB, t Target) []string {
	tb.Helper()
	s, err := r.Sheet(tb.Context(), t)
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, e := range s.Entries {
		out = append(out, e.Text)
	}
	return out
}

func list(entries ...string) string { return strings.Join(entries, "\n§\n") }

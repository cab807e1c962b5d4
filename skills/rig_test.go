package skills

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
)

type rig struct {
	*Library

	home   home.Home
	ledger *ledger.Ledger
	events []core.Event
}

func newRig(t *testing.T, change func(*Options)) *rig {
	t.Helper()
	h := home.At(t.TempDir())
	r := &rig{home: h, ledger: ledger.New(h)}
	o := Options{Home: h, Ledger: r.ledger, OS: "linux", Emit: func(e core.Event) { r.events = append(r.events, e) }}
	if change != nil {
		change(&o)
	}
	r.Library = New(o)
	r.ledger.Register(r.Subject())
	t.Cleanup(func() {
		if err := r.Usage().Flush(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return r
}

// write puts a file below root by hand.
func write(tb testing.TB, root, rel, content string) string {
	tb.Helper()
	p := filepath.Join(root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	return p
}

func skill(name, description string, more ...string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n" + strings.Join(more, "") + "---\n# " + name + "\n## When to Use\nAlways.\n\nStep 1. Fetch.\n"
}

func (r *rig) must(t *testing.T, op Op) Outcome {
	t.Helper()
	out, err := r.Do(t.Context(), ledger.Change{Actor: ledger.Agent, SessionID: "s1"}, op, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (r *rig) entry(t *testing.T, name string) Entry {
	t.Helper()
	m, err := r.Find(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return m.Entry
}

func read(tb testing.TB, p string) string {
	tb.Helper()
	b, err := os.ReadFile(p)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// tree is a digest of all files below dir; locks and counters do not count.
func tree(tb testing.TB, dir string) string {
	tb.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); strings.HasSuffix(name, ".lock") || strings.HasPrefix(name, ".usage.json") {
			return nil
		}
		fmt.Fprintf(h, "%s %v\n", p, d.Type())
		if d.Type().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			h.Write(b)
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		tb.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func ptr(s string) *string { return &s }

func codes(list []Warning) string {
	var out []string
	for _, w := range list {
		out = append(out, string(w.Code))
	}
	return strings.Join(out, " ")
}

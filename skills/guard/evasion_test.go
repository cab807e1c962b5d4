package guard

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const evasions = "../../testdata/guard"

// attempt is one evasion or its harmless twin: a skill as files, by path.
type attempt struct {
	category, name, side string
	files                map[string][]byte
}

func (a attempt) id() string { return a.category + "/" + a.name + "/" + a.side }

// attempts reads the archives of testdata/guard: "-- case/side/path --" begins a file.
func attempts(tb testing.TB) []attempt {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(evasions, "*.txtar"))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no evasions: %v", err)
	}
	var out []attempt
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		category := strings.TrimSuffix(filepath.Base(p), ".txtar")
		for part := range strings.SplitSeq("\n"+string(data), "\n-- ") {
			head, body, ok := strings.Cut(part, " --\n")
			name, rest, ok2 := strings.Cut(head, "/")
			side, file, ok3 := strings.Cut(rest, "/")
			if !ok || !ok2 || !ok3 {
				continue
			}
			a := attempt{category: category, name: name, side: side}
			if len(out) == 0 || out[len(out)-1].id() != a.id() {
				a.files = map[string][]byte{}
				out = append(out, a)
			}
			out[len(out)-1].files[file] = []byte(body + "\n")
		}
	}
	return out
}

// The folder of evasions: every category in every layer, and beside each a twin that looks like it and
// harms nobody. testdata/guard/expected.txt says what is expected of each; HERMES_UPDATE=1 writes it anew, to be read
// before it is kept.
func TestScanner_evasions(t *testing.T) {
	t.Parallel()
	s := scanner()
	var got bytes.Buffer
	attacks, caught := 0, 0
	for _, a := range attempts(t) {
		r, err := s.Dir(t.Context(), filepath.Join(t.TempDir(), "skill"), a.files)
		if err != nil {
			t.Fatalf("%s: %v", a.id(), err)
		}
		first := ""
		if len(r.Findings) > 0 && r.Verdict != Safe {
			first = " " + r.Findings[0].ID
		}
		fmt.Fprintf(&got, "%s %s%s\n", a.id(), r.Verdict, first)
		switch {
		case a.side == "twin" && r.Verdict != Safe:
			t.Errorf("%s is harmless:\n%s%s", a.id(), r.Text(), a.files)
		case a.side == "attack":
			attacks++
			if r.Verdict != Safe {
				caught++
			} else {
				t.Logf("not caught: %s\n%s%s", a.id(), a.files, r.Text())
			}
		}
	}
	t.Logf("%d of %d evasions caught", caught, attacks)
	if caught*100 < attacks*95 {
		t.Errorf("%d of %d evasions caught, at least 95 %% are wanted", caught, attacks)
	}
	compare(t, got.Bytes())
}

func compare(t *testing.T, got []byte) {
	t.Helper()
	path := filepath.Join(evasions, "expected.txt")
	if os.Getenv("HERMES_UPDATE") != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	have := strings.Split(string(want), "\n")
	for line := range strings.SplitSeq(string(got), "\n") {
		if !slices.Contains(have, line) {
			t.Errorf("not expected: %s", line)
		}
	}
}

package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// corpus lists the skills of the collection in HERMES_SKILL_CORPUS.
func corpus(tb testing.TB) []string {
	tb.Helper()
	root := os.Getenv("HERMES_SKILL_CORPUS")
	if root == "" {
		tb.Skip("HERMES_SKILL_CORPUS is not set: no collection of real skills to measure on")
	}
	var dirs []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "SKILL.md" {
			dirs = append(dirs, filepath.Dir(p))
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	if len(dirs) == 0 {
		tb.Fatalf("no skills below %s", root)
	}
	return dirs
}

// Real skills are honest: at most one in twenty may be above safe.
func TestScanner_realSkills(t *testing.T) {
	t.Parallel()
	dirs := corpus(t)
	s := scanner()
	above := 0
	took := make([]time.Duration, 0, len(dirs))
	for _, dir := range dirs {
		began := time.Now()
		r, err := s.Dir(t.Context(), dir, nil)
		took = append(took, time.Since(began))
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict == Safe {
			continue
		}
		above++
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return f.Severity.weight() < High.weight() })
		t.Log(strings.TrimSpace(r.Text()))
	}
	slices.Sort(took)
	t.Logf("%d of %d above safe; a scan takes %v (median), %v (longest)", above, len(dirs), took[len(took)/2], took[len(took)-1])
	if above*20 > len(dirs) {
		t.Errorf("%d of %d real skills are above safe, allowed is one in twenty", above, len(dirs))
	}
}

// BenchmarkScanner_realSkills scans the collection once an iteration; ns/skill is the mean.
func BenchmarkScanner_realSkills(b *testing.B) {
	dirs := corpus(b)
	s := scanner()
	for b.Loop() {
		for _, dir := range dirs {
			if _, err := s.Dir(b.Context(), dir, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(dirs)), "ns/skill")
}

package file

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/tools"
)

// forest makes n files of code-like text, 0.5 to 8 KB each, a hundred to a folder. One in 500 holds
// "needleInTheHay".
func forest(tb testing.TB, n int) string {
	tb.Helper()
	top, err := home.ResolvePath(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	root := filepath.Join(top, "work")
	rng := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields("func return error nil context string if else for range package import type struct value result index buffer reader writer config session handler request response")
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("d%03d/e%d", i/1000, i/100%10))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				tb.Fatal(err)
			}
		}
		var b strings.Builder
		for lines := 10 + rng.IntN(150); lines > 0; lines-- {
			b.WriteString(strings.Repeat("\t", rng.IntN(4)))
			for w := 1 + rng.IntN(10); w > 0; w-- {
				b.WriteString(vocabulary[rng.IntN(len(vocabulary))] + " ")
			}
			b.WriteByte('\n')
		}
		if i%500 == 7 {
			b.WriteString("var needleInTheHay = 42\n")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte(b.String()), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return root
}

// TestSearch_figures compares search_files with a single-threaded ripgrep, when there is one: at most
// 1.5 times its time for patterns that begin with literal text, 8 times for others. HERMES_BENCH=1 does
// it over 50,000 files and holds the figures; otherwise a small twin only checks that both find the same.
func TestSearch_figures(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("ripgrep is not installed, there is nothing to compare with")
	}
	n, hold := 1_000, false
	if os.Getenv("HERMES_BENCH") != "" {
		n, hold = 50_000, true
	}
	root := forest(t, n)
	w, err := tools.NewWorkdir(root)
	if err != nil {
		t.Fatal(err)
	}
	s := &Search{Options{Workdir: w, Policy: tools.NewPolicy(home.At(filepath.Join(root, "../none")), root)}}
	for _, c := range []struct {
		name, pattern string
		limit         float64
	}{
		{"literal", `needleInTheHay`, 1.5},
		{"literal prefix", `needleIn\w+ = \d+`, 1.5},
		{"literal prefix, common", `context return \w+ nil`, 1.5},
		{"no literal prefix", `[a-z]+InTheHay`, 8},
		{"ignoring case", `(?i)NEEDLEinTHEhay`, 8},
		{"alternatives", `needleInTheHay|haystack\d`, 8},
		{"nothing to look for", `[0-9]{3}[A-Z]+`, 8},
		{"nothing", `\bzzz\w*qqq\b`, 8},
	} {
		var found string
		ours := best(func() {
			res := s.Run(t.Context(), core.ToolRun{Arguments: fmt.Appendf(nil, `{"pattern":%q,"output_mode":"count","limit":1000}`, c.pattern)})
			found = res.Detail.Summary
		})
		lines := 0
		theirs := best(func() {
			out, _ := exec.Command(rg, "-j1", "--no-messages", "--no-heading", "--count", c.pattern, root).Output() // exit 1 is no match
			lines = strings.Count(string(out), "\n")
		})
		if want := fmt.Sprintf("in %d file", lines); !strings.Contains(strings.ReplaceAll(found, ",", ""), want) {
			t.Errorf("%s: %s, ripgrep has %d files", c.name, found, lines)
		}
		ratio := float64(ours) / float64(theirs)
		t.Logf("%-24s %8.1f ms, ripgrep -j1 %8.1f ms, ratio %.2f (at most %.1f)", c.name, ms(ours), ms(theirs), ratio, c.limit)
		if hold && ratio > c.limit {
			t.Errorf("%s: %.2f times ripgrep, at most %.1f", c.name, ratio, c.limit)
		}
	}
}

// best is the shortest of several runs: others use the machine too.
func best(f func()) time.Duration {
	out := time.Hour
	for range 5 {
		start := time.Now()
		f()
		out = min(out, time.Since(start))
	}
	return out
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

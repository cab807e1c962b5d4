package tools_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/text"
	"hermes/tools"
)

// reader bounds itself and remembers what it was told to forget.
type reader struct {
	probe

	forgot *[]string
}

func (reader) OutputLimit() int { return 100_000 }

func (r reader) Forget(session, path string) { *r.forgot = append(*r.forgot, session+" "+path) }

func TestBudget(t *testing.T) {
	t.Parallel()
	var forgot []string
	r := tools.New(tools.Options{Home: home.At(t.TempDir()), Redactor: redactor{}}, probe{name: "x"}, reader{probe{name: "read"}, &forgot})
	answer := func(id, tool string, n int) tools.Answer {
		return tools.Answer{CallID: id, Tool: tool, Result: core.ToolResult{OK: true, Content: strings.Repeat("é", n), Detail: &core.ToolDetail{Path: "/f"}}}
	}
	for name, c := range map[string]struct {
		batch []tools.Answer
		limit int
		cut   string // x for each result that became a preview
	}{
		"fits":                 {[]tools.Answer{answer("a", "x", 90_000), answer("b", "x", 90_000)}, 0, ".."},
		"largest first":        {[]tools.Answer{answer("a", "x", 80_000), answer("b", "x", 90_000), answer("c", "x", 70_000)}, 0, ".x."},
		"two":                  {[]tools.Answer{answer("a", "x", 90_000), answer("b", "x", 90_000), answer("c", "x", 90_000)}, 100_000, "xx."},
		"self-bounding last":   {[]tools.Answer{answer("a", "read", 100_000), answer("b", "x", 60_000), answer("c", "x", 50_000)}, 0, ".x."},
		"self-bounding at all": {[]tools.Answer{answer("a", "read", 100_000), answer("b", "read", 99_000), answer("c", "read", 98_000)}, 0, "x.."},
		"small ones stay":      {[]tools.Answer{answer("a", "x", 2_000), answer("b", "x", 9_000)}, 5_000, ".x"},
		"one of long ago":      {[]tools.Answer{answer("a", "gone", 20_000)}, 10_000, "x"},
	} {
		out := r.Budget(core.ToolRun{SessionID: "s1"}, c.batch, c.limit)
		got := ""
		for i, res := range out {
			if res.Content == c.batch[i].Result.Content {
				got += "."
				continue
			}
			got += "x"
			kept, err := os.ReadFile(res.Detail.Spill)
			if err != nil || string(kept) != c.batch[i].Result.Content || text.Len(res.Content) > 1_900 || !strings.Contains(res.Content, res.Detail.Spill) {
				t.Errorf("%s: %d: %v, %.200s", name, i, err, res.Content)
			}
			if res.Detail.Cut < 5_000 || c.batch[i].Result.Detail.Cut != 0 {
				t.Errorf("%s: cut %d, original %d", name, res.Detail.Cut, c.batch[i].Result.Detail.Cut)
			}
		}
		if got != c.cut {
			t.Errorf("%s: %s, want %s", name, got, c.cut)
		}
	}
	if diff := cmp.Diff([]string{"s1 /f"}, forgot); diff != "" {
		t.Error(diff)
	}
	r.Forget("s1", "")
	if len(forgot) != 2 || forgot[1] != "s1 " {
		t.Errorf("%q", forgot)
	}
}

func TestLimitsFor(t *testing.T) {
	t.Parallel()
	for window, want := range map[int]tools.Limits{
		0: {50_000, 200_000}, 1_000_000: {50_000, 200_000}, 65_536: {39_321, 78_643}, 4_096: {8_000, 16_000},
	} {
		if got := tools.LimitsFor(window); got != want {
			t.Errorf("%d: %+v", window, got)
		}
	}
	r := tools.New(tools.Options{Home: home.At(t.TempDir()), Window: func() int { return 16_000 }}, probe{name: "x", run: nil})
	if got := r.Limits(); got.Result != 9_600 {
		t.Errorf("%+v", got)
	}
}

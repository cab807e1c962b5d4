package match

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRank(t *testing.T) {
	t.Parallel()
	files := []string{"README.md", "src/app/main.go", "src/domain/domain.go", "docs/部署.md", "docs/deploy guide.md", "cmd/app.go", "İstanbul.txt"}
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"main", []string{"src/app/main.go", "src/domain/domain.go"}},
		{"部", []string{"docs/部署.md"}},
		{"sapg", []string{"src/app/main.go"}},
		{"guide docs", []string{"docs/deploy guide.md"}},
		{"READ", []string{"README.md"}},
		{"app.go", []string{"cmd/app.go", "src/app/main.go"}},
		{"istanbul", []string{"İstanbul.txt"}},
		{"zzz", nil},
	} {
		var got []string
		for _, i := range Rank(tc.query, files, 0) {
			got = append(got, files[i])
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q: %s", tc.query, diff)
		}
	}
	if got := Rank("", files, 2); !cmp.Equal(got, []int{0, 1}) {
		t.Errorf("an empty query: %v", got)
	}
}

func FuzzScore(f *testing.F) {
	f.Add("mg", "src/main.go")
	f.Add("部署", "docs/部署.md")
	f.Add("\xff", "a\xffb")
	f.Fuzz(func(t *testing.T, query, text string) {
		words := strings.Fields(strings.ToLower(query))
		a, ok := Score(words, text)
		if b, again := Score(words, text); a != b || ok != again {
			t.Fatal("not the same twice")
		}
		if ok && len(words) > 0 && a <= 0 {
			t.Fatalf("a hit without a score: %q in %q", query, text)
		}
	})
}

func BenchmarkRank(b *testing.B) {
	var files []string
	for i := range 20_000 {
		files = append(files, fmt.Sprintf("src/package%03d/部分/file_%05d_test.go", i%300, i))
	}
	for b.Loop() {
		Rank("pkfi12", files, 50)
	}
}

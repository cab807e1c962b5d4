package file

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hermes/core/home"
	"hermes/tools"
)

func TestList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, n := range []string{".gitignore", "a.go", "sub/deep/b.go", "sub/c.go", "out/x.o"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(n)), 0o700); err != nil {
			t.Fatal(err)
		}
		text := ""
		if n == ".gitignore" {
			text = "out/\n"
		}
		if err := os.WriteFile(filepath.Join(dir, n), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := List(t.Context(), tools.NewPolicy(home.At(t.TempDir()), dir), dir, 100)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if want := []string{".gitignore", "a.go", "sub/", "sub/c.go", "sub/deep/", "sub/deep/b.go"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got, err = List(t.Context(), tools.NewPolicy(home.At(t.TempDir()), dir), dir, 2); err != nil || len(got) > 2 {
		t.Errorf("%q %v", got, err)
	}
}

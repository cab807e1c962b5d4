package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/tui/tuitest"
)

// The README's table of keys is the table of bindings; go test ./tui -update rewrites it.
func TestReadme_keys(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "README.md")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- keys:begin", "<!-- keys:end -->"
	text := strings.ReplaceAll(string(old), "\r\n", "\n")
	head, rest, ok := strings.Cut(text, begin)
	line, rest, ok2 := strings.Cut(rest, "\n")
	_, tail, ok3 := strings.Cut(rest, end)
	if !ok || !ok2 || !ok3 {
		t.Fatalf("no %s … %s in README.md", begin, end)
	}
	want := head + begin + line + "\n" + Bindings().Markdown() + end + tail
	if want == text {
		return
	}
	if !tuitest.Updating() {
		t.Fatal("the table of keys in README.md is not that of the bindings: go test ./tui -update")
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a file of the project
		t.Fatal(err)
	}
}

//go:build unix

package home

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWriteFile_whenFull is the "no space left" of OPEN-TF-02: a limit on file sizes makes the write
// fail half-way, in a process of its own because the limit holds for all of it.
func TestWriteFile_whenFull(t *testing.T) {
	if dir := os.Getenv("HERMES_TEST_FULL"); dir != "" {
		writeWhenFull(t, dir)
		return
	}
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "f"), "old", 0o644)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestWriteFile_whenFull$")
	cmd.Env = append(os.Environ(), "HERMES_TEST_FULL="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := read(t, filepath.Join(dir, "f")); got != "old" {
		t.Errorf("the old file became %q", got[:min(len(got), 20)])
	}
	noTemp(t, dir)
}

func writeWhenFull(t *testing.T, dir string) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(filepath.Join(dir, "f"), []byte(strings.Repeat("new ", 4096)), FileMode); err == nil {
		t.Error("the write worked")
	}
	noTemp(t, dir)
}

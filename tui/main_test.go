package tui

import (
	"fmt"
	"os"
	"testing"
)

// TestMain gives the drafts that the editor gets a folder that goes away with the tests.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hermes-tui-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		if err := os.Setenv(name, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

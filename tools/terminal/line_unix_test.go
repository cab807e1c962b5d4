//go:build !windows

package terminal

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	dir := t.TempDir()
	code, err := Line(t.Context(), LineOptions{Command: "pwd; echo $GREETING 漢字; exit 3", Dir: dir, Environ: append(os.Environ(), "GREETING=hi"), Output: func(s string) { out.WriteString(s) }})
	if err != nil || code != 3 || !strings.Contains(out.String(), "hi 漢字") {
		t.Errorf("%d %v %q", code, err, out.String())
	}
	if _, err := Line(t.Context(), LineOptions{Command: " ", Dir: dir}); err == nil {
		t.Error("an empty line runs")
	}
	ctx, cancel := context.WithCancel(t.Context())
	code, err = Line(ctx, LineOptions{Command: "echo x; sleep 300", Dir: dir, Environ: os.Environ(), Output: func(string) { cancel() }})
	if err != nil || code == 0 {
		t.Errorf("stopped: %d %v", code, err)
	}
}

//go:build !windows

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// buildRelease builds pkg as a release does.
func buildRelease(b *testing.B, pkg string) string {
	b.Helper()
	out := filepath.Join(b.TempDir(), "prog")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg)
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	return out
}

func startEnv(b *testing.B) []string {
	b.Helper()
	return []string{"HOME=" + b.TempDir(), "HERMES_HOME=" + filepath.Join(b.TempDir(), "home"), "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}
}

// firstFrame starts prog in a pseudo-terminal and returns how long it took until text was drawn.
func firstFrame(b *testing.B, prog, text string) time.Duration {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), prog)
	cmd.Env, cmd.Dir = startEnv(b), b.TempDir()
	start := time.Now()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		b.Fatal(err)
	}
	var seen []byte
	buf := make([]byte, 64<<10)
	for !strings.Contains(string(seen), text) {
		n, err := f.Read(buf)
		if err != nil {
			b.Fatalf("ended before its first frame: %q", seen)
		}
		seen = append(seen, buf[:n]...)
	}
	took := time.Since(start)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	_ = f.Close()
	return took
}

// BenchmarkStart compares hermes with a bare program of the same libraries, run by run, and reports
// medians: the first frame in a pseudo-terminal, "version", and the memory of an idle workspace.
//
//	go test ./cmd/hermes -run '^$' -bench Start -benchtime 15x
func BenchmarkStart(b *testing.B) {
	hermes, bare := buildRelease(b, "."), buildRelease(b, "./testdata/bare")
	var frame, frameBare, version, versionBare []float64
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	run := func(prog string) float64 {
		cmd := exec.CommandContext(b.Context(), prog, "version")
		cmd.Env = startEnv(b)
		start := time.Now()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		return ms(time.Since(start))
	}
	for b.Loop() {
		frame = append(frame, ms(firstFrame(b, hermes, "OpenAI")))
		frameBare = append(frameBare, ms(firstFrame(b, bare, "first frame")))
		version = append(version, run(hermes))
		versionBare = append(versionBare, run(bare))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(frame), "frame-ms")
	b.ReportMetric(median(frameBare), "bare-frame-ms")
	b.ReportMetric(median(version), "version-ms")
	b.ReportMetric(median(version)/median(versionBare), "version-ratio")
	b.ReportMetric(idleMemory(b, hermes), "idle-MB")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// idleMemory is what an idle workspace keeps resident, in MB (Linux only, else 0).
func idleMemory(b *testing.B, prog string) float64 {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), prog, "--demo")
	cmd.Env, cmd.Dir = startEnv(b), b.TempDir()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = f.Close()
	}()
	buf := make([]byte, 64<<10)
	var seen []byte
	for !strings.Contains(string(seen), "demo model") {
		n, err := f.Read(buf)
		if err != nil {
			b.Fatalf("ended: %q", seen)
		}
		seen = append(seen, buf[:n]...)
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	return 0
}

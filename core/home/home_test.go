package home

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hermes/core"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	user, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	abs := filepath.Join(t.TempDir(), "h")
	for name, c := range map[string]struct{ flag, env, want string }{
		"default":  {"", "", filepath.Join(user, ".hermes")},
		"variable": {"", abs, abs},
		"flag":     {abs, "/elsewhere", abs},
		"tilde":    {"", "~/x", filepath.Join(user, "x")},
	} {
		h, err := Resolve(c.flag, func(k string) string {
			if k != EnvVar {
				t.Errorf("asked for %s", k)
			}
			return c.env
		})
		if err != nil || h.Dir() != c.want {
			t.Errorf("%s: %s, %v; want %s", name, h.Dir(), err, c.want)
		}
	}
	if _, err := os.Stat(abs); err == nil {
		t.Error("Resolve created the home")
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	h := At(dir)
	for range 2 {
		if err := h.Open(); err != nil {
			t.Fatal(err)
		}
	}
	if mode, loose := h.Loose(); loose {
		t.Errorf("new home is loose: %o", mode)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 0 {
		t.Errorf("Open left %v (%v)", names, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if mode, loose := h.Loose(); !loose || mode != 0o755 {
		t.Errorf("Loose = %o, %v", mode, loose)
	}
}

func TestOpen_whenUnusable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	put(t, file, "x", 0o600)
	cases := map[string]string{file: "is a file", filepath.Join(file, "below"): ""}
	if runtime.GOOS != "windows" && os.Geteuid() != 0 {
		ro := filepath.Join(dir, "ro")
		if err := os.Mkdir(ro, 0o500); err != nil {
			t.Fatal(err)
		}
		cases[ro] = "permission denied"
		cases[filepath.Join(ro, "new")] = "permission denied"
	}
	for path, words := range cases {
		err := At(path).Open()
		var ce *core.Error
		if !errors.As(err, &ce) || ce.Code != core.CodeSetup || ce.Hint == "" || !strings.Contains(err.Error(), words) {
			t.Errorf("Open(%s) = %#v", path, err)
		}
	}
}

func TestPaths_stayInside(t *testing.T) {
	t.Parallel()
	h := At(t.TempDir())
	for _, p := range []string{
		h.Config(), h.Env(), h.Soul(), h.Memories(), h.MemoryFile(), h.UserFile(), h.Skills(), h.SkillsSnapshot(),
		h.Sessions(), h.Transcript("x"), h.TranscriptLock("x"), h.SessionFiles("x"), h.Prompts(), h.Index(), h.Ledger(),
		h.UI(), h.UIState(), h.History(), h.Draft("x"), h.Undo(), h.Pending(), h.ReviewState(), h.Reviews(), h.Logs(), h.LogFile(),
	} {
		if !Within(h.Dir(), p) || p == h.Dir() {
			t.Errorf("%s is not in the home", p)
		}
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(path); core.CodeOf(err) != core.CodeBusy || core.HintOf(err) == "" || !strings.Contains(err.Error(), "held by") {
		t.Errorf("second TryLock: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, path); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("Lock at its time limit: %v", err)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Lock(gone, path); core.CodeOf(err) != core.CodeInterrupted {
		t.Errorf("Lock after cancel: %v", err)
	}
	if err := errors.Join(first.Unlock(), first.Unlock()); err != nil {
		t.Fatal(err)
	}
	again, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestLock_keepsForeignContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	put(t, path, "{\"owner\":\"another program\"}", 0o600)
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Unlock(); err != nil {
		t.Error(err)
	}
	if got := read(t, path); got != "{\"owner\":\"another program\"}" {
		t.Errorf("content became %q", got)
	}
}

func TestWithLock_excludes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	var wg sync.WaitGroup
	var inside, n atomic.Int32
	for range 8 {
		wg.Go(func() {
			err := WithLock(t.Context(), path, func() error {
				if inside.Add(1) != 1 {
					t.Error("two holders at once")
				}
				n.Add(1)
				inside.Add(-1)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n.Load() != 8 {
		t.Errorf("ran %d times", n.Load())
	}
}

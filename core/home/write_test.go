package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hermes/core"
)

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// noTemp fails when any folder below dir holds a temporary file.
func noTemp(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if strings.Contains(filepath.Base(p), ".tmp-") {
			t.Errorf("left behind: %s", p)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// box is a folder under test: what a case needs to set its scene.
type box struct {
	t   *testing.T
	dir string
}

func (b box) put(name, text string, mode fs.FileMode) {
	b.t.Helper()
	put(b.t, filepath.Join(b.dir, name), text, mode)
}

func (b box) link(target, name string) {
	b.t.Helper()
	link(b.t, target, filepath.Join(b.dir, name))
}

// TestOpenTF02 is case OPEN-TF-02: atomic writes, symlinks, modes, limits.
func TestOpenTF02(t *testing.T) {
	t.Parallel()
	type check func(t *testing.T, dir string, err error)
	isLink := func(name string) check {
		return func(t *testing.T, dir string, _ error) {
			t.Helper()
			info, err := os.Lstat(filepath.Join(dir, name))
			if err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("%s is no longer a link (%v)", name, err)
			}
		}
	}
	holds := func(name, want string) check {
		return func(t *testing.T, dir string, _ error) {
			t.Helper()
			if got := read(t, filepath.Join(dir, name)); got != want {
				t.Errorf("%s holds %q, want %q", name, got, want)
			}
		}
	}
	hasMode := func(name string, want fs.FileMode) check {
		return func(t *testing.T, dir string, _ error) {
			t.Helper()
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); hasModes && got != want {
				t.Errorf("%s has mode %o, want %o", name, got, want)
			}
		}
	}
	fails := func(words string) check {
		return func(t *testing.T, _ string, err error) {
			t.Helper()
			var ce *core.Error
			if !errors.As(err, &ce) || !strings.Contains(err.Error(), words) {
				t.Errorf("error %v, want a core.Error with %q", err, words)
			}
		}
	}
	for name, c := range map[string]struct {
		setup  func(b box)
		target string
		checks []check
	}{
		"new file gets the default mode": {
			setup: func(box) {}, target: "new",
			checks: []check{holds("new", "new text"), hasMode("new", 0o600)},
		},
		"link": {
			setup: func(b box) {
				b.put("real/notes.md", "old", 0o644)
				b.link("real/notes.md", "notes.md")
			},
			target: "notes.md", checks: []check{isLink("notes.md"), holds("real/notes.md", "new text"), hasMode("real/notes.md", 0o644)},
		},
		"chain of three": {
			setup: func(b box) {
				b.put("deep/real", "old", 0o640)
				b.link(filepath.Join(b.dir, "deep/real"), "c")
				b.link("c", "b")
				b.link("./b", "a")
			},
			target: "a", checks: []check{isLink("a"), isLink("b"), isLink("c"), holds("deep/real", "new text"), hasMode("deep/real", 0o640)},
		},
		"dangling link creates its target": {
			setup: func(b box) { b.link("not/../yet", "a") },
			// "not" does not exist: the kernel would refuse, we fold it; either way nothing is replaced.
			target: "a", checks: []check{isLink("a"), holds("yet", "new text")},
		},
		"loop": {
			setup: func(b box) {
				b.link("b", "a")
				b.link("a", "b")
			},
			target: "a", checks: []check{fails("too many symbolic links"), isLink("a"), isLink("b")},
		},
		"script stays executable": {
			setup:  func(b box) { b.put("run.sh", "old", 0o755) },
			target: "run.sh", checks: []check{holds("run.sh", "new text"), hasMode("run.sh", 0o755)},
		},
		"private stays private": {
			setup:  func(b box) { b.put("key", "old", 0o600) },
			target: "key", checks: []check{hasMode("key", 0o600)},
		},
		"target is a folder": {
			setup: func(b box) {
				if err := os.Mkdir(filepath.Join(b.dir, "d"), 0o755); err != nil {
					b.t.Fatal(err)
				}
			},
			target: "d", checks: []check{fails("is a folder")},
		},
		"folder is missing": {
			setup: func(box) {}, target: "no/such", checks: []check{fails("write")},
		},
		"parent is a file": {
			setup:  func(b box) { b.put("f", "old", 0o644) },
			target: "f/x", checks: []check{fails("write"), holds("f", "old")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c.setup(box{t, dir})
			err := WriteFile(filepath.Join(dir, c.target), []byte("new text"), FileMode)
			for _, f := range c.checks {
				f(t, dir, err)
			}
			noTemp(t, dir)
		})
	}
}

func TestWriteFile_whenFolderReadOnly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permissions do not bind here")
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "f"), "old", 0o644)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o755) }()
	err := WriteFile(filepath.Join(dir, "f"), []byte("new"), FileMode)
	if core.HintOf(err) == "" {
		t.Errorf("no remedy in %v", err)
	}
	if got := read(t, filepath.Join(dir, "f")); got != "old" {
		t.Errorf("file changed to %q", got)
	}
}

func TestResolvePath(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(outside, "secret"), "x", 0o600)
	put(t, filepath.Join(outside, "deep/x"), "x", 0o600)
	link(t, filepath.Join(outside, "secret"), filepath.Join(dir, "innocent"))
	link(t, filepath.Join(outside, "deep"), filepath.Join(dir, "folder"))
	sep := string(filepath.Separator)
	for in, want := range map[string]string{
		"plain":                            filepath.Join(dir, "plain"),
		"innocent":                         filepath.Join(outside, "secret"),
		"folder" + sep + "new" + sep + "f": filepath.Join(outside, "deep/new/f"),
		// Folding ".." first would give dir/secret, but the kernel opens outside/secret.
		"folder" + sep + ".." + sep + "secret": filepath.Join(outside, "secret"),
	} {
		got, err := ResolvePath(dir + sep + in)
		if err != nil || got != want {
			t.Errorf("ResolvePath(%s) = %s, %v; want %s", in, got, err, want)
		}
		if outsider := Within(dir, got); outsider != (in == "plain") {
			t.Errorf("Within(%s, %s) = %v", dir, got, outsider)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root, path string
		want       bool
	}{
		{"/a/b", "/a/b", true},
		{"/a/b", "/a/b/c", true},
		{"/a/b", "/a/bc", false},
		{"/a/b", "/a", false},
		{"/a/b", "/a/b/..c", true},
		{"/", "/a", true},
	} {
		if got := Within(filepath.FromSlash(c.root), filepath.FromSlash(c.path)); got != c.want {
			t.Errorf("Within(%s, %s) = %v", c.root, c.path, got)
		}
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	p := filepath.Join(t.TempDir(), "log")
	for _, s := range []string{"one\n", "two\n"} {
		if err := Append(p, []byte(s), s == "two\n"); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, p); got != "one\ntwo\n" {
		t.Errorf("got %q", got)
	}
	info, err := os.Stat(p)
	if err != nil || (hasModes && info.Mode().Perm() != FileMode) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func BenchmarkWriteFile(b *testing.B) {
	p := filepath.Join(b.TempDir(), "f")
	data := []byte(strings.Repeat("x", 8<<10))
	for b.Loop() {
		if err := WriteFile(p, data, FileMode); err != nil {
			b.Fatal(err)
		}
	}
}

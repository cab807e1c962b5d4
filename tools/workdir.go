package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"hermes/core/home"
)

// Workdir is the working folder that the tools of a session share. Root is where the session works
// and what policy measures against; Dir moves with "cd" in the terminal. Safe for concurrent use.
type Workdir struct {
	root string
	mu   sync.Mutex
	dir  string
}

// NewWorkdir returns a working folder rooted at dir, which must exist.
func NewWorkdir(dir string) (*Workdir, error) {
	root, err := home.ResolvePath(dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("open working folder: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open working folder %s: is not a folder", dir)
	}
	return &Workdir{root: root, dir: root}, nil
}

// Root is the folder the session works in, resolved and absolute.
func (w *Workdir) Root() string { return w.root }

// Dir is the folder relative paths start from now; Root when it has been removed.
func (w *Workdir) Dir() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if info, err := os.Stat(w.dir); err != nil || !info.IsDir() {
		w.dir = w.root
	}
	return w.dir
}

// Move makes dir the folder relative paths start from. Anything but an existing folder is ignored.
func (w *Workdir) Move(dir string) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dir = filepath.Clean(dir)
}

// Resolve returns the file that path really means: relative to Dir, "~/" expanded, links followed.
func (w *Workdir) Resolve(path string) (string, error) {
	return home.ResolvePath(w.Abs(path))
}

// Abs makes path absolute without following links.
func (w *Workdir) Abs(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if user, err := os.UserHomeDir(); err == nil {
			return user + string(filepath.Separator) + strings.TrimPrefix(path[1:], "/")
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return w.Dir() + string(filepath.Separator) + path
}

// Show writes path relative to Dir when it lies below Root, else as it is; always with slashes.
func (w *Workdir) Show(path string) string {
	if home.Within(w.root, path) {
		if rel, err := filepath.Rel(w.Dir(), path); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}

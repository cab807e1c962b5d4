package terminal

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
	"hermes/tools"
)

// The limits of what is copied for undo before one command.
const (
	maxTouchedFiles = 300
	maxTouchedBytes = 32 << 20
	gitWait         = 2 * time.Second
)

// touched is what a command names that it may change, as found while it was judged.
type touched struct {
	paths []string // absolute, as written: may hold globs, may be folders
	moves []move
	git   []string // folders in which git may throw changes away
}

// move is a copy or a move: what stands at to afterwards was named by from.
type move struct {
	from []string
	to   string
}

// touch notes that the command may change what word names.
func (s *scan) touch(word string) {
	if p := s.absolute(word); p != "" {
		s.touched.paths = append(s.touched.paths, p)
	}
}

// transfer notes that from are copied or moved to to.
func (s *scan) transfer(from []string, to string) {
	m := move{to: s.absolute(to)}
	for _, f := range from {
		if p := s.absolute(f); p != "" {
			m.from = append(m.from, p)
		}
	}
	if m.to != "" {
		s.touched.moves = append(s.touched.moves, m)
	}
}

func (s *scan) absolute(word string) string {
	switch {
	case word == "" || strings.Contains(word, hole) || strings.Contains(s.dir, hole):
		return ""
	case filepath.IsAbs(word):
		return filepath.Clean(word)
	}
	return filepath.Join(s.dir, word)
}

// collector gathers existing and future files inside the working folder, within the limits.
type collector struct {
	root  string
	files []core.FileEdit
	seen  map[string]bool
	bytes int64
	full  bool
}

// edits lists what is to be copied before the command runs. full says that there was more than the
// limits allow.
func (w touched) edits(ctx context.Context, p tools.Policy) (list []core.FileEdit, full bool) {
	c := &collector{root: p.Root, seen: map[string]bool{}}
	for _, path := range w.paths {
		for _, g := range expandGlob(path) {
			c.add(g)
		}
	}
	for _, m := range w.moves {
		c.move(m)
	}
	for _, dir := range w.git {
		if dir == "" {
			continue
		}
		for _, f := range dirty(ctx, dir) {
			c.add(f)
		}
	}
	return c.files, c.full
}

// expandGlob gives the files a glob names; a path without one is itself.
func expandGlob(path string) []string {
	if !strings.ContainsAny(path, "*?[") {
		return []string{path}
	}
	hits, err := filepath.Glob(path)
	if err != nil || len(hits) == 0 {
		return []string{path}
	}
	return hits
}

// add takes a file, a link with its target, or the files in a folder.
func (c *collector) add(path string) {
	dir, err := home.ResolvePath(filepath.Dir(path))
	if err != nil || c.full {
		return
	}
	path = filepath.Join(dir, filepath.Base(path))
	if !home.Within(c.root, path) {
		return
	}
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		c.folder(path, "")
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		c.file(path, 0)
		if target, err := home.ResolvePath(path); err == nil && home.Within(c.root, target) {
			if t, err := os.Stat(target); err == nil && t.Mode().IsRegular() {
				c.file(target, t.Size())
			}
		}
	case err == nil && !info.Mode().IsRegular():
	case err == nil:
		c.file(path, info.Size())
	default:
		c.file(path, 0)
	}
}

func (c *collector) file(path string, size int64) {
	if c.seen[path] {
		return
	}
	if len(c.files) >= maxTouchedFiles || c.bytes+size > maxTouchedBytes {
		c.full = true
		return
	}
	c.seen[path] = true
	c.bytes += size
	c.files = append(c.files, core.FileEdit{Path: path, Open: true})
}

// folder takes the files below dir, or with to the places they will have below to. What tools make
// again, and git's own store, are left out.
func (c *collector) folder(dir, to string) {
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case c.full:
			return fs.SkipAll
		case err != nil:
			return nil //nolint:nilerr // what cannot be read cannot be copied
		case d.IsDir():
			if d.Name() == ".git" || rebuilt(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if to == "" {
			c.add(p)
		} else if rel, err := filepath.Rel(dir, p); err == nil {
			c.add(filepath.Join(to, rel))
		}
		return nil
	})
}

// move takes the places that copies get.
func (c *collector) move(m move) {
	var from []string
	for _, f := range m.from {
		from = append(from, expandGlob(f)...)
	}
	info, err := os.Stat(m.to)
	into := err == nil && info.IsDir()
	for _, f := range from {
		to := m.to
		if into {
			to = filepath.Join(m.to, filepath.Base(f))
		}
		if info, err := os.Lstat(f); err == nil && info.IsDir() {
			c.folder(f, to)
		} else {
			c.add(to)
		}
	}
}

// dirty lists the files below dir that git sees as changed or does not know.
func dirty(ctx context.Context, dir string) []string {
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	git := func(args ...string) string {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)...)
		cmd.WaitDelay = gitWait
		out, err := cmd.Output()
		if err != nil {
			return ""
		}
		return string(out)
	}
	top := strings.TrimRight(git("rev-parse", "--show-toplevel"), "\r\n")
	if top == "" {
		return nil
	}
	var out []string
	fields := strings.Split(git("status", "--porcelain", "-z", "--untracked-files=all"), "\x00")
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		if len(f) < 4 {
			continue
		}
		out = append(out, filepath.Join(top, filepath.FromSlash(f[3:])))
		if strings.ContainsAny(f[:2], "RC") && i+1 < len(fields) { // the former name follows
			i++
			out = append(out, filepath.Join(top, filepath.FromSlash(fields[i])))
		}
	}
	return out
}

// keep lets the keeper copy what the command may change; note is for the model.
func (t *Terminal) keep(ctx context.Context, run core.ToolRun, w touched) (settle func() error, note string) {
	if t.opts.Keeper == nil {
		return func() error { return nil }, ""
	}
	edits, full := w.edits(ctx, t.opts.Policy)
	settle, err := t.opts.Keeper.Keep(run, edits)
	switch {
	case err != nil:
		note = "not everything this command changes can be undone: " + strings.ReplaceAll(err.Error(), "\n", ", ")
	case full:
		note = "the command names more files than undo keeps copies of"
	}
	return settle, note
}

// throwsAway reports whether a git verb can overwrite files in the work tree.
func throwsAway(verb string) bool {
	return slices.Contains([]string{"reset", "checkout", "restore", "clean", "switch", "stash", "rm", "mv", "apply", "am", "merge", "rebase", "pull", "cherry-pick", "revert"}, verb)
}

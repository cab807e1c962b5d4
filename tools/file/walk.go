package file

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"hermes/tools"
)

// maxFiles bounds a walk; a tree beyond it is searched in part, and the result says so.
const maxFiles = 200_000

// found is a file of a walk.
type found struct {
	path string // absolute
	rel  string // slash path below the folder the walk started in
	link bool
}

// walker lists the files below a folder in a fixed order, without what is ignored, protected or
// reached through a link (so loops cannot happen).
type walker struct {
	policy  tools.Policy
	session string
	top     string // where ignore rules start
	files   []found
	cut     bool
}

func (w *walker) walk(ctx context.Context, dir string) error {
	w.top = gitTop(dir)
	base, err := filepath.Rel(w.top, dir)
	if err != nil || base == "." {
		base = ""
	}
	return w.folder(ctx, dir, filepath.ToSlash(base), "", rulesAbove(w.top, dir), 0)
}

// folder lists one folder: base is its slash path below top, rel below the start.
func (w *walker) folder(ctx context.Context, dir, base, rel string, rules []rule, depth int) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil || depth > 200 {
		return nil //nolint:nilerr // a folder that cannot be read has nothing to find
	}
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == ".gitignore" }) {
		rules = append(slices.Clip(rules), rulesIn(dir, base)...)
	}
	free := w.policy.FreeNames(dir)
	for _, e := range entries {
		if w.cut {
			return nil
		}
		name := e.Name()
		at := found{path: join(dir, name, filepath.Separator), rel: join(rel, name, '/'), link: e.Type()&os.ModeSymlink != 0}
		switch {
		case name == ".git" || name == ".hg" || name == ".svn" || name == ".jj":
			continue
		case len(rules) > 0 && ignored(rules, path.Join(base, name), e.IsDir()):
			continue
		}
		if free != nil && free(name) && !e.IsDir() {
			// nothing to judge
		} else if a, _ := w.policy.Read(at.path, w.session); a != tools.ActionAllow {
			continue
		}
		if e.IsDir() {
			if err := w.folder(ctx, at.path, path.Join(base, name), at.rel, rules, depth+1); err != nil {
				return err
			}
			continue
		}
		if !e.Type().IsRegular() && !at.link {
			continue
		}
		if len(w.files) == maxFiles {
			w.cut = true
			return nil
		}
		w.files = append(w.files, at)
	}
	return nil
}

// join puts a plain name behind a clean folder; path.Join would clean the whole again.
func join(dir, name string, sep byte) string {
	if dir == "" || dir[len(dir)-1] == sep {
		return dir + name
	}
	return dir + string(rune(sep)) + name
}

package skills

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	maxDepth   = 8      // folders between a root and a skill
	maxFolders = 50_000 // in one root; a loop of mounts must not hold the program
	// racy is how long after a change a time stamp may hide another one: coarse clocks and file systems.
	// What was read sooner than that after its change is read again.
	racy = int64(2 * time.Second)
)

// excluded are folders that are never looked into; support are folders of a skill that hold its files.
func excluded(name string) bool {
	switch name {
	case ".git", ".github", ".hub", archiveFolder, ".venv", "venv", "node_modules", "site-packages", "__pycache__",
		".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache":
		return true
	}
	return strings.HasPrefix(name, stagePrefix) || strings.HasPrefix(name, pinFolder)
}

func support(name string) bool { return slices.Contains(supportFolders(), name) }

// supportFolders are the folders below a skill that its files may lie in.
func supportFolders() []string { return []string{"references", "templates", "scripts", "assets"} }

// found is a place where a skill is.
type found struct {
	root   Root
	rel    string // of the folder below the root, with slashes; "." for the root itself
	folder string
	file   string
	linked bool
}

// survey is what one walk saw: skills, and the files that describe categories.
type survey struct {
	skills     []found
	categories map[string]string // category → its DESCRIPTION.md; the first root that has one counts
	infos      map[string]fs.FileInfo
	problems   []error
}

// dirRecord is what a folder holds that matters here.
type dirRecord struct {
	Mtime int64    `json:"mtime"`
	Read  int64    `json:"read"`
	Subs  []string `json:"subs,omitempty"`  // folders, sorted
	Links []string `json:"links,omitempty"` // symbolic links to anything
	Skill bool     `json:"skill,omitempty"`
	Desc  bool     `json:"desc,omitempty"`
}

// walker walks the roots once. dirs is its memory from earlier walks; it replaces it by what it saw.
type walker struct {
	old  map[string]dirRecord
	dirs map[string]dirRecord
	news news
	out  *survey
	now  int64

	root    Root
	seen    map[string]bool // real paths of the folders visited in this root
	folders int
	later   []visit // links wait, so that the real place of a skill wins over a link to it
}

type visit struct {
	dir, real, rel string
	depth          int
	linked         bool
	inSkill        bool
}

// walk visits the roots in order. The result does not depend on the order of names on the disk.
func walk(roots []Root, old map[string]dirRecord, now time.Time) *walker {
	w := &walker{old: old, dirs: make(map[string]dirRecord, len(old)), now: now.UnixNano(), out: &survey{
		categories: map[string]string{}, infos: map[string]fs.FileInfo{},
	}}
	for _, r := range roots {
		w.root, w.seen, w.folders, w.later = r, map[string]bool{}, 0, nil
		real, err := filepath.EvalSymlinks(r.Path)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				w.out.problems = append(w.out.problems, err)
			}
			continue
		}
		w.visit(visit{dir: r.Path, real: real, rel: "."})
		for len(w.later) > 0 {
			v := w.later[0]
			w.later = w.later[1:]
			if real, err := filepath.EvalSymlinks(v.dir); err == nil {
				v.real = real
				w.visit(v)
			}
		}
	}
	slices.SortStableFunc(w.out.skills, func(a, b found) int {
		if a.root != b.root {
			return 0 // roots keep their order
		}
		return strings.Compare(a.rel, b.rel)
	})
	w.news.changed = w.news.changed || len(w.dirs) != len(old)
	return w
}

func (w *walker) visit(v visit) {
	if w.seen[v.real] || w.folders >= maxFolders || v.depth > maxDepth {
		return
	}
	w.seen[v.real] = true
	w.folders++
	info, err := os.Stat(v.dir)
	if err != nil || !info.IsDir() {
		return
	}
	rec, err := w.record(v.dir, info)
	if err != nil {
		w.out.problems = append(w.out.problems, err)
		return
	}
	here := false
	if rec.Skill {
		here = w.skill(v)
	}
	if rec.Desc && !here {
		w.category(v)
	}
	here = here && v.rel != "." // a skill in the root itself does not make categories its support folders
	for _, name := range rec.Subs {
		if next, ok := w.below(v, name, here); ok {
			next.real = filepath.Join(v.real, name)
			w.visit(next)
		}
	}
	for _, name := range rec.Links {
		if next, ok := w.below(v, name, here); ok {
			next.linked = true
			w.later = append(w.later, next)
		}
	}
}

// below is the visit to a folder of v, when it is one to look into.
func (w *walker) below(v visit, name string, inSkill bool) (visit, bool) {
	if excluded(name) || (inSkill || v.inSkill) && support(name) {
		return visit{}, false
	}
	rel := name
	if v.rel != "." {
		rel = v.rel + "/" + name
	}
	return visit{
		dir: filepath.Join(v.dir, name), rel: rel, depth: v.depth + 1, linked: v.linked, inSkill: v.inSkill || inSkill,
	}, true
}

// record is what dir holds, from memory when its time stamp proves that nothing came or went.
func (w *walker) record(dir string, info fs.FileInfo) (dirRecord, error) {
	mtime := info.ModTime().UnixNano()
	if rec, ok := w.old[dir]; ok && rec.Mtime == mtime && rec.Read-mtime > racy {
		w.dirs[dir] = rec
		return rec, nil
	}
	rec := dirRecord{Mtime: mtime, Read: w.now}
	list, err := os.ReadDir(dir)
	if err != nil {
		return rec, err
	}
	for _, d := range list {
		switch {
		case d.Name() == FileName:
			rec.Skill = true
		case d.Name() == categoryFile:
			rec.Desc = true
		case d.IsDir():
			rec.Subs = append(rec.Subs, d.Name())
		case d.Type()&fs.ModeSymlink != 0:
			rec.Links = append(rec.Links, d.Name())
		}
	}
	w.dirs[dir] = rec
	old, ok := w.old[dir]
	same := ok && old.Skill == rec.Skill && old.Desc == rec.Desc && slices.Equal(old.Subs, rec.Subs) && slices.Equal(old.Links, rec.Links)
	w.news.add(news{!same, rec.Read-mtime > racy})
	return rec, nil
}

// skill notes the skill in v; false when its SKILL.md is no file.
func (w *walker) skill(v visit) bool {
	file := filepath.Join(v.dir, FileName)
	info, link, ok := w.named(file)
	if !ok {
		return false
	}
	linked := v.linked || link
	w.out.infos[file] = info
	w.out.skills = append(w.out.skills, found{root: w.root, rel: path.Clean(v.rel), folder: v.dir, file: file, linked: linked})
	return true
}

func (w *walker) category(v visit) {
	if _, ok := w.out.categories[v.rel]; ok || v.rel == "." {
		return
	}
	file := filepath.Join(v.dir, categoryFile)
	if info, _, ok := w.named(file); ok {
		w.out.infos[file] = info
		w.out.categories[v.rel] = file
	}
}

// named looks at a file that is read for its name. A link to it counts only when what it leads to is called
// the same: a skill that "is" a password file would hand that to the model.
func (w *walker) named(file string) (info fs.FileInfo, link, ok bool) {
	info, err := os.Lstat(file)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		link = true
		var to string
		if to, err = filepath.EvalSymlinks(file); err == nil {
			if filepath.Base(to) != filepath.Base(file) {
				w.out.problems = append(w.out.problems, &fs.PathError{Op: "read", Path: file, Err: errStrangeLink})
				return nil, true, false
			}
			info, err = os.Stat(to)
		}
	}
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: file, Err: errNoFile}
	}
	if err != nil {
		if link {
			err = fmt.Errorf("read %s: %w", file, err) // it names what the link leads to
		}
		w.out.problems = append(w.out.problems, err)
	}
	return info, link, err == nil
}

var (
	errStrangeLink = errors.New("a link to a file of another name is not read as a skill")
	errNoFile      = errors.New("it is no file")
)

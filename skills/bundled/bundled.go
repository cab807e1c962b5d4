package bundled

import (
	"crypto/md5" //nolint:gosec // the shared manifest's hash; it guards against accidents, not attacks
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The files of the shipped skills, below skills/. "all:" so that nothing is left out for its name.
//
//go:embed all:skills
var shipped embed.FS

// versions lists "name:hash" of every version that was ever shipped: what else a manifest says about
// a name of ours comes from another program that shares the home.
//
//go:embed versions.txt
var versions string

// Skill is one shipped skill.
type Skill struct {
	Name  string            // of the skill and its folder
	Dir   string            // below the library, with slashes: "software/debugging"
	Files map[string][]byte // by path below Dir, with slashes
}

// Hash is the manifest's hash: MD5 over the paths, sorted, each followed by the file's bytes.
func (s Skill) Hash() string { return hash(s.Files) }

func hash(files map[string][]byte) string {
	sum := md5.New() //nolint:gosec // see the import
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum.Write([]byte(name))
		sum.Write(files[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Skills are the shipped skills, by name.
func Skills() ([]Skill, error) {
	sub, err := fs.Sub(shipped, "skills")
	if err != nil {
		return nil, fmt.Errorf("read shipped skills: %w", err)
	}
	return load(sub)
}

// load finds the skills of a tree: folders that hold a SKILL.md.
func load(tree fs.FS) ([]Skill, error) {
	var out []Skill
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "SKILL.md" {
			return err
		}
		s := Skill{Dir: path.Dir(p), Name: path.Base(path.Dir(p))}
		s.Files, err = files(tree, s.Dir)
		out = append(out, s)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read shipped skills: %w", err)
	}
	slices.SortFunc(out, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// files reads all files below dir. What the file manager of macOS leaves does not count.
func files(tree fs.FS, dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := fs.WalkDir(tree, dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".DS_Store" {
			return err
		}
		data, err := fs.ReadFile(tree, p)
		out[strings.TrimPrefix(p, dir+"/")] = data
		return err
	})
	return out, err
}

// onDisk reads the files of a skill in the library; nil when the folder is not there or empty.
func onDisk(root, dir string) (map[string][]byte, error) {
	full := filepath.Join(root, filepath.FromSlash(dir))
	if _, err := os.Lstat(full); errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing is a fine answer
	}
	out, err := files(os.DirFS(full), ".")
	if err != nil {
		return nil, fmt.Errorf("read skill %s: %w", full, err)
	}
	if len(out) == 0 {
		return nil, nil //nolint:nilnil // the same
	}
	return out, nil
}

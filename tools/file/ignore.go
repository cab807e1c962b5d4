package file

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is one line of a .gitignore.
type rule struct {
	base     string // slash path of the file's folder, relative to the walk's top; "" for the top
	pattern  string
	negate   bool
	dirOnly  bool
	anchored bool // matched against the path below base, else against any name
}

// parseIgnore reads ignore rules that hold below base.
func parseIgnore(content, base string) []rule {
	var out []rule
	for line := range strings.Lines(strings.TrimPrefix(content, "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		r := rule{base: base}
		if line[0] == '!' {
			r.negate, line = true, line[1:]
		}
		if rest, ok := strings.CutSuffix(line, "/"); ok {
			r.dirOnly, line = true, rest
		}
		r.anchored = strings.Contains(line, "/")
		// Braces mean nothing in ignore rules but do in the matcher.
		r.pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(line, "/"))
		if r.pattern != "" && doublestar.ValidatePattern(r.pattern) {
			out = append(out, r)
		}
	}
	return out
}

// matches reports whether the rule speaks about rel, a slash path relative to the walk's top.
func (r rule) matches(rel string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	below := rel
	if r.base != "" {
		rest, ok := strings.CutPrefix(rel, r.base+"/")
		if !ok {
			return false
		}
		below = rest
	}
	if !r.anchored {
		below = path.Base(below)
	}
	return doublestar.MatchUnvalidated(r.pattern, below)
}

// ignored applies rules in order; the last one that speaks decides.
func ignored(rules []rule, rel string, dir bool) bool {
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].matches(rel, dir) {
			return !rules[i].negate
		}
	}
	return false
}

// gitTop returns the nearest folder at or above dir that holds .git, or dir itself.
func gitTop(dir string) string {
	for d := dir; ; {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		up := filepath.Dir(d)
		if up == d {
			return dir
		}
		d = up
	}
}

// rulesAbove collects the rules that hold in dir because of its parents up to top: .git/info/exclude
// first, then each .gitignore from the top down, dir's own not included.
func rulesAbove(top, dir string) []rule {
	var rules []rule
	if b, err := os.ReadFile(filepath.Join(top, ".git", "info", "exclude")); err == nil {
		rules = parseIgnore(string(b), "")
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil || rel == "." {
		return rules
	}
	at, base := top, ""
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		rules = append(rules, rulesIn(at, base)...)
		at, base = filepath.Join(at, part), path.Join(base, part)
	}
	return rules
}

// rulesIn reads the .gitignore of one folder.
func rulesIn(dir, base string) []rule {
	info, err := os.Lstat(filepath.Join(dir, ".gitignore"))
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil {
		return nil
	}
	return parseIgnore(string(b), base)
}

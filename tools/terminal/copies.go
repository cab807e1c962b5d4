package terminal

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core/home"
	"hermes/tools"
)

// Copies and moves: which files come to lie where, when the target is a folder.

// maxCopied bounds how many entries of copied folders one verdict looks at.
const maxCopied = 400

// copyValues are the flags of a copying program that take the next word.
func copyValues(name string) string {
	switch name {
	case "rsync":
		return "-e -f -B -T -M --rsh --filter --exclude --include --exclude-from --include-from --files-from --temp-dir --max-size --min-size --timeout --bwlimit --log-file --backup-dir --compare-dest --link-dest"
	case "scp":
		return "-P -i -o -F -c -l -S -J -X -D"
	case "install":
		return "-t -S -m -o -g --target-directory --suffix --mode --owner --group"
	}
	return "-t -S --target-directory --suffix"
}

// copies judges cp, mv, install, ln, rsync and scp.
func (s *scan) copies(name string, args []string) {
	flags, operands := options(args, copyValues(name))
	folder := ""
	if name != "rsync" && name != "scp" {
		folder = flagValue(args, "--target-directory", "-t")
	}
	if folder == "" && len(operands) < 2 {
		if name == "ln" {
			s.linked(name, flags, operands, "")
		}
		return
	}
	to, from := folder, operands
	if folder == "" {
		to, from = operands[len(operands)-1], operands[:len(operands)-1]
	}
	s.transfer(from, to)
	if strings.Contains(to, ":") && (name == "scp" || name == "rsync") {
		return // another machine
	}
	whole := name == "rsync" || name == "mv" || has(flags, "rRa", "recursive", "archive")
	into := folder != "" || len(from) > 1 || !has(flags, "T", "no-target-directory") && s.isFolder(to)
	s.writes(to)
	if p, ok := s.path(to); name == "mv" && ok && !home.Within(s.j.policy.Root, p) && s.temporary(p) {
		s.askExact("delete", "moves files out of the working folder")
	}
	for _, f := range from {
		s.lands(name, f, to, into, whole)
	}
	if (name == "ln" || name == "cp" || name == "mv") && folder == "" {
		s.linked(name, flags, operands, to)
	}
	switch name {
	case "mv":
		for _, f := range from {
			if what := s.vital(f); what != "" {
				s.hard("moves " + what + " away")
			}
			s.writes(f)
			s.moved = append(s.moved, s.absolute(to), s.absolute(filepath.Join(to, filepath.Base(f))))
		}
	case "rsync":
		if has(flags, "", "delete") {
			if what := s.vital(to); what != "" {
				s.hard("deletes " + what + " with all it holds")
			}
			s.askExact("delete", "deletes what the other side does not have")
		}
	}
}

// isFolder reports whether a target is a folder, or will be when the command gets there.
func (s *scan) isFolder(word string) bool {
	if base := filepath.Base(word); strings.HasSuffix(word, "/") || base == "." || base == ".." {
		return true
	}
	p, ok := s.path(word)
	if !ok {
		return false
	}
	info, err := os.Stat(p)
	return err == nil && info.IsDir() || slices.Contains(s.folders, p)
}

// lands judges the places that one source of a copy gets.
func (s *scan) lands(name, from, to string, into, whole bool) {
	base := filepath.Base(strings.TrimRight(from, "/"))
	remote := (name == "scp" || name == "rsync") && strings.Contains(from, ":")
	contents := base == "." || base == ".." || name == "rsync" && strings.HasSuffix(from, "/")
	switch {
	case strings.Contains(from, hole) || remote && (whole || contents):
		s.overlays(from, to)
		return
	case strings.ContainsAny(from, "*?["):
		for _, hit := range expandGlob(s.absolute(from)) {
			if hit != "" && !strings.ContainsAny(hit, "*?[") {
				s.lands(name, hit, to, into, whole)
			}
		}
		return
	}
	if into && !contents {
		to = strings.TrimRight(to, "/") + "/" + base
		s.writes(to)
	}
	if p, ok := s.path(from); ok && whole && !remote {
		s.fills(p, to)
	}
}

// overlays asks when content that nobody knows comes to lie on files that tell agents what to do.
func (s *scan) overlays(from, to string) {
	for _, n := range tools.InstructionNames() {
		if p, ok := s.path(filepath.Join(to, n)); ok {
			if _, err := os.Lstat(p); err == nil {
				s.instructs(filepath.Join(to, n))
				return
			}
		}
	}
	if p, ok := s.path(to + "/x"); ok && s.j.policy.Sensitive(p) != "" {
		s.askExact("sensitive", "copies "+strings.ReplaceAll(from, hole, "…")+" to a place that "+s.j.policy.Sensitive(p))
	}
}

// fills judges what a folder brings to where it is copied.
func (s *scan) fills(dir, to string) {
	target, ok := s.path(to)
	if !ok || !home.Within(s.j.policy.Root, target) {
		return // what is outside was asked about
	}
	info, err := os.Stat(dir)
	if err != nil { // not there yet
		s.overlays(dir, to)
		return
	}
	if !info.IsDir() {
		return
	}
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(dir, p)
		if s.copied++; s.copied > maxCopied {
			return fs.SkipAll
		}
		if err != nil || rerr != nil {
			return nil //nolint:nilerr // what cannot be read cannot be copied
		}
		lies := filepath.Join(target, rel)
		switch why := s.j.policy.Sensitive(lies); {
		case d.IsDir() && rebuilt(d.Name()):
			return fs.SkipDir
		case d.IsDir():
		case tools.Instructions(lies):
			s.instructs(filepath.Join(to, rel))
		case why != "":
			s.askExact("sensitive", "writes to "+filepath.Join(to, rel)+", which "+why)
			return fs.SkipAll
		}
		return nil
	})
	if s.copied > maxCopied {
		s.overlays(dir, to)
	}
}

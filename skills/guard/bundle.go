package guard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes/core"
	"hermes/core/home"
)

// The structural limits of a skill. They are findings, not gates.
const (
	maxFiles      = 50
	maxTotal      = 1 << 20   // bytes of all files
	maxOneFile    = 256 << 10 // bytes of one file
	maxRemembered = 5000      // files of one folder that are looked at; beyond it is no skill
)

// file is one file of a skill as it will be installed.
type file struct {
	name string // relative, slashes
	data []byte
	size int64 // of the whole file; larger than data when cut
	exec bool
}

// bundle is all of a skill that the scan sees, with what was noticed on the way.
type bundle struct {
	files    []file
	findings []Finding
	skipped  []Skipped
}

func (b *bundle) note(id string, sev Severity, file, excerpt, why string) {
	b.findings = append(b.findings, Finding{ID: id, Category: "structure", Severity: sev, File: file, Excerpt: show(excerpt), Why: why})
}

// open reads the skill in dir with overlay laid over it. Ignore files are files like any other: they
// hide nothing.
func (s *Scanner) open(dir string, overlay map[string][]byte) (*bundle, error) {
	over, err := cleanOverlay(overlay)
	if err != nil {
		return nil, err
	}
	b := &bundle{}
	real, err := filepath.EvalSymlinks(dir)
	switch {
	case err == nil:
		if err := s.walk(b, real, over); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist) || len(over) == 0:
		return nil, &core.Error{Code: codeOf(err), Op: "scan skill", Subject: dir, Err: err, Hint: "Name a folder that holds a skill."}
	}
	for name, data := range over {
		if data != nil {
			cut := data[:min(int64(len(data)), s.maxFile)]
			b.files = append(b.files, file{name: name, data: cut, size: int64(len(data))})
		}
	}
	slices.SortFunc(b.files, func(x, y file) int { return strings.Compare(x.name, y.name) })
	b.limits(s.maxFile)
	return b, nil
}

func codeOf(err error) core.Code {
	if errors.Is(err, fs.ErrNotExist) {
		return core.CodeNotFound
	}
	return core.CodeInternal
}

func cleanOverlay(overlay map[string][]byte) (map[string][]byte, error) {
	out := make(map[string][]byte, len(overlay))
	for name, data := range overlay {
		clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
		if !filepath.IsLocal(filepath.FromSlash(clean)) || clean == "." {
			return nil, &core.Error{Code: core.CodeUsage, Op: "scan skill", Subject: name, Err: errors.New("the overlay leaves the skill")}
		}
		out[clean] = data
	}
	return out, nil
}

// walk takes every file below root that overlay does not replace.
func (s *Scanner) walk(b *bundle, root string, over map[string][]byte) error {
	info, err := os.Stat(root)
	if err != nil {
		return fmt.Errorf("scan skill: %w", err)
	}
	if !info.IsDir() {
		return &core.Error{Code: core.CodeUsage, Op: "scan skill", Subject: root, Err: errors.New("is a file, not a folder")}
	}
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("scan skill: %w", err)
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return fmt.Errorf("scan skill: %w", err)
		}
		name := filepath.ToSlash(rel)
		if _, replaced := over[name]; replaced || d.IsDir() {
			return nil
		}
		if len(b.files) >= maxRemembered {
			return &core.Error{Op: "scan skill", Subject: root, Err: fmt.Errorf("more than %d files", maxRemembered), Hint: "Name the folder of one skill."}
		}
		return s.take(b, root, p, name, d)
	})
}

func (s *Scanner) take(b *bundle, root, p, name string, d fs.DirEntry) error {
	switch mode := d.Type(); {
	case mode&fs.ModeSymlink != 0:
		b.link(root, p, name)
		return nil
	case !mode.IsRegular():
		b.note("special_file", High, name, mode.String(), "a pipe, socket or device has no place in a skill")
		b.skipped = append(b.skipped, Skipped{name, "not a regular file"})
		return nil
	}
	f, err := os.Open(p)
	if err != nil {
		return fmt.Errorf("scan skill: %w", err)
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("scan skill: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, s.maxFile))
	if err != nil {
		return fmt.Errorf("scan skill: %w", err)
	}
	b.files = append(b.files, file{name: name, data: data, size: max(info.Size(), int64(len(data))), exec: info.Mode()&0o111 != 0})
	return nil
}

// link judges a symbolic link. What it points to inside the skill is looked at in its own place.
func (b *bundle) link(root, p, name string) {
	target, err := os.Readlink(p)
	if err != nil {
		target = "?"
	}
	if at := target; !filepath.IsAbs(at) {
		target = filepath.ToSlash(target)
		at = filepath.Join(filepath.Dir(p), at)
		if home.Within(root, at) {
			real, err := filepath.EvalSymlinks(p)
			if err != nil {
				b.note("broken_symlink", Medium, name, "-> "+target, "the link leads nowhere, so what it will show is unknown")
				b.skipped = append(b.skipped, Skipped{name, "broken link"})
				return
			}
			if home.Within(root, real) {
				return
			}
		}
	}
	b.note("symlink_escape", Critical, name, "-> "+target, "the link leads out of the skill: whoever reads the skill reads that place")
	b.skipped = append(b.skipped, Skipped{name, "link out of the skill"})
}

// limits notes what exceeds the size a skill should have.
func (b *bundle) limits(maxFile int64) {
	var total int64
	for _, f := range b.files {
		total += f.size
		if f.size > maxOneFile {
			b.note("oversized_file", Medium, f.name, fmt.Sprintf("%d bytes", f.size), "larger than 256 KiB: too much for a person to review")
		}
		if f.size > maxFile {
			b.note("unscanned_rest", High, f.name, fmt.Sprintf("%d of %d bytes were looked at", len(f.data), f.size), "the file is too large to be looked at whole")
			b.skipped = append(b.skipped, Skipped{f.name, fmt.Sprintf("only the first %d bytes were looked at", len(f.data))})
		}
	}
	if len(b.files) > maxFiles {
		b.note("too_many_files", Medium, "", fmt.Sprintf("%d files", len(b.files)), "more than 50 files: too many for a person to review")
	}
	if total > maxTotal {
		b.note("oversized_skill", Medium, "", fmt.Sprintf("%d bytes", total), "more than 1 MiB in all: too much for a person to review")
	}
}

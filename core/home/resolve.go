package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"hermes/core"
)

// maxLinks bounds the links followed in one path, as kernels do.
const maxLinks = 40

// errLoop is the cause reported for links that never end.
var errLoop = errors.New("too many symbolic links (a loop?)")

// ResolvePath returns the absolute path of the file that a write to path would change: every link is
// followed, ".." means the parent of the folder really reached, and the part that does not exist
// yet is kept as written. Policy must look at this path, never at the one that was named.
func ResolvePath(path string) (string, error) {
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return "", pathError("resolve", path, err)
		}
		path = wd + string(filepath.Separator) + path // not Join: it would fold ".." before links are followed
	}
	volume := filepath.VolumeName(path)
	root := volume + string(filepath.Separator)
	done := root
	todo := splitPath(path[len(volume):])
	links := 0
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		info, err := os.Lstat(next)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			return "", pathError("resolve", path, err)
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", pathError("resolve", path, errLoop)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", pathError("resolve", path, err)
		}
		if filepath.IsAbs(target) {
			v := filepath.VolumeName(target)
			done, target = v+string(filepath.Separator), target[len(v):]
		}
		todo = append(splitPath(target), todo...)
	}
	return done, nil
}

func splitPath(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// Within reports whether path is root or lies below it. Both must be resolved. On systems whose file
// names usually ignore case it compares without case: for policy, too wide is the safe side.
func Within(root, path string) bool {
	if caseless {
		root, path = strings.ToLower(root), strings.ToLower(path)
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return false
	}
	return rel == "." || (rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)))
}

const caseless = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// pathError wraps a failure on one path with the remedy that fits its cause.
func pathError(op, path string, err error) error {
	e := &core.Error{Code: core.CodeInternal, Op: op, Subject: path, Err: cause(err)}
	switch {
	case isNoSpace(err):
		e.Hint = "The disk is full: free some space and try again."
	case isReadOnly(err):
		e.Hint = "The file system is read-only: choose another place."
	case errors.Is(err, fs.ErrPermission):
		e.Hint = "Check the permissions of the file and its folder."
	case errors.Is(err, fs.ErrNotExist):
		e.Code = core.CodeNotFound
	case errors.Is(err, errLoop):
		e.Hint = "Remove the link that points back to itself."
	}
	return e
}

// cause strips the path of *fs.PathError and *os.LinkError: the subject already names it, and temp
// file names mean nothing to people.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}

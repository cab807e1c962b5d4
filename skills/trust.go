package skills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hermes/core"
	"hermes/core/home"
	"hermes/core/ledger"
)

// Trusts remembers what the skills of trusted projects said when the person trusted them: trust is in a
// content, not in a path that anybody may fill later.
type Trusts struct{ file string }

// NewTrusts returns the memory of h. It reads and creates nothing.
func NewTrusts(h home.Home) Trusts {
	return Trusts{filepath.Join(h.Skills(), ".project_trust.json")}
}

// Project is the root of the project that folder lies in when it has skills; "" otherwise.
func Project(folder string) string {
	roots := ProjectRoots(folder)
	if len(roots) == 0 {
		return ""
	}
	return filepath.Dir(filepath.Dir(roots[0]))
}

// Same reports whether the skills of project are still those that were trusted. Of a project that is not
// known yet it says yes: whoever uses its skills then calls Renew.
func (t Trusts) Same(project string) (same, known bool, err error) {
	now, err := projectDigest(project)
	if err != nil {
		return false, false, err
	}
	all, err := t.read()
	if err != nil {
		return false, false, err
	}
	was, known := all[project]
	return !known || was == now, known, nil
}

// Renew trusts the skills of project as they are now.
func (t Trusts) Renew(ctx context.Context, project string) error {
	now, err := projectDigest(project)
	if err != nil {
		return err
	}
	if err := home.EnsureDir(filepath.Dir(t.file)); err != nil {
		return err
	}
	lock, err := ledger.Lock(ctx, t.file+".lock")
	if err != nil {
		return err
	}
	return errors.Join(t.keep(project, now), lock.Unlock())
}

func (t Trusts) keep(project, digest string) error {
	known, err := t.read()
	if err != nil {
		return err
	}
	known[project] = digest
	data, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return fmt.Errorf("keep trust: %w", err)
	}
	return home.WriteFile(t.file, append(data, '\n'), home.FileMode)
}

func (t Trusts) read() (map[string]string, error) {
	known := map[string]string{}
	data, err := os.ReadFile(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	if err != nil {
		return nil, &core.Error{Code: core.CodeConfig, Op: "read trusted projects", Subject: t.file, Err: err, Hint: "Repair or remove the file."}
	}
	return known, nil
}

// maxDigest bounds what is read to tell whether a project's skills changed.
const maxDigest = 64 << 20

// projectDigest sums up all files of the project's skills, with their places and modes.
func projectDigest(project string) (string, error) {
	h := sha256.New()
	size := int64(0)
	for _, root := range ProjectRoots(project) {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			fmt.Fprintf(h, "%s\x00%s\x00", p, d.Type())
			if d.Type()&fs.ModeSymlink != 0 {
				target, err := os.Readlink(p)
				fmt.Fprintf(h, "%s\x00", target)
				return err
			}
			if !d.Type().IsRegular() {
				return nil
			}
			data, err := os.ReadFile(p)
			if size += int64(len(data)); err == nil && size > maxDigest {
				err = fmt.Errorf("its skills are larger than %d MB", maxDigest>>20)
			}
			fmt.Fprintf(h, "%d\x00", len(data))
			_, _ = h.Write(data) // never fails
			return err
		})
		if err != nil {
			return "", &core.Error{Op: "read skills of project", Subject: root, Err: err}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

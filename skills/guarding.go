package skills

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes/core"
	"hermes/core/home"
)

// Guard looks at a skill before its bytes become part of the library.
type Guard interface {
	// Check judges the skill in dir as it will be: overlay holds files below dir (with slashes) that are
	// seen with these bytes instead, nil for a file that will be gone. An error is a failure, not a pass.
	Check(ctx context.Context, dir string, overlay map[string][]byte) (Verdict, error)
}

// The verdicts and what follows from them, as package guard names them.
const (
	LevelSafe = "safe"

	DecisionAllow = "allow"
	DecisionAsk   = "ask"
	DecisionBlock = "block"
)

// Verdict is the guard's word on a skill.
type Verdict struct {
	Level    string   // "safe", "caution", "dangerous"
	Decision string   // "allow", "ask", "block"
	Report   string   // for a person
	Findings []string // a line each
}

const (
	stagePrefix = ".staging-"
	stageLife   = time.Hour // older ones are left over from a crash
)

// staged runs f on a folder beside the library that holds files (below it, with slashes). The folder is
// gone afterwards. Nobody reads skills from it.
func (l *Library) staged(files map[string][]byte, name string, f func(dir string) error) (err error) {
	base := l.Home()
	if err := home.EnsureDir(base); err != nil {
		return err
	}
	l.sweep(base)
	top, err := os.MkdirTemp(base, stagePrefix)
	if err != nil {
		return &core.Error{Op: "stage skill", Subject: name, Err: err}
	}
	defer func() { err = errors.Join(err, os.RemoveAll(top)) }()
	dir := filepath.Join(top, name)
	for file, data := range files {
		full := filepath.Join(dir, filepath.FromSlash(file))
		if err := home.EnsureDir(filepath.Dir(full)); err != nil {
			return err
		}
		if err := os.WriteFile(full, data, home.FileMode); err != nil {
			return &core.Error{Op: "stage skill", Subject: name, Err: err}
		}
	}
	return f(dir)
}

// sweep removes what a crash left of staging.
func (l *Library) sweep(base string) {
	list, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, d := range list {
		if !d.IsDir() || !strings.HasPrefix(d.Name(), stagePrefix) {
			continue
		}
		if info, err := d.Info(); err == nil && l.opts.Now().Sub(info.ModTime()) > stageLife {
			_ = os.RemoveAll(filepath.Join(base, d.Name())) // tried again next time
		}
	}
}

// judge asks the guard about the plan's end state.
func (l *Library) judge(ctx context.Context, p *Plan) error {
	if l.opts.Guard == nil || len(p.files) == 0 {
		p.Verdict = Verdict{Level: LevelSafe, Decision: DecisionAllow}
		return nil
	}
	var err error
	if p.Action == Create {
		files := map[string][]byte{}
		for _, c := range p.files {
			files[c.rel] = c.after
		}
		err = l.staged(files, p.Entry.Dir, func(dir string) error {
			if p.Verdict, err = l.opts.Guard.Check(ctx, dir, nil); err != nil {
				return err
			}
			return sameBytes(dir, files)
		})
	} else {
		overlay := map[string][]byte{}
		for _, c := range p.files {
			overlay[c.rel] = c.after
		}
		p.Verdict, err = l.opts.Guard.Check(ctx, p.Entry.Folder, overlay)
	}
	if err != nil {
		return &core.Error{
			Code: core.CodeOf(err), Op: "scan skill", Subject: p.Entry.Rel, Err: err,
			Hint: "Nothing was changed: what cannot be scanned is not written.",
		}
	}
	return nil
}

// sameBytes makes sure that what was scanned on disk is what will be written.
func sameBytes(dir string, files map[string][]byte) error {
	for file, data := range files {
		now, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if string(now) != string(data) {
			return errors.New("the staged files were changed while they were scanned")
		}
	}
	return nil
}

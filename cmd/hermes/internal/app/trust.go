package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"hermes/core"
	"hermes/core/home"
)

// Trusted tells whether the person trusts a folder: it lies in one of trusted_dirs. What the agent reads
// elsewhere taints its turn, so that lessons drawn from it wait for the person.
func (a *App) Trusted(path string) bool {
	path, err := home.ResolvePath(path)
	if err != nil {
		return false
	}
	if home.Within(a.Home.Sessions(), path) {
		return true // spilled results: what was foreign in them has tainted the session already
	}
	for _, dir := range a.Config().TrustedDirs {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(a.opts.Getenv("HOME"), rest)
		}
		if dir, err := home.ResolvePath(dir); err == nil && filepath.IsAbs(dir) && home.Within(dir, path) {
			return true
		}
	}
	return false
}

// Abs is path as seen from the folder hermes was started in.
func (a *App) Abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.opts.Dir, path)
}

// Trust remembers that the person trusts a folder.
func (a *App) Trust(ctx context.Context, dir string) error {
	dir, err := home.ResolvePath(dir)
	if err != nil {
		return err
	}
	if fi, serr := os.Stat(dir); serr != nil || !fi.IsDir() {
		return &core.Error{Code: core.CodeNotFound, Op: "trust", Subject: dir, Err: errors.New("no such folder"), Hint: "name a folder that exists"}
	}
	if err := a.Home.Open(); err != nil {
		return err
	}
	if err := a.Settings.Add(ctx, "trusted_dirs", dir); err != nil {
		return err
	}
	a.Reload()
	return nil
}

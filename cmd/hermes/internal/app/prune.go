package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"hermes/core/home"
	"hermes/core/ledger"
)

const (
	// pruneEvery is how often old versions of learned files are looked through.
	pruneEvery = 24 * time.Hour
	// prunePatience bounds it: a session's end must not be felt.
	prunePatience = time.Second
	// prunedMark is the file in the ledger's folder whose time says when it was done last.
	prunedMark = ".pruned"
)

// pruneLedger removes old versions of learned files, at most once a day over all programs of the home. It
// runs at the end of a session and says nothing.
func (a *App) pruneLedger(ctx context.Context) {
	dir := a.Home.Ledger()
	if _, err := os.Stat(dir); err != nil {
		return // nothing was learned yet
	}
	mark := filepath.Join(dir, prunedMark)
	switch fi, err := os.Stat(mark); {
	case err == nil && a.now().Sub(fi.ModTime()) < pruneEvery:
		return
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return
	}
	ctx, cancel := context.WithTimeout(ctx, prunePatience)
	defer cancel()
	a.quiet(ctx, "prune the ledger", func() error {
		if err := home.WriteFile(mark, nil, home.FileMode); err != nil { // first: one program a day is enough
			return err
		}
		p, err := a.Ledger.Prune(ctx, ledger.Policy{})
		if p.Removed > 0 {
			a.Log.InfoContext(ctx, "pruned the ledger", "versions", p.Removed, "bytes", p.Freed)
		}
		return err
	})
}

package skills

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"hermes/core/ledger"
)

// RecordOutside tells the ledger of edits, additions and removals that were made by hand to skills it knows, so
// that history and undo are complete. Files of skills that no change ever touched are left alone.
func (l *Library) RecordOutside(ctx context.Context) error {
	if l.opts.Ledger == nil {
		return nil
	}
	log, err := l.opts.Ledger.Log(ledger.Filter{Subject: kind + ":"})
	if err != nil {
		return err
	}
	library := l.journalName(l.Home()) + "/"
	files := map[string]map[string]bool{} // subject → paths
	for _, e := range log {
		for _, f := range e.Of(kind).Files {
			subject := firstOf(f.Subject, e.Subject)
			rel, ok := strings.CutPrefix(f.Path, library)
			if f.Op == ledger.OpMove || !ok || strings.HasPrefix(rel, ".") { // the archive and pins
				continue
			}
			if files[subject] == nil {
				files[subject] = map[string]bool{}
			}
			files[subject][l.opts.Ledger.Path(f.Path)] = true
		}
	}
	var errs []error
	for _, subject := range slices.Sorted(maps.Keys(files)) {
		_, err := l.opts.Ledger.Outside(ctx, subject, slices.Sorted(maps.Keys(files[subject]))...)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

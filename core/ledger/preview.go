package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

// Preview runs f as Apply does, changes nothing, and returns the unified difference that the change would
// make, file by file in the order of f.
func (l *Ledger) Preview(ctx context.Context, c Change, f func(tx *Tx) error) (diff string, err error) {
	if err := c.check(); err != nil {
		return "", err
	}
	err = l.locked(ctx, func() error {
		tx := newTx(l, c)
		if err := f(tx); err != nil {
			return err
		}
		tx.closed = true
		var err error
		diff, err = tx.diff()
		return err
	})
	return diff, err
}

// diff is what the staged operations change. A file that is written twice counts once.
func (t *Tx) diff() (string, error) {
	var b strings.Builder
	told := map[string]bool{}
	for _, o := range t.ops {
		if o.Op == OpMove {
			fmt.Fprintf(&b, "moved %s to %s\n", t.l.name(o.from), t.l.name(o.path))
			continue
		}
		if told[o.path] {
			continue
		}
		told[o.path] = true
		before, err := os.ReadFile(o.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		after, err := t.Read(o.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		name := t.l.name(o.path)
		if !utf8.Valid(before) || !utf8.Valid(after) {
			fmt.Fprintf(&b, "binary file %s differs\n", name)
			continue
		}
		b.WriteString(unified(name, string(before), string(after)))
	}
	return b.String(), nil
}

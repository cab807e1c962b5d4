package memory

import (
	"context"
	"slices"

	"hermes/core/ledger"
)

// Preview returns the unified difference that Do would make, and refuses what Do would refuse. It changes
// nothing.
func (s *Store) Preview(ctx context.Context, by ledger.Change, t Target, ops ...Op) (diff string, err error) {
	if err := s.usable(t); err != nil {
		return "", err
	}
	ops = slices.Clone(ops)
	if err := prepare(t, ops); err != nil {
		return "", err
	}
	out := Outcome{Target: t, Limit: s.Limit(t)}
	by.Subject = t.Subject()
	by.Action, _ = describe(ops)
	err = s.locked(ctx, []Target{t}, func() error {
		diff, err = s.opts.Ledger.Preview(ctx, by, func(tx *ledger.Tx) error {
			st, err := s.readTx(tx, t)
			if err != nil {
				return err
			}
			return s.stage(tx, by, st, ops, &out)
		})
		return err
	})
	return diff, err
}

package tools

import (
	"context"
	"slices"
	"sync"

	"hermes/core/config"
)

// Rules is the AllowStore behind "always": the list approvals.allow of config.yaml.
type Rules struct {
	store *config.Store
	mu    sync.Mutex
	list  []string
}

var _ AllowStore = (*Rules)(nil)

// NewRules returns the rules in force, which are saved to store when they grow.
func NewRules(store *config.Store, list []string) *Rules {
	return &Rules{store: store, list: slices.Clone(list)}
}

// Allowed reports whether rule is in force, to the letter.
func (r *Rules) Allowed(rule string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.list, rule)
}

// Allow puts rule in force and saves it.
func (r *Rules) Allow(ctx context.Context, rule string) error {
	r.mu.Lock()
	if !slices.Contains(r.list, rule) {
		r.list = append(r.list, rule)
	}
	r.mu.Unlock()
	return r.store.Add(ctx, "approvals.allow", rule)
}

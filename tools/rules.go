package tools

import (
	"context"
	"slices"
	"sync"

	"hermes/core"
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

// List returns the rules in force, in the order they were given.
func (r *Rules) List() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// Revoke takes rule back, here and in the saved list. Error: core.CodeNotFound when it is not in force.
func (r *Rules) Revoke(ctx context.Context, rule string) error {
	r.mu.Lock()
	i := slices.Index(r.list, rule)
	if i >= 0 {
		r.list = slices.Delete(r.list, i, i+1)
	}
	r.mu.Unlock()
	if i < 0 {
		return &core.Error{Code: core.CodeNotFound, Op: "revoke rule", Subject: rule, Hint: "List the rules and give one to the letter."}
	}
	return r.store.Remove(ctx, "approvals.allow", rule)
}

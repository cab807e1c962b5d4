package provider

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Found is a model server that answers on this machine.
type Found struct {
	Provider string
	BaseURL  string
	Models   []string // as it lists them; may be empty
}

// model picks the preset's default when it is served, else the first.
func (f Found) model() string {
	if p, ok := PresetByName(f.Provider); ok && slices.Contains(f.Models, p.Model) {
		return p.Model
	}
	if len(f.Models) == 0 {
		return ""
	}
	return f.Models[0]
}

// ProbeLocal asks the usual local ports for a model list, all at once, for at most two seconds. Call it
// only when Choose said ErrUnconfigured: any program may listen there, so no key is sent, only a model list
// counts, and the person must confirm the first use.
func ProbeLocal(ctx context.Context) []Found {
	var local []Preset
	for _, p := range Presets() {
		if p.Local {
			local = append(local, p)
		}
	}
	return probe(ctx, local)
}

func probe(ctx context.Context, presets []Preset) []Found {
	const limit = 2 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answers := make([]*Found, len(presets))
	var wg sync.WaitGroup
	for i, p := range presets {
		wg.Go(func() {
			models, err := ListModels(ctx, Options{Provider: p.Name, BaseURL: p.BaseURL, Connect: limit})
			if err == nil {
				answers[i] = &Found{Provider: p.Name, BaseURL: p.BaseURL, Models: models}
			}
		})
	}
	wg.Wait()
	var out []Found
	for _, f := range answers {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

package provider

import (
	_ "embed"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"hermes/core"
)

// ModelFacts are what is known of a model: US dollars per million tokens and the context window.
type ModelFacts struct {
	Input   *float64 `yaml:"input"`
	Cached  *float64 `yaml:"cached"` // nil: as Input
	Output  *float64 `yaml:"output"`
	Context int      `yaml:"context"` // tokens
}

// Prices map a model, or "provider/model", to its facts. A model with a date behind its name
// ("gpt-5-mini-2025-08-07") is found under its plain name.
type Prices map[string]ModelFacts

//go:embed models.yaml
var modelsYAML []byte

// builtinModels parses the embedded table.
func builtinModels() (Prices, error) {
	var p Prices
	if err := yaml.Unmarshal(modelsYAML, &p); err != nil {
		return nil, fmt.Errorf("read the built-in model table: %w", err)
	}
	return p, nil
}

// with returns p with the entries of over on top, field by field.
func (p Prices) with(over Prices) Prices {
	out := make(Prices, len(p)+len(over))
	for name, f := range p {
		out[name] = f
	}
	for name, f := range over {
		base := out[name]
		if f.Input != nil {
			base.Input = f.Input
			if f.Cached == nil {
				base.Cached = nil // a built-in discount says nothing about a changed price
			}
		}
		if f.Cached != nil {
			base.Cached = f.Cached
		}
		if f.Output != nil {
			base.Output = f.Output
		}
		base.Context = firstPositive(f.Context, base.Context)
		out[name] = base
	}
	return out
}

// find looks a model up: with its provider, alone, then without the vendor prefix aggregators use;
// each time also without a date at the end.
func (p Prices) find(provider, model string) ModelFacts {
	names := []string{provider + "/" + model, model}
	if _, bare, ok := strings.Cut(model, "/"); ok && provider == "openrouter" {
		names = append(names, bare)
	}
	for _, name := range names {
		for _, n := range []string{name, undated(name)} {
			if f, ok := p[n]; ok {
				return f
			}
		}
	}
	return ModelFacts{}
}

// undated removes "-2025-08-07", "-20250807" or "-latest" from the end of a name.
func undated(name string) string {
	name = strings.TrimSuffix(name, "-latest")
	if i := strings.LastIndex(name, "-20"); i > 0 && strings.Trim(name[i:], "-0123456789") == "" {
		return name[:i]
	}
	return name
}

// cost is what a request cost: as the server says, else by the table, else unknown.
func (c *Client) cost(u usage) core.Cost {
	if u.Cost.known && c.info.Provider == "openrouter" {
		return core.Cost{USD: u.Cost.n, Known: true}
	}
	t := u.tokens()
	f := c.prices.find(c.info.Provider, c.info.Model)
	if f.Input == nil || f.Output == nil || !t.Input.Known || !t.Output.Known {
		return core.Cost{}
	}
	cachedPrice := *f.Input
	if f.Cached != nil {
		cachedPrice = *f.Cached
	}
	cached := min(t.Cached.N, t.Input.N) // 0 when unknown: the upper bound
	usd := float64(t.Input.N-cached)*(*f.Input) + float64(cached)*cachedPrice + float64(t.Output.N)*(*f.Output)
	const million = 1e6
	return core.Cost{USD: usd / million, Known: true}
}

package provider

import (
	"math"
	"testing"

	"hermes/core"
)

func TestPrices_builtinTableIsSane(t *testing.T) {
	t.Parallel()
	table, err := builtinModels()
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range table {
		if f.Input == nil || f.Output == nil || f.Cached == nil || f.Context <= 0 || *f.Cached > *f.Input || *f.Input > *f.Output {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, p := range Presets() {
		if !p.Local && p.Name != Custom && table.find(p.Name, p.Model).Context == 0 {
			t.Errorf("the default model %s of %s is not in the table", p.Model, p.Name)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	one, two := 1.0, 2.0
	known := func(in, cached, out float64) usage {
		var u usage
		u.Prompt, u.Completion = count{in, true}, count{out, true}
		if cached >= 0 {
			u.Details.Cached = count{cached, true}
		}
		return u
	}
	var costly usage
	costly.merge(known(1e6, -1, 1e6))
	costly.Cost = count{0.5, true}
	for name, tc := range map[string]struct {
		o    Options
		u    usage
		want core.Cost
	}{
		"table":            {Options{Provider: "openai", Model: "gpt-5-mini"}, known(1e6, 0, 1e6), core.Cost{USD: 2.25, Known: true}},
		"dated name":       {Options{Provider: "openai", Model: "gpt-5-mini-2025-08-07"}, known(1e6, 1e6, 0), core.Cost{USD: 0.025, Known: true}},
		"cached unknown":   {Options{Provider: "openai", Model: "gpt-5-mini"}, known(1e6, -1, 0), core.Cost{USD: 0.25, Known: true}},
		"cached too many":  {Options{Provider: "openai", Model: "gpt-5-mini"}, known(1e6, 9e6, 0), core.Cost{USD: 0.025, Known: true}},
		"no price":         {Options{Model: "mystery"}, known(1, 1, 1), core.Cost{}},
		"no usage":         {Options{Provider: "openai", Model: "gpt-5-mini"}, usage{}, core.Cost{}},
		"own price":        {Options{Model: "mine", Prices: Prices{"mine": {Input: &one, Output: &two}}}, known(1e6, 1e6, 1e6), core.Cost{USD: 3, Known: true}},
		"own, by provider": {Options{Provider: "p", Model: "mine", Prices: Prices{"p/mine": {Input: &one, Output: &two}}}, known(0, 0, 1e6), core.Cost{USD: 2, Known: true}},
		"half a price":     {Options{Model: "mine", Prices: Prices{"mine": {Input: &one}}}, known(1, 1, 1), core.Cost{}},
		"override":         {Options{Model: "gpt-5-mini", Prices: Prices{"gpt-5-mini": {Input: &two}}}, known(1e6, 1e6, 0), core.Cost{USD: 2, Known: true}},
		"server says":      {Options{Provider: "openrouter", Model: "x/y"}, costly, core.Cost{USD: 0.5, Known: true}},
		"aggregator":       {Options{Provider: "openrouter", Model: "openai/gpt-5-mini"}, known(1e6, 0, 0), core.Cost{USD: 0.25, Known: true}},
	} {
		got := encoderOf(t, tc.o).cost(tc.u)
		if got.Known != tc.want.Known || math.Abs(got.USD-tc.want.USD) > 1e-9 {
			t.Errorf("%s: got %+v, want %+v", name, got, tc.want)
		}
	}
}

func TestUsage_spellings(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]core.Usage{
		`{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":1}}`: {
			Input: core.KnownTokens(5), Output: core.KnownTokens(2), Cached: core.KnownTokens(3), Reasoning: core.KnownTokens(1),
		},
		`{"prompt_tokens":5,"prompt_cache_hit_tokens":4}`:                              {Input: core.KnownTokens(5), Cached: core.KnownTokens(4)},
		`{"cache_read_input_tokens":4,"prompt_tokens_details":{"cached_tokens":null}}`: {Cached: core.KnownTokens(4)},
		`{"prompt_tokens":"5","completion_tokens":null}`:                               {},
		`{"prompt_tokens":-5,"completion_tokens":1.5}`:                                 {},
		`{"prompt_tokens":0}`: {Input: core.KnownTokens(0)},
		`[]`:                  {},
		`"many"`:              {},
	} {
		var u usage
		_ = u.UnmarshalJSON([]byte(in)) // never fails
		if got := u.tokens(); got != want {
			t.Errorf("%s: got %+v, want %+v", in, got, want)
		}
	}
}

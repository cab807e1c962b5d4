package provider

import (
	"encoding/json"
	"math"
	"strconv"

	"hermes/core"
)

// count is a number that is only known when the server sent one: null, absent and strings are not.
type count struct {
	n     float64
	known bool
}

// UnmarshalJSON never fails.
func (c *count) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseFloat(string(b), 64)
	*c = count{n: n, known: err == nil && n >= 0 && !math.IsInf(n, 0)}
	return nil
}

func (c count) tokens() core.Tokens {
	if !c.known || c.n > 1<<53 || c.n != math.Trunc(c.n) {
		return core.Tokens{}
	}
	return core.KnownTokens(int64(c.n))
}

func (c count) or(o count) count {
	if c.known {
		return c
	}
	return o
}

// usage is what a server reports, in the spellings we know.
type usage struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	CacheHit   count `json:"prompt_cache_hit_tokens"` // DeepSeek
	CacheRead  count `json:"cache_read_input_tokens"` // Anthropic
	Cost       count `json:"cost"`                    // OpenRouter, US dollars
	Details    struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	OutDetails struct {
		Reasoning count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// UnmarshalJSON reads an object; anything else, and parts of the wrong type, are unknown.
func (u *usage) UnmarshalJSON(b []byte) error {
	type plain usage
	_ = json.Unmarshal(b, (*plain)(u)) // the rest is decoded all the same
	return nil
}

// merge takes over what is newly known: figures are running totals.
func (u *usage) merge(n usage) {
	u.Prompt = n.Prompt.or(u.Prompt)
	u.Completion = n.Completion.or(u.Completion)
	u.CacheHit = n.CacheHit.or(u.CacheHit)
	u.CacheRead = n.CacheRead.or(u.CacheRead)
	u.Cost = n.Cost.or(u.Cost)
	u.Details.Cached = n.Details.Cached.or(u.Details.Cached)
	u.OutDetails.Reasoning = n.OutDetails.Reasoning.or(u.OutDetails.Reasoning)
}

// tokens translates to the core's figures.
func (u *usage) tokens() core.Usage {
	return core.Usage{
		Input:     u.Prompt.tokens(),
		Output:    u.Completion.tokens(),
		Cached:    u.Details.Cached.or(u.CacheHit).or(u.CacheRead).tokens(),
		Reasoning: u.OutDetails.Reasoning.tokens(),
	}
}

package tui

import (
	"fmt"

	"hermes/core"
)

// meter sums what the session consumed, chat and learning apart.
type meter struct {
	prompt   core.Tokens // of the last chat request
	input    core.Tokens // of all chat requests
	cached   core.Tokens
	cost     core.Cost
	learning core.Cost
}

func meterOf(info Info) meter {
	var m meter
	for _, r := range info.Past {
		if r.Type != core.RecordUsage || r.Usage == nil {
			continue
		}
		e := core.UsageReported{Usage: *r.Usage, Purpose: r.Purpose, Side: r.Reason}
		if r.Cost != nil {
			e.Cost = *r.Cost
		}
		m.add(e)
	}
	return m
}

func (m *meter) add(e core.UsageReported) {
	if e.Purpose == core.PurposeLearning {
		m.learning = m.learning.Add(e.Cost)
		return
	}
	m.cost = m.cost.Add(e.Cost)
	if e.Usage.Input.Known && e.Side == "" { // a side task has its own small prompt
		m.prompt = core.KnownTokens(e.Usage.Input.N + e.Usage.Output.N)
	}
	m.input = m.input.Add(e.Usage.Input)
	m.cached = m.cached.Add(e.Usage.Cached)
}

// compacted takes the estimate after a compaction until the next request says better.
func (m *meter) compacted(after int) {
	if after > 0 {
		m.prompt = core.KnownTokens(int64(after))
	}
}

// context is the share of the context window in use, "" when unknown.
func (m *meter) context(length int) string {
	if !m.prompt.Known || length <= 0 {
		return ""
	}
	return fmt.Sprintf("ctx %d %%", m.prompt.N*100/int64(length))
}

// cache is the share of the input that the server had cached, "" when unknown.
func (m *meter) cache() string {
	if !m.cached.Known || m.input.N == 0 {
		return ""
	}
	return fmt.Sprintf("cache %d %%", m.cached.N*100/m.input.N)
}

// dollars writes an amount with the digits that matter; "" when unknown.
func dollars(c core.Cost) string {
	switch {
	case !c.Known:
		return ""
	case c.USD >= 10:
		return fmt.Sprintf("$%.2f", c.USD)
	default:
		return fmt.Sprintf("$%.3f", c.USD)
	}
}

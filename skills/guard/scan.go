package guard

import (
	"context"

	"hermes/core/text"
	"hermes/core/threat"
)

type ruleset struct{}

func newRuleset() *ruleset { return &ruleset{} }

type context_ struct{}

func describe(*bundle) context_ { return context_{} }

func (s *Scanner) look(_ context.Context, _ context_, f *file) ([]Finding, error) {
	var out []Finding
	for _, t := range threat.Scan(string(f.data), threat.Strict) {
		sev := Low
		if t.Severity == threat.Block {
			sev = Critical
		}
		out = append(out, Finding{ID: t.ID, Category: "injection", Severity: sev, File: f.name, Line: t.Line, Excerpt: show(t.Excerpt), Decoded: t.Decoded, Why: "steers the agent"})
	}
	return out, nil
}

// show makes foreign text fit for one line of a report: printable, at most 120 characters.
func show(s string) string { return text.Cut(text.OneLine(text.Visible(s)), 120) }

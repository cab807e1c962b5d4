package insights

import (
	"cmp"
	"context"
	"slices"
	"time"

	"hermes/core/text"
)

// enough is how many observations a comparison needs on both sides.
const enough = 5

// alike is how much of their words two requests share to count as similar.
const alike = 0.3

// Skill counts one skill, with what happened in the turns that loaded it.
type Skill struct {
	Name     string            `json:"name"`
	Loads    int               `json:"loads"`
	Edits    int               `json:"edits"`
	Before   *Outcome          `json:"before,omitempty"` // turns on similar requests before it was first loaded
	Versions []VersionOutcomes `json:"versions"`
}

// VersionOutcomes is what happened with one version of a skill.
type VersionOutcomes struct {
	Hash   string    `json:"hash"`
	Number int       `json:"number"` // counted from 1
	Since  time.Time `json:"since"`
	Outcome
	// Worse says that it does worse than the version before, from enough observations of both; "" otherwise.
	Worse string `json:"worse,omitempty"`
}

// Outcome adds up turns. Loads is how many; from fewer than five nothing is concluded.
type Outcome struct {
	Loads       int     `json:"loads"`
	CallsMean   float64 `json:"calls_mean"`
	ErrorsMean  float64 `json:"errors_mean"`
	Corrections int     `json:"corrections"` // turns that the person's next message took back
}

func (o *Outcome) add(t Turn) {
	n := float64(o.Loads)
	o.CallsMean = (o.CallsMean*n + float64(t.Calls)) / (n + 1)
	o.ErrorsMean = (o.ErrorsMean*n + float64(t.Errors)) / (n + 1)
	o.Loads++
	if t.Corrected {
		o.Corrections++
	}
}

// outcomes tells every skill that was loaded or edited in the time of the report. Outcomes look at all
// sessions: a comparison with before needs the time before.
func outcomes(ctx context.Context, all []Facts, counts map[string]SkillCount, src Source) []Skill {
	var turns []Turn
	for _, f := range all {
		turns = append(turns, f.Turns...)
	}
	slices.SortStableFunc(turns, func(a, b Turn) int { return a.At.Compare(b.At) })
	byLoad := map[string][]Turn{}
	for _, t := range turns {
		for _, name := range t.Loaded {
			byLoad[name] = append(byLoad[name], t)
		}
	}
	out := []Skill{}
	for name, c := range counts {
		s := Skill{Name: name, Loads: c.Loads, Edits: c.Edits, Versions: []VersionOutcomes{}}
		loaded := byLoad[name]
		s.Versions = versions(loaded, src.Versions(ctx, name))
		if len(loaded) > 0 {
			s.Before = before(name, turns, loaded)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Skill) int {
		return cmp.Or(cmp.Compare(b.Loads, a.Loads), cmp.Compare(b.Edits, a.Edits), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// versions puts each turn to the version that stood when it began.
func versions(loaded []Turn, known []Version) []VersionOutcomes {
	if len(known) == 0 && len(loaded) > 0 {
		known = []Version{{}} // history unknown: all are one
	}
	out := make([]VersionOutcomes, len(known))
	for i, v := range known {
		out[i] = VersionOutcomes{Hash: v.Hash, Number: i + 1, Since: v.Since}
	}
	for _, t := range loaded {
		at := 0
		for i, v := range known {
			if !v.Since.After(t.At) {
				at = i
			}
		}
		out[at].add(t)
	}
	// Versions that nobody loaded say nothing, except for the present one.
	var kept []VersionOutcomes
	for i, v := range out {
		if v.Loads > 0 || i == len(out)-1 {
			kept = append(kept, v)
		}
	}
	for i := 1; i < len(kept); i++ {
		kept[i].Worse = worse(kept[i-1].Outcome, kept[i].Outcome)
	}
	return kept
}

// worse compares two versions; it concludes nothing from few observations.
func worse(old, now Outcome) string {
	if old.Loads < enough || now.Loads < enough {
		return ""
	}
	rate := func(o Outcome) float64 { return float64(o.Corrections) / float64(o.Loads) }
	switch {
	case now.ErrorsMean > old.ErrorsMean*1.25+0.25:
		return "more failed calls than the version before"
	case rate(now) > rate(old)+0.2:
		return "corrected more often than the version before"
	case now.CallsMean > old.CallsMean*1.5+1:
		return "more calls than the version before"
	}
	return ""
}

// before adds up the turns on similar requests that came before the first load of a skill.
func before(name string, turns, loaded []Turn) *Outcome {
	var o Outcome
	own := text.Words(name)
	first := loaded[0].At
	var asked []map[string]bool
	for _, t := range loaded {
		asked = append(asked, set(t.Words))
	}
	for _, t := range turns {
		if !t.At.Before(first) || t.Calls == 0 || len(t.Loaded) > 0 {
			continue
		}
		words := set(t.Words)
		shared := 0
		for w := range own {
			if words[w] {
				shared++
			}
		}
		if shared >= 2 || slices.ContainsFunc(asked, func(a map[string]bool) bool { return text.Dice(a, words) >= alike }) {
			o.add(t)
		}
	}
	if o.Loads == 0 {
		return nil
	}
	return &o
}

func set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

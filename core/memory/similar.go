package memory

import (
	"regexp"
	"sync"

	"hermes/core/text"
)

// near is how much of their words two entries share (Dice) to count as saying the same.
const near = 0.72

// tokenise gives the words of each entry.
func tokenise(entries []string) []map[string]bool {
	out := make([]map[string]bool, len(entries))
	for i, e := range entries {
		out[i] = text.Words(e)
	}
	return out
}

// nearest returns the other entry that says nearly the same as entry at, -1 when none does, and how much
// of their words they share.
func nearest(tokens []map[string]bool, at int) (int, float64) {
	best, score := -1, 0.0
	for i, t := range tokens {
		if i == at {
			continue
		}
		if d := text.Dice(tokens[at], t); d >= near && d > score {
			best, score = i, d
		}
	}
	return best, score
}

// looks are the patterns behind the remarks.
type looks struct{ order, numbering, steps, passing *regexp.Regexp }

// patterns compiles them on first use: a start of the program must not pay for it.
var patterns = sync.OnceValue(func() looks { //nolint:gochecknoglobals // constants that are costly to build
	return looks{
		order:     regexp.MustCompile(`(?i)^(?:always|never|you must|do not|don['’]t|make sure|remember to|ensure|be sure to|must)\b|^(?:必须|一定要|总是|永远|不要|请务必|务必)`),
		numbering: regexp.MustCompile(`(?m)^\s*(?:\d+[.)]|step \d+|[-*•])\s+\S`),
		steps:     regexp.MustCompile(`(?i)\bfirst\b.{1,200}\bthen\b.{1,200}\b(?:then|finally)\b|(?:→|->).{1,80}(?:→|->).{1,80}(?:→|->)|首先.{1,80}然后.{1,80}(?:然后|最后)`),
		passing:   regexp.MustCompile(`(?i)\b(?:todo|wip|in progress|currently working|this week|today|tomorrow|yesterday|next week|by (?:mon|tues|wednes|thurs|fri)day|not yet done|still pending)\b|今天|明天|昨天|本周|下周|正在进行`),
	}
})

// looksLikeOrder tells sentences that command from facts.
func looksLikeOrder(s string) bool { return patterns().order.MatchString(s) }

// looksLikeProcedure tells lists of steps, which skills are for.
func looksLikeProcedure(s string) bool {
	return len(patterns().numbering.FindAllStringIndex(s, 3)) >= 3 || patterns().steps.MatchString(s)
}

// looksPassing tells text about a moment that goes by.
func looksPassing(s string) bool { return patterns().passing.MatchString(s) }

package memory

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// near is how much of their words two entries share (Dice) to count as saying the same.
const near = 0.72

// words are the distinct tokens of a text: Latin words in lower case, pairs of characters in scripts
// without spaces.
func words(s string) map[string]bool {
	out := map[string]bool{}
	var word []rune
	var last rune
	flush := func() {
		if len(word) > 0 {
			out[string(word)] = true
		}
		word = word[:0]
	}
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			flush()
			if last != 0 {
				out[string([]rune{last, r})] = true
			}
			last = r
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word = append(word, r)
		default:
			flush()
		}
		last = 0
	}
	flush()
	return out
}

func dice(a, b map[string]bool) float64 {
	if len(a) < 3 || len(b) < 3 {
		return 0 // too short to judge
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if 2*len(a)*100 < 72*(len(a)+len(b)) {
		return 0 // cannot reach near
	}
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// tokenise gives the words of each entry.
func tokenise(entries []string) []map[string]bool {
	out := make([]map[string]bool, len(entries))
	for i, e := range entries {
		out[i] = words(e)
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
		if d := dice(tokens[at], t); d >= near && d > score {
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

// Package match ranks texts by how well a few typed characters fit them: all characters in order, best
// where they start words or stand together. It is pure and knows nothing of what the texts are.
//
// Start at Rank.
package match

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The worth of a matched character.
const (
	plain     = 1
	together  = 6  // right behind the one before
	wordStart = 8  // after a separator or at a change to upper case
	lastPart  = 3  // in the last part of a path
	whole     = 40 // the query stands in the text as it is
)

// Rank returns the indexes of the texts that hold all characters of query in order, best first, at
// most limit (0 for all). Words of the query may match anywhere, each for itself. An empty query keeps
// the order. Upper and lower case are the same.
func Rank(query string, texts []string, limit int) []int {
	words := strings.Fields(strings.ToLower(query))
	type hit struct{ at, score, size int }
	var hits []hit
	for i, t := range texts {
		score, ok := Score(words, t)
		if ok {
			hits = append(hits, hit{at: i, score: score, size: len(t)})
		}
		if ok && len(words) == 0 && limit > 0 && len(hits) == limit {
			break
		}
	}
	if len(words) > 0 {
		slices.SortFunc(hits, func(a, b hit) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.size, b.size), cmp.Compare(a.at, b.at))
		})
	}
	if limit > 0 && len(hits) > limit {
		hits = hits[:limit]
	}
	out := make([]int, len(hits))
	for i, h := range hits {
		out[i] = h.at
	}
	return out
}

// Score says how well text fits the words, which are in lower case; ok is false when one does not.
func Score(words []string, text string) (score int, ok bool) {
	for _, w := range words {
		n, ok := word(w, text)
		if !ok {
			return 0, false
		}
		score += n
	}
	return score, true
}

// word scores one word: as it stands when it does, else its characters in order.
func word(w, text string) (int, bool) {
	last := strings.LastIndexByte(strings.TrimSuffix(text, "/"), '/')
	if score, ok := literal(w, text, last); ok {
		return score, true
	}
	score, prev, at := 0, -1, 0
	for _, want := range w {
		found := -1
		for i, r := range text[at:] {
			if lower(r) == want {
				found = at + i
				break
			}
		}
		if found < 0 {
			return 0, false
		}
		score += plain
		if found == prev {
			score += together
		}
		if starts(text, found) {
			score += wordStart
		}
		if found > last {
			score += lastPart
		}
		_, size := utf8.DecodeRuneInString(text[found:])
		prev, at = found+size, found+size
	}
	return score, true
}

// literal scores the best place where w, which is in lower case, stands as it is; last is where the
// last part of a path begins.
func literal(w, text string, last int) (best int, ok bool) {
	low := text
	if hasUpper(text) {
		low = strings.ToLower(text)
		if len(low) != len(text) { // an odd character changed its length: positions would lie
			return 0, false
		}
	}
	for at := 0; ; {
		i := strings.Index(low[at:], w)
		if i < 0 {
			return best, ok
		}
		i += at
		score := whole + together*utf8.RuneCountInString(w)
		if starts(text, i) {
			score += wordStart
		}
		if i > last {
			score += lastPart * 4
		}
		if best, ok = max(best, score), true; len(text) > 4096 { // long texts: the first place will do
			return best, ok
		}
		at = i + len(w)
	}
}

// hasUpper looks at ASCII only; other capitals are left to the search by characters.
func hasUpper(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			return true
		}
	}
	return false
}

// starts tells whether a word starts at i.
func starts(text string, i int) bool {
	if i == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	here, _ := utf8.DecodeRuneInString(text[i:])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) || unicode.IsUpper(here) && unicode.IsLower(before)
}

func lower(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

package guard

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"hermes/core/text"
)

// place says where a rule looks.
type place uint8

const (
	anywhere place = iota
	inCode         // code, and what stands between backticks
	inProse        // prose and comments
)

// rule is one pattern of attack.
type rule struct {
	id, category string
	severity     Severity
	hints        []string // one of these, in lower case, must occur for the pattern to be tried
	re           *regexp.Regexp
	loose        *regexp.Regexp // re without counted gaps: small, fast, and matches wherever re does
	why          string
	where        place
	firm         bool                        // a warning in front of it changes nothing
	check        func(*hit) (Severity, bool) // decides about a match; nil keeps the rule's severity
}

// hit is one match in its context.
type hit struct {
	*rule

	seg     *seg
	at, end int // in seg.text
	about   *about
}

func (h *hit) match() string { return h.seg.text[h.at:h.end] }

// ruleset is all the rules.
type ruleset struct{ rules []rule }

func newRuleset() *ruleset {
	return &ruleset{slices.Concat(
		exfiltrationRules(), injectionRules(), destructiveRules(), persistenceRules(), networkRules(),
		obfuscationRules(), executionRules(), traversalRules(), miningRules(), supplyRules(), privilegeRules(), credentialRules(),
	)}
}

// table builds the rules of one category.
type table struct {
	category string
	rules    []rule
}

// counted are gaps of a bounded length, which make a pattern large and slow.
var counted = text.NewPattern(`\{[01],\d{2,}\}`)

// add appends a rule. hints are separated by "|"; a hint that begins and ends a word is written with the
// spaces it needs.
func (t *table) add(id string, sev Severity, hints, expr, why string) *rule {
	t.rules = append(t.rules, rule{
		id: id, category: t.category, severity: sev, hints: strings.Split(hints, "|"), why: why,
		re: regexp.MustCompile(`(?i)` + expr), loose: regexp.MustCompile(`(?i)` + counted.Regexp().ReplaceAllString(expr, "*")),
	})
	return &t.rules[len(t.rules)-1]
}

// code is add for what only counts where commands and programs stand.
func (t *table) code(id string, sev Severity, hints, expr, why string) *rule {
	r := t.add(id, sev, hints, expr, why)
	r.where = inCode
	return r
}

// exactCost is how much slower a pattern with counted gaps is than one without.
const exactCost = 6

// matcher runs the rules over logical lines.
type matcher struct {
	set     *ruleset
	about   *about
	budget  int // bytes that patterns may still read; bounds the time of any input
	flooded int // line at which the budget ended
	found   func(h *hit)
}

// run reports every match in segs.
func (m *matcher) run(segs []*seg) {
	var b strings.Builder
	offs := make([]int, len(segs))
	for i, s := range segs {
		offs[i] = b.Len()
		b.WriteString(s.text)
		b.WriteByte('\n')
	}
	low := lower(b.String())
	have := gramsOf(low)
	done := make([]int, len(segs)) // number of the rule that looked at the whole line last
	for n := range m.set.rules {
		r := &m.set.rules[n]
		for _, hint := range r.hints {
			if !have.may(hint) {
				continue
			}
			m.hint(r, n+1, hint, low, segs, offs, done)
			if m.budget < 0 {
				return
			}
		}
	}
}

// hint tries r around each occurrence of hint.
func (m *matcher) hint(r *rule, n int, hint, low string, segs []*seg, offs, done []int) {
	for pos := 0; m.budget >= 0 && pos < len(low); {
		i := strings.Index(low[pos:], hint)
		if i < 0 {
			return
		}
		pos += i
		k := sort.SearchInts(offs, pos+1) - 1
		s := segs[k]
		if done[k] != n {
			done[k] = n
			m.try(r, s)
		}
		pos = offs[k] + len(s.text) + 1
	}
}

func (m *matcher) try(r *rule, s *seg) {
	if r.where == inProse && s.kind == code {
		return
	}
	if m.budget -= len(s.text) + 50; m.budget < 0 {
		m.flooded = s.line
		return
	}
	if !r.loose.MatchString(s.text) {
		return
	}
	m.budget -= exactCost * len(s.text)
	for _, at := range r.re.FindAllStringIndex(s.text, 8) {
		h := hit{rule: r, seg: s, at: at[0], end: at[1], about: m.about}
		if r.where == inCode && s.kind != code && !h.inline() {
			continue
		}
		m.found(&h)
	}
}

// inline reports whether the match stands between backticks.
func (h *hit) inline() bool {
	return h.seg.long || strings.Count(h.seg.text[:h.at], "`")%2 == 1 || h.seg.text[h.at] == '`'
}

// lower is strings.ToLower for ASCII only, so that offsets stay.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// grams remembers which three bytes stand together somewhere in a text: what lacks one of its own is not
// in it, and need not be searched.
type grams [1 << 12]uint64

func gramsOf(s string) *grams {
	var g grams
	for i := 0; i+3 <= len(s); i++ {
		n := gram(s[i:])
		g[n>>6] |= 1 << (n & 63)
	}
	return &g
}

func gram(s string) uint32 {
	return (uint32(s[0])<<16 | uint32(s[1])<<8 | uint32(s[2])) * 0x9E3779B1 >> 14
}

func (g *grams) may(s string) bool {
	for i := 0; i+3 <= len(s); i++ {
		if n := gram(s[i:]); g[n>>6]&(1<<(n&63)) == 0 {
			return false
		}
	}
	return true
}

package index

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Help explains the query language to people and to the model.
const Help = `words      all must occur             "a phrase"   exactly these words
a OR b     either                     -word        must not occur
pre*       words that begin so        role:user    user, assistant or tool
tool:NAME  results of a tool          session:ID   only this session
since:2d   not older (m h d w or a day: 2026-10-01)   before:2026-10-01
Anything else is text: paths, versions, e-mail addresses, #123, C++. Case and accents do not matter.`

// node is a part of a query. Every node tells which terms the engine needs and whether a text fits.
type node interface {
	// fits tells whether a folded text holds the node.
	fits(folded string) bool
	String() string
}

type (
	// word is a run of characters without blanks.
	wordNode struct {
		text   string   // folded
		must   []string // the terms a message has when the word occurs in it
		begin  string   // how a further term of it begins; "" when there is no such
		exact  bool     // the terms are enough: a message that has them fits
		prefix bool
		phrase bool // given in quotes: blanks inside count as any white space
	}
	andNode []node
	orNode  []node
	notNode struct{ node }
)

// Query is a parsed query.
type Query struct {
	Text    string // as given
	root    node   // nil: no text is asked for
	Role    string
	Tool    string
	Session string
	Since   time.Time // zero: no limit
	Before  time.Time
	// Notes say what of the query was not understood as asked, one line each.
	Notes []string
}

// Empty tells whether the query asks for nothing that could be looked for.
func (q *Query) Empty() bool {
	return q.root == nil && q.Role == "" && q.Tool == "" && q.Session == "" && q.Since.IsZero() && q.Before.IsZero()
}

// String prints the query as it was understood.
func (q *Query) String() string {
	if q.root == nil {
		return ""
	}
	return q.root.String()
}

// queryLimit is how much of a query is read, in bytes.
const queryLimit = 2048

// Parse reads a query. It never fails: what is no operator is text, and what cannot be looked for is left
// out with a note. now is what since: counts from.
func Parse(text string, now time.Time) Query {
	q := Query{Text: text}
	if len(text) > queryLimit {
		text = strings.ToValidUTF8(text[:queryLimit], "")
		q.Notes = append(q.Notes, fmt.Sprintf("only the first %d bytes of the query are used", queryLimit))
	}
	var groups []orNode
	or := false
	for _, t := range split(text) {
		if !t.quoted && q.filter(t.text, now) {
			continue
		}
		if !t.quoted && (t.text == "OR" || t.text == "|") {
			or = len(groups) > 0
			continue
		}
		if !t.quoted && (t.text == "AND" || t.text == "NOT" || t.text == "&&") {
			continue // AND is what blanks mean; a lone NOT says nothing
		}
		n := t.node()
		if n == nil {
			continue
		}
		if _, not := n.(notNode); or && !not {
			last := len(groups) - 1
			groups[last] = append(groups[last], n)
		} else {
			groups = append(groups, orNode{n})
		}
		or = false
	}
	q.root = join(groups)
	return q
}

// join makes one node of groups that must all fit.
func join(groups []orNode) node {
	var all andNode
	positive := false
	for _, g := range groups {
		var n node = g
		if len(g) == 1 {
			n = g[0]
		}
		if _, not := n.(notNode); !not {
			positive = true
		}
		all = append(all, n)
	}
	switch {
	case !positive:
		return nil // only exclusions: everything else is no answer
	case len(all) == 1:
		return all[0]
	}
	return all
}

// token is a blank-separated piece of a query.
type token struct {
	text   string
	quoted bool
	not    bool
}

// split cuts a query at blanks outside quotes. A quote that is never closed is a character like any other.
func split(s string) []token {
	var out []token
	for {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		if s == "" {
			return out
		}
		t := token{}
		rest := s
		if len(s) > 1 && s[0] == '-' && !unicode.IsSpace(rune(s[1])) && s[1] != '-' {
			t.not, rest = true, s[1:]
		}
		if rest[0] == '"' {
			if end := strings.IndexByte(rest[1:], '"'); end >= 0 {
				t.text, t.quoted = rest[1:1+end], true
				out = append(out, t)
				s = rest[end+2:]
				continue
			}
			rest = rest[1:]
		}
		end := strings.IndexFunc(rest, unicode.IsSpace)
		if end < 0 {
			end = len(rest)
		}
		t.text = rest[:end]
		out = append(out, t)
		s = rest[end:]
	}
}

// node makes what the token asks for; nil when there is nothing in it that occurs in texts.
func (t token) node() node {
	text, prefix := t.text, false
	if !t.quoted {
		trimmed := strings.TrimRight(text, "*")
		prefix = trimmed != text
		text = strings.TrimLeft(trimmed, "*")
	}
	w := wordNode{text: strings.Join(strings.Fields(Fold(text)), " "), prefix: prefix, phrase: t.quoted}
	if w = w.need(); len(w.must) == 0 && w.begin == "" {
		return nil
	}
	if t.not {
		return notNode{w}
	}
	return w
}

// need adds what the engine knows of the word.
func (w wordNode) need() wordNode {
	rest := w.text
	all := 0
	runs(w.text, func(run string, cjk bool) {
		all++
		rest = strings.TrimSuffix(w.text, run)
		last := w.prefix && strings.HasSuffix(w.text, run)
		n := utf8.RuneCountInString(run)
		switch {
		case !cjk && len(run) > termLimit:
			all++ // the engine knows its head only
			w.must = append(w.must, clip(run))
		case !cjk && last:
			w.begin = run
		case !cjk || n == 1:
			w.must = append(w.must, run)
		default:
			all += n - 2
			cjkPairs(run, func(pair string) { w.must = append(w.must, pair) })
		}
	})
	w.exact = all == 1 && rest == ""
	slices.Sort(w.must)
	w.must = slices.Compact(w.must)
	return w
}

// same tells whether two words look for the same.
func (w wordNode) same(o wordNode) bool {
	return w.text == o.text && w.prefix == o.prefix && w.phrase == o.phrase
}

// exact tells whether what the engine proposes for a node always fits.
func exact(n node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case wordNode:
		return n.exact
	case andNode:
		return !slices.ContainsFunc(n, func(c node) bool {
			if not, ok := c.(notNode); ok {
				c = not.node
			}
			return !exact(c)
		})
	case orNode:
		return !slices.ContainsFunc(n, func(c node) bool { return !exact(c) })
	}
	return false
}

// filter takes role:, tool:, session:, since: and before:. It reports whether the token was one.
func (q *Query) filter(text string, now time.Time) bool {
	key, value, ok := strings.Cut(text, ":")
	if !ok || value == "" {
		return false
	}
	switch key {
	case "role":
		if value != "user" && value != "assistant" && value != "tool" {
			q.Notes = append(q.Notes, fmt.Sprintf("role:%s is not known; use user, assistant or tool", value))
			return true
		}
		q.Role = value
	case "tool":
		q.Tool = value
	case "session":
		q.Session = value
	case "since", "before":
		at, ok := when(value, now)
		if !ok {
			q.Notes = append(q.Notes, fmt.Sprintf("%s is no time; use 2d, 3w, 12h or 2026-10-01", text))
			return true
		}
		if key == "since" {
			q.Since = at
		} else {
			q.Before = at
		}
	default:
		return false
	}
	return true
}

// when reads "2d" as that long before now, or a day.
func when(s string, now time.Time) (time.Time, bool) {
	if day, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return day, true
	}
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	unit, ok := units[s[len(s)-1]]
	n := 0
	if _, err := fmt.Sscanf(s[:len(s)-1], "%d", &n); !ok || err != nil || n <= 0 || n > 10_000 {
		return time.Time{}, false
	}
	return now.Add(-time.Duration(n) * unit), true
}

// fits tells whether the word occurs: as a word of its own where it begins and ends with a letter or digit,
// anywhere where it is CJK or punctuation.
func (w wordNode) fits(folded string) bool { _, _, ok := w.find(folded); return ok }

// find returns the first place of the word in a folded text.
func (w wordNode) find(folded string) (start, end int, ok bool) {
	text := folded
	if w.phrase && strings.Contains(w.text, " ") {
		return w.findPhrase(folded)
	}
	for at := 0; ; {
		i := strings.Index(text[at:], w.text)
		if i < 0 {
			return 0, 0, false
		}
		start, end = at+i, at+i+len(w.text)
		if w.bounded(text, start, end) {
			return start, end, true
		}
		_, n := utf8.DecodeRuneInString(text[start:])
		at = start + n
	}
}

// findPhrase looks for the words with any white space between them.
func (w wordNode) findPhrase(folded string) (start, end int, ok bool) {
	words := strings.Fields(w.text)
	for at := 0; ; {
		i := strings.Index(folded[at:], words[0])
		if i < 0 {
			return 0, 0, false
		}
		start = at + i
		end = start + len(words[0])
		ok = true
		for _, next := range words[1:] {
			rest := strings.TrimLeftFunc(folded[end:], unicode.IsSpace)
			gap := len(folded) - end - len(rest)
			if gap == 0 || !strings.HasPrefix(rest, next) {
				ok = false
				break
			}
			end += gap + len(next)
		}
		if ok && w.bounded(folded, start, end) {
			return start, end, true
		}
		_, n := utf8.DecodeRuneInString(folded[start:])
		at = start + n
	}
}

// bounded tells whether a place is not inside a longer word.
func (w wordNode) bounded(text string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(text[start:end])
	last, _ := utf8.DecodeLastRuneInString(text[start:end])
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	if wordRune(first) && start > 0 && wordRune(before) {
		return false
	}
	return w.prefix || !wordRune(last) || end == len(text) || !wordRune(after)
}

func (w wordNode) String() string {
	switch {
	case w.phrase:
		return `"` + w.text + `"`
	case w.prefix:
		return w.text + "*"
	}
	return w.text
}

func (a andNode) fits(s string) bool {
	for _, n := range a {
		if !n.fits(s) {
			return false
		}
	}
	return true
}

func (a andNode) String() string { return list(a, " ") }

func (o orNode) fits(s string) bool {
	for _, n := range o {
		if n.fits(s) {
			return true
		}
	}
	return false
}

func (o orNode) String() string { return "(" + list(o, " OR ") + ")" }

func (n notNode) fits(s string) bool { return !n.node.fits(s) }

func (n notNode) String() string { return "-" + n.node.String() }

func list(ns []node, sep string) string {
	parts := make([]string, len(ns))
	for i, n := range ns {
		parts[i] = n.String()
	}
	return strings.Join(parts, sep)
}

// words lists what may be marked in an excerpt.
func words(n node) []wordNode {
	switch n := n.(type) {
	case wordNode:
		return []wordNode{n}
	case andNode:
		var out []wordNode
		for _, c := range n {
			out = append(out, words(c)...)
		}
		return out
	case orNode:
		return words(andNode(n))
	}
	return nil
}

package threat

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Finding is one thing a scan saw.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Line     int      `json:"line"`              // 1-based, in the text given
	Excerpt  string   `json:"excerpt"`           // printable; invisible characters as U+XXXX
	Decoded  string   `json:"decoded,omitempty"` // what hidden or encoded text says
	Layer    string   `json:"layer,omitempty"`   // how it was encoded: "base64", "hex" … ; "" for plain text
}

// table compiles the patterns once.
var table = sync.OnceValue(patterns) //nolint:gochecknoglobals // a constant that is costly to build

// layerTable compiles the encodings once.
var layerTable = sync.OnceValue(encodings) //nolint:gochecknoglobals // the same

// denial recognises a sentence that warns against what follows: "never …", "refuse to …".
var denial = regexp.MustCompile(`(?i)\b(?:never|do\s+not|don['’]?t|must\s+not|refuse\s+to|avoid|such\s+as|like|e\.g\.|example(?:s)?(?:\s+of)?)\b[^.!?\n]{0,60}$`)

// Scan looks for patterns of scope and for hidden characters in text, and in Strict scope also in what
// is encoded in it (see Layers). The findings are ordered by line; at most one a pattern and line is
// given. Any length is looked at whole.
func Scan(text string, scope Scope) []Finding {
	p := normalise(text)
	var out []Finding
	for _, h := range p.hidden {
		out = append(out, Finding{ID: h.id, Severity: severityOf(h, scope), Line: h.line, Excerpt: points(h.points), Decoded: h.decoded})
	}
	out = append(out, match(p.text, scope)...)
	for _, h := range p.hidden {
		for _, f := range match(h.decoded, scope) {
			f.Line, f.Decoded = h.line, h.decoded
			out = append(out, f)
		}
	}
	if scope == Strict {
		for _, l := range Layers(p.text) {
			for _, f := range match(normalise(l.Text).text, scope) {
				f.Line, f.Decoded, f.Layer, f.Excerpt = l.Line, excerpt(l.Text), l.Kind, l.Source
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return a.Line - b.Line })
	return out
}

// severityOf: text nobody can see is an attack; a stray joiner is worth a word. Overrides of the writing
// direction show a person another text than the agent reads, which nothing that is kept needs.
func severityOf(h hidden, scope Scope) Severity {
	if scope == Strict && (h.points[0] == 0x202D || h.points[0] == 0x202E) {
		return Block
	}
	if h.id == "hidden_tag_text" && strings.TrimSpace(h.decoded) != "" || h.id == "variation_selector_data" {
		return Block
	}
	return Warn
}

func match(text string, scope Scope) []Finding {
	if text == "" {
		return nil
	}
	var out []Finding
	low := strings.ToLower(text)
	for _, p := range table() {
		if p.scope > scope || !slices.ContainsFunc(p.hints, func(h string) bool { return strings.Contains(low, h) }) {
			continue
		}
		last := 0
		for _, at := range p.re.FindAllStringIndex(text, 20) {
			line := 1 + strings.Count(text[:at[0]], "\n")
			if line == last {
				continue
			}
			last = line
			severity := p.severity
			if scope == Strict {
				severity = p.strict
			}
			f := Finding{ID: p.id, Severity: severity, Line: line, Excerpt: excerpt(text[at[0]:at[1]])}
			if denial.MatchString(text[max(0, at[0]-120):at[0]]) && p.id != "deception_hide" {
				f.Severity = Warn
			}
			out = append(out, f)
		}
	}
	return out
}

func excerpt(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 120 {
		return string(r[:117]) + "..."
	}
	return s
}

func points(rs []rune) string {
	var parts []string
	for _, r := range rs {
		parts = append(parts, fmt.Sprintf("U+%04X", r))
	}
	return strings.Join(parts, " ")
}

// Blocking returns the first finding that keeps a text out of a prompt, or nil.
func Blocking(fs []Finding) *Finding {
	for i := range fs {
		if fs[i].Severity == Block {
			return &fs[i]
		}
	}
	return nil
}

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
			if p.id == "ssh_access" && strings.HasPrefix(text[at[1]:], ".pub") {
				continue // the public half
			}
			if (p.id == "exfil_curl" || p.id == "exfil_wget") && ownKey(lineAround(text, at[0])) {
				severity = Warn
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

var (
	secretName = regexp.MustCompile(`\$\{?([A-Za-z0-9]+)(?:_[A-Za-z0-9]+)*`)
	hostName   = regexp.MustCompile(`https?://([A-Za-z0-9.-]+)`)
)

// ownKey tells a call that sends a key to the very service it is named for ($GRAFANA_TOKEN to
// grafana.example): every host on the line has the name as its last label but one.
func ownKey(line string) bool {
	hosts := hostName.FindAllStringSubmatch(line, 10)
	keys := secretName.FindAllStringSubmatch(line, 10)
	for _, h := range hosts {
		labels := strings.Split(strings.ToLower(h[1]), ".")
		for _, k := range keys {
			if len(labels) < 2 || len(k[1]) < 3 || labels[len(labels)-2] != strings.ToLower(k[1]) {
				return false
			}
		}
	}
	return len(hosts) > 0 && len(keys) > 0
}

func lineAround(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return line
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

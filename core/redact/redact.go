// Package redact replaces secrets in text by a mark before the text is recorded, sent or shown.
//
// It knows two kinds: the values it was given (the home's .env, the key in use) and the shapes of
// well-known keys. It reads no file and no environment itself. A mark starts with Mark, so that a
// tool can refuse to write one back over the real value.
package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Mark opens every replacement: "[redacted:NAME]".
const Mark = "[redacted:"

// MinValue is the shortest value that is redacted, in bytes. Shorter ones ("true", "8080") would
// blank out ordinary text.
const MinValue = 8

// Redactor replaces secrets. The zero value and a nil *Redactor know the key shapes only.
type Redactor struct {
	values *strings.Replacer
	list   []string // the values themselves
}

// New returns a redactor for the values of secrets (name → value). Values shorter than MinValue are
// left out.
func New(secrets map[string]string) *Redactor {
	type pair struct{ name, value string }
	var pairs []pair
	for name, value := range secrets {
		if value = strings.TrimSpace(value); len(value) >= MinValue {
			pairs = append(pairs, pair{name, value})
		}
	}
	// Longer values first: one may contain another. Names make the choice stable among equals.
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(len(b.value)-len(a.value), cmp.Compare(a.name, b.name))
	})
	var args []string
	for _, p := range pairs {
		args = append(args, p.value, Mark+p.name+"]")
	}
	if len(args) == 0 {
		return &Redactor{}
	}
	r := &Redactor{values: strings.NewReplacer(args...)}
	for _, p := range pairs {
		r.list = append(r.list, p.value)
	}
	return r
}

// Partial is how many bytes at the end of text may be the beginning of a secret value: whoever hands text
// on in pieces keeps them back until more has come.
func (r *Redactor) Partial(text string) int {
	if r == nil {
		return 0
	}
	most := 0
	for _, v := range r.list {
		for n := min(len(v)-1, len(text)); n > most; n-- {
			if strings.HasSuffix(text, v[:n]) {
				most = n
			}
		}
	}
	return most
}

// shape is a family of keys: hint must occur for the pattern to be tried.
type shape struct {
	name    string
	hints   []string
	pattern *regexp.Regexp
}

// shapes lists the keys that say what they are. Each pattern's first group, if any, is kept.
var shapes = []shape{ //nolint:gochecknoglobals // a constant table
	{"private-key", []string{"PRIVATE KEY"}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`)},
	{"api-key", []string{"sk-", "sk_", "rk_"}, regexp.MustCompile(`\b(?:sk-[A-Za-z0-9_-]*[A-Za-z0-9]{16,}[A-Za-z0-9_-]*|[sr]k_(?:live|test)_[A-Za-z0-9]{16,})`)},
	{"github-token", []string{"gh", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})`)},
	{"gitlab-token", []string{"glpat-"}, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"aws-key", []string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"google-key", []string{"AIza"}, regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)},
	{"slack-token", []string{"xox"}, regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"hf-token", []string{"hf_"}, regexp.MustCompile(`\bhf_[A-Za-z0-9]{30,}`)},
	{"npm-token", []string{"npm_"}, regexp.MustCompile(`\bnpm_[A-Za-z0-9]{30,}`)},
	{"groq-key", []string{"gsk_", "xai-"}, regexp.MustCompile(`\b(?:gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,})`)},
	{"jwt", []string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	{"bearer", []string{"earer "}, regexp.MustCompile(`(?i)(authorization["']?\s*[:=]\s*["']?bearer\s+)[A-Za-z0-9._~+/-]{16,}=*`)},
	{"url-password", []string{"://"}, regexp.MustCompile(`([a-z][a-z0-9+.-]*://[^\s/:@'"]+:)[^\s/@'"]{3,}(@)`)},
}

// placeholder is an address whose password is none: what documents write in its place, or the variable that
// holds it.
var placeholder = regexp.MustCompile(`:(?:<[^<>]*>|\$[A-Z_][A-Z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\}|\{\{?[^{}]*\}?\}|\*{3,})@$`)

// Redact returns text with every known secret replaced. Text without one comes back unchanged, and
// redacting twice changes nothing more.
func (r *Redactor) Redact(text string) string {
	if r != nil && r.values != nil {
		text = r.values.Replace(text)
	}
	for _, s := range shapes {
		if !slices.ContainsFunc(s.hints, func(h string) bool { return strings.Contains(text, h) }) {
			continue
		}
		text = s.pattern.ReplaceAllStringFunc(text, func(hit string) string {
			if strings.Contains(hit, Mark) || s.name == "url-password" && placeholder.MatchString(hit) {
				return hit
			}
			return s.replace(hit)
		})
	}
	return text
}

// replace keeps the groups of a hit (what stands around the secret) and marks the rest.
func (s shape) replace(hit string) string {
	mark := Mark + s.name + "]"
	g := s.pattern.FindStringSubmatch(hit)
	switch len(g) {
	case 2:
		return g[1] + mark
	case 3:
		return g[1] + mark + g[2]
	}
	return mark
}

package config

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Secrets are the variables of the home's .env. Printing one shows names only.
type Secrets struct {
	values map[string]string
}

// NewSecrets returns secrets with a copy of values.
func NewSecrets(values map[string]string) Secrets { return Secrets{values: maps.Clone(values)} }

// Lookup returns the value of name.
func (s Secrets) Lookup(name string) (string, bool) {
	v, ok := s.values[name]
	return v, ok
}

// Names lists the variables, sorted.
func (s Secrets) Names() []string { return slices.Sorted(maps.Keys(s.values)) }

// Values lists the values in the order of Names, for redaction.
func (s Secrets) Values() []string {
	var out []string
	for _, n := range s.Names() {
		out = append(out, s.values[n])
	}
	return out
}

// String shows the names only.
func (s Secrets) String() string { return fmt.Sprintf("secrets%v", s.Names()) }

// GoString shows the names only.
func (s Secrets) GoString() string { return s.String() }

// LogValue shows the names only.
func (s Secrets) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Mask shows enough of a secret to recognise it and too little to use it.
func Mask(value string) string {
	n := utf8.RuneCountInString(value)
	switch {
	case n == 0:
		return "(empty)"
	case n < 16:
		return "****"
	}
	r := []rune(value)
	return string(r[:4]) + "…" + string(r[n-4:])
}

// LooksSecret reports whether a variable or setting of that name usually holds a secret.
func LooksSecret(name string) bool {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) > 0 && words[len(words)-1] == "ENV" { // names a variable, holds no secret
		return false
	}
	for i, w := range words {
		switch w {
		case "APIKEY", "TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "PAT", "DSN":
			return true
		case "KEY":
			if i > 0 {
				return true
			}
		}
	}
	return false
}

// envLine is one assignment: where its value stands in the file and what it means.
type envLine struct {
	name       string
	value      string
	start, end int // bytes of the value as written, quotes included
	line       int // 1-based
}

// EnvValues reads the assignments of a file such as .env; a later one of a name wins.
func EnvValues(text string) map[string]string {
	lines, _ := parseEnv(text)
	out := make(map[string]string, len(lines))
	for _, l := range lines {
		out[l.name] = l.value
	}
	return out
}

// parseEnv reads NAME=value lines: an optional "export ", # comments, single quotes (literal), double
// quotes (with \n \t \r \" \\ \$ and line breaks), bare values up to " #". CRLF and a byte order mark
// are fine. A later line wins. Lines that are none of this are returned as problems.
func parseEnv(data string) (lines []envLine, bad []int) {
	pos, line := 0, 1
	if strings.HasPrefix(data, "\ufeff") {
		pos = len("\ufeff")
	}
	for pos < len(data) {
		end := pos + strings.IndexByte(data[pos:]+"\n", '\n')
		l, next, ok := parseEnvLine(data, pos, end)
		if ok && l.name != "" {
			l.line = line
			lines = append(lines, l)
		} else if !ok {
			bad = append(bad, line)
		}
		line += strings.Count(data[pos:min(next, len(data))], "\n")
		pos = next
	}
	return lines, bad
}

// parseEnvLine reads the line data[pos:end]; next is where the following one starts, which is further
// on when quotes span lines. An empty name with ok is a blank or comment line.
func parseEnvLine(data string, pos, end int) (l envLine, next int, ok bool) {
	next = end + 1
	text := data[pos:end]
	body := strings.TrimLeft(text, " \t")
	if t := strings.TrimSpace(body); t == "" || t[0] == '#' {
		return l, next, true
	}
	if rest, found := strings.CutPrefix(body, "export"); found && rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
		body = strings.TrimLeft(rest, " \t")
	}
	name, rest, found := strings.Cut(body, "=")
	name = strings.TrimRight(name, " \t")
	if !found || !validEnvName(name) {
		return l, next, false
	}
	l.name = name
	l.start = end - len(rest)
	for l.start < end && (data[l.start] == ' ' || data[l.start] == '\t') {
		l.start++
	}
	if l.start < end && (data[l.start] == '"' || data[l.start] == '\'') {
		return parseQuoted(data, l, end)
	}
	raw := data[l.start:end]
	if i := commentStart(raw); i >= 0 {
		raw = raw[:i]
	}
	l.value = strings.TrimRight(raw, " \t\r")
	l.end = l.start + len(l.value)
	return l, next, true
}

// commentStart finds a # at the start or after white space.
func commentStart(s string) int {
	for i := range len(s) {
		if s[i] == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') {
			return i
		}
	}
	return -1
}

func parseQuoted(data string, l envLine, lineEnd int) (_ envLine, next int, ok bool) {
	quote := data[l.start]
	var b strings.Builder
	i := l.start + 1
	for ; i < len(data) && data[i] != quote; i++ {
		if quote == '"' && data[i] == '\\' && i+1 < len(data) {
			i++
			b.WriteString(unescape(data[i]))
			continue
		}
		b.WriteByte(data[i])
	}
	if i >= len(data) { // never closed: only this line is lost
		return l, lineEnd + 1, false
	}
	l.value, l.end = b.String(), i+1
	eol := l.end + strings.IndexByte(data[l.end:]+"\n", '\n')
	if rest := strings.TrimSpace(data[l.end:eol]); rest != "" && rest[0] != '#' {
		return l, lineEnd + 1, false
	}
	return l, eol + 1, true
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '"', '\\', '$', '\'', '`':
		return string(rune(c))
	}
	return `\` + string([]byte{c})
}

func validEnvName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// quoteEnv writes value so that parseEnv and a shell read it back: bare when nothing in it matters to
// either, single-quoted when it can be, else double-quoted with escapes.
func quoteEnv(value string) string {
	bare := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_-./:@%+,=~", r)
	}
	if value != "" && !strings.ContainsFunc(value, func(r rune) bool { return !bare(r) }) {
		return value
	}
	if !strings.ContainsAny(value, "'\n\r\t") {
		return "'" + value + "'"
	}
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`", "\n", `\n`, "\r", `\r`, "\t", `\t`)
	return `"` + r.Replace(value) + `"`
}

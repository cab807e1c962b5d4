package guard

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes/core/text"
)

// program puts known values in the place of names and joins string literals that stand side by side or
// are added: how Python, JavaScript and their kin spell a word in pieces.
func (d *deriver) program(t string) string {
	if !strings.ContainsAny(t, `"'`) && len(d.vars) == 0 || len(t) > 16<<10 {
		return t
	}
	t = characters(t)
	for range 2 {
		n := d.pass(t)
		if n == t {
			break
		}
		t = n
	}
	return t
}

var charCall = text.NewPattern(`(?i)\b(?:chr|String\.fromCharCode|unichr)\(\s*(0x[0-9a-f]{2}|\d{2,3})\s*\)`)

// characters reads chr(99) as "c".
func characters(t string) string {
	if !strings.Contains(t, "(") {
		return t
	}
	return charCall.Regexp().ReplaceAllStringFunc(t, func(m string) string {
		n, err := strconv.ParseUint(charCall.Regexp().FindStringSubmatch(m)[1], 0, 8)
		if err != nil || n < ' ' || n == '"' || n == '\\' || n > '~' {
			return m
		}
		return quote(string(rune(n)))
	})
}

// pass is one run over the tokens of a line.
func (d *deriver) pass(t string) string {
	out := make([]byte, 0, len(t)+64)
	last := -1 // where in out the last literal ends, before its quote
	for i := 0; i < len(t); {
		c := t[i]
		switch {
		case c == '"' || c == '\'' || c == '`':
			text, n := literal(t[i:])
			if last >= 0 && glue(string(out[last+1:])) {
				out = out[:last]
			} else {
				out = append(out, '"')
			}
			out = append(out, d.placeholders(text)...)
			last = len(out)
			out = append(out, '"')
			i += n
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			n := wordLen(t[i:])
			word := t[i : i+n]
			value, known := d.vars[word]
			switch {
			case known && d.stands(t, i, i+n, value):
				if value[0] == '"' || value[0] == '\'' {
					if last >= 0 && glue(string(out[last+1:])) {
						out = out[:last]
					} else {
						out = append(out, '"')
					}
					out = append(out, unquote(value)...)
					last = len(out)
					out = append(out, '"')
				} else {
					out = append(out, value...)
				}
			case i+n < len(t) && (t[i+n] == '"' || t[i+n] == '\'') && n <= 2 && strings.Trim(lower(word), "rbfu") == "":
				// the prefix of a literal
			default:
				out = append(out, word...)
			}
			i += n
		default:
			out = append(out, c)
			i++
		}
	}
	return string(out)
}

// forbidden names lists of what a program looks for or refuses; their elements are not put together.
var forbidden = text.NewPattern(`(?i)(?:deny|block|forbid|danger|unsafe|malicious|suspicious|banned|disallow|pattern|rules?$|checks?$)`)

// stands reports whether the name in t[from:to] may be replaced by its value.
func (d *deriver) stands(t string, from, to int, value string) bool {
	if value == t[from:to] || assigned(t[to:]) || from > 0 && (t[from-1] == '.' || t[from-1] == '$') {
		return false
	}
	switch value[0] {
	case '[':
		joined := strings.HasSuffix(t[:from], "join(") || strings.HasPrefix(t[to:], ".join")
		return joined || !forbidden.Regexp().MatchString(t[from:to])
	case '"', '\'', '{':
		return true
	}
	return strings.HasPrefix(value, "os.") || strings.HasPrefix(value, "process.")
}

// literal reads a quoted text at the start of t: its content and how many bytes it took.
func literal(t string) (string, int) {
	for i := 1; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case t[0]:
			return t[1:i], i + 1
		}
	}
	return t[1:], len(t)
}

func wordLen(t string) int {
	n := 0
	for n < len(t) && (t[n] == '_' || t[n] >= 'a' && t[n] <= 'z' || t[n] >= 'A' && t[n] <= 'Z' || t[n] >= '0' && t[n] <= '9') {
		n++
	}
	return n
}

// glue reports whether what stands between two literals joins them.
func glue(between string) bool {
	s := strings.TrimSpace(between)
	return s == "+" || s == "" && between == "" || s == "" && strings.Contains(between, " ")
}

// assigned reports whether an assignment follows a name.
func assigned(rest string) bool {
	rest = strings.TrimLeft(rest, " ")
	return strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, "+=")
}

var hole = text.NewPattern(`\$?\{([A-Za-z_]\w*)\}`)

// placeholders fills {name} and ${name} in a literal.
func (d *deriver) placeholders(text string) string {
	if !strings.Contains(text, "{") || len(d.vars) == 0 {
		return text
	}
	return hole.Regexp().ReplaceAllStringFunc(text, func(m string) string {
		v, ok := d.vars[hole.Regexp().FindStringSubmatch(m)[1]]
		if !ok || v[0] == '[' || v[0] == '{' {
			return m
		}
		return unquote(v)
	})
}

var (
	joinOf    = text.NewPattern(`"([^"]{0,8})"\s*\.join\(\s*[\[(]([^\])]*)[\])]\s*\)`)
	joinOn    = text.NewPattern(`\[((?:\s*"[^"]*"\s*,?)+)\]\s*\.join\(\s*"([^"]{0,8})"\s*\)`)
	element   = text.NewPattern(`"([^"]*)"`)
	turnedLit = text.NewPattern(`"([^"]{2,})"\s*(?:\[::-1\]|\.split\(\s*""\s*\)\.reverse\(\)\.join\(\s*""\s*\)|\.reverse\b)`)
	replaced  = text.NewPattern(`"([^"]{2,})"\s*\.(?:replace|replaceAll)\(\s*"([^"]+)"\s*,\s*"([^"]*)"\s*\)`)
	percents  = text.NewPattern(`"((?:%s|[\w./:-]){2,40})"\s*%\s*\(((?:\s*"[^"]*"\s*,?)+)\)`)
	formats   = text.NewPattern(`"((?:\{\d?\}|[\w./:-]){2,40})"\s*\.format\(((?:\s*"[^"]*"\s*,?)+)\)`)
)

// evaluate works out the few operations on literals that hide a word.
func evaluate(t string) string {
	if !strings.Contains(t, `"`) {
		return t
	}
	t = sub(joinOf.Regexp(), t, func(m []string) string { return strings.Join(elements(m[2]), m[1]) })
	t = sub(joinOn.Regexp(), t, func(m []string) string { return strings.Join(elements(m[1]), m[2]) })
	t = sub(turnedLit.Regexp(), t, func(m []string) string { return mirror(m[1]) })
	t = sub(replaced.Regexp(), t, func(m []string) string { return strings.ReplaceAll(m[1], m[2], m[3]) })
	t = sub(percents.Regexp(), t, func(m []string) string { return spread(m[1], "%s", elements(m[2])) })
	return sub(formats.Regexp(), t, func(m []string) string { return spread(m[1], "{}", elements(m[2])) })
}

func sub(re *regexp.Regexp, t string, f func([]string) string) string {
	return re.ReplaceAllStringFunc(t, func(m string) string {
		s := f(re.FindStringSubmatch(m))
		if len(s) > 4*maxValue || !utf8.ValidString(s) {
			return m
		}
		return quote(s)
	})
}

func elements(list string) []string {
	var out []string
	for _, m := range element.Regexp().FindAllStringSubmatch(list, 200) {
		out = append(out, m[1])
	}
	return out
}

func spread(format, hole string, values []string) string {
	for _, v := range values {
		format = strings.Replace(format, hole, v, 1)
	}
	return format
}

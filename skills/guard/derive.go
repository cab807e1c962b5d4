package guard

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"hermes/core/text"
)

// How much text derivation may make of one file, in bytes, and how deep a variable is followed.
const (
	maxDerived = 512 << 10
	maxValue   = 300
	maxFollow  = 4
)

// derive returns what lines of code say once variables are filled in and split strings are joined. Only
// lines that this changes are returned.
func derive(segs []*seg) []*seg {
	d := deriver{vars: map[string]string{}, left: maxDerived}
	for _, s := range segs {
		if s.kind == code {
			d.learn(s.text)
		}
	}
	var out []*seg
	for _, s := range segs {
		text := s.text
		if s.kind == prose {
			if text = inlineCode(text); text == "" {
				continue
			}
		} else if s.kind == comment {
			continue
		}
		if len(text) > d.left {
			continue
		}
		if plain, how := d.resolve(text, s); how != "" && plain != text {
			d.left -= len(plain)
			out = append(out, &seg{text: plain, line: s.line, kind: code, lang: s.lang, warned: s.warned, pitfall: s.pitfall, from: s, how: how})
		}
	}
	return out
}

// inlineCode is what stands between backticks in a paragraph.
func inlineCode(t string) string {
	parts := strings.Split(t, "`")
	var b strings.Builder
	for i := 1; i < len(parts); i += 2 {
		b.WriteString(parts[i])
		b.WriteString(" ; ")
	}
	return b.String()
}

type deriver struct {
	vars map[string]string
	left int
}

var assignment = text.NewPattern(`(?:^|[;&|({\s])(?:\$(?:env:)?)?([A-Za-z_]\w*)(?:\s*:\s*\w+)?\s*(\+?=)\s*("[^"]*"|'[^']*'|\[[^\]]*\]|\([^)"']*(?:["'][^"']*["'],?\s*)+\)|\{[^{}]*(?:environ|getenv|process\.env)[^{}]*\}|os\.environ\[["']\w+["']\]|os\.environ\b|os\.(?:getenv|environ\.get)\(["']\w+["'][^)]*\)|process\.env\.\w+|[\w./:@%~-]+)`)

// decodedTo is a variable that takes what a command decodes.
var decodedTo = text.NewPattern(`\b([A-Za-z_]\w*)=["']?(?:\$\(|` + "`" + `)\s*(?:echo|printf)\s+(?:-\w+\s+)?["']?([^"'|)]{3,200}?)["']?\s*\|\s*(base64|rev|xxd)\b`)

// learnDecoded notes what such a variable holds.
func (d *deriver) learnDecoded(t string) {
	for _, m := range decodedTo.Regexp().FindAllStringSubmatch(t, 50) {
		var plain string
		var ok bool
		switch text := strings.TrimSpace(m[2]); m[3] {
		case "rev":
			plain, ok = mirror(text), true
		case "base64":
			b, err := base64.StdEncoding.DecodeString(text)
			plain, ok = string(b), err == nil
		default:
			b, err := hex.DecodeString(text)
			plain, ok = string(b), err == nil
		}
		if ok && utf8.ValidString(plain) && len(plain) <= maxValue {
			d.vars[m[1]] = quote(strings.TrimSpace(plain))
		}
	}
}

// learn notes simple assignments: name = text.
func (d *deriver) learn(t string) {
	d.learnDecoded(t)
	if !strings.Contains(t, "=") || len(t) > 64<<10 {
		return
	}
	for _, m := range assignment.Regexp().FindAllStringSubmatch(t, 200) {
		name, op, value := m[1], m[2], m[3]
		if len(value) > maxValue || value == name {
			continue
		}
		if op == "+=" {
			value = quote(unquote(d.vars[name]) + unquote(value))
		}
		d.vars[name] = value
	}
}

func unquote(v string) string {
	if len(v) >= 2 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
		return v[1 : len(v)-1]
	}
	return v
}

func quote(s string) string { return `"` + s + `"` }

// resolve returns what a line says, and how it was hidden.
func (d *deriver) resolve(t string, s *seg) (string, string) {
	how := ""
	step := func(f func(string) string, name string) {
		if n := f(t); n != t {
			t, how = n, most2(how, name)
		}
	}
	if s.lang != python && s.lang != script {
		step(d.fill, "vars")
		step(ungap, "split")
		step(unsplit, "split")
		step(unecho, "split")
	}
	if s.lang != shell || strings.ContainsAny(t, "+[") {
		step(d.program, "vars")
		step(evaluate, "split")
	}
	step(backwards, "split")
	return t, how
}

func most2(a, b string) string {
	if a == "split" {
		return a
	}
	return b
}

var shellVar = text.NewPattern(`\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::?[-=]([^{}]*))?\})`)

// fill puts values in the place of shell variables.
func (d *deriver) fill(t string) string {
	for range maxFollow {
		if !strings.Contains(t, "$") || len(t) > 16<<10 {
			break
		}
		n := shellVar.Regexp().ReplaceAllStringFunc(t, func(m string) string {
			p := shellVar.Regexp().FindStringSubmatch(m)
			if v, ok := d.vars[p[1]+p[2]]; ok && !strings.HasPrefix(v, "[") && !strings.HasPrefix(v, "{") && !strings.HasPrefix(v, "os.") {
				return unquote(v)
			}
			if p[3] != "" && !strings.Contains(p[3], "/") {
				return p[3]
			}
			return m
		})
		if n == t {
			break
		}
		t = n
	}
	return t
}

var (
	gap    = text.NewPattern(`\$\{?IFS(?:%\?\?|:0:1)?\}?(?:\$\d)?`)
	braces = text.NewPattern(`(^|[\s;|&(])\{([\w./:@-]+(?:,[^\s{}]+)+)\}`)
)

// ungap puts blanks where a variable or braces stand for them.
func ungap(t string) string {
	if strings.Contains(t, "IFS") {
		t = gap.Regexp().ReplaceAllString(t, " ")
	}
	if strings.Contains(t, "{") && strings.Contains(t, ",") {
		t = braces.Regexp().ReplaceAllStringFunc(t, func(m string) string {
			return strings.ReplaceAll(strings.NewReplacer("{", "", "}", "").Replace(m), ",", " ")
		})
	}
	return t
}

var (
	emptyQuotes = text.NewPattern(`(\w)(?:''|"")|(?:''|"")(\w)`)
	innerQuotes = text.NewPattern(`([a-zA-Z])(?:"([a-zA-Z]{1,12})"|'([a-zA-Z]{1,12})')`)
	headQuotes  = text.NewPattern(`(?:"([a-zA-Z]{1,12})"|'([a-zA-Z]{1,12})')([a-zA-Z])`)
	innerSlash  = text.NewPattern(`([a-zA-Z])\\([a-zA-Z])`)
	headSlash   = text.NewPattern(`(^|[\s;|&(])\\([a-zA-Z])`)
	emptyCall   = text.NewPattern(`([a-zA-Z])(?:\$@|\$\*|\$\(\s*\)|` + "``" + `|\$\{[a-z]:?-?\})([a-zA-Z])`)
)

// unsplit takes away quotes and backslashes that break a word without changing it.
func unsplit(t string) string {
	if len(t) > 16<<10 {
		return t
	}
	if strings.ContainsAny(t, `"'`) {
		t = emptyQuotes.Regexp().ReplaceAllString(t, "$1$2")
		t = innerQuotes.Regexp().ReplaceAllString(t, "$1$2$3")
		t = headQuotes.Regexp().ReplaceAllString(t, "$1$2$3")
	}
	if strings.Contains(t, `\`) {
		t = innerSlash.Regexp().ReplaceAllString(t, "$1$2")
		t = innerSlash.Regexp().ReplaceAllString(t, "$1$2")
		t = headSlash.Regexp().ReplaceAllString(t, "$1$2")
	}
	if strings.ContainsAny(t, "$`") {
		t = emptyCall.Regexp().ReplaceAllString(t, "$1$2")
	}
	return t
}

var echoed = text.NewPattern(`(?:\$\(|` + "`" + `)\s*(?:echo|printf)\s+(?:-n\s+)?["']?([\w./:@%-]+)["']?\s*(?:\)|` + "`" + `)`)

// unecho takes $(echo word) for word.
func unecho(t string) string {
	if !strings.Contains(t, "echo") && !strings.Contains(t, "printf") {
		return t
	}
	return echoed.Regexp().ReplaceAllString(t, "$1")
}

var (
	rotated  = text.NewPattern(`(?i)rot_?13|tr\s+["']?(?:a-zA-Z|A-Za-z|a-z)["']?\s+["']?n-z`)
	reversed = text.NewPattern(`(?:echo|printf|<<<)\s*["']([^"']{4,})["']\s*\|\s*rev\b|\brev\s*<<<\s*["']([^"']{4,})["']`)
)

// backwards reads text that a line turns round or rotates.
func backwards(t string) string {
	if strings.Contains(t, "rev") {
		if m := reversed.Regexp().FindStringSubmatch(t); m != nil {
			t += " ; " + mirror(m[1]+m[2])
		}
	}
	if (strings.Contains(t, "13") || strings.Contains(t, "tr ")) && rotated.Regexp().MatchString(t) {
		t += " ; " + rot13(t)
	}
	return t
}

func mirror(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

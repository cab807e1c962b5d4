package threat

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Layer is a readable text that stands encoded in another.
type Layer struct {
	Kind   string // "base64", "hex", "percent", "escape", "entity" or "codes"; nested ones joined by "+"
	Line   int    // 1-based, where the encoded text begins
	Text   string // decoded
	Source string // the start of the encoded text
}

// The bounds of decoding: layers within layers, pieces and bytes of one text.
const (
	maxDepth   = 3
	maxLayers  = 400
	maxDecoded = 1 << 20
	minDecoded = 6 // code points; shorter pieces spell nothing
)

// encoding recognises one way to hide text. hint must occur for the pattern to be tried.
type encoding struct {
	kind   string
	hint   string
	re     *regexp.Regexp
	decode func(string) (string, bool)
}

// encodings returns the table. Runs may be broken over lines: white space between groups is allowed.
func encodings() []encoding {
	return []encoding{
		{"escape", `\`, regexp.MustCompile(`(?:\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|U[0-9A-Fa-f]{8}|[0-3][0-7]{2})[\s"'+.]*){4,}`), unescape},
		{"percent", "%", regexp.MustCompile(`(?:[A-Za-z0-9._~+-]{0,60}%[0-9A-Fa-f]{2}){3,}[A-Za-z0-9._~+-]{0,60}`), unpercent},
		{"entity", "&#", regexp.MustCompile(`(?:&#(?:[0-9]{2,6}|[xX][0-9A-Fa-f]{2,5});[ \t]*){4,}`), func(s string) (string, bool) { return html.UnescapeString(s), true }},
		{"codes", ",", regexp.MustCompile(`(?:\b(?:[0-9]{2,3}|0x[0-9A-Fa-f]{2})\b\s*,\s*){5,}(?:[0-9]{2,3}|0x[0-9A-Fa-f]{2})\b`), uncode},
		{"hex", "", regexp.MustCompile(`\b(?:0x)?(?:[0-9A-Fa-f]{2}[ \t:]?){11,}[0-9A-Fa-f]{2}\b`), unhex},
		{"base64", "", regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}(?:\r?\n[ \t]*[A-Za-z0-9+/_-]{4,})*={0,2}`), unbase64},
	}
}

// Layers decodes what is encoded in text, also encodings within encodings, as far as it yields readable
// text. The work is bounded, whatever the text.
func Layers(text string) []Layer {
	d := decoder{left: maxDecoded, table: layerTable()}
	d.look(text, 1, "", 1)
	return d.out
}

type decoder struct {
	table []encoding
	out   []Layer
	left  int // bytes
}

// look decodes the runs of text. line is where text begins in the outermost text; inside a layer it is
// the line of that layer.
func (d *decoder) look(text string, line int, outer string, depth int) {
	for _, e := range d.table {
		if e.hint != "" && !strings.Contains(text, e.hint) {
			continue
		}
		at, n := 0, 0
		for _, span := range e.re.FindAllStringIndex(text, maxLayers) {
			run := text[span[0]:span[1]]
			n += strings.Count(text[at:span[0]], "\n")
			at = span[0]
			plain, ok := e.decode(run)
			if !ok || !readable(plain) || len(d.out) >= maxLayers || len(plain) > d.left {
				continue
			}
			d.left -= len(plain)
			l := Layer{Kind: outer + e.kind, Line: line, Text: plain, Source: excerpt(run)}
			if outer == "" {
				l.Line += n
			}
			d.out = append(d.out, l)
			if depth < maxDepth {
				d.look(plain, l.Line, l.Kind+"+", depth+1)
			}
		}
	}
}

// readable tells words from random bytes: hashes, keys and pictures decode to noise.
func readable(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	n, letters, plain := 0, 0, 0
	for _, r := range s {
		n++
		if r >= ' ' && r <= '~' {
			plain++
		}
		switch {
		case unicode.IsLetter(r) || r == ' ':
			letters++
		case r < ' ' && r != '\n' && r != '\t' && r != '\r', r == 0x7f:
			return false
		}
	}
	// Noise of this length is never all printable, so that commands full of signs and digits count too.
	return n >= minDecoded && letters*2 >= n || n >= 20 && plain == n
}

// unbase64 reads a run that may go over lines. Words that happen to look like base64 can stand before or
// behind it, so lines at its ends are given up while the whole makes no sense, and at last each line is
// read alone.
func unbase64(s string) (string, bool) {
	lines := strings.Fields(strings.TrimRight(s, "="))
	for _, cut := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}} {
		if from, to := cut[0], len(lines)-cut[1]; from < to {
			if plain, ok := base64Line(strings.Join(lines[from:to], "")); ok && readable(plain) {
				return plain, true
			}
		}
	}
	var out []string
	for _, l := range lines {
		if plain, ok := base64Line(l); ok && readable(plain) {
			out = append(out, plain)
		}
	}
	return strings.Join(out, "\n"), len(out) > 0
}

func base64Line(s string) (string, bool) {
	enc := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		enc = base64.RawURLEncoding
	}
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	b, err := enc.DecodeString(s)
	return string(b), err == nil
}

func unhex(s string) (string, bool) {
	s = strings.TrimPrefix(strings.NewReplacer(" ", "", ":", "", "\t", "").Replace(s), "0x")
	b, err := hex.DecodeString(s)
	return string(b), err == nil
}

func unpercent(s string) (string, bool) {
	plain, err := url.QueryUnescape(s)
	return plain, err == nil
}

// uncode reads lists of character codes.
func uncode(s string) (string, bool) {
	var b strings.Builder
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 0, 21)
		if err != nil {
			return "", false
		}
		b.WriteRune(rune(n))
	}
	return b.String(), true
}

// unescape reads the escapes of programming languages. What stands between them is glue.
func unescape(s string) (string, bool) {
	var b []byte
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			i++
			continue
		}
		var digits string
		base := 16
		i++
		switch s[i] {
		case 'x':
			digits = s[i+1 : min(i+3, len(s))]
			i += 3
		case 'U':
			digits = s[i+1 : min(i+9, len(s))]
			i += 9
		case 'u':
			if i+1 < len(s) && s[i+1] == '{' {
				digits, _, _ = strings.Cut(s[i+2:], "}")
				i += len(digits) + 3
			} else {
				digits = s[i+1 : min(i+5, len(s))]
				i += 5
			}
		default:
			digits, base = s[i:min(i+3, len(s))], 8
			i += 3
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err != nil {
			return "", false
		}
		if n < 0x100 && len(digits) <= 3 {
			b = append(b, byte(n)) // \xC3\xA9 are bytes
		} else {
			b = utf8.AppendRune(b, rune(n))
		}
	}
	return string(b), true
}

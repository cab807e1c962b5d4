package guard

import (
	"path"
	"slices"
	"strings"

	"hermes/core/text"
)

// kind says what a stretch of text is for.
type kind uint8

const (
	prose   kind = iota // read by people and the agent
	code                // run, or shown to be run
	comment             // beside code
)

// lang is the language of code, as far as it matters.
type lang uint8

const (
	other lang = iota
	shell
	python
	script // JavaScript and its kin
)

// seg is a logical line: continued lines, paragraphs and comment blocks are one, so that an attack
// broken over lines is whole again.
type seg struct {
	text    string
	line    int    // source line of its first byte
	marks   []mark // where further source lines begin, ascending
	kind    kind
	lang    lang
	warned  bool   // what stands before it says that this is the bad example
	long    bool   // a piece of a very long line
	pitfall bool   // it stands under a heading such as "Pitfalls"
	from    *seg   // of derived text: what it was made of
	how     string // of derived text: "split", "vars" or a decoding layer
}

type mark struct{ at, line int }

// lineAt is the source line of a byte.
func (s *seg) lineAt(off int) int {
	line := s.line
	for _, m := range s.marks {
		if m.at > off {
			break
		}
		line = m.line
	}
	return line
}

// How much one logical line may join.
const (
	joinLines = 40
	joinBytes = 4000
)

// add appends a source line to s with sep before it.
func (s *seg) add(sep, text string, line int) {
	s.marks = append(s.marks, mark{len(s.text) + len(sep), line})
	s.text += sep + text
}

func (s *seg) full() bool { return len(s.marks) >= joinLines || len(s.text) > joinBytes }

// format is how a file is read.
type format struct {
	markdown bool
	prose    bool
	example  bool // shown in a guide, not run as a file
	lang     lang
	comments []string // starts of comment lines
}

// formatOf decides by name and first line.
func formatOf(name, text string) format {
	hash, slash := []string{"#"}, []string{"//", "*", "/*"}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx", ".mdc":
		return format{markdown: true}
	case ".txt", ".rst", ".adoc", ".org", ".tex":
		return format{prose: true}
	case ".sh", ".bash", ".zsh", ".fish", ".ksh", ".command":
		return format{lang: shell, comments: hash}
	case ".py", ".pyw", ".pyi":
		return format{lang: python, comments: hash}
	case ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx":
		return format{lang: script, comments: slash}
	case ".rb", ".pl", ".r", ".jl", ".yaml", ".yml", ".toml", ".ps1", ".cfg", ".conf", ".ini":
		return format{comments: hash}
	case ".go", ".c", ".cc", ".cpp", ".h", ".java", ".rs", ".swift", ".kt", ".php", ".css", ".scss":
		return format{comments: slash}
	}
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "#!") {
		return format{lang: langOf(first), comments: hash}
	}
	if base := strings.ToUpper(path.Base(name)); path.Ext(name) == "" && slices.Contains([]string{"LICENSE", "README", "NOTICE", "COPYING", "CHANGELOG"}, base) {
		return format{prose: true}
	}
	return format{lang: shell, comments: hash} // what nothing names is read as what does most harm
}

// langOf reads a shebang or the word behind a fence.
func langOf(s string) lang {
	s = strings.ToLower(s)
	switch {
	case strings.Contains(s, "python") || strings.HasPrefix(s, "py"):
		return python
	case strings.Contains(s, "node") || strings.HasPrefix(s, "js") || strings.HasPrefix(s, "ts") || strings.Contains(s, "javascript") || strings.Contains(s, "typescript") || strings.Contains(s, "deno"):
		return script
	case strings.Contains(s, "sh") || strings.Contains(s, "console") || s == "":
		return shell
	}
	return other
}

// segments cuts a folded text into logical lines.
func segments(name, text string) []*seg {
	f := formatOf(name, text)
	b := segmenter{lines: strings.Split(text, "\n")}
	switch {
	case f.markdown:
		b.markdown()
	case f.prose:
		b.prose(0, len(b.lines))
	default:
		b.code(0, len(b.lines), f, false)
	}
	return chunks(b.out)
}

// The pieces that a very long line is cut into, and how far one reaches into the next, in bytes: all that
// looks at a match looks at one piece, so that the work grows with the length and not with its square.
const (
	chunk   = 2 << 10
	overlap = 600
)

// chunks cuts long lines.
func chunks(segs []*seg) []*seg {
	if !slices.ContainsFunc(segs, func(s *seg) bool { return len(s.text) > 2*chunk }) {
		return segs
	}
	var out []*seg
	for _, s := range segs {
		if len(s.text) <= 2*chunk {
			out = append(out, s)
			continue
		}
		for at := 0; at < len(s.text); at += chunk {
			c := *s
			c.text, c.line, c.marks, c.long = s.text[at:min(at+chunk+overlap, len(s.text))], s.lineAt(at), nil, true
			out = append(out, &c)
		}
	}
	return out
}

type segmenter struct {
	lines   []string
	out     []*seg
	pitfall bool // the last heading announced what goes wrong
}

// pitfallHeading recognises the heading of a list of what goes wrong.
var pitfallHeading = text.NewPattern(`(?i)^#+.*\b(?:pitfalls?|anti-?patterns?|mistakes|don['’]?ts|not\s+to\s+do|red\s+flags|security|threats?|attacks?|vulnerabilit(?:y|ies)|risks?|gotchas)\b`)

// markdown separates front matter, fenced code, indented code and paragraphs.
func (b *segmenter) markdown() {
	i, n := 0, len(b.lines)
	if strings.HasPrefix(b.lines[0], "---") {
		for j := 1; j < n; j++ {
			if strings.HasPrefix(b.lines[j], "---") {
				b.single(0, j)
				i = j
				break
			}
		}
	}
	from := i
	for i < n {
		marker, info := fence(b.lines[i])
		if marker == "" {
			i++
			continue
		}
		b.prose(from, i)
		end := i + 1
		for end < n && !closes(b.lines[end], marker) {
			end++
		}
		f := format{lang: langOf(info), example: true, comments: []string{"#", "//"}}
		b.code(i+1, end, f, b.warnedBefore(i))
		i = min(end+1, n)
		from = i
	}
	b.prose(from, n)
}

// fence recognises the opening of a code block.
func fence(l string) (marker, info string) {
	t := strings.TrimLeft(l, " \t>*-")
	for _, c := range []string{"`", "~"} {
		n := len(t) - len(strings.TrimLeft(t, c))
		if n >= 3 && !strings.Contains(t[n:], "`") {
			info, _, _ = strings.Cut(strings.TrimSpace(t[n:]), " ")
			return t[:n], info
		}
	}
	return "", ""
}

func closes(l, marker string) bool {
	t := strings.Trim(l, " \t>\r")
	return strings.HasPrefix(t, marker) && strings.Trim(t, marker[:1]) == ""
}

// badExample recognises what people write above or in front of what should not be done.
var badExample = text.NewPattern(`(?i)(?:\b(?:never|do\s+not|don['’]?t|must\s+not|avoid|refuse|anti-?patterns?|dangerous|malicious|insecure|vulnerable|attacks?|injection)\b|❌|🚫|(?:^|[^\w])(?:bad|wrong|unsafe|incorrect)\b\s*(?:[:(*]|example|way|approach|$))`)

// incite recognises words that turn a warning around: "do not hesitate", "never skip this".
var incite = text.NewPattern(`(?i)\b(?:never|do\s+not|don['’]?t|must\s+not|avoid)\s+(?:\w+\s+)?(?:skip|forget|hesitate|worry|fail|miss|omit|ask|wait|stop|mind|delay|question)\w*`)

// warnedBefore looks at the lines right above a fence.
func (b *segmenter) warnedBefore(at int) bool {
	seen := 0
	for i := at - 1; i >= 0 && seen < 2; i-- {
		l := strings.TrimSpace(b.lines[i])
		if l == "" {
			continue
		}
		if m, _ := fence(l); m != "" {
			return false
		}
		seen++
		if badExample.Regexp().MatchString(l) && !incite.Regexp().MatchString(l) {
			return true
		}
		if strings.HasPrefix(l, "#") {
			return false
		}
	}
	return false
}

// single takes lines as they are.
func (b *segmenter) single(from, to int) {
	for i := from; i < to; i++ {
		if strings.TrimSpace(b.lines[i]) != "" {
			b.out = append(b.out, &seg{text: b.lines[i], line: i + 1})
		}
	}
}

// item recognises lines that begin something new inside prose.
var item = text.NewPattern(`^\s*(?:#|[-*+]\s|\d{1,3}[.)]\s|\||>|<)`)

// prose joins the lines of a paragraph. Indented blocks after an empty line are code.
func (b *segmenter) prose(from, to int) {
	var cur *seg
	blank := true
	for i := from; i < to; i++ {
		l := strings.TrimRight(b.lines[i], "\r")
		t := strings.TrimSpace(l)
		indented := strings.HasPrefix(l, "    ") || strings.HasPrefix(l, "\t")
		switch {
		case t == "":
			cur, blank = nil, true
			continue
		case indented && (blank || cur != nil && cur.kind == code) && !item.Regexp().MatchString(l):
			cur = &seg{text: t, line: i + 1, kind: code, lang: shell}
			b.out = append(b.out, cur)
		case cur != nil && cur.kind == prose && !item.Regexp().MatchString(l) && !cur.full():
			cur.add(" ", strings.TrimLeft(t, "> "), i+1)
		default:
			if strings.HasPrefix(t, "#") {
				b.pitfall = pitfallHeading.Regexp().MatchString(t)
			}
			cur = &seg{text: t, line: i + 1, pitfall: b.pitfall}
			b.out = append(b.out, cur)
		}
		blank = false
	}
}

// code joins continued lines and blocks of comments. A warning in a comment holds until an empty line.
func (b *segmenter) code(from, to int, f format, warned bool) {
	var cur *seg
	local := false
	for i := from; i < to; i++ {
		l := strings.TrimRight(b.lines[i], "\r \t")
		t := strings.TrimSpace(l)
		if t == "" {
			cur, local = nil, false
			continue
		}
		if c := commentText(t, f.comments); c != "" && !strings.HasPrefix(t, "#!") {
			if cur != nil && cur.kind == comment && !cur.full() {
				cur.add(" ", c, i+1)
			} else {
				cur = &seg{text: c, line: i + 1, kind: comment, lang: f.lang, warned: warned}
				b.out = append(b.out, cur)
			}
			// In a script a comment stops nothing; in a guide it says how the example is meant.
			local = f.example && badExample.Regexp().MatchString(c) && !incite.Regexp().MatchString(c)
			continue
		}
		if cur != nil && cur.kind == code && !cur.full() && continues(cur, t) {
			sep := " "
			if strings.HasSuffix(cur.text, `\`) {
				cur.text = cur.text[:len(cur.text)-1]
				if !strings.HasPrefix(l, " ") && !strings.HasPrefix(l, "\t") {
					sep = "" // the shell joins without a gap
				}
			}
			cur.add(sep, t, i+1)
			continue
		}
		cur = &seg{text: t, line: i + 1, kind: code, lang: f.lang, warned: warned || local}
		b.out = append(b.out, cur)
	}
}

func commentText(t string, starts []string) string {
	for _, s := range starts {
		if strings.HasPrefix(t, s) {
			return strings.TrimSpace(strings.TrimLeft(t, "#/*! "))
		}
	}
	return ""
}

// continues reports whether next belongs to the line before it.
func continues(cur *seg, next string) bool {
	last := cur.text
	for _, end := range []string{`\`, "|", "&&", "||"} {
		if strings.HasSuffix(last, end) {
			return true
		}
	}
	for _, start := range []string{"|", "&&"} {
		if strings.HasPrefix(next, start) {
			return true
		}
	}
	if cur.lang == shell || cur.lang == other || len(cur.marks) > 14 {
		return false
	}
	return strings.ContainsAny(last[len(last)-1:], "([,+.=") || strings.ContainsAny(next[:1], ".+)]")
}

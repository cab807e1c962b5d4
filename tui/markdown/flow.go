package markdown

import (
	"strings"
	"unicode/utf8"
)

// flowed joins the lines of a paragraph or list item that its author broke for an editor's sake. What Markdown
// breaks on purpose (two blanks, a backslash) stays, and so do code and nested lists.
func flowed(text string) string {
	var out []string
	fence := ""
	for l := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(l, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case fenceOf(trimmed) != "":
			fence = fenceOf(trimmed)
		case len(out) > 0 && follows(out[len(out)-1], trimmed):
			out[len(out)-1] = glue(out[len(out)-1], trimmed)
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// follows tells whether a line goes on with the sentence of the one before.
func follows(prev, next string) bool {
	last := strings.TrimLeft(prev, " ")
	if last == "" || next == "" || strings.HasSuffix(prev, "  ") || strings.HasSuffix(prev, `\`) {
		return false
	}
	for _, s := range []string{last, next} {
		if fenceOf(s) != "" || isHeading(s) || isRule(s) || strings.HasPrefix(s, "|") || strings.HasPrefix(s, "<") || strings.HasPrefix(s, ">") {
			return false
		}
	}
	return !isItem(next)
}

// glue joins two lines; between wide characters there is no blank.
func glue(a, b string) string {
	x, _ := utf8.DecodeLastRuneInString(a)
	y, _ := utf8.DecodeRuneInString(b)
	if x >= 0x2e80 && y >= 0x2e80 {
		return a + b
	}
	return a + " " + b
}

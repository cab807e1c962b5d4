package text

import "strings"

// Fences says where the frontmatter of a text is. All positions are bytes of the text given.
type Fences struct {
	Start int  // of the first line inside the fences
	End   int  // of the closing fence line: the frontmatter is text[Start:End]
	Body  int  // of the first byte behind the closing fence line
	Open  bool // the first line is an opening fence
	Found bool // it is closed as well; without it only Start and Open mean anything
}

// Frontmatter finds the block between a first line "---" and the next line that is "---". Byte order marks
// before the first fence, blanks behind a fence, any line end and a closing fence that ends the text
// are understood; an indented fence, "----" and "---" within a line are not fences. Every reader of
// frontmatter uses it, so that they agree where it ends.
func Frontmatter(s string) Fences {
	var f Fences
	at := 0
	for strings.HasPrefix(s[at:], bom) {
		at += len(bom)
	}
	line, next := lineAt(s, at)
	if !fence(line) {
		return f
	}
	f.Open, f.Start = true, next
	for at = next; at < len(s); at = next {
		if line, next = lineAt(s, at); fence(line) {
			f.End, f.Body, f.Found = at, next, true
			return f
		}
	}
	return f
}

const bom = "\uFEFF"

// lineAt is the line that begins at, without its end, and where the next begins. Lines end with a line
// feed, a carriage return or both.
func lineAt(s string, at int) (line string, next int) {
	i := strings.IndexAny(s[at:], "\r\n")
	if i < 0 {
		return s[at:], len(s)
	}
	end := at + i
	next = end + 1
	if s[end] == '\r' && next < len(s) && s[next] == '\n' {
		next++
	}
	return s[at:end], next
}

func fence(line string) bool { return strings.TrimRight(line, " \t") == "---" }

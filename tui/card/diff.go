package card

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"hermes/tui/cell"
	"hermes/tui/theme"
)

// maxWords bounds the words of a line that are compared; longer lines are marked as a whole.
const maxWords = 120

// Diff draws a unified diff in lines of at most w cells, the words that changed marked. The signs stay,
// so it reads without colour.
func Diff(st *theme.Styles, diff string, w int) []string {
	lines := strings.Split(strings.TrimRight(cell.Clean(diff), "\n"), "\n")
	var out []string
	for i := 0; i < len(lines); {
		del := run(lines, i, '-')
		add := run(lines, i+del, '+')
		if del > 0 && del == add { // line by line rewritten: the words can be compared
			marks := make([][2]string, del)
			for k := range del {
				marks[k][0], marks[k][1] = words(st, lines[i+k], lines[i+del+k])
			}
			for k := range del {
				out = append(out, changed(st.Del, marks[k][0], w)...)
			}
			for k := range add {
				out = append(out, changed(st.Add, marks[k][1], w)...)
			}
			i += del + add
			continue
		}
		out = append(out, diffLine(st, lines[i], w)...)
		i++
	}
	return out
}

// run counts the lines from at on that are removed or added ones.
func run(lines []string, at int, sign byte) int {
	n := 0
	for at+n < len(lines) && lines[at+n] != "" && lines[at+n][0] == sign && !isHead(lines[at+n]) {
		n++
	}
	return n
}

func isHead(line string) bool {
	return strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- ")
}

func diffLine(st *theme.Styles, line string, w int) []string {
	switch {
	case isHead(line):
		return plainLines(st.Bold, line, w)
	case strings.HasPrefix(line, "@@"):
		return plainLines(st.Hunk, line, w)
	case strings.HasPrefix(line, "+"):
		return changed(st.Add, st.Add.Render(line), w)
	case strings.HasPrefix(line, "-"):
		return changed(st.Del, st.Del.Render(line), w)
	default:
		return plainLines(st.Muted, line, w)
	}
}

func plainLines(style lipgloss.Style, line string, w int) []string {
	out := cell.Wrap(line, w, "  ")
	for i := range out {
		out[i] = style.Render(out[i])
	}
	return out
}

// changed wraps a styled line; the background runs to the edge.
func changed(style lipgloss.Style, line string, w int) []string {
	out := cell.Wrap(line, w, "  ")
	for i, l := range out {
		if n := w - cell.Width(l); n > 0 {
			out[i] = l + style.Render(cell.Spaces(n))
		}
	}
	return out
}

// words styles a removed and an added line, what differs marked.
func words(st *theme.Styles, del, add string) (removed, added string) {
	a, b := split(del[1:]), split(add[1:])
	if len(a) > maxWords || len(b) > maxWords {
		return st.Del.Render(del), st.Add.Render(add)
	}
	keepA, keepB, same := common(a, b)
	if same*3 < max(len(del), len(add)) { // hardly anything in common: marks would only flicker
		return st.Del.Render(del), st.Add.Render(add)
	}
	return paint(st.Del, st.DelWord, "-", a, keepA), paint(st.Add, st.AddWord, "+", b, keepB)
}

func paint(style, mark lipgloss.Style, sign string, words []string, keep []bool) string {
	var b strings.Builder
	from := sign
	flush := func(s lipgloss.Style) {
		if from != "" {
			b.WriteString(s.Render(from))
			from = ""
		}
	}
	marking := false
	for i, w := range words {
		if marking == keep[i] {
			if marking {
				flush(mark)
			} else {
				flush(style)
			}
			marking = !keep[i]
		}
		from += w
	}
	if marking {
		flush(mark)
	} else {
		flush(style)
	}
	return b.String()
}

// split cuts a line into words, runs of blanks, single other characters and single wide letters.
func split(s string) []string {
	var out []string
	class := func(r rune) int {
		switch {
		case r >= 0x2e80: // scripts without blanks
			return 0
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			return 1
		case unicode.IsSpace(r):
			return 2
		default:
			return 0
		}
	}
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		kind := class(r)
		for kind != 0 && n < len(s) {
			next, size := utf8.DecodeRuneInString(s[n:])
			if class(next) != kind && !unicode.Is(unicode.Mn, next) {
				break
			}
			n += size
		}
		for n < len(s) { // combining characters stay with theirs
			next, size := utf8.DecodeRuneInString(s[n:])
			if !unicode.Is(unicode.M, next) && next != 0x200d {
				break
			}
			n += size
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// common finds the longest common sequence of words, and how many bytes it has.
func common(a, b []string) (keepA, keepB []bool, same int) {
	keepA, keepB = make([]bool, len(a)), make([]bool, len(b))
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			keepA[i], keepB[j] = true, true
			same += len(a[i])
			i, j = i+1, j+1
		case table[i+1][j] >= table[i][j+1]:
			i++
		default:
			j++
		}
	}
	return keepA, keepB, same
}

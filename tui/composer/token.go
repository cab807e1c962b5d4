package composer

import "strings"

// Token returns the word that ends at the cursor: what stands there since the last blank, or since a
// quote opened by @". A folded paste ends a word.
func (e *Editor) Token() string { return join(e.elems[e.tokenStart():e.cur]) }

func (e *Editor) tokenStart() int {
	line := e.lineStart(e.cur)
	for i := e.cur - 1; i > line; i-- { // inside @"a name …
		if e.elems[i].text == `"` {
			if e.elems[i-1].text == "@" && (i-1 == line || blank(e.elems[i-2])) {
				return i - 1
			}
			break
		}
	}
	at := e.cur
	for at > line && !blank(e.elems[at-1]) {
		at--
	}
	return at
}

func blank(el elem) bool {
	return el.chip || el.show == "" || strings.TrimSpace(el.text) == ""
}

// ReplaceToken puts s in the place of the word that ends at the cursor.
func (e *Editor) ReplaceToken(s string) {
	e.remember(false)
	e.cut(e.tokenStart(), e.cur)
	e.insert(split(Normalise(s)))
}

// History returns the entries that Up walks through, oldest first. The slice belongs to the editor.
func (e *Editor) History() []string { return e.history }

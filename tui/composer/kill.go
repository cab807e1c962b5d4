package composer

import (
	"strings"
	"unicode"
)

// maxKills bounds the kill ring.
const maxKills = 20

// keep puts what was cut on the kill ring; cuts that follow each other make one entry. before says
// that it stood in front of the cursor.
func (e *Editor) keep(gone []elem, before bool) {
	if n := len(e.kills); e.killing && n > 0 {
		last := e.kills[n-1]
		if before {
			e.kills[n-1] = append(append([]elem(nil), gone...), last...)
		} else {
			e.kills[n-1] = append(append([]elem(nil), last...), gone...)
		}
	} else {
		e.kills = append(e.kills, gone)
		if len(e.kills) > maxKills {
			e.kills = e.kills[1:]
		}
	}
	e.killing = true
}

// yank puts the newest cut back; with pop it replaces what was just put back by the cut before it.
func (e *Editor) yank(pop bool) {
	n := len(e.kills)
	switch {
	case n == 0 || pop && e.yanked == 0:
		return
	case pop:
		e.remember(false)
		e.cut(max(e.cur-e.yanked, 0), e.cur)
		e.yankAt = (e.yankAt + n - 1) % n
	default:
		e.remember(false)
		e.yankAt = n - 1
	}
	text := e.kills[e.yankAt]
	e.insert(append([]elem(nil), text...))
	e.yanked = len(text)
}

// lastWord inserts the last word of the newest message; repeated, of the ones before it.
func (e *Editor) lastWord() {
	at := len(e.history) - 1
	if e.worded > 0 {
		at = e.wordAt - 1
	}
	for ; at >= 0; at-- {
		words := strings.Fields(e.history[at])
		if len(words) == 0 {
			continue
		}
		e.remember(false)
		if e.worded > 0 {
			e.cut(max(e.cur-e.worded, 0), e.cur)
		}
		in := split(Normalise(words[len(words)-1]))
		e.insert(in)
		e.wordAt, e.worded = at, len(in)
		return
	}
}

// recase writes the word at the cursor in another case and goes behind it.
func (e *Editor) recase(to func(string) string) {
	end := e.wordEnd(e.cur)
	from := e.cur
	for from < end && !isWord(e.elems[from]) {
		from++
	}
	if from == end {
		return
	}
	e.remember(false)
	text := to(join(e.elems[from:end]))
	e.cut(from, end)
	e.insert(split(text))
}

// title writes the first letter large and the others small.
func title(s string) string {
	r := []rune(strings.ToLower(s))
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

// swapWords exchanges the word before the cursor with the one at or behind it.
func (e *Editor) swapWords() {
	end := e.wordEnd(e.cur)
	second := e.wordStart(end)
	firstEnd := second
	for firstEnd > 0 && !isWord(e.elems[firstEnd-1]) {
		firstEnd--
	}
	first := e.wordStart(firstEnd)
	if first == firstEnd || second == end || first >= second {
		return
	}
	e.remember(false)
	a := append([]elem(nil), e.elems[first:firstEnd]...)
	gap := append([]elem(nil), e.elems[firstEnd:second]...)
	b := append([]elem(nil), e.elems[second:end]...)
	e.cut(first, end)
	e.insert(append(append(b, gap...), a...))
}

// readline handles the keys of this file.
func (e *Editor) readline(name string) bool {
	switch name {
	case "ctrl+y":
		e.yank(false)
		return true
	case "alt+y":
		e.yank(true)
		return true
	case "alt+.", "alt+_":
		e.lastWord()
		return true
	}
	switch name {
	case "alt+u":
		e.recase(strings.ToUpper)
	case "alt+l":
		e.recase(strings.ToLower)
	case "alt+c":
		e.recase(title)
	case "alt+t":
		e.swapWords()
	default:
		return false
	}
	return true
}

package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Outcome says what a key did.
type Outcome int

// The outcomes of a key.
const (
	Ignored Outcome = iota // not a key of the editor
	Edited                 // text or cursor changed, or could have
	Submit                 // Enter: the text is to be sent
)

// Update handles a key press or a paste.
func (e *Editor) Update(msg tea.Msg) Outcome {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		e.Paste(msg.Content)
		return Edited
	case tea.KeyPressMsg:
		return e.key(msg)
	}
	return Ignored
}

func (e *Editor) key(msg tea.KeyPressMsg) Outcome {
	kills, yanked, worded := len(e.kills), e.yanked, e.worded
	was := e.killing
	e.killing = false
	switch msg.Keystroke() { // a run of cuts, of Alt+Y and of Alt+. goes on only with its own keys
	case "ctrl+w", "alt+backspace", "ctrl+backspace", "alt+d", "ctrl+delete", "alt+delete", "ctrl+u", "ctrl+k":
		e.killing = was && kills > 0
		yanked, worded = 0, 0
	case "alt+y":
		worded = 0
	case "alt+.", "alt+_":
		yanked = 0
	default:
		yanked, worded = 0, 0
	}
	e.yanked, e.worded = yanked, worded
	return e.press(msg)
}

func (e *Editor) press(msg tea.KeyPressMsg) Outcome {
	if msg.Text != "" && msg.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock|tea.ModScrollLock) == 0 {
		e.Insert(msg.Text)
		return Edited
	}
	name := msg.Keystroke()
	switch name {
	case "enter", "kpenter":
		return e.enter()
	case "ctrl+j", "alt+enter", "shift+enter", "ctrl+enter":
		if e.single {
			return Ignored
		}
		e.Insert("\n")
		return Edited
	case "up", "ctrl+p":
		return e.vertical(-1)
	case "down", "ctrl+n":
		return e.vertical(1)
	}
	goal := e.goal
	if e.horizontal(name) || e.erase(name) || e.readline(name) {
		return Edited
	}
	e.goal = goal
	return Ignored
}

// enter submits, unless a backslash before the cursor asks for a new line.
func (e *Editor) enter() Outcome {
	if !e.single && e.cur > 0 && e.elems[e.cur-1].text == `\` {
		e.remember(false)
		e.cut(e.cur-1, e.cur)
		e.insert([]elem{{text: "\n"}})
		return Edited
	}
	return Submit
}

// horizontal moves the cursor within and across lines.
func (e *Editor) horizontal(name string) bool {
	to := e.cur
	switch name {
	case "left", "ctrl+b":
		to--
	case "right", "ctrl+f":
		to++
	case "ctrl+left", "alt+left", "alt+b":
		to = e.wordStart(e.cur)
	case "ctrl+right", "alt+right", "alt+f":
		to = e.wordEnd(e.cur)
	case "home", "ctrl+a":
		to = e.lineStart(e.cur)
	case "end", "ctrl+e":
		to = e.lineEnd(e.cur)
	case "ctrl+home", "alt+<":
		to = 0
	case "ctrl+end", "alt+>":
		to = len(e.elems)
	default:
		return false
	}
	e.cur = min(max(to, 0), len(e.elems))
	e.goal, e.typing = -1, false
	return true
}

// erase removes text around the cursor; what Ctrl and Alt remove can be yanked.
func (e *Editor) erase(name string) bool {
	at := e.cur
	from, to, keep := at, at, true
	switch name {
	case "backspace", "ctrl+h", "shift+backspace":
		from, keep = e.cur-1, false
	case "delete", "ctrl+d":
		to, keep = e.cur+1, false
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		from = e.wordStart(e.cur)
	case "alt+d", "ctrl+delete", "alt+delete":
		to = e.wordEnd(e.cur)
	case "ctrl+u":
		if from = e.lineStart(e.cur); from == e.cur {
			from--
		}
	case "ctrl+k":
		if to = e.lineEnd(e.cur); to == e.cur {
			to++
		}
	case "ctrl+t":
		e.transpose()
		return true
	case "ctrl+_", "ctrl+/", "ctrl+shift+-":
		e.Undo()
		return true
	default:
		return false
	}
	from, to = max(from, 0), min(to, len(e.elems))
	if from >= to {
		return true
	}
	e.remember(false)
	gone := e.cut(from, to)
	if keep {
		e.keep(gone, from < at)
	}
	return true
}

func (e *Editor) transpose() {
	at := e.cur
	if at == len(e.elems) {
		at--
	}
	if at < 1 {
		return
	}
	e.remember(false)
	e.elems[at-1], e.elems[at] = e.elems[at], e.elems[at-1]
	e.cur = at + 1
	e.changed()
}

// Undo takes back the last change and tells whether there was one.
func (e *Editor) Undo() bool {
	if len(e.undo) == 0 {
		return false
	}
	last := e.undo[len(e.undo)-1]
	e.undo = e.undo[:len(e.undo)-1]
	e.elems, e.cur, e.typing = last.elems, last.cur, false
	e.changed()
	return true
}

// vertical moves by screen rows; beyond the first and the last it walks the history.
func (e *Editor) vertical(by int) Outcome {
	if e.single {
		return Ignored
	}
	e.typing = false
	r, col := e.place()
	if e.goal < 0 {
		e.goal = col
	}
	to := r + by
	if to < 0 || to >= len(e.rows()) {
		e.walk(by)
		return Edited
	}
	goal := e.goal
	e.move(to, goal)
	e.goal = goal
	return Edited
}

// walk shows the entry by steps away in the history; past its end the draft comes back.
func (e *Editor) walk(by int) {
	to := e.histAt + by
	if to < 0 || to > len(e.history) {
		return
	}
	if e.histAt == len(e.history) {
		e.draft = e.Text()
	}
	e.histAt = to
	text := e.draft
	if to < len(e.history) {
		text = e.history[to]
	}
	e.SetText(text)
}

func (e *Editor) lineStart(at int) int {
	for at > 0 && e.elems[at-1].show != "" {
		at--
	}
	return at
}

func (e *Editor) lineEnd(at int) int {
	for at < len(e.elems) && e.elems[at].show != "" {
		at++
	}
	return at
}

func (e *Editor) wordStart(at int) int {
	for at > 0 && !isWord(e.elems[at-1]) {
		at--
		if e.elems[at].chip {
			return at
		}
	}
	wide := at > 0 && e.elems[at-1].width > 1
	for at > 0 && isWord(e.elems[at-1]) && e.elems[at-1].width > 1 == wide {
		at--
	}
	return at
}

func (e *Editor) wordEnd(at int) int {
	for at < len(e.elems) && !isWord(e.elems[at]) {
		at++
		if e.elems[at-1].chip {
			return at
		}
	}
	wide := at < len(e.elems) && e.elems[at].width > 1
	for at < len(e.elems) && isWord(e.elems[at]) && e.elems[at].width > 1 == wide {
		at++
	}
	return at
}

func isWord(el elem) bool {
	if el.chip || el.show == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(el.text)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_", r)
}

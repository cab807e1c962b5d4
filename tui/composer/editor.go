// Package composer is the text box of the workspace: a readline over several lines whose insertion
// point is a real terminal position, so that input methods open where the text goes. Field is its
// one-line form for names, filters and keys.
//
// Text is a row of grapheme clusters; a large paste is one of them, drawn as a chip and sent in full.
// The package must not know who sends the text or what a slash command is. Start at Editor, then
// rows.go (where everything stands) and ops.go (the keys).
package composer

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes/core/text"

	"hermes/tui/cell"
)

// The limits beyond which a paste is folded into a chip.
const (
	FoldLines = 20
	FoldChars = 2000
)

// maxUndo bounds the undo stack.
const maxUndo = 100

// elem is what the cursor moves over: a grapheme cluster, a line break or a folded paste.
type elem struct {
	text  string // what is sent
	show  string // what is drawn; "" for a line break
	width int    // cells of show
	chip  bool   // a folded paste
}

type snapshot struct {
	elems []elem
	cur   int
}

// Editor is a multi-line text box. The zero value is not usable; call New.
type Editor struct {
	elems []elem
	cur   int // insertion point: before elems[cur]
	goal  int // column that Up and Down aim at; -1 when none

	kills   [][]elem // what was cut, newest last
	killing bool     // the last key cut: another cut joins it
	yanked  int      // elements the last key put back; 0 when it did something else
	yankAt  int      // … and which cut that was
	worded  int      // elements the last key took from the history
	wordAt  int      // … and from which entry

	undo   []snapshot
	typing bool // the last change was typing: further typing joins its undo step
	pastes int

	history []string
	added   []string // by AddHistory; what is loaded later does not push it out
	histAt  int      // index into history; len(history) is the draft
	draft   string   // what stood here before history was walked

	width   int
	maxRows int
	top     int // first visible row
	cache   *rowCache

	single bool
}

// New returns an empty editor.
func New() *Editor { return &Editor{goal: -1, width: 40, maxRows: 1} }

// SetSize sets the cells of a line and the most rows View may use; both are at least 1.
func (e *Editor) SetSize(w, maxRows int) {
	e.width, e.maxRows = max(w, 1), max(maxRows, 1)
	e.cache = nil
}

// Text returns the whole text, folded pastes unfolded.
func (e *Editor) Text() string { return join(e.elems) }

// Empty tells whether there is no text at all.
func (e *Editor) Empty() bool { return len(e.elems) == 0 }

// SetText replaces the text and puts the cursor at its end. Text beyond the fold limits becomes a chip.
func (e *Editor) SetText(s string) {
	e.remember(false)
	s = Normalise(s)
	if e.folds(s) {
		e.elems = []elem{e.newChip(s)}
	} else {
		e.elems = split(s)
	}
	e.cur = len(e.elems)
	e.changed()
}

// Reset empties the editor, its undo stack and its place in the history.
func (e *Editor) Reset() {
	e.elems, e.cur, e.undo, e.pastes = nil, 0, nil, 0
	e.histAt, e.draft, e.typing = len(e.history), "", false
	e.changed()
}

// Insert types s at the cursor.
func (e *Editor) Insert(s string) {
	s = Normalise(s)
	if e.single {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	if s == "" {
		return
	}
	e.remember(s != " " && s != "\n")
	// A combining character joins the one before it, so that one is segmented again.
	prev := ""
	if e.cur > 0 && !e.elems[e.cur-1].chip && e.elems[e.cur-1].show != "" {
		prev = e.elems[e.cur-1].text
		e.elems = append(e.elems[:e.cur-1:e.cur-1], e.elems[e.cur:]...)
		e.cur--
	}
	e.insert(split(prev + s))
}

// Paste inserts pasted text: line ends become LF, control bytes but tab and line break go, and a
// large paste becomes a chip. It never submits.
func (e *Editor) Paste(s string) {
	s = Normalise(s)
	if !e.folds(s) {
		e.typing = false
		e.Insert(s)
		e.typing = false
		return
	}
	e.remember(false)
	e.insert([]elem{e.newChip(s)})
}

// chipAt returns the chip at or before the cursor, -1 when there is none.
func (e *Editor) chipAt() int {
	for _, i := range []int{e.cur, e.cur - 1} {
		if i >= 0 && i < len(e.elems) && e.elems[i].chip {
			return i
		}
	}
	return -1
}

// AtChip tells whether Unfold would do something.
func (e *Editor) AtChip() bool { return e.chipAt() >= 0 }

// Unfold replaces the chip at or before the cursor by its text and tells whether there was one.
func (e *Editor) Unfold() bool {
	at := e.chipAt()
	if at < 0 {
		return false
	}
	e.remember(false)
	text := e.elems[at].text
	e.elems = append(e.elems[:at:at], e.elems[at+1:]...)
	e.cur = at
	e.insert(split(text))
	return true
}

// SetHistory gives the entries Up walks through, oldest first. What was added before they came stays
// behind them, and who walks already keeps their place.
func (e *Editor) SetHistory(entries []string) {
	back := len(e.history) - e.histAt
	e.history = slices.Clone(entries)
	for _, s := range e.added {
		if !slices.Contains(entries, s) {
			e.history = append(e.history, s)
		}
	}
	e.histAt = max(len(e.history)-back, 0)
}

// AddHistory appends one entry unless it repeats the last one.
func (e *Editor) AddHistory(s string) {
	if n := len(e.history); s != "" && (n == 0 || e.history[n-1] != s) {
		e.history = append(e.history, s)
		e.added = append(e.added, s)
	}
	e.histAt = len(e.history)
}

func (e *Editor) folds(s string) bool {
	if e.single {
		return false
	}
	return strings.Count(s, "\n") >= FoldLines || utf8.RuneCountInString(s) > FoldChars
}

func (e *Editor) newChip(s string) elem {
	e.pastes++
	what := fmt.Sprintf("%s chars", text.Thousands(utf8.RuneCountInString(s)))
	if n := strings.Count(strings.TrimSuffix(s, "\n"), "\n"); n > 0 {
		what = fmt.Sprintf("%s lines", text.Thousands(n+1))
	}
	show := fmt.Sprintf("[paste %d: %s]", e.pastes, what)
	return elem{text: s, show: show, width: len(show), chip: true}
}

func (e *Editor) insert(in []elem) {
	out := make([]elem, 0, len(e.elems)+len(in))
	out = append(out, e.elems[:e.cur]...)
	out = append(out, in...)
	out = append(out, e.elems[e.cur:]...)
	e.elems = out
	e.cur += len(in)
	e.changed()
}

// cut removes elems[from:to] and leaves the cursor at from.
func (e *Editor) cut(from, to int) []elem {
	gone := append([]elem(nil), e.elems[from:to]...)
	e.elems = append(e.elems[:from:from], e.elems[to:]...)
	e.cur = from
	e.changed()
	return gone
}

func (e *Editor) changed() {
	e.goal = -1
	e.cache = nil
}

// remember pushes an undo step; consecutive typing shares one.
func (e *Editor) remember(typing bool) {
	if typing && e.typing {
		return
	}
	e.typing = typing
	e.undo = append(e.undo, snapshot{elems: append([]elem(nil), e.elems...), cur: e.cur})
	if len(e.undo) > maxUndo {
		e.undo = e.undo[1:]
	}
}

// Normalise makes line ends LF and removes control bytes but tab and line break, and invalid UTF-8.
func Normalise(s string) string {
	s = strings.ToValidUTF8(s, "")
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || (r >= 0x20 && r < 0x7f) || r >= 0xa0 {
			return r
		}
		return -1
	}, s)
}

func split(s string) []elem {
	out := make([]elem, 0, len(s))
	cell.Clusters(s, func(c string, w int) bool {
		switch c {
		case "\n":
			out = append(out, elem{text: c})
		case "\t":
			out = append(out, elem{text: c, show: "    ", width: 4})
		default:
			show, width := cell.Draw(c, w)
			out = append(out, elem{text: c, show: show, width: width})
		}
		return true
	})
	return out
}

func join(elems []elem) string {
	var b strings.Builder
	for _, e := range elems {
		b.WriteString(e.text)
	}
	return b.String()
}

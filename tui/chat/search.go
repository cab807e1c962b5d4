package chat

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"hermes/tui/cell"
	"hermes/tui/composer"
)

// search is what is looked for in the transcript. Finding it in a long session takes a while, so the
// root does it in a command: Corpus out, Found in.
type search struct {
	on     bool
	typing bool
	field  *composer.Field
	query  string
	hits   map[*item]bool
	busy   bool
	cancel func() // gives up the look that is under way; may be nil
	line   int    // of the selected item, where the shown match stands; -1 when none is shown
}

// Corpus is the transcript's text as it was when the search began.
type Corpus struct {
	Query string
	items []*item
	texts []string
}

// Matches are the entries that hold the query.
type Matches struct {
	Query string
	items []*item
	given bool // the look was given up
}

// StartSearch opens the search field and gives the transcript the keys.
func (p *Pane) StartSearch() {
	p.Read(true)
	if !p.reading {
		return
	}
	p.search = search{on: true, typing: true, field: composer.NewField(p.search.query, false), query: p.search.query, hits: p.search.hits, line: -1}
}

// EndSearch closes the search and tells whether there was one.
func (p *Pane) EndSearch() bool {
	was := p.search.on
	p.Supersede()
	p.search = search{line: -1}
	return was
}

// Searching tells whether the search field has the keys.
func (p *Pane) Searching() bool { return p.search.typing }

// SearchKey handles a key or a paste for the field; changed asks for a new look (Corpus).
func (p *Pane) SearchKey(name string, msg tea.Msg) (changed bool) {
	switch name {
	case "esc":
		p.EndSearch()
		return false
	case "enter", "down":
		p.search.typing = false
		p.FindNext(1)
		return false
	case "up":
		p.search.typing = false
		p.FindNext(-1)
		return false
	}
	p.search.field.Update(msg)
	if text := p.search.field.Text(); text != p.search.query {
		p.search.query, p.search.line = text, -1
		p.search.busy = text != ""
		p.search.hits = nil
		return text != ""
	}
	return false
}

// OnSupersede says how to give up the look that begins now.
func (p *Pane) OnSupersede(cancel func()) { p.search.cancel = cancel }

// Supersede gives up the look that is under way.
func (p *Pane) Supersede() {
	if p.search.cancel != nil {
		p.search.cancel()
		p.search.cancel = nil
	}
}

// Corpus returns what is to be searched.
func (p *Pane) Corpus() Corpus {
	c := Corpus{Query: p.search.query, items: append([]*item(nil), p.items...), texts: make([]string, len(p.items))}
	for i, it := range c.items {
		switch {
		case it.call != nil:
			c.texts[i] = it.call.Summary + "\n" + it.call.Text()
		default:
			c.texts[i] = it.raw()
		}
	}
	return c
}

// Find looks for the query until ctx ends; it may run beside the pane.
func (c Corpus) Find(ctx context.Context) Matches {
	m := Matches{Query: c.Query}
	n := newNeedle(c.Query)
	for i, text := range c.texts {
		if ctx.Err() != nil {
			return Matches{given: true}
		}
		if n.index(text) >= 0 {
			m.items = append(m.items, c.items[i])
		}
	}
	return m
}

// Found takes the result of the newest Corpus and shows the nearest match above the end.
func (p *Pane) Found(m Matches) {
	if !p.search.on || m.given || m.Query != p.search.query {
		return
	}
	p.search.busy = false
	p.search.hits = make(map[*item]bool, len(m.items))
	for _, it := range m.items {
		p.search.hits[it] = true
	}
	if len(m.items) == 0 {
		return
	}
	for i := min(p.sel, len(p.items)-1); i >= 0; i-- { // what one reads, else what was said before
		if p.search.hits[p.items[i]] {
			by := -1
			if p.readOnly && i == p.sel { // opened at this entry: from its beginning
				by = 1
			}
			p.sel = i
			p.showMatch(by)
			return
		}
	}
	p.FindNext(1)
}

// FindNext goes to the next match (by 1) or the one before (by -1), around the ends.
func (p *Pane) FindNext(by int) {
	if len(p.search.hits) == 0 || len(p.items) == 0 {
		return
	}
	if p.search.hits[p.selected()] && p.stepInside(by) {
		return
	}
	n := len(p.items)
	for k := 1; k <= n; k++ {
		i := ((p.sel+by*k)%n + n) % n
		if p.search.hits[p.items[i]] {
			p.sel = i
			p.unfold(i)
			p.showMatch(by)
			return
		}
	}
}

// stepInside goes to another line of the selected entry that holds the query.
func (p *Pane) stepInside(by int) bool {
	d := p.draw(p.sel)
	for line := p.search.line + by; p.search.line >= 0 && line >= 0 && line < d.height(); line += by {
		if lineHolds(d.at(line), p.search.query) {
			p.showLine(line)
			return true
		}
	}
	return false
}

// showMatch shows the first line of the selected entry that holds the query (the last one when coming
// from below), or its beginning when the words are broken over lines or folded away.
func (p *Pane) showMatch(by int) {
	d := p.draw(p.sel)
	at := -1
	for line := range d.height() {
		if lineHolds(d.at(line), p.search.query) {
			at = line
			if by > 0 {
				break
			}
		}
	}
	if at < 0 {
		p.search.line = -1
		p.show(p.sel)
		return
	}
	p.showLine(at)
}

// showLine scrolls so that the given line of the selected entry is on screen, a third from the top.
func (p *Pane) showLine(line int) {
	p.search.line = line
	h := p.transcriptHeight()
	p.view.follow, p.view.top, p.view.line = false, p.sel, line
	p.up(h / 3)
	p.Scroll(0)
}

func lineHolds(line, query string) bool {
	return newNeedle(query).index(ansi.Strip(line)) >= 0
}

// needle is a query prepared for looking through much text: its rarest character is looked for first.
type needle struct {
	low   string // in lower case
	pivot rune   // the rarest character
	upper string // … in upper case; "" when it has none
	back  int    // characters in front of it
}

func newNeedle(query string) needle {
	n := needle{low: strings.ToLower(query)}
	best, i := -1, 0
	for _, r := range n.low {
		if rare := rarity(r); rare > best {
			best, n.pivot, n.back = rare, r, i
		}
		i++
	}
	if up := strings.ToUpper(string(n.pivot)); up != string(n.pivot) {
		n.upper = up
	}
	return n
}

// rarity grades how seldom a character is in running text.
func rarity(r rune) int {
	const common = " etaoinshrdlcumwfgypbvkjxqz"
	if i := strings.IndexRune(common, r); i >= 0 {
		return i
	}
	if r < utf8.RuneSelf {
		return len(common)
	}
	return len(common) + 1
}

// index finds the query in text whatever its case, -1 when it is not there. It makes no copy of text.
func (n needle) index(text string) int {
	if n.low == "" {
		return -1
	}
	for at := 0; at < len(text); {
		i := strings.IndexRune(text[at:], n.pivot)
		if n.upper != "" {
			rest := text[at:]
			if i >= 0 {
				rest = rest[:i]
			}
			if k := strings.Index(rest, n.upper); k >= 0 {
				i = k
			}
		}
		if i < 0 {
			return -1
		}
		at += i
		start := at
		for range n.back {
			_, size := utf8.DecodeLastRuneInString(text[:start])
			start -= size
		}
		if hasPrefixFold(text[start:], n.low) {
			return start
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return -1
}

// hasPrefixFold tells whether text begins with low, whatever its case.
func hasPrefixFold(text, low string) bool {
	for low != "" {
		if text == "" {
			return false
		}
		a, n := utf8.DecodeRuneInString(text)
		b, k := utf8.DecodeRuneInString(low)
		if a != b && strings.ToLower(string(a)) != string(b) {
			return false
		}
		text, low = text[n:], low[k:]
	}
	return true
}

// mark highlights the query in a drawn line.
func (p *Pane) markMatches(line string) string {
	plain := ansi.Strip(line)
	find := newNeedle(p.search.query)
	out, from := line, 0
	for {
		i := find.index(plain[from:])
		if i < 0 {
			return out
		}
		i += from
		end := i
		for n := utf8.RuneCountInString(find.low); n > 0 && end < len(plain); n-- {
			_, size := utf8.DecodeRuneInString(plain[end:])
			end += size
		}
		hit := plain[i:end]
		out = cell.Overlay([]string{out}, []string{p.st.Match.Render(hit)}, cell.Width(plain[:i]), 0, p.w)[0]
		from = end
	}
}

// searchLine draws the field, or what is searched for, and returns the cursor's column in it.
func (p *Pane) searchLine() (line string, x int) {
	note := ""
	switch n := len(p.search.hits); {
	case p.search.query == "":
	case p.search.busy:
		note = "searching …"
	case n == 0:
		note = "nothing found"
	default:
		note = fmt.Sprintf("entry %d of %d", p.hitNumber(), n) // n goes through all lines of each
		if !p.search.typing {
			note += " · n N move · Esc ends"
		}
	}
	room := max(p.w-6-cell.Width(note), 8)
	text := cell.Truncate(cell.Line(p.search.query), room)
	if p.search.typing {
		text, x = p.search.field.View(room)
	}
	left := " " + p.st.Accent.Render("/") + " " + p.st.Text.Render(text)
	return cell.Sides(left, p.st.Muted.Render(note)+" ", p.w, 12), x + 3
}

// hitNumber is the place of the selected entry among the matches, counted from the oldest.
func (p *Pane) hitNumber() int {
	n := 0
	for i, it := range p.items {
		if p.search.hits[it] {
			n++
		}
		if i == p.sel {
			break
		}
	}
	return max(n, 1)
}

package chat

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes/core"
	"hermes/tui/card"
	"hermes/tui/cell"
	"hermes/tui/markdown"
)

type kind int

const (
	kindUser kind = iota
	kindAgent
	kindTool
	kindNotice // told by the core, at any time
	kindEnd    // how a run ended, when not with an answer
	kindCompact
)

// gutterWidth is the column where text starts beside its speaker; narrow panes put the speaker on a
// line of its own.
const (
	gutterWidth = 8
	gutterFrom  = 64
)

// liveThought is how many lines of opened thinking are shown while it streams.
const liveThought = 100

// item is one entry of the transcript.
type item struct {
	kind   kind
	id     string // message or call id
	text   string // of users, notices, ends and finished answers
	remedy string
	detail string // of notices; shown when they are opened
	level  core.Level

	doc        *markdown.Doc // of the agent: while it streams, and while it is near the screen
	think      strings.Builder
	thinkOpen  bool
	private    bool // a shell card the model has not seen
	own        bool // a turn that the workspace asked for, not the person
	steered    bool // said while a turn ran, and heard by it
	incomplete bool
	live       bool // still streaming

	call *card.Call
	open bool

	folded int  // entries of its turn that are hidden, on the entry that opens it
	hidden bool // its turn is folded

	version int
	lines   drawn
	seen    int // the last frame that showed it
}

// drawn is what an item looks like at one width: parts that follow each other, so that a growing
// answer needs no copy of what is finished.
type drawn struct {
	width, version, callVersion int
	ok                          bool
	label                       string
	gutter                      int
	parts                       [4][]string
}

// What is shown of a long message of the person (a paste) until it is opened.
const (
	longLines = 30
	longBytes = 4096
)

// long tells a message of the person that is shown in part.
func (it *item) long() bool {
	return it.kind == kindUser && (len(it.text) > longBytes || strings.Count(it.text, "\n") > longLines)
}

// head returns the beginning of a long text and how many characters it leaves out.
func head(text string) (shown string, more int) {
	cut := min(len(text), longBytes)
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut++
	}
	shown = text[:cut]
	lines := strings.SplitAfterN(shown, "\n", longLines/2+1)
	if len(lines) > longLines/2 {
		shown = strings.Join(lines[:longLines/2], "")
	}
	return shown, utf8.RuneCountInString(text[len(shown):])
}

func (it *item) changed() { it.version++ }

// forget drops the drawn lines, and of a finished answer all that can be made again from its text.
func (it *item) forget() {
	it.lines = drawn{}
	switch {
	case it.doc == nil:
	case it.live:
		it.doc.Forget()
	default:
		it.doc = nil
	}
}

// raw is the text as it was sent or received.
func (it *item) raw() string {
	if it.live && it.doc != nil {
		return it.doc.Raw()
	}
	return it.text
}

// document returns the Markdown of an answer, made when first drawn: opening a long session must not
// parse what nobody looks at.
func (it *item) document() *markdown.Doc {
	if it.doc == nil {
		it.doc = markdown.NewDoc(it.text, true)
	}
	return it.doc
}

// height is the number of lines, the gap above included.
func (d *drawn) height() int {
	n := 0
	for _, p := range d.parts {
		n += len(p)
	}
	return n
}

// at returns line i with the gutter in front.
func (d *drawn) at(i int) string {
	first := i == len(d.parts[0])
	for k, p := range d.parts {
		if i < len(p) {
			if k == 0 { // the gap above
				return p[i]
			}
			if first && d.label != "" {
				return cell.Fit(d.label, d.gutter) + p[i]
			}
			return cell.Spaces(d.gutter) + p[i]
		}
		i -= len(p)
	}
	return ""
}

// draw returns the lines of item i at the present width, cached by version.
func (p *Pane) draw(i int) *drawn {
	it := p.items[i]
	w := min(p.w-2, textMax)
	cv := 0
	if it.call != nil {
		cv = it.call.Version()
	}
	// A running call shows its duration and spinner: drawn anew, it is one line.
	fresh := it.lines.ok && it.lines.width == w && it.lines.version == it.version && it.lines.callVersion == cv
	if fresh && (it.call == nil || it.call.Done()) {
		return &it.lines
	}
	d := drawn{ok: true, width: w, version: it.version, callVersion: cv}
	if it.hidden {
		it.lines = d
		return &it.lines
	}
	if p.gapBefore(i) {
		d.parts[0] = []string{""}
	}
	switch it.kind {
	case kindUser:
		p.drawUser(it, w, &d)
	case kindAgent:
		p.drawAgent(it, w, &d)
	case kindTool:
		d.parts[1] = []string{it.call.Header(p.st, p.tick, p.now(), w, 0)}
		d.parts[2] = it.call.Body(p.st, p.tick, p.now(), w, it.open)
		if it.private {
			d.parts[3] = []string{p.st.Faint.Render(cell.Truncate("  └ the model does not see this; select it and press s to send it", w))}
		}
	case kindNotice, kindEnd:
		d.parts[1] = p.drawNotice(it, w)
	case kindCompact:
		d.parts[1] = p.drawCompact(it, w)
	}
	if !it.lines.ok {
		p.warm = append(p.warm, it)
	}
	it.lines = d
	return &it.lines
}

// gapBefore tells whether a blank line stands above item i; tool cards in a row have none.
func (p *Pane) gapBefore(i int) bool {
	if i == 0 {
		return false
	}
	return p.items[i].kind != kindTool || p.items[i-1].kind != kindTool
}

// speaker sets the label and returns the width left for the text.
func (p *Pane) speaker(name string, w int, d *drawn) int {
	if w >= gutterFrom {
		d.label, d.gutter = name, gutterWidth
		return w - gutterWidth
	}
	d.parts[1] = append(d.parts[1], name)
	return w
}

func (p *Pane) drawUser(it *item, w int, d *drawn) {
	who := p.st.User.Render("you")
	if it.own {
		who = p.st.Muted.Render("note")
	}
	w = p.speaker(who, w, d)
	if it.steered {
		d.parts[1] = append(d.parts[1], p.st.Faint.Render(cell.Truncate("to the running turn:", w)))
	}
	text, more := it.text, 0
	if it.folded > 0 {
		text = foldedHead(text)
	} else if it.long() && !it.open {
		text, more = head(text)
	}
	for _, l := range cell.Wrap(strings.TrimRight(cell.Clean(text), "\n"), w, "") {
		d.parts[1] = append(d.parts[1], p.st.Text.Render(l))
	}
	if more > 0 {
		d.parts[1] = append(d.parts[1], p.st.Faint.Render(cell.Truncate(fmt.Sprintf("▸ %d more characters", more), w)))
	}
	if it.folded > 0 {
		d.parts[1] = append(d.parts[1], p.foldLine(it, w))
	}
}

func (p *Pane) drawAgent(it *item, w int, d *drawn) {
	w = p.speaker(p.st.Agent.Render("hermes"), w, d)
	d.parts[1] = append(d.parts[1], p.drawThinking(it, w)...)
	d.parts[2], d.parts[3] = it.document().Lines(p.md, w)
	if it.incomplete {
		mark := p.st.Warn.Render("… cut off here; the answer is incomplete")
		d.parts[3] = append(d.parts[3][:len(d.parts[3]):len(d.parts[3])], cell.Truncate(mark, w))
	}
	if d.height() == len(d.parts[0]) && it.live {
		d.parts[3] = []string{p.st.Faint.Render("…")}
	}
}

// drawThinking is one line while collapsed: how much was thought.
func (p *Pane) drawThinking(it *item, w int) []string {
	text := strings.TrimSpace(it.think.String())
	if text == "" {
		return nil
	}
	n := strings.Count(text, "\n") + 1
	word := "thought"
	if it.live && it.document().Empty() {
		word = "thinking"
	}
	plural := "lines"
	if n == 1 {
		plural = "line"
	}
	sign := "▸"
	if it.thinkOpen {
		sign = "▾"
	}
	out := []string{p.st.Think.Render(cell.Truncate(fmt.Sprintf("%s %s · %d %s", sign, word, n, plural), w))}
	if it.thinkOpen {
		shown := cell.Clean(text)
		if it.live { // bounded while it grows
			shown = strings.Join(card.Tail(text, liveThought), "\n")
		}
		for _, l := range cell.Wrap(shown, w-2, "") {
			out = append(out, "  "+p.st.Think.Render(l))
		}
	}
	if it.thinkOpen && !it.document().Empty() {
		out = append(out, "")
	}
	return out
}

func (p *Pane) drawNotice(it *item, w int) []string {
	sign, style := "·", p.st.Muted
	switch it.level {
	case core.LevelError:
		sign, style = "✗", p.st.Bad
	case core.LevelWarn:
		sign, style = "!", p.st.Warn
	default:
	}
	var out []string
	said := sign + " " + cell.Clean(it.text)
	if it.detail != "" {
		said += map[bool]string{false: " ▸", true: " ▾"}[it.open]
	}
	for _, l := range cell.Wrap(said, w, "  ") {
		out = append(out, style.Render(l))
	}
	if it.remedy != "" {
		for _, l := range cell.Wrap("  → "+cell.Clean(it.remedy), w, "    ") {
			out = append(out, p.st.Text.Render(l))
		}
	}
	if it.detail != "" && it.open {
		for _, l := range card.Diff(p.st, it.detail, max(w-2, 1)) {
			out = append(out, "  "+l)
		}
	}
	return out
}
